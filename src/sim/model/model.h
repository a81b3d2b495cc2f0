// SPDX-License-Identifier: Apache-2.0
//
// The model: a scene compiled into flat arrays over all bodies. Constant after creation.
//
// Bodies stand one after another in the order of the scene; vertices keep the order of their mesh.
// Where contact is a barrier, colliders that are no planes follow as obstacles of their own.
// A solid has tetrahedra; a shell, a cloth or an obstacle has triangles, and a cloth has springs
// that join its vertices. The vertices of obstacles have no mass, and constraints hold all their
// coordinates, one constraint for each obstacle behind those of the scene.
// Everything that a solver needs to build its terms is here; everything that changes is in the
// state.
#ifndef PLI_SIM_MODEL_MODEL_H
#define PLI_SIM_MODEL_MODEL_H

#include "fem/cavity.h"
#include "fem/viscoelastic.h"
#include "geometry/shapes/shape.h"
#include "pliant/extend.h"
#include "pliant/sim.h"
#include "sim/body/course.h"
#include "sim/body/motion.h"
#include "sim/model/matter.h"
#include "sim/step/solver_table.h"

enum { PLI_MODEL_PARAMS = PLI_MATERIAL_PARAMS };

typedef struct pli_model_body {
    char *name;
    int32_t source; // body of the scene that it is, or is a copy of; of a surface: collider
    int32_t copy;   // which copy
    int32_t piece;  // which piece of its geometry
    int32_t mesh;   // of those that were made for the scene, one for each piece
    pli_body_kind kind;
    int32_t first_vertex;
    int32_t vertex_count;
    int32_t first_tet;
    int32_t tet_count;
    int32_t first_triangle; // into the model's triangles
    int32_t triangle_count;
    int32_t first_surface_triangle; // into the model's surface_triangles
    int32_t surface_triangle_count;
    pli_element_kind element; // of its tetrahedra, never PLI_ELEMENT_AUTO
    int32_t first_cell;       // into the model's cells
    int32_t cell_count;
} pli_model_body;

// a material of the scene, resolved, or what it is in one element; see model_paint.h
typedef struct pli_model_material {
    int32_t source;                  // material of the scene
    int32_t law;                     // index into the model's laws
    double params[PLI_MODEL_PARAMS]; // as the law derives them
    double density;                  // kg/m^3
    double drag;                     // 1/s
    double rayleigh;                 // s
    double rest_norm;                // |dP/dF| at rest (Pa)
    double young;                    // Pa; 0: the law has no such input
    double poisson;                  // -
} pli_model_material;

// what a track of keys drives, if it is not an input of the law
enum { PLI_TRACK_DRAG = -1, PLI_TRACK_RAYLEIGH = -2 };

// a number of a material over time
typedef struct pli_model_track {
    int32_t source; // material of the scene
    int32_t of;     // index of an input, or one of those above
    int32_t ease;   // pli_motion_ease
    int32_t key_count;
    const pli_paint_key_def *keys;
} pli_model_track;

typedef struct pli_reduction pli_reduction;       // subspace_build.h
typedef struct pli_model_probes pli_model_probes; // probe_build.h

// vertices that a script moves, rigidly held (constraint) or by springs (attachment)
typedef struct pli_model_handle {
    int32_t vertex_count;
    int32_t *vertices;
    uint8_t axes;     // bits 1, 2, 4: x, y, z
    double stiffness; // N/m per vertex, attachments only
    pli_motion motion;
} pli_model_handle;

// a solid that bodies collide with; bodies stay where the moved shape's value is not negative
typedef struct pli_model_collider {
    char *name;
    const pli_shape *shape;     // before its motion, inside out when asked; of the model's set
    bool analytic;              // no grid of samples takes part in the shape
    pli_collider_method method; // never PLI_COLLIDER_AUTO
    double friction;            // Coulomb's coefficient (-)
    double margin;              // distance that vertices keep from the surface (m)
    double plane[4];            // barriers without body: unit normal and offset of their plane
    int32_t body;               // barriers: the surface that it is for them; -1: a plane, or none
    double deviation;           // of that surface from the shape, at most (m)
    double stiffness;  // k of the penalty k depth^3 of a vertex (N/m^2), or k/2 depth^2 (N/m)
    pli_motion motion; // rigid: neither stretch nor scale
    pli_boundary_kind boundary; // of particles
    // parts whose union it is, as constraints want them (see pli_shape_parts); of the model's set
    int32_t part_count;
    const pli_shape **parts; // [part_count]
} pli_model_collider;

// a load: weights of vertices times a vector, or a pressure on triangles
typedef struct pli_model_load {
    const char *kind; // its key in scenes
    pli_course course;
    int32_t vertex_count;
    int32_t *vertices; // [vertex_count]
    double *weights;   // [vertex_count] see load_build.h
    double vector[3];
    int32_t triangle_count; // 0: it is no pressure
    // [triangle_count + side_count][3] counter-clockwise seen from where it pushes; behind those
    // that are selected the corners of quadratic sides (load_sides.h)
    int32_t *triangles;
    double *shares; // [triangle_count + side_count] factors of the pressure; NULL: all are 1
    int32_t side_count;
    double pressure; // Pa
    bool closed;     // the triangles are a closed surface
} pli_model_load;

typedef struct pli_model_cavity {
    char *name;
    pli_course course;
    int32_t triangle_count;
    int32_t *triangles; // [triangle_count][3] counter-clockwise seen from outside of the cavity
    pli_cavity_law law;
} pli_model_cavity;

struct pli_model {
    pli_context *context;

    int32_t body_count;
    int32_t surface_count;  // colliders that barriers keep bodies away from by their surface
    pli_model_body *bodies; // [body_count + surface_count] the surfaces are obstacles behind all
                            // bodies, as their vertices, triangles and constraints are; nobody
                            // outside of the model and its contact counts them as bodies
    int32_t vertex_count;
    double *rest;           // [vertex_count][3] placed rest shape (m)
    double *start;          // [vertex_count][3] positions at time 0 (m)
    double *start_velocity; // [vertex_count][3] (m/s)
    double *mass;           // [vertex_count] (kg), 0 for obstacles
    double *drag;           // [vertex_count] k m of the drag term (kg/s)
    int32_t tet_count;
    int32_t *tets;        // [tet_count][4] corners
    int32_t *mid_nodes;   // [tet_count][6] nodes on edges 01, 12, 02, 03, 13, 23 of quadratic ones,
                          // -1: of others; NULL: there are no quadratic ones
    int32_t *material_of; // [tet_count]
    int32_t *first_point; // [tet_count + 1] first of its material points
    int32_t cell_count;   // linear tetrahedra with all nodes as corners, body by body: what contact
    int32_t *cells;       // [cell_count][4] and coarse spaces take for the mesh; tets itself where
    int32_t *tet_of_cell; // [cell_count] none is quadratic, and NULL then
    int32_t triangle_count;
    int32_t shell_triangle_count; // the first ones are those of shells
    int32_t *triangles;           // [triangle_count][3]
    int32_t *triangle_material;   // [triangle_count] -1: of a cloth or an obstacle
    double *thickness;            // [triangle_count] (m), 0: of a cloth or an obstacle
    double *bending;              // [triangle_count] factor on the rigidity of a plate
    uint8_t *is_plate;            // [triangle_count] bends as a plate, not by hinges
    double *fold_angle;           // [triangle_count] at which hinges yield (radians), 0: never
    double *fold_hardening;       // [triangle_count] share of their stiffness beyond
    int32_t fold_count;           // pairs of triangles of shells at an edge; 0: nothing folds
    int32_t spring_count;
    int32_t *spring_ends;     // [spring_count][2]
    double *spring_stiffness; // [spring_count] (N/m)
    double *spring_length;    // [spring_count] at rest (m)
    double *spring_rayleigh;  // [spring_count] damping time (s)
    int32_t material_count;   // those of the scene come first
    pli_model_material *materials;
    int32_t input_stride;
    double
        *inputs; // [material_count][input_stride] of their laws; NULL: nothing is painted or keyed
    int32_t track_count;
    pli_model_track *tracks;
    int32_t painted_count;
    pli_painted_info *painted; // names are owned
    int32_t law_count;
    const pli_material_ops **laws; // [law_count]
    pli_material *yields;          // [material_count] how tetrahedra yield; NULL: none does
    pli_branches *branches;        // [material_count] of tetrahedra; NULL: nothing is viscoelastic
    int32_t branch_count;          // most of a material

    int32_t constraint_count;
    pli_model_handle *constraints;
    int32_t attachment_count;
    pli_model_handle *attachments;

    pli_shape_set *shapes; // of the colliders; NULL when there are none
    int32_t collider_count;
    pli_model_collider *colliders;
    pli_contact_def contact; // resolved, except that 0 is the stiffness of a barrier that adapts
    // of barriers: what has the same rules as all others of its class; bodies that the scene says
    // nothing special about are one
    int32_t source_count;  // bodies of the scene
    int32_t *rule_class;   // [source_count + collider_count]
    int32_t rule_count;    // classes; 0 without barriers
    double *pair_friction; // [rule_count][rule_count] mu of two of them; negative: no collision
    // the surface of all bodies, one after another; empty when nothing collides. That of a body of
    // triangles is these, an open surface with two sides
    int32_t surface_triangle_count;
    int64_t surface_capacity;   // triangles that there is memory for
    int32_t *surface_triangles; // [surface_triangle_count][3] counter-clockwise from outside

    double gravity[3]; // m/s^2
    bool has_drag;
    bool has_rayleigh;
    double size;       // diagonal of the box around rest and start (m)
    double total_mass; // kg
    pli_time_def time;
    double dt;                 // s
    double travel_limit;       // that a step with barriers may move a vertex (m); else infinity
    pli_solver_def solver_def; // its name points into the table; of its lists nothing is left
    const pli_solver_kind *solver_kind;
    pli_solver_parts solver_parts;
    uint64_t seed;            // of whatever is random in a solver
    bool wants_energies;      // every iteration tells its energy
    pli_hierarchy *hierarchy; // coarse spaces; NULL: no part of the solver is a multigrid
    pli_vcycle_def multigrid; // smoothers of its levels
    pli_matter *matter;       // particles; NULL: there are none, and never will be
    pli_reduction *reduction; // handles and cubature; NULL: the solver is not "subspace"
    pli_norm_kind norm;
    double tolerance;
    double norm_scale;
    double *norm_weights;  // [vertex_count] see optimize/objective.h
    uint32_t frame_fields; // bit k: field k of the frame builder's table is wanted
    int32_t frame_handle;  // whose weights the field "weight" has; -1: there is no such field
    int32_t load_count;
    pli_model_load *loads;
    int32_t cavity_count;
    pli_model_cavity *cavities;
    pli_model_probes *probes; // what is measured at every step; NULL: nothing
};

// Bodies, and surfaces of colliders behind them.
static inline int32_t pli_model_things(const pli_model *model)
{
    return model->body_count + model->surface_count;
}

// Parts of a frame but for colliders, at most: bodies of meshes, or sources of particles.
static inline int32_t pli_model_part_count(const pli_model *model)
{
    return model->body_count + (model->matter != NULL ? model->matter->source_count : 0);
}

// The tetrahedron that a cell is of.
static inline int32_t pli_model_tet_of_cell(const pli_model *model, int64_t cell)
{
    return model->tet_of_cell != NULL ? model->tet_of_cell[cell] : (int32_t)cell;
}

// All nodes of a quadratic tetrahedron, corners first.
static inline void pli_model_tet_nodes(const pli_model *model, int64_t tet, int32_t nodes[10])
{
    for (int k = 0; k < 4; ++k) nodes[k] = model->tets[4 * tet + k];
    for (int k = 0; k < 6; ++k) nodes[4 + k] = model->mid_nodes[6 * tet + k];
}

// Whether a tetrahedron has ten nodes.
static inline bool pli_model_tet_is_quadratic(const pli_model *model, int64_t tet)
{
    return model->mid_nodes != NULL && model->mid_nodes[6 * tet] >= 0;
}

// Adds the lumped parts of what a tetrahedron of this density holds to the sums of its nodes;
// density in units of the sum per m^3. Returns their sum.
double pli_model_lump_tet(const pli_model *model, int64_t tet, double density, double *sums);

// Vertices of bodies, which are the first ones.
static inline int32_t pli_model_body_vertices(const pli_model *model)
{
    return model->surface_count > 0 ? model->bodies[model->body_count].first_vertex
                                    : model->vertex_count;
}

// Asks who makes a model whether to go on. Errors: interrupted.
PLI_CHECKED pli_status pli_model_go_on(pli_context *context, const pli_model_def *def);

#endif
