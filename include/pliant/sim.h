// SPDX-License-Identifier: Apache-2.0
//
// Simulating: scene -> model -> state -> [ solver: step, step, ... ] -> reports and frames.
//
//   model   compiled from a scene, constant, may be shared between threads;
//   state   exactly what a checkpoint holds; nothing else can change a result;
//   solver  scratch and caches; dropping and rebuilding it never changes a result.
//
// The same scene, build and steps give the same bits for any number of threads.
#ifndef PLIANT_SIM_H
#define PLIANT_SIM_H

#include "pliant/frame.h"
#include "pliant/scene.h"
#include "pliant/stop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pli_model pli_model;
typedef struct pli_state pli_state;
typedef struct pli_solver pli_solver;

// ---- model
// ---------------------------------------------------------------------------------------

enum { PLI_MODEL_LEVELS = 8 };

typedef struct pli_model_info {
    int32_t body_count;
    int32_t vertex_count;
    int32_t tet_count;
    int64_t unknown_count; // 3 vertices, less what is fixed at the start
    int64_t block_count;   // 3x3 blocks of the Hessian
    // bytes that model, state and solver will need together; of particles, all that a run takes,
    // without those that emitters bring
    int64_t memory_estimate;
    double dt;          // length of a step (s)
    double size;        // diagonal of the bounding box of everything (m)
    double mass;        // kg
    const char *solver; // the solver that "auto" picks, or the one asked for
    double tolerance;   // what the convergence test compares with
    const char *tolerance_unit;
    int32_t fixed_iterations; // > 0: so many in every step, without a convergence test
    int32_t collider_count;
    int32_t triangle_count;                // of shells, cloth and obstacles
    int32_t spring_count;                  // of cloth
    int32_t level_count;                   // coarse levels of a multigrid; 0: the solver has none
    int32_t level_nodes[PLI_MODEL_LEVELS]; // [level_count] coarsest first
    int64_t level_memory;                  // bytes of all levels, part of memory_estimate
    int32_t handle_count;                  // of the solver "subspace"; 0: another solver
    int32_t cubature_count;                // tetrahedra whose Hessian its coarse levels see
    int32_t polish_iterations;             // of its last level
    int64_t subspace_memory;               // bytes of its levels, part of memory_estimate
    int64_t particle_count;                // at the start
    double cell;                           // edge of a cell of their grid (m); 0: there is none
    int32_t emitter_count;
    double domain_min[3]; // corners of the box between the walls (m)
    double domain_max[3];
    double cfl; // cells that particles move in a substep of an implicit step, at most; 0: steps
                // of particles are explicit, or there are none
    int64_t node_count;   // of the grid of implicit steps, at the start
    double substeps;      // of particles in a step, as their speeds at the start want it, at least
    int64_t max_substeps; // of a step, before it is refused; 0: there are no particles
} pli_model_info;

// A collider or the contact of bodies, with everything automatic resolved.
typedef struct pli_contact_info {
    const char *name;   // of the collider; "" for the contact of bodies
    const char *method; // as in scene files, never "auto"
    double stiffness;   // penalty: N/m^2, quadratic: N/m
    double friction;    // Coulomb's coefficient
    // of a collider that barriers see as a surface; 0: as a plane, or not at all
    int32_t triangle_count;
    double deviation; // of its triangles from the shape, at most (m)
} pli_contact_info;

// Compiles a scene. Errors: scene, mesh, unsupported, memory.
// Lifetime: the model keeps no reference to the scene.
PLI_API PLI_CHECKED pli_status pli_model_create(pli_context *context, const pli_scene *scene,
                                                pli_model **model);

// SHA-256 of everything that went into what is cached.
typedef struct pli_cache_key {
    unsigned char bytes[32];
} pli_cache_key;

// A place for what takes long to compute and depends on nothing but its key. What comes back is
// checked before it is used: a cache may lose, cut or mix up what it was given. It must not hand
// out what others made up: numbers that fit together are believed.
typedef struct pli_cache {
    void *user;
    // *bytes and *size of what was stored under the key; false: nothing is there, or it can't be
    // had. NULL: nothing is ever there.
    bool (*load)(void *user, const pli_cache_key *key, const void **bytes, int64_t *size);
    // gives back what load handed out
    void (*release)(void *user, const void *bytes);
    // keeps a copy, or does not: a failure is the cache's own affair. NULL: nothing is kept.
    void (*store)(void *user, const pli_cache_key *key, const void *bytes, int64_t size);
} pli_cache;

// How far the part of a model is that takes long.
typedef struct pli_preparation {
    const char *what;  // "subspace"
    const char *stage; // "clusters", "weights", "cubature"; "" when all of it is done
    double fraction;   // of the stage, 0 to 1
    double seconds;    // since it began
} pli_preparation;

typedef void (*pli_prepare_fn)(void *user, const pli_preparation *preparation);
// Returns true to abandon what is being computed: the model, or the step.
typedef bool (*pli_cancel_fn)(void *user);

typedef struct pli_model_def {
    pli_cache cache;        // all zero: none
    pli_prepare_fn prepare; // hears how far it is, on the calling thread; NULL: nobody does
    void *prepare_user;
    // asked between stages and while the subspace is prepared; the model then fails as
    // PLI_ERROR_INTERRUPTED; NULL: never stops
    pli_cancel_fn cancel;
    void *cancel_user;
} pli_model_def;

// The same with a cache and someone who hears how far it is; they are used during the call only. A
// model out of a cache equals one that was computed, bit for bit. def may be NULL.
PLI_API PLI_CHECKED pli_status pli_model_create_with(pli_context *context, const pli_scene *scene,
                                                     const pli_model_def *def, pli_model **model);
PLI_API void pli_model_destroy(pli_model *model);
PLI_API void pli_model_get_info(const pli_model *model, pli_model_info *info);

// Bodies, in the order of the scene. Returned pointers live as long as the model.
PLI_API const char *pli_model_body_name(const pli_model *model, int32_t body);
// First vertex and number of vertices of a body in the state's arrays.
PLI_API void pli_model_body_range(const pli_model *model, int32_t body, int32_t *first,
                                  int32_t *count);
PLI_API const double *pli_model_rest_positions(const pli_model *model); // [vertex_count][3] (m)
PLI_API const int32_t *pli_model_tets(const pli_model *model);          // [tet_count][4]
// Nodes on the edges 01, 12, 02, 03, 13, 23 of quadratic tetrahedra, -1: of others; NULL: there are
// no quadratic ones. [tet_count][6]
PLI_API const int32_t *pli_model_mid_nodes(const pli_model *model);
// The first body of the model that a body of the scene is; -1: there is none.
PLI_API int32_t pli_model_find_body(const pli_model *model, int32_t source);
// What the tetrahedra of a body are: "linear", "quadratic" or "locking-free"; NULL: it has none.
PLI_API const char *pli_model_body_element(const pli_model *model, int32_t body);
PLI_API const int32_t *pli_model_triangles(const pli_model *model); // [triangle_count][3]
PLI_API const double *pli_model_masses(const pli_model *model);     // [vertex_count] (kg)

// Colliders, in the order of the scene, and the contact between bodies.
PLI_API void pli_model_get_collider(const pli_model *model, int32_t collider,
                                    pli_contact_info *info);
PLI_API void pli_model_get_contact(const pli_model *model, pli_contact_info *info);

// What particles of a kind are: those of one body or emitter that have the same material.
typedef struct pli_kind_info {
    const char *source; // body or emitter of the scene
    int32_t material;   // of the scene, counted from 0
    double mass;        // of a particle (kg)
    double volume;      // that it takes at rest (m^3)
    bool is_fluid;      // J is exp(history) of its particles, and their deformation the identity
} pli_kind_info;

PLI_API int32_t pli_model_kind_count(const pli_model *model);
PLI_API void pli_model_get_kind(const pli_model *model, int32_t kind, pli_kind_info *info);

// ---- state
// ---------------------------------------------------------------------------------------

// The state at time zero.
PLI_API PLI_CHECKED pli_status pli_state_create(const pli_model *model, pli_state **state);
PLI_API void pli_state_destroy(pli_state *state);
// Makes a state of the same model equal to another. Errors: memory (of more particles than there
// was room for; then `to` is as it was).
PLI_API PLI_CHECKED pli_status pli_state_copy(const pli_state *from, pli_state *to);

PLI_API int64_t pli_state_step(const pli_state *state); // steps taken so far
PLI_API double pli_state_time(const pli_state *state);  // s

// Positions (m) and velocities (m/s), [vertex_count][3]. Lifetime: until the state is destroyed;
// contents change with the next step.
PLI_API const double *pli_state_positions(const pli_state *state);
PLI_API const double *pli_state_velocities(const pli_state *state);

// Replaces positions and velocities; either may be NULL. Errors: argument (a value is not finite).
PLI_API PLI_CHECKED pli_status pli_state_set(pli_state *state, const double *positions,
                                             const double *velocities);

// Grips: springs that pull single vertices to places of their own, (k/2) |x - t|^2, beside the
// attachments of the scene. They come, move and go between steps, to drag a body with the mouse or
// to hang it somewhere. They are part of the state: copies, hashes and checkpoints have them, and a
// grip that lets go leaves nothing behind. Vertices that a constraint holds do not feel them.

// Grips a vertex, or moves the grip that is there; stiffness k (N/m), 0 lets go, and target [3] (m)
// is not looked at then. Errors: argument (no such vertex, a stiffness that is negative or not
// finite, a target that is not finite, a state of particles); then nothing has changed.
PLI_API PLI_CHECKED pli_status pli_state_set_grip(pli_state *state, int32_t vertex,
                                                  double stiffness, const double target[3]);
// Lets go of all vertices.
PLI_API void pli_state_clear_grips(pli_state *state);

// Stiffness (N/m), [vertex_count], 0 where there is no grip, and targets (m), [vertex_count][3].
// Lifetime: until the state is destroyed.
PLI_API const double *pli_state_grip_stiffnesses(const pli_state *state);
PLI_API const double *pli_state_grip_targets(const pli_state *state);

// Forces from outside: constant while a step is solved, beside gravity, until they are changed:
// wind, thrusters, loads. They are part of the state as grips are, and where all are zero it is as
// if there had never been any. What they do is work of somebody else's: it is in no energy of a
// report.

// Replaces the forces (N), [vertex_count][3]; NULL: none from now on. Errors: argument (a value is
// not finite, a state of particles); then nothing has changed.
PLI_API PLI_CHECKED pli_status pli_state_set_forces(pli_state *state, const double *forces);
// Lifetime: until the state is destroyed.
PLI_API const double *pli_state_forces(const pli_state *state);

// 64-bit hash of everything in the state.
PLI_API uint64_t pli_state_hash(const pli_state *state);

// Everything in the state as named arrays: what a checkpoint stores and restores.
typedef enum pli_array_kind { PLI_ARRAY_F64, PLI_ARRAY_I64, PLI_ARRAY_I32 } pli_array_kind;

typedef struct pli_state_array {
    const char *name;
    pli_array_kind kind;
    int64_t rows;
    int32_t columns;
    // [rows][columns]; writing here is how a checkpoint is restored. Who writes positions or
    // velocities between steps also sets "history" to 0, as pli_state_set does. Lifetime: until the
    // state is destroyed; arrays of particles: until it is stepped, copied to or destroyed
    void *data;
    bool of_particles; // rows is the number of particles, which may change from step to step
    bool optional;     // a checkpoint is without it while it is all zero
} pli_state_array;

PLI_API int32_t pli_state_array_count(const pli_state *state);
PLI_API void pli_state_get_array(pli_state *state, int32_t index, pli_state_array *array);

// Makes room for so many particles, for a checkpoint to fill; what the arrays of particles hold
// then means nothing. Errors: argument (a model without particles, a negative number), memory (then
// nothing has changed).
PLI_API PLI_CHECKED pli_status pli_state_set_particle_count(pli_state *state, int64_t count);

// The particles, in an order that may change with every step. Lifetime: until the state is stepped,
// copied to or destroyed.
typedef struct pli_particle_view {
    int64_t count;
    const double *positions;   // [count][3] (m)
    const double *velocities;  // [count][3] (m/s)
    const double *affine;      // [count][9] gradient of the velocity around it (1/s), row-major
    const double *deformation; // [count][9] elastic deformation gradient, row-major
    const double *history;     // [count] history variable, see docs/theory/mpm.md
    const int32_t *kinds;      // [count] see pli_model_get_kind
    const int32_t *ids;        // [count] all different, and the same throughout a run
} pli_particle_view;

PLI_API void pli_state_get_particles(const pli_state *state, pli_particle_view *view);

// ---- solver and reports
// ----------------------------------------------------------------------------

enum { PLI_REPORT_PHASES = 24 };

typedef struct pli_energies { // J
    double kinetic;
    double elastic;
    double gravity;
    double attachment; // grips included
    double contact;
    double total; // sum of the above
} pli_energies;

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

typedef void (*pli_iteration_fn)(void *user, const pli_iteration_report *report);

PLI_API PLI_CHECKED pli_status pli_solver_create(const pli_model *model, pli_solver **solver);
PLI_API void pli_solver_destroy(pli_solver *solver);

// Hears every outer iteration; NULL turns it off.
PLI_API void pli_solver_set_monitor(pli_solver *solver, pli_iteration_fn monitor, void *user);
// Is asked at every outer iteration, and at every substep or sweep of particles, and four times a
// second within an iteration that takes longer; NULL turns it off. The step then fails as
// PLI_ERROR_INTERRUPTED, and the state is that before it.
PLI_API void pli_solver_set_cancel(pli_solver *solver, pli_cancel_fn cancel, void *user);

// The scaled residual of an iterate of an implicit step, seen from the particles: of every node the
// residual over a force scale of its material, |g_i| / (24 dx^2 xi_i), with dx the cell and xi_i
// the norm of dP/dF at rest, and of a particle the mean of its nodes by their weights.
typedef struct pli_residual_view {
    int64_t step;
    int32_t substep;         // substep, counted from 1
    int32_t round;           // minimisation of the substep, counted from 1
    int32_t iteration;       // 0 is its start
    double residual;         // in the norm of the convergence test
    int64_t count;           // particles
    const double *positions; // [count][3] when the substep begins (m)
    const double *residuals; // [count]
    const int32_t *ids;      // [count]
} pli_residual_view;

typedef void (*pli_residual_fn)(void *user, const pli_residual_view *view);

// Hears the scaled residual of every outer iterate of implicit steps; NULL turns it off. Costs a
// pass over all particles for every iterate. Lifetime of the view: the call.
PLI_API void pli_solver_set_residual_monitor(pli_solver *solver, pli_residual_fn monitor,
                                             void *user);

// Whether steps measure energies, momenta, determinants and contacts for their reports; they do at
// first. It is a pass over all elements: loops in real time may do without, and call
// pli_solver_measure when they want to know. Reports then have NaN for energies and momenta.
PLI_API void pli_solver_set_measuring(pli_solver *solver, bool measuring);

// Advances the state by the model's step length. A step that does not converge returns PLI_OK and
// says so in report->stop; the state then is the best iterate, or unchanged when it was rejected.
// Errors: interrupted (state unchanged), memory (state unchanged).
PLI_API PLI_CHECKED pli_status pli_solver_step(pli_solver *solver, pli_state *state,
                                               pli_step_report *report);

// Energies, momenta, smallest J and contacts of a state, without advancing it; what constraints and
// post-processes touch is known of the solver's last step alone.
PLI_API PLI_CHECKED pli_status pli_solver_measure(pli_solver *solver, const pli_state *state,
                                                  pli_step_report *report);

// What solvers there are. Lifetime: static.
typedef struct pli_solver_info {
    const char *name;
    const char *doc;
    const char *source; // paper it comes from
} pli_solver_info;

PLI_API int32_t pli_solver_info_count(void);
PLI_API const pli_solver_info *pli_solver_info_get(int32_t index);

// What a solver takes: "meshes", "particles" or "both". Lifetime: static.
PLI_API const char *pli_solver_info_takes(int32_t index);

// Whether a solver looks at a section of the scene's keys of solvers: multigrid, chebyshev,
// subspace, steps, grid. Sections that are not known count as used.
PLI_API bool pli_solver_info_uses(int32_t index, const char *section);

// ---- frames
// --------------------------------------------------------------------------------------

// The state as something to look at: bodies with velocity, displacement, von Mises stress, J and
// material, shells and obstacles as triangles, then the surfaces of the colliders where their
// scripts have moved them; a collider that its script has released is left out. With the solver
// "subspace", handles and cubature as well. Particles are a part for every body and emitter, with
// velocity, material, J, plastic state, the step of their block and what it did last; of implicit
// steps "residual", the scaled residual of the last iterate of the step that led here: 0 where this
// solver made no such step, or the first frame was asked for amid the steps of a frame. Lifetime:
// until the next call on this solver.
PLI_API PLI_CHECKED pli_status pli_solver_frame(pli_solver *solver, const pli_state *state,
                                                pli_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
