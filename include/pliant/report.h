// SPDX-License-Identifier: Apache-2.0
//
// What a step did: how it ended, what it cost, and what can be measured of the state that it led
// to.
#ifndef PLIANT_REPORT_H
#define PLIANT_REPORT_H

#include "pliant/stop.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLI_REPORT_PHASES = 24 };

typedef struct pli_energies { // J
    double kinetic;
    double elastic;
    double gravity;
    double attachment; // grips included
    double contact;
    double total;  // sum of all others
    double load;   // what the scene's loads have done since the start, negative
    double cavity; // of gas and liquid in cavities, relative to the start; work of given pressures
                   // as that of loads
} pli_energies;

// The volume that a closed surface encloses.
typedef struct pli_cavity_report {
    const char *name;
    double volume;   // m^3
    double pressure; // by how much that inside exceeds that outside (Pa)
} pli_cavity_report;

// Two bodies, or a body and a collider, that barriers keep apart.
typedef struct pli_contact_pair {
    const char *first;
    const char *second;
    int32_t contacts;         // pairs of primitives closer than the distance of contact
    double min_gap;           // smallest distance (m)
    double normal_force[3];   // on the first, all contacts together (N)
    double friction_force[3]; // on the first (N)
} pli_contact_pair;

// What the levels of the solver "subspace" did in a step.
typedef struct pli_level_counts {
    int32_t directions; // 0: another solver
    int32_t refreshes;  // of the elastic Hessian
    int64_t affine_iterations;
    int64_t subspace_iterations;
    int64_t polish_iterations;
    double largest_step; // entry of the last direction over the time step (m/s)
} pli_level_counts;

enum { PLI_REPORT_STEPS = 24 };

// What the solvers "explicit" and "regional" did in a step.
typedef struct pli_matter_report {
    int64_t particles; // at the end of it
    int64_t emitted;
    double tick;              // s
    int64_t ticks;            // that the step was made of; 0: it was another solver
    int64_t sweeps;           // over the blocks that were due at one time
    int64_t block_updates;    // blocks of 4 x 4 x 8 nodes that were moved by a step of their own
    int64_t particle_updates; // the same in particles
    int64_t buffer_updates;   // copies of particles moved along for the sake of shorter steps
    int64_t steps[PLI_REPORT_STEPS]; // histogram: block updates by 2^k ticks
    int32_t retries;                 // times that the step was redone with a shorter tick
    double schedule_seconds; // part of the step's time that was neither transfer nor material
} pli_matter_report;

enum { PLI_REPORT_LEVELS = 8 };

// What implicit solvers of particles did in a step.
typedef struct pli_grid_report {
    int32_t substeps; // substeps that the step was cut into; 0: it was another solver
    int32_t retries;  // substeps that were redone, shorter (semi-implicit)
    double shortest;  // substep (s)
    double longest;
    int32_t unconverged; // substeps
    int32_t nodes;       // of the grid that move, in the last substep
    int32_t constrained; // of them constrained by colliders and walls
    int32_t rounds;      // minimisations: more than substeps where the active set changed
    int32_t matrices;    // assembled, or tangents of all particles
    int64_t solves;      // linear ones
    int64_t cycles;      // V-cycles and sweeps
    int64_t coarsest_iterations;
    int32_t capped;             // linear solves that ended at their limit of iterations
    int32_t dropped_pairs;      // of L-BFGS
    int64_t position_steps;     // of Newton's method for positions, all particles together
    int64_t repeated_positions; // particles that took more than one
    int32_t level_count;        // of the multigrid, 0: there is none
    int32_t level_nodes[PLI_REPORT_LEVELS];
    int64_t level_blocks[PLI_REPORT_LEVELS]; // 3x3, not zero
    int64_t level_bytes[PLI_REPORT_LEVELS];
    int64_t bytes; // of everything but levels
} pli_grid_report;

typedef struct pli_step_report {
    int64_t step; // 1 for the first step
    double time;  // at the end of the step (s)
    double dt;    // s
    const char *solver;
    pli_stop stop;
    int32_t iterations;         // outer iterations: linear systems solved
    int64_t linear_iterations;  // inner iterations, all systems together
    int32_t energy_evaluations; // by line searches and initial guesses
    pli_level_counts levels;
    double residual; // in the norm of the convergence test
    double tolerance;
    pli_energies energy;
    double momentum[3];         // kg m/s
    double angular_momentum[3]; // kg m^2/s, about the origin
    double min_J;               // smallest determinant of a deformation gradient of a tetrahedron
                                // or particle; NaN: there are none
    int32_t inverted;           // of these with J <= 0
    int32_t vertices;
    bool collides;    // the scene has colliders or contact: the next four mean something
    int32_t contacts; // pairs that touch
    // smallest signed distance of a vertex to a collider, or of what barriers keep apart (m);
    // infinite: none
    double min_gap;
    double max_depth;     // deepest penetration, of colliders and of bodies (m)
    double friction_work; // what friction did to the kinetic energy, seen from what is touched (J)
    double barrier_distance;       // at which contact of barriers begins (m); 0: there are none
    double barrier_stiffness;      // of a contact (N/m)
    int32_t pair_count;            // bodies in contact, of barriers only
    const pli_contact_pair *pairs; // [pair_count]. Lifetime: until the solver's next call

    pli_matter_report matter;
    pli_grid_report grid;

    int32_t phase_count; // time by phase; exclusive, so the phases add up to the total
    const char *phase_name[PLI_REPORT_PHASES];
    double phase_seconds[PLI_REPORT_PHASES];
    double seconds; // all of the step

    // what was not finite, of a step that was rejected for that: a vertex, tetrahedron or particle.
    // NULL: there was no such thing. Lifetime: until the solver's next call
    const char *culprit;

    int32_t cavity_count;
    const pli_cavity_report *cavities; // [cavity_count]. Lifetime: until the solver's next call
} pli_step_report;

// One outer iteration, as it happens.
typedef struct pli_iteration_report {
    int64_t step;
    int32_t iteration; // 0 is the state before the first direction
    double residual;   // in the norm of the convergence test
    double gradient;   // plain length of the gradient (N)
    double energy;     // of the objective (J); NaN: the solver had no need for it, and the scene
                       // does not say output.iterations: true
    double alpha;      // step length that the line search chose; 0 for iteration 0
    int32_t linear_iterations;
    int32_t energy_evaluations;
    int32_t direction; // 0 Newton, 1 reversed Newton, 2 steepest descent
    double seconds;    // since the step began
    int32_t substep;   // substep of an implicit step, counted from 1; 0: there are none
} pli_iteration_report;

#ifdef __cplusplus
}
#endif

#endif
