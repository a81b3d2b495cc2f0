// SPDX-License-Identifier: Apache-2.0
//
// Simulating: scene -> model -> state -> [ solver: step, step, ... ] -> reports and frames.
//
//   model   compiled from a scene, constant, may be shared between threads;
//   state   exactly what a checkpoint holds; nothing else can change a result;
//   solver  scratch and caches; dropping and rebuilding it never changes a result.
//
// The same scene, build and steps give the same bits for any number of threads. What is asked of an
// object comes by value, with pointers into the object; what can fail, or may not be there, comes
// through the last pointer.
#ifndef PLIANT_SIM_H
#define PLIANT_SIM_H

#include "pliant/frame.h"
#include "pliant/report.h"
#include "pliant/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pli_model pli_model;
typedef struct pli_state pli_state;
typedef struct pli_solver pli_solver;

// ---- model
// ---------------------------------------------------------------------------------------

enum { PLI_MODEL_LEVELS = 8 };

// A number of the scene that differs from place to place or with time, and what it comes to.
typedef struct pli_painted_info {
    const char *number; // "materials.rubber.young"
    const char *by;     // "by array 'stiffness'", "by expression '1e5 * y'", "by keys"
    double least;       // in the unit; of a direction: of its components
    double most;
    const char *unit;
} pli_painted_info;

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
    int32_t kind_count;   // of particles
    pli_contact_info contact; // of bodies
    int32_t painted_count;
    const pli_painted_info *painted; // lives as long as the model
    int32_t load_count;
    int32_t cavity_count;
} pli_model_info;

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

typedef struct pli_model_def { // all of it may be zero
    pli_cache cache;           // all zero: none
    pli_prepare_fn prepare;    // hears how far it is, on the calling thread; NULL: nobody does
    void *prepare_user;
    // asked between stages and while the subspace is prepared; the model then fails as
    // PLI_ERROR_INTERRUPTED; NULL: never stops
    pli_cancel_fn cancel;
    void *cancel_user;
} pli_model_def;

// Compiles a scene, to which the model keeps no reference. def may be NULL; what it names is used
// during the call only. A model out of a cache equals one that was computed, bit for bit. Errors:
// scene, mesh, unsupported, interrupted, memory.
PLI_API PLI_CHECKED pli_status pli_model_create(pli_context *context, const pli_scene *scene,
                                                const pli_model_def *def, pli_model **model);
PLI_API void pli_model_destroy(pli_model *model);
PLI_API pli_model_info pli_model_get_info(const pli_model *model);

// The meshes of all bodies as one, whose vertices are those of states; behind the bodies come the
// surfaces of colliders that barriers keep them away from. Lifetime: that of the model.
typedef struct pli_mesh_view {
    int32_t vertex_count;
    const double *rest_positions; // [vertex_count][3] (m)
    const double *masses;         // [vertex_count] (kg), 0: of obstacles
    int32_t tet_count;
    const int32_t *tets; // [tet_count][4]
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3]
    // nodes on the edges 01, 12, 02, 03, 13, 23 of quadratic tetrahedra, -1: of others; NULL: there
    // are no quadratic ones
    const int32_t *mid_nodes; // [tet_count][6]
} pli_mesh_view;

PLI_API pli_mesh_view pli_model_get_mesh(const pli_model *model);

// Where a body is in there. Lifetime of the name: that of the model.
typedef struct pli_body_info {
    const char *name;
    pli_body_kind kind;
    int32_t first_vertex;
    int32_t vertex_count;
    int32_t first_tet;
    int32_t tet_count;
    int32_t first_triangle;
    int32_t triangle_count;
    pli_element_kind element; // of its tetrahedra, never PLI_ELEMENT_AUTO
    int32_t source;           // body of the scene that it is, or is a copy of
} pli_body_info;

// Bodies, body_count of them, in the order of the scene, copies and pieces one after another.
PLI_API pli_body_info pli_model_get_body(const pli_model *model, int32_t body);

// Colliders, in the order of the scene.
PLI_API pli_contact_info pli_model_get_collider(const pli_model *model, int32_t collider);

// A load of the scene, as it is at the factor 1.
typedef struct pli_load_info {
    const char *kind;       // "traction", "pressure", "force", "point_force", "acceleration"
    double force[3];        // of all of it (N); of a pressure on the surface at rest
    int32_t vertex_count;   // that it acts on; 0: it is a pressure
    int32_t triangle_count; // that a pressure acts on
} pli_load_info;

// Loads, in the order of the scene.
PLI_API pli_load_info pli_model_get_load(const pli_model *model, int32_t load);

// The volume that a closed surface encloses, at the start.
typedef struct pli_cavity_info {
    const char *name;
    const char *content;    // "pressure", "gas", "liquid"
    double volume;          // m^3
    int32_t triangle_count; // of the surface
} pli_cavity_info;

// Cavities, in the order of the scene; a body with copies has one for each.
PLI_API pli_cavity_info pli_model_get_cavity(const pli_model *model, int32_t cavity);

// What particles of a kind are: those of one body or emitter that have the same material.
typedef struct pli_kind_info {
    const char *source; // body or emitter of the scene
    int32_t material;   // of the scene, counted from 0
    double mass;        // of a particle (kg)
    double volume;      // that it takes at rest (m^3)
    bool is_fluid;      // J is exp(history) of its particles, and their deformation the identity
} pli_kind_info;

PLI_API pli_kind_info pli_model_get_kind(const pli_model *model, int32_t kind);

// A quantity that is measured at every step (report.h), by its number from 0, with NaN for values;
// the list is that of every report. One beyond the last has no name.
PLI_API pli_probe_value pli_model_get_probe(const pli_model *model, int32_t index);

// ".x" of three components, ".xy" of six, "" of one: what stands behind the name of a quantity to
// name one number of it. Lifetime: static.
PLI_API const char *pli_probe_component(int32_t components, int32_t index);

// ---- state
// ---------------------------------------------------------------------------------------

// The state at time zero.
PLI_API PLI_CHECKED pli_status pli_state_create(const pli_model *model, pli_state **state);
PLI_API void pli_state_destroy(pli_state *state);
// Makes a state of the same model equal to another. Errors: memory (of more particles than there
// was room for; then `to` is as it was).
PLI_API PLI_CHECKED pli_status pli_state_copy(const pli_state *from, pli_state *to);

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

// A state to look at. Lifetime of arrays of vertices: until the state is destroyed; their contents
// change with the next step.
typedef struct pli_state_view {
    int64_t step; // steps taken so far
    double time;  // s
    int32_t vertex_count;
    const double *positions;        // [vertex_count][3] (m)
    const double *velocities;       // [vertex_count][3] (m/s)
    const double *grip_stiffnesses; // [vertex_count] (N/m), 0: no grip
    const double *grip_targets;     // [vertex_count][3] (m)
    const double *forces;           // [vertex_count][3] from outside (N)
    pli_particle_view particles;
} pli_state_view;

PLI_API pli_state_view pli_state_get(const pli_state *state);

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

// Forces from outside: constant while a step is solved, beside gravity, until they are changed:
// wind, thrusters, loads. They are part of the state as grips are, and where all are zero it is as
// if there had never been any. What they do is work of somebody else's: it is in no energy of a
// report.

// Replaces the forces (N), [vertex_count][3]; NULL: none from now on. Errors: argument (a value is
// not finite, a state of particles); then nothing has changed.
PLI_API PLI_CHECKED pli_status pli_state_set_forces(pli_state *state, const double *forces);

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

// The arrays are counted from 0; false behind the last of them.
PLI_API bool pli_state_get_array(pli_state *state, int32_t index, pli_state_array *array);

// Makes room for so many particles, for a checkpoint to fill; what the arrays of particles hold
// then means nothing. Errors: argument (a model without particles, a negative number), memory (then
// nothing has changed).
PLI_API PLI_CHECKED pli_status pli_state_set_particle_count(pli_state *state, int64_t count);

// ---- solver
// ---------------------------------------------------------------------------------------

typedef void (*pli_iteration_fn)(void *user, const pli_iteration_report *report);

PLI_API PLI_CHECKED pli_status pli_solver_create(const pli_model *model, pli_solver **solver);
PLI_API void pli_solver_destroy(pli_solver *solver);

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

// Who is called while a step is computed, on the calling thread; NULL: nobody.
typedef struct pli_solver_hooks {
    pli_iteration_fn iteration; // hears every outer iteration
    void *iteration_user;
    // asked at every outer iteration, and at every substep or sweep of particles, and four times a
    // second within an iteration that takes longer; the step then fails as PLI_ERROR_INTERRUPTED,
    // and the state is that before it
    pli_cancel_fn cancel;
    void *cancel_user;
    // hears the scaled residual of every outer iterate of implicit steps of particles, at the cost
    // of a pass over all of them for each. Lifetime of the view: the call
    pli_residual_fn residual;
    void *residual_user;
} pli_solver_hooks;

// Takes the place of the hooks that there were; NULL: none from now on.
PLI_API void pli_solver_set_hooks(pli_solver *solver, const pli_solver_hooks *hooks);

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

enum { PLI_SOLVER_SECTIONS = 8 };

// What solvers there are. Lifetime of texts: static.
typedef struct pli_solver_info {
    const char *name;
    const char *doc;
    const char *source; // paper it comes from
    const char *takes;  // "meshes", "particles" or "both"
    // sections of the scene's keys of solvers that it does not look at, such as "multigrid"; NULL
    // behind the last of them
    const char *unused[PLI_SOLVER_SECTIONS];
} pli_solver_info;

// Counted from 0; false behind the last of them.
PLI_API bool pli_solver_info_get(int32_t index, pli_solver_info *info);

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
