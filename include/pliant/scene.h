// SPDX-License-Identifier: Apache-2.0
//
// The scene: an editable description of what there is and how it starts, in SI units.
//
// A scene is a tree of plain def structs whose root is pli_scene_def. The same tree is what a YAML
// scene file says (io.h reads and writes it), key by key: one table of fields (schema.h) knows
// for every member its key, unit, default, range and meaning, and drives reading, checking,
// printing, documentation and completion. So a default exists exactly once, in that table.
//
//     pli_scene_def def;
//     pli_scene_def_init(&def);                  // every default filled in
//     def.bodies = &body; def.body_count = 1; ...
//     status = pli_scene_create(context, &def, &scene);
//
// Def structs only ever grow at the end. Texts and arrays in a def are borrowed by the call that
// takes it; a scene owns copies. Angles in defs are in degrees, as in scene files.
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "pliant/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- shapes: signed distance, negative inside ------------------------------------------------

typedef enum pli_shape_kind {
    PLI_SHAPE_PLANE,
    PLI_SHAPE_BOX,
    PLI_SHAPE_SPHERE,
    PLI_SHAPE_ELLIPSOID,
    PLI_SHAPE_CAPSULE,
    PLI_SHAPE_CYLINDER,
    PLI_SHAPE_CONE,
    PLI_SHAPE_TORUS,
    PLI_SHAPE_HEIGHT_FIELD,
    PLI_SHAPE_UNION,
    PLI_SHAPE_INTERSECTION,
    PLI_SHAPE_DIFFERENCE,
    PLI_SHAPE_SHELL,
    PLI_SHAPE_TRANSFORM,
    PLI_SHAPE_REPETITION,
    PLI_SHAPE_TWIST,
    PLI_SHAPE_STRUTS,
    PLI_SHAPE_GYROID,
    PLI_SHAPE_MESH,
    PLI_SHAPE_RECIPE,
    PLI_SHAPE_COMPLEMENT,
    PLI_SHAPE_SAMPLED,
    PLI_SHAPE_OWN
} pli_shape_kind;

typedef struct pli_plane_def {
    double point[3];  // a point on the plane (m)
    double normal[3]; // towards the outside
} pli_plane_def;

typedef struct pli_box_def {
    double center[3]; // m
    double size[3];   // edge lengths (m)
    double rounding;  // radius of edges and corners (m)
} pli_box_def;

typedef struct pli_sphere_def {
    double center[3]; // m
    double radius;    // m
} pli_sphere_def;

typedef struct pli_ellipsoid_def {
    double center[3]; // m
    double radii[3];  // m
} pli_ellipsoid_def;

typedef struct pli_segment_def { // capsule, cylinder
    double start[3];             // end points of the axis (m)
    double end[3];
    double radius; // m
} pli_segment_def;

typedef struct pli_cone_def {
    double start[3]; // end points of the axis (m)
    double end[3];
    double start_radius; // m
    double end_radius;   // m, 0 for a point
} pli_cone_def;

typedef struct pli_torus_def {
    double center[3];   // m
    double axis[3];     // of revolution
    double radius;      // centre to tube centre (m)
    double tube_radius; // m
} pli_torus_def;

typedef struct pli_height_field_def {
    double origin[3];      // corner with the smallest x and z (m)
    double size[2];        // extent along x and z (m)
    int32_t columns;       // samples along x
    int32_t rows;          // samples along z
    const double *heights; // [rows][columns], y above origin (m)
    int32_t height_count;
} pli_height_field_def;

typedef struct pli_combination_def { // union, intersection, difference (first minus the others)
    const pli_variant *shapes;
    int32_t shape_count;
    double smooth; // blending radius (m), 0: sharp
} pli_combination_def;

typedef struct pli_shell_def {
    pli_variant shape;
    double thickness; // m, centred on the shape's surface
} pli_shell_def;

typedef struct pli_transform_def {
    pli_variant shape;
    double translate[3]; // m, applied last
    double axis[3];      // of rotation
    double angle;        // degrees
    double scale;        // uniform, applied first
} pli_transform_def;

typedef struct pli_repetition_def {
    pli_variant shape;
    double spacing[3]; // m; 0: not repeated along this axis
    int32_t count[3];  // copies along each axis, centred on the original
} pli_repetition_def;

typedef struct pli_twist_def {
    pli_variant shape;
    double rate; // degrees per metre along y
} pli_twist_def;

typedef struct pli_struts_def { // lattice of struts along the edges of cubes
    double cell;                // edge of a cube (m)
    double radius;              // of a strut (m)
} pli_struts_def;

typedef struct pli_gyroid_def {
    double cell;      // period (m)
    double thickness; // of the sheet (m)
} pli_gyroid_def;

typedef struct pli_complement_def { // inside out: everything that is not the shape
    pli_variant shape;
} pli_complement_def;

typedef enum pli_interpolation { PLI_INTERPOLATE_LINEAR, PLI_INTERPOLATE_CUBIC } pli_interpolation;

typedef struct pli_sampled_def { // the distance of another shape, sampled on a grid
    pli_variant shape;
    int32_t resolution;    // samples along the longest edge
    int32_t interpolation; // pli_interpolation
} pli_sampled_def;

typedef struct pli_recipe_def { // a named stand-in shape that fits into a box of the given size
    const char *name;
    double size; // longest edge of its bounding box (m)
} pli_recipe_def;

typedef struct pli_named_value {
    const char *name;
    double value;
} pli_named_value;

typedef struct pli_own_shape_def { // a shape that the context knows, see extend.h
    const char *name;
    const pli_named_value *parameters; // its inputs, by their keys
    int32_t parameter_count;
} pli_own_shape_def;

// ---- meshes given as arrays -------------------------------------------------------------------

typedef struct pli_mesh_data {
    int32_t point_count;
    const double *points; // [point_count][3] (m)
    int32_t tet_count;
    const int32_t *tets; // [tet_count][4]
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3]
    // groups of cells by name, such as Gmsh's physical groups; tags are indices into group_names,
    // -1: none. NULL arrays: no groups at all
    int32_t group_count;
    const char *const *group_names;
    const int32_t *tet_groups;      // [tet_count]
    const int32_t *triangle_groups; // [triangle_count]
    // where cells stand, for messages: the line of each, and the name of the file beside that of
    // the mesh if they have one of their own. NULL: not known, as of binary files and meshes of
    // programs
    const int32_t *tet_lines;      // [tet_count]
    const int32_t *triangle_lines; // [triangle_count]
    const char *tet_file;
    const char *triangle_file;
} pli_mesh_data;

typedef struct pli_file_def { // a mesh from a file; `mesh` holds its content once loaded
    const char *path;         // relative to the scene file
    const pli_mesh_data *mesh;
    int32_t resolution;    // as a shape: samples along the longest edge of the distance grid
    int32_t interpolation; // as a shape: pli_interpolation between the samples
} pli_file_def;

// ---- selections of vertices and tetrahedra, in the body's initial placement
// ------------------------

typedef enum pli_selection_kind {
    PLI_SELECT_ALL,
    PLI_SELECT_BOX,
    PLI_SELECT_SPHERE,
    PLI_SELECT_HALF_SPACE,
    PLI_SELECT_GROUP,
    PLI_SELECT_VERTICES
} pli_selection_kind;

typedef struct pli_select_all_def {
    int32_t unused;
} pli_select_all_def;

typedef struct pli_select_box_def {
    double min[3]; // m; the box includes its faces
    double max[3];
} pli_select_box_def;

typedef struct pli_half_space_def { // where (x - point) . normal >= 0
    double point[3];
    double normal[3];
} pli_half_space_def;

typedef struct pli_group_def {
    const char *name; // a group of the body's mesh file or recipe
} pli_group_def;

typedef struct pli_vertices_def {
    const int32_t *ids;
    int32_t id_count;
} pli_vertices_def;

// ---- motion by script -------------------------------------------------------------------------

typedef struct pli_motion_segment_def { // moves on from where the segment before it ended
    double duration;                    // s
    double velocity[3];                 // m/s
    double axis[3];                     // of rotation, through the moving centre
    double spin;                        // degrees per second about the axis
    double stretch[3]; // growth of the extent along x, y, z per second, relative to the start
} pli_motion_segment_def;

typedef struct pli_keyframe_def {
    double time;         // s
    double translate[3]; // m from the start
    double axis[3];
    double angle;    // degrees
    double scale[3]; // about the centre
} pli_keyframe_def;

typedef enum pli_motion_after { PLI_MOTION_HOLD, PLI_MOTION_RELEASE } pli_motion_after;
typedef enum pli_motion_ease { PLI_EASE_LINEAR, PLI_EASE_SMOOTH } pli_motion_ease;

typedef struct pli_motion_def { // segments or keyframes, not both; neither: stands still
    const pli_motion_segment_def *segments;
    int32_t segment_count;
    const pli_keyframe_def *keyframes;
    int32_t keyframe_count;
    int32_t ease;         // pli_motion_ease, between keyframes
    int32_t after;        // pli_motion_after, once the script is over
    const double *center; // [3] of rotation and stretching (m); none: centroid of what moves
    int32_t center_count; // 0 or 3
} pli_motion_def;

// ---- materials and bodies ---------------------------------------------------------------------

typedef enum pli_yield_kind {
    PLI_YIELD_SNOW,
    PLI_YIELD_VON_MISES,
    PLI_YIELD_FRICTION,
    PLI_YIELD_NONE
} pli_yield_kind;

typedef struct pli_snow_def { // stretch is bounded, what is beyond becomes plastic (P1, P2)
    double compression;       // singular values of F stay above 1 - compression ...
    double stretch;           // ... and below 1 + stretch
    double hardening;         // stiffness grows by exp(hardening (1 - Jp))
    double least;             // bounds of Jp, the plastic part of the volume
    double most;
} pli_snow_def;

typedef struct pli_von_mises_def { // metal, goo: shear stress is bounded (P3, P5)
    double stress;                 // in a pulled rod (Pa); 0: from the preset
    double hardening;              // growth of it per plastic strain (Pa)
} pli_von_mises_def;

typedef struct pli_friction_def { // sand, by Drucker and Prager: grains rub, and part freely (P4)
    double angle;                 // of friction (degrees)
    bool volume_correction;       // sand that has parted closes up before it bears again
} pli_friction_def;

typedef struct pli_no_yield_def { // elastic, whatever the preset says
    int32_t unused;
} pli_no_yield_def;

typedef struct pli_material_def {
    const char *name;
    const char *preset; // "" or a preset that supplies law and numbers not given here
    const char *law;    // "": from the preset
    double density;     // kg/m^3; 0: from the preset
    double young;       // Pa; 0: from the preset
    double poisson;     // -; -1: from the preset
    double mu;          // Lame pair instead of young and poisson (Pa); 0: not given
    double lambda;
    const pli_named_value *parameters; // further inputs of the law, by its keys
    int32_t parameter_count;
    double drag;       // damping by mass (1/s)
    double rayleigh;   // damping by stiffness (s), lagged
    double viscosity;  // of shear, of particles (Pa s)
    pli_variant yield; // pli_yield_kind, of particles; absent: the preset's, else elastic
} pli_material_def;

typedef enum pli_geometry_kind {
    PLI_GEOMETRY_GRID,
    PLI_GEOMETRY_SHAPE,
    PLI_GEOMETRY_FILE,
    PLI_GEOMETRY_ARCH,
    PLI_GEOMETRY_CARD_HOUSE,
    PLI_GEOMETRY_SPIKES,
    PLI_GEOMETRY_ROD,
    PLI_GEOMETRY_RING,
    PLI_GEOMETRY_SHEET,
    PLI_GEOMETRY_SCROLL,
    PLI_GEOMETRY_PARTICLES
} pli_geometry_kind;

typedef enum pli_grid_split { PLI_SPLIT_FIVE, PLI_SPLIT_SIX } pli_grid_split;

typedef struct pli_grid_def { // a box of cells, each cut into tetrahedra
    double center[3];         // m
    double size[3];           // m
    int32_t cells[3];
    int32_t split; // pli_grid_split
} pli_grid_def;

typedef struct pli_shape_body_def { // a shape filled with tetrahedra
    pli_variant shape;
    int32_t vertices; // wanted number, when no spacing is given
    double spacing;   // edge length of the lattice (m); 0: by vertices
} pli_shape_body_def;

typedef struct pli_arch_def { // blocks along a catenary, each a body of its own
    double span;              // between the ends of the middle line (m)
    double rise;              // of the middle line (m)
    double thickness;         // m
    double depth;             // along z (m)
    int32_t blocks;
    double gap;       // between blocks and to the ground y = 0 (m)
    int32_t cells[3]; // of a block along the line, across it and along z
} pli_arch_def;

typedef struct pli_card_house_def { // cards that lean in pairs, and boards, each a body of its own
    int32_t storeys;
    double height;    // of a card along its slope (m)
    double width;     // along z (m)
    double thickness; // m
    double lean;      // from the vertical (degrees)
    double gap;       // between cards and to the ground y = 0 (m)
    int32_t cells[3]; // of a card across its thickness, along its height and along z
} pli_card_house_def;

typedef struct pli_spikes_def { // rows of cones with round tips on a plate
    int32_t columns;            // spikes along x
    int32_t rows;               // spikes along z
    double pitch;               // from a spike to the next (m)
    double height;              // of the tips above the plate, whose top is y = 0 (m)
    double radius;              // on the plate (m)
    double tip_radius;          // m
    double plate;               // thickness (m)
    int32_t sides;              // cells across a spike, even
    int32_t layers;             // cells along a spike
} pli_spikes_def;

typedef struct pli_rod_def { // a round rod along x, built of cells
    double length;           // m
    double radius;           // m
    int32_t sides;           // cells across, even
    int32_t layers;          // cells along
} pli_rod_def;

typedef struct pli_ring_def { // a ring around the y axis, built of cells
    double radius;            // from the centre to the middle of the tube (m)
    double tube_radius;       // m
    int32_t sides;            // cells across the tube, even
    int32_t layers;           // cells around the ring
} pli_ring_def;
typedef struct pli_sheet_def { // a flat sheet of squares across y, each cut into two triangles
    double center[3];          // m
    double width;              // along x (m)
    double depth;              // along z (m)
    int32_t columns;           // squares along x
    int32_t rows;              // squares along z
} pli_sheet_def;

typedef struct pli_scroll_def { // a sheet that is rolled up about the z axis
    double center[3];           // of the axis (m)
    double radius;              // of the innermost turn where it begins (m)
    double gap;                 // from one turn to the next (m)
    double turns;
    double width;    // along z (m)
    int32_t columns; // squares along the spiral
    int32_t rows;    // squares along z
} pli_scroll_def;

typedef enum pli_pattern_kind {
    PLI_PATTERN_JITTERED, // a random point in each of equal boxes of a cell
    PLI_PATTERN_LATTICE,  // the same regular points in every cell
    PLI_PATTERN_RANDOM,   // anywhere
    PLI_PATTERN_POISSON   // random, but no two close to each other
} pli_pattern_kind;

typedef struct pli_filling_def { // how particles fill a volume
    int32_t per_cell;            // particles in a cell of the domain's grid, on average
    int32_t pattern;             // pli_pattern_kind
} pli_filling_def;

typedef struct pli_stretch_def { // how much particles are stretched when they begin
    double fixed[3];             // along x, y and z
    const double *random;        // [2] least and most along each axis of each particle; none: fixed
    int32_t random_count;        // 0 or 2
} pli_stretch_def;

typedef enum pli_volumes_kind {
    PLI_VOLUMES_SEEDED, // every particle has the same share of its shape
    PLI_VOLUMES_DENSITY // mass over the density that the grid has around a particle
} pli_volumes_kind;

typedef struct pli_particles_def { // a shape filled with particles
    pli_variant shape;
    pli_filling_def filling;
    pli_stretch_def stretch;
    int32_t volumes; // pli_volumes_kind
} pli_particles_def;

typedef enum pli_start_kind {
    PLI_START_REST,
    PLI_START_RANDOM,
    PLI_START_COLLAPSED,
    PLI_START_STRETCHED
} pli_start_kind;

typedef struct pli_start_rest_def {
    int32_t unused;
} pli_start_rest_def;

typedef struct pli_start_random_def { // every vertex anywhere in the body's bounding box
    double scale;                     // of that box
} pli_start_random_def;

typedef struct pli_start_collapsed_def { // every vertex at one point
    const double *point;                 // [3]; none: the centroid
    int32_t point_count;                 // 0 or 3
} pli_start_collapsed_def;

typedef struct pli_start_stretched_def {
    double scale[3]; // about the centroid; negative mirrors
} pli_start_stretched_def;

typedef struct pli_region_def { // a part of a body made of another material
    pli_variant where;
    const char *material;
} pli_region_def;

typedef struct pli_copies_def { // a body several times over
    int32_t count[3];           // along x, y, z, centred on the body's position
    double spacing[3];          // distance from one to the next (m)
    double turn;                // each is turned by a random angle up to this one (degrees)
    double axis[3];             // each is turned about this axis through the body's origin ...
    double angle;               // ... by so much more than the one before (degrees)
} pli_copies_def;

typedef enum pli_body_kind {
    PLI_BODY_SOLID,    // tetrahedra
    PLI_BODY_SHELL,    // triangles with a thickness: cloth, sheet metal, a ball with air in it
    PLI_BODY_OBSTACLE, // triangles that only a script moves
    PLI_BODY_CLOTH     // triangles whose vertices springs join
} pli_body_kind;

typedef struct pli_springs_def { // what a cloth is made of
    double stretch;              // of springs along edges and across squares (N/m); -1: not given
    double bend;                 // of springs over two edges (N/m); -1: not given
    double area_density;         // kg/m^2; -1: not given
    double drag;                 // damping in proportion to mass (1/s)
    double rayleigh;             // damping in proportion to stiffness (s)
} pli_springs_def;

typedef struct pli_body_def {
    const char *name;
    pli_variant geometry;
    const char *material;          // "" for an obstacle or a cloth
    const pli_region_def *regions; // later ones win
    int32_t region_count;
    double position[3];         // translation (m), applied last
    double axis[3];             // rotation about the origin, applied second
    double angle;               // degrees
    double scale[3];            // applied first
    double velocity[3];         // m/s
    double angular_velocity[3]; // degrees per second about the centre of mass
    pli_variant start;
    pli_copies_def copies;
    int32_t kind;            // pli_body_kind
    double thickness;        // of a shell (m); 0: not given
    double bending;          // of a shell: factor on its resistance to bending; -1: not given
    pli_motion_def motion;   // of an obstacle
    pli_springs_def springs; // of a cloth
} pli_body_def;

// ---- constraints and attachments ---------------------------------------------------------------

typedef struct pli_constraint_def { // vertices that stand still or follow a script
    const char *body;               // "" : every body
    pli_variant where;
    const char *axes; // any of "xyz"
    pli_motion_def motion;
} pli_constraint_def;

typedef struct pli_attachment_def { // soft springs from vertices to where they started, or a script
    const char *body;
    pli_variant where;
    double stiffness; // N/m per vertex
    pli_motion_def motion;
} pli_attachment_def;

// ---- colliders and contact
// -----------------------------------------------------------------------

typedef enum pli_collider_method {
    PLI_COLLIDER_AUTO,       // constraint, or penalty where the shape is sampled on a grid; barrier
                             // when the bodies' contact is, penalty there if it has no end
    PLI_COLLIDER_CONSTRAINT, // no vertex is ever inside
    PLI_COLLIDER_PENALTY,    // what is inside is pushed out by a stiff spring
    PLI_COLLIDER_POSTPROCESS, // moved out after the solve, which knows nothing of it
    PLI_COLLIDER_BARRIER,     // kept at a distance by contact, which sees the surface's triangles
    PLI_COLLIDER_QUADRATIC    // what is inside is pulled to the surface by a linear spring
} pli_collider_method;

typedef enum pli_hold_kind { // what a surface does to particles
    PLI_HOLD_SEPARATE,       // they slide along it, with friction, and may leave
    PLI_HOLD_SLIP,           // they slide along it, with friction, and never leave
    PLI_HOLD_STICKY          // they move with it
} pli_hold_kind;

typedef struct pli_collider_def { // a solid that stands still or follows a script
    const char *name;
    pli_variant shape;
    bool inside_out;  // the bodies are inside of it
    int32_t method;   // pli_collider_method
    double stiffness; // penalty: N/m^2, quadratic: N/m; 0: from what the bodies are made of
    double friction;  // Coulomb's coefficient
    pli_motion_def motion;
    double margin;  // distance that vertices keep from the surface (m)
    int32_t hold;   // pli_hold_kind, of particles
    double spacing; // barrier: edge length of the triangles of a curved surface (m); 0: chosen
} pli_collider_def;

// ---- the grid that particles move on, and where they come from ---------------------------------

typedef struct pli_domain_def { // a box with walls
    double cell;                // edge of the cells (m); 0: not given
    const double *min;          // [3] corner of the room inside of the walls (m); none: around all
    int32_t min_count;          // 0 or 3
    const double *max;          // [3] the opposite corner (m)
    int32_t max_count;          // 0 or 3
    int32_t walls;              // pli_hold_kind
    double friction;            // of the walls, Coulomb's coefficient
} pli_domain_def;

typedef struct pli_emission_def { // a shape that particles stream out of
    const char *name;
    pli_variant shape;
    const char *material;
    pli_filling_def filling;
    double velocity[3];    // of what comes out (m/s)
    double rate;           // m^3/s; 0: all that the shape's cross section lets through
    double begin;          // s
    double end;            // s; 0: never
    pli_motion_def motion; // of the shape, which carries the velocity along
} pli_emission_def;

typedef enum pli_contact_method {
    PLI_CONTACT_NONE,    // bodies pass through each other and themselves
    PLI_CONTACT_PENALTY, // vertices inside of tetrahedra are pushed out by stiff springs
    PLI_CONTACT_BARRIER, // surfaces never touch: a barrier and continuous collision detection
    PLI_CONTACT_AUTO     // by what there is, see pli_scene_contact_text; never in a valid scene
} pli_contact_method;

typedef struct pli_contact_pair_def { // two bodies, or a body and a collider
    const char *const *bodies;        // [2] names
    int32_t body_count;
    bool collide;    // false: they pass through each other
    double friction; // Coulomb's coefficient; negative: as everywhere
} pli_contact_pair_def;

typedef struct pli_contact_def { // of bodies with each other and with themselves
    int32_t method;              // pli_contact_method
    bool self;                   // a body collides with itself, too
    double stiffness;            // penalty: N/m^2, 0: from the materials; barrier: N/m, 0: adaptive
    double friction;             // Coulomb's coefficient
    // of the barrier
    double distance;       // at which contact begins (m); 0: 1e-3 of the scene's diagonal
    double friction_speed; // below which friction is static (m/s); 0: 1e-3 diagonals per second
    int32_t friction_iterations; // solves with friction frozen anew; 0: until it no longer changes
    const pli_contact_pair_def *pairs; // later ones win
    int32_t pair_count;
} pli_contact_def;

// ---- time, solver, output ----------------------------------------------------------------------

typedef enum pli_integrator { PLI_IMPLICIT_EULER, PLI_BDF2 } pli_integrator;
typedef enum pli_mode { PLI_MODE_DYNAMIC, PLI_MODE_QUASI_STATIC } pli_mode;

typedef struct pli_time_def {
    int32_t frames;          // to compute after the initial one
    double fps;              // frames per second
    int32_t steps_per_frame; // steps of equal length
    int32_t integrator;      // pli_integrator
    int32_t mode;            // pli_mode
} pli_time_def;

typedef enum pli_norm_kind {
    PLI_NORM_AUTO,           // velocity, or error where there is no inertia
    PLI_NORM_VELOCITY,       // bound on the error of the velocity (m/s)
    PLI_NORM_CHARACTERISTIC, // force relative to what the material bears (-)
    PLI_NORM_FORCE,          // plain length of the gradient (N)
    PLI_NORM_STEP,           // largest step of Newton's method over the time step (m/s)
    PLI_NORM_ERROR           // error of the positions relative to the deformation (-)
} pli_norm_kind;

typedef enum pli_linear_kind {
    PLI_LINEAR_AUTO,
    PLI_LINEAR_PCG,
    PLI_LINEAR_MINRES,
    PLI_LINEAR_CHOLESKY,
    PLI_LINEAR_MULTIGRID
} pli_linear_kind;

typedef enum pli_preconditioner_kind {
    PLI_PRECONDITIONER_AUTO,
    PLI_PRECONDITIONER_NONE,
    PLI_PRECONDITIONER_JACOBI,
    PLI_PRECONDITIONER_BLOCK_JACOBI,
    PLI_PRECONDITIONER_SGS,
    PLI_PRECONDITIONER_MULTIGRID
} pli_preconditioner_kind;

typedef enum pli_line_search_kind {
    PLI_LINE_SEARCH_AUTO,
    PLI_LINE_SEARCH_WOLFE,
    PLI_LINE_SEARCH_BACKTRACKING,
    PLI_LINE_SEARCH_NONE
} pli_line_search_kind;

typedef struct pli_point_def {
    double point[3]; // m
} pli_point_def;

typedef enum pli_weights_kind {
    PLI_WEIGHTS_CONSTANT, // every vertex follows one handle
    PLI_WEIGHTS_SMOOTH,   // it follows several, by bounded biharmonic weights
    PLI_WEIGHTS_AVERAGED  // it follows several, by averages along the edges of stiff matter
} pli_weights_kind;

typedef enum pli_precision_kind { PLI_PRECISION_SINGLE, PLI_PRECISION_DOUBLE } pli_precision_kind;

typedef enum pli_sampling_kind {
    PLI_SAMPLING_AUTO,    // material where a body has several, else uniform
    PLI_SAMPLING_UNIFORM, // handles spread by distance alone
    PLI_SAMPLING_MATERIAL // handles do not reach across jumps of stiffness
} pli_sampling_kind;

typedef struct pli_coarse_def { // the levels of a multigrid and what is done on them
    const int32_t *levels;      // nodes of the coarse ones, coarsest first; none: chosen by size
    int32_t level_count;
    const char *smoothers; // "direct/GS(3)/GS(3)", coarsest first; of two parts: for any depth
    int32_t dofs;          // unknowns of a coarse node: 12 (affine) or 3 (translation)
    int32_t weights;       // pli_weights_kind
    int32_t precision;     // pli_precision_kind, inside of a cycle
    int32_t cycles;        // V-cycles of a linear solve; 0: the solver's own
    int32_t sampling;      // pli_sampling_kind
    const pli_point_def *handles; // in the rest shape; the nearest vertices come first
    int32_t handle_count;
} pli_coarse_def;

typedef struct pli_chebyshev_def { // acceleration of the solver "chebyshev"
    double rho;                    // estimated spectral radius of a Jacobi iteration
    double gamma;                  // under-relaxation
    int32_t delay;                 // iterations before it begins
} pli_chebyshev_def;

typedef enum pli_reduction_kind { // weights of the handles of the solver "subspace"
    PLI_REDUCTION_MATERIAL,       // sparse, heeding geometry and matter
    PLI_REDUCTION_RADIAL,         // isotropic radial functions
    PLI_REDUCTION_EIGENMODES,     // of a Laplacian, global
    PLI_REDUCTION_BIHARMONIC      // coordinates of all handles at once, global
} pli_reduction_kind;

typedef enum pli_reduced_hessian { // of the coarse levels
    PLI_REDUCED_AUTO,              // cubature where it takes fewer than half of the elements
    PLI_REDUCED_CUBATURE,          // of a few elements, by moments of the weights
    PLI_REDUCED_POLYNOMIAL,        // of a few elements, by moments of polynomials
    PLI_REDUCED_FULL               // of all elements, as old as that of the polish
} pli_reduced_hessian;

typedef enum pli_reduced_preconditioner {
    PLI_REDUCED_BLOCKS, // block Jacobi
    PLI_REDUCED_FACTOR  // the factored matrix of the handles
} pli_reduced_preconditioner;

typedef enum pli_affine_level { // a level of one handle per body
    PLI_AFFINE_AUTO,            // with blocks: a factor sees to whole bodies, too
    PLI_AFFINE_ON,
    PLI_AFFINE_OFF
} pli_affine_level;

typedef struct pli_reduction_def { // the solver "subspace"
    int32_t handles;               // 0: chosen by the number of vertices
    int32_t bases;                 // pli_reduction_kind
    int32_t affine;                // pli_affine_level
    bool dirichlet;                // weights that vanish at fixed vertices smoothly
    double jump;                   // stiffness at interfaces over the softest; 0: left alone
    double conform;                // ratio of stiffness that no cluster spans; 0: any
    double oversampling;           // clusters to begin with over those wanted
    double prune_ratio;            // median volume over that of a cluster that may go
    int32_t prune_period;          // rounds
    int32_t rounds;                // of clustering, at most
    int32_t hessian;               // pli_reduced_hessian
    int32_t degree;                // of the moments
    double cubature_tolerance;     // of the moments, relative
    int32_t cubature_initial;      // elements drawn at first in a cluster; 0: automatic
    int32_t cubature_increment;    // further ones in a round; 0: automatic
    double tolerance;              // relative, of the linear solves of the coarse levels
    int32_t preconditioner;        // pli_reduced_preconditioner, of the handles
    int32_t polish;                // iterations over all vertices; -1: 20 or 40, by the clusters
    int32_t polish_preconditioner; // pli_reduced_preconditioner
    double refresh_threshold;      // mean step size below which the Hessian is made anew
    int32_t refresh_average;       // step sizes in the mean
    int32_t refresh_period;        // iterations between two Hessians, at least
} pli_reduction_def;

typedef struct pli_steps_def { // the solvers "explicit" and "regional"
    double sound;              // share of the time that sound takes to cross a cell
    double advection;          // share of the time that the fastest particle takes to cross a cell
    double tick;               // the shortest step (s); 0: by what moves and what it is made of
    int32_t longest;           // step of a region, in ticks, a power of two
    bool guard;                // what is next to a region of shorter step takes that step, too
} pli_steps_def;

typedef enum pli_spline_choice {
    PLI_SPLINE_CHOICE_AUTO, // quadratic
    PLI_SPLINE_CHOICE_LINEAR,
    PLI_SPLINE_CHOICE_QUADRATIC,
    PLI_SPLINE_CHOICE_CUBIC
} pli_spline_choice;

typedef enum pli_transfer_choice {
    PLI_TRANSFER_AUTO, // the solver's own
    PLI_TRANSFER_APIC, // particles have affine velocities
    PLI_TRANSFER_FLIP  // velocities are a blend of FLIP and PIC
} pli_transfer_choice;

typedef enum pli_positions_choice {
    PLI_POSITIONS_AUTO,    // the solver's own
    PLI_POSITIONS_FORWARD, // by the velocity where a particle is when a step begins
    PLI_POSITIONS_BACKWARD // by the velocity where it is when a step ends
} pli_positions_choice;

typedef enum pli_grid_smoother_choice {
    PLI_GRID_SMOOTHER_SWEEPS, // symmetric Gauss-Seidel
    PLI_GRID_SMOOTHER_JACOBI,
    PLI_GRID_SMOOTHER_CHEBYSHEV
} pli_grid_smoother_choice;

typedef enum pli_grid_coarsest_choice {
    PLI_GRID_COARSEST_PCG,
    PLI_GRID_COARSEST_DIRECT
} pli_grid_coarsest_choice;

typedef enum pli_plasticity_choice {
    PLI_PLASTICITY_LAGGED,  // matter yields after a step is solved
    PLI_PLASTICITY_IMPLICIT // and also while it is, as far as there is a potential
} pli_plasticity_choice;

typedef struct pli_implicit_grid_def { // implicit solvers of particles
    int32_t spline;                    // pli_spline_choice
    int32_t transfer;                  // pli_transfer_choice
    double flip;                       // share of FLIP in its blend with PIC
    int32_t positions;                 // pli_positions_choice
    double cfl;                        // cells that a particle moves in a step, at most
    int32_t levels;                    // of a multigrid
    int32_t smoother;                  // pli_grid_smoother_choice
    int32_t coarsest;                  // pli_grid_coarsest_choice
    int32_t precision;                 // pli_precision_kind, of what a cycle reads
    int32_t plasticity;                // pli_plasticity_choice
    bool eases;                        // hot makes no matrix for steps that do not need one
    bool restarts;                     // L-BFGS forgets its pairs when the residual rises
} pli_implicit_grid_def;

typedef struct pli_solver_def {
    const char *name;         // "auto" or one of the solvers
    int32_t norm;             // pli_norm_kind
    double tolerance;         // in the norm's unit; 0: the norm's own default
    int32_t max_iterations;   // outer iterations before the step counts as not converged; 0: auto
    int32_t fixed_iterations; // > 0: exactly so many, without a convergence test
    int32_t max_substeps;     // of particles within a step; 0: the solver's own
    double max_travel;        // of a vertex in a step with barriers, over the largest body's extent
    int32_t linear;           // pli_linear_kind
    int32_t preconditioner;   // pli_preconditioner_kind
    int32_t linear_max_iterations;
    double linear_scale;    // sigma of the inexact tolerance
    int32_t line_search;    // pli_line_search_kind
    double wolfe_decrease;  // c1
    double wolfe_curvature; // c2
    double length_clamp;    // largest length of a search direction (m)
    double downhill;        // kappa: smallest cosine between direction and steepest descent
    double linear_cap;      // largest relative tolerance of a linear solve
    bool rest_guess;        // tangled bodies may start a step from their rest shape

    // of solvers that make a fixed number of inner iterations; 0: the solver's own
    int32_t linear_iterations;
    double linear_tolerance; // relative, of every linear solve; 0: the solver's own rule
    pli_coarse_def multigrid;
    pli_chebyshev_def chebyshev;
    pli_reduction_def subspace;
    pli_steps_def steps;

    // of L-BFGS
    int32_t window;  // pairs of steps and gradients that are remembered
    int32_t refresh; // iterations that a matrix serves for; 0: all of a step; -1: the solver's own

    pli_implicit_grid_def grid;
} pli_solver_def;

typedef struct pli_output_def {
    int32_t every;             // write every n-th frame
    int32_t checkpoint_every;  // frames between checkpoints
    bool compress;             // zlib in .vtu files
    bool iterations;           // also iterations.jsonl, a line per solver iteration
    const char *const *fields; // of the frames; none: all
    int32_t field_count;
    int32_t handle; // of the solver "subspace" whose weights frames carry; -1: none
    bool residuals; // also residuals/, a frame per iteration of implicit steps of particles
} pli_output_def;

typedef enum pli_severity {
    PLI_SEVERITY_ERROR,
    PLI_SEVERITY_WARNING,
    PLI_SEVERITY_IGNORE
} pli_severity;

typedef struct pli_checks_def {
    int32_t inverted_start;   // pli_severity: tetrahedra that start inverted
    int32_t collider_overlap; // pli_severity: vertices that start inside of a collider
    int32_t body_overlap;     // pli_severity: vertices that start inside of a tetrahedron
} pli_checks_def;

typedef enum pli_up_axis { PLI_UP_Y, PLI_UP_Z } pli_up_axis;

typedef struct pli_scene_def {
    const char *about;
    int32_t seed;          // of every random number
    int32_t up;            // pli_up_axis
    const double *gravity; // [3] m/s^2; none: 9.81 downwards
    int32_t gravity_count; // 0 or 3
    const pli_material_def *materials;
    int32_t material_count;
    const pli_body_def *bodies;
    int32_t body_count;
    const pli_constraint_def *constraints;
    int32_t constraint_count;
    const pli_attachment_def *attachments;
    int32_t attachment_count;
    pli_time_def time;
    pli_solver_def solver;
    pli_output_def output;
    pli_checks_def checks;
    const pli_collider_def *colliders;
    int32_t collider_count;
    pli_contact_def contact;
    pli_domain_def domain;
    const pli_emission_def *emitters;
    int32_t emitter_count;
} pli_scene_def;

// ---- the scene object
// ----------------------------------------------------------------------------

typedef struct pli_scene pli_scene;

// The table of the root. Lifetime: static.
PLI_API const pli_schema *pli_scene_schema(void);

PLI_API void pli_scene_def_init(pli_scene_def *def);

// Checks a description and makes a scene with copies of everything in it.
// Errors: scene (the message names the key, what was found and what is allowed), memory.
PLI_API PLI_CHECKED pli_status pli_scene_create(pli_context *context, const pli_scene_def *def,
                                                pli_scene **scene);
PLI_API void pli_scene_destroy(pli_scene *scene);

// The description. Lifetime: until the scene is destroyed.
PLI_API const pli_scene_def *pli_scene_get(const pli_scene *scene);

PLI_API pli_context *pli_scene_context(const pli_scene *scene);

// Which contact bodies have, and who said so: "barrier, as the scene says", "barrier, chosen
// because there are 2 bodies; contact: none switches it off". A scene that leaves its contact to
// pliant has barriers when there is more than one body or cloth or a shell, and contact.method says
// so once it is valid. "" for particles, which meet on their grid. Lifetime: that of the scene.
PLI_API const char *pli_scene_contact_text(const pli_scene *scene);

// "cube" of out/cube: the name of the file without folder and ending; "scene" when there is none.
PLI_API const char *pli_scene_name(const pli_scene *scene);

// 64-bit hash of everything that the scene describes, contents of meshes included.
PLI_API uint64_t pli_scene_hash(const pli_scene *scene);

// ---- for readers: filling a scene while knowing where each value stands
// ----------------------------

// Where something was written. line 0: source alone says it ("--set time.fps=0").
typedef struct pli_position {
    const char *source; // name of the file; NULL: the scene's own source
    int32_t line;       // counted from 1
    int32_t column;
} pli_position;

// An empty scene (every default, nothing in it) that a reader fills through pli_scene_edit;
// source is the file's name in messages, or NULL. pli_scene_validate ends the filling.
PLI_API PLI_CHECKED pli_status pli_scene_create_empty(pli_context *context, const char *source,
                                                      pli_scene **scene);
// What is put into the description must lie in the scene's memory (pli_scene_take), because
// validating completes it where it is.
PLI_API pli_scene_def *pli_scene_edit(pli_scene *scene);

// The source as given, or NULL. Lifetime: that of the scene.
PLI_API const char *pli_scene_source(const pli_scene *scene);

// Zeroed memory that lives as long as the scene; NULL when there is none.
PLI_API void *pli_scene_take(pli_scene *scene, size_t bytes);

// A copy of a mesh that lives as long as the scene; NULL when memory ran out.
PLI_API const pli_mesh_data *pli_scene_take_mesh(pli_scene *scene, const pli_mesh_data *mesh);

// Remembers where the value at this address of the scene's memory was written. A struct is noted
// before its members, so that one and its first member can be told apart. position->source is
// borrowed: it must live as long as the scene.
PLI_API PLI_CHECKED pli_status pli_scene_note(pli_scene *scene, const void *address,
                                              const pli_position *position);

// Checks every value against the table, chooses the contact of bodies where it is left open, and
// checks what the table cannot know: names that refer, combinations, what is missing. Then
// completes what depends on other values: gravity gets its three numbers, materials the numbers of
// their presets (a Lame pair becomes young and poisson), variants without data their defaults,
// shells their thickness; materials of particles get the yield of their presets. Suspicious values
// are logged as warnings. Errors: scene, memory.
PLI_API PLI_CHECKED pli_status pli_scene_validate(pli_scene *scene);

// A warning that validating gave, "file:line:column: path: text", counted from 0; NULL behind the
// last of them, or of the 16 that are kept. Lifetime: until the scene is validated again.
PLI_API const char *pli_scene_warning(const pli_scene *scene, int32_t index);

// Records a failure at a place in the scene, "file:line:column: path: text", and returns status.
// The position is that of at->member, else that of at->holder, else the file alone.
PLI_API pli_status pli_scene_fail(const pli_scene *scene, pli_status status, const pli_visit *at,
                                  const char *format, ...) PLI_PRINTF(4, 5);

// The same for a place that is known by its position; path may be "".
PLI_API pli_status pli_position_fail(pli_context *context, pli_status status,
                                     const pli_position *position, const char *path,
                                     const char *format, ...) PLI_PRINTF(5, 6);

#ifdef __cplusplus
}
#endif

#endif
