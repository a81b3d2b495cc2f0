// SPDX-License-Identifier: Apache-2.0
//
// Implicit steps of particles on a grid: backward Euler as a minimisation over the displacements
// x_i = h v_i of nodes (Wang et al. 2020, equation 2; Gast et al. 2015, equation 2),
//
//   E(x) = sum_i m_i / (2 h^2) |x_i - x~_i|^2 + sum_p V_p psi(F_p(x)),    x~ = h (v + h gravity)
//
// One step: particles are sorted into cells and give mass and momentum to nodes; nodes that objects
// hold are found (node_hold.h); E is minimised from x~, or from nearer to rest where x~ would turn
// matter inside out that must not be; nodes that should have been held, or let go, are, and E is
// minimised again; friction brakes; particles take velocities and deformation
// from the nodes and move with them, either by where they are (forward) or by where they will be.
// What yields, yields afterwards and elsewhere.
//
// Minimisers, over the same parts:
//
//   L-BFGS   one matrix for the step, made where it starts; with a V-cycle as its inverse this is
//            HOT (Wang et al. 2020), with conjugate gradients LBFGS-H
//   Newton   a matrix for every iteration: PN-PCG, PN-MGPCG, the method of Gast et al. 2015
//   ADMM     no matrix of the energy at all (admm.h)
//   short    L-BFGS only: where a step is not longer than what sound takes through a few cells,
//            matrix_free_courant of them, H is little more than M / h^2, and making it and its
//            levels costs more than the whole step by Newton and conjugate gradients without a
//            matrix
//   linear   a single linear solve at the start, full step: the semi-implicit step of Stomakhin et
//            al. 2013
//
// Convergence. By the node-wise characteristic norm (Wang et al. 2020): with l = 24 dx^2 and xi_i
// the norm of dP/dF at rest, averaged over a node's particles by mass,
//
//   sqrt(mean |g_i / (l xi_i)|^2) <= epsilon
//
// which is the paper's test (section 5.2), for g is their gradient over h. Or, to compare, by the
// plain length |h g| (kg m/s).
//
// Only growth allocates. Threads: parallel inside, the same bits for any number.
#ifndef PLI_MPM_IMPLICIT_IMPLICIT_STEPPER_H
#define PLI_MPM_IMPLICIT_IMPLICIT_STEPPER_H

#include "mpm/implicit/node_source.h"
#include "optimize/line_search.h"
#include "optimize/minimizer.h"

typedef enum pli_implicit_method {
    PLI_IMPLICIT_LBFGS,
    PLI_IMPLICIT_NEWTON,
    PLI_IMPLICIT_ADMM,
    PLI_IMPLICIT_LINEAR
} pli_implicit_method;

typedef struct pli_implicit_stepper_def {
    pli_cloud_def cloud;
    const pli_implicit_kind *kinds; // [cloud.kind_count] copied
    double gravity[3];              // m/s^2
    const pli_grid_colliders *borrowed_colliders;

    bool affine;   // APIC; else velocities of particles are a blend of FLIP and PIC
    double flip;   // share of FLIP
    bool backward; // particles move by backward Euler

    pli_implicit_method method;
    pli_node_source_def source;
    bool plain_norm;  // |h g| decides on convergence
    double tolerance; // epsilon, or kg m/s with plain_norm
    int32_t max_iterations;
    int32_t fixed_iterations;   // > 0: exactly so many
    int32_t window;             // of L-BFGS
    int32_t refresh;            // of L-BFGS, 0: never within a step
    bool restarts;              // of L-BFGS
    double matrix_free_courant; // of L-BFGS, 0: no step is matrix-free
    pli_line_search_def search;
} pli_implicit_stepper_def;

// What one step took.
typedef struct pli_implicit_report {
    pli_minimize_report outcome; // counts of all rounds together
    pli_node_counts counts;
    int32_t nodes;
    int32_t held;
    int32_t rounds;   // minimisations; 2 and more where the active set changed
    bool matrix_free; // L-BFGS and its matrix were not needed
    bool raised;      // the linear method: E would rise, and nothing was moved
    pli_advect_report advect;
} pli_implicit_report;

typedef struct pli_implicit_stepper pli_implicit_stepper;

// Errors: argument, memory.
PLI_CHECKED pli_status pli_implicit_stepper_create(pli_context *context,
                                                   const pli_implicit_stepper_def *def,
                                                   pli_implicit_stepper **stepper);
void pli_implicit_stepper_destroy(pli_implicit_stepper *stepper);

// Takes the particles of a step over and finds the velocities of nodes; particles are borrowed
// until the step is done. Errors: numeric (a particle that is nowhere), memory.
PLI_CHECKED pli_status pli_implicit_stepper_load(pli_implicit_stepper *stepper,
                                                 const pli_cloud_source *particles);

// The fastest that matter is about to move (m/s): with velocities of nodes as they are now, where
// objects hold them as those have it,
//
//   max_p (|v_p| + r |C_p|),   r = sqrt(3) 1.5 dx, as far as the affine velocity of a particle
//   reaches
//
// so that a body at rest that an object begins to move counts. Objects have to be where they are to
// be soon. Errors: memory.
PLI_CHECKED pli_status pli_implicit_stepper_speed(pli_implicit_stepper *stepper, double *speed);

// Moves what was loaded by h (s) and writes it to rows, which may be those that it came from.
// Errors: interrupted, memory; then `to` is as it was. So it is when the report tells that the
// solution is not finite, or that the linear method would raise the energy: above the lesser of
// those at rest and at x~, by more than its linear solve may err. What was loaded is still there
// then.
PLI_CHECKED pli_status pli_implicit_stepper_step(pli_implicit_stepper *stepper,
                                                 const pli_cloud_target *to, double h,
                                                 const pli_minimize_env *env,
                                                 pli_implicit_report *report);

// ---- for instruments

// The scaled residual (Wang et al. 2020): of every node |T g_i| / (l xi_i), whose
// root mean square is the characteristic norm, and of particles that by their weights. Of a
// gradient g [nodes][3] (N), such as a monitor is told, between loading and the end of a step;
// nodes may be NULL: [nodes], particles: [particles that were loaded].
void pli_implicit_stepper_measure(pli_implicit_stepper *stepper, const double *g, double *nodes,
                                  double *particles);

// Where steps that are taken from now on leave that of their last iterate, [particles]; NULL:
// nowhere, which costs nothing.
void pli_implicit_stepper_keep(pli_implicit_stepper *stepper, double *borrowed_particles);

// Which minimisation of a step runs, counted from 1; see rounds of the report.
int32_t pli_implicit_stepper_round(const pli_implicit_stepper *stepper);

// The nodes of the last step and their multigrid, NULL: there is none. Lifetime: until the next
// step.
const pli_node_grid *pli_implicit_stepper_nodes(const pli_implicit_stepper *stepper);
const pli_node_multigrid *pli_implicit_stepper_multigrid(const pli_implicit_stepper *stepper);

// Bytes of everything but the levels of the multigrid.
int64_t pli_implicit_stepper_memory(const pli_implicit_stepper *stepper);

#endif
