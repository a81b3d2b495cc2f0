// SPDX-License-Identifier: Apache-2.0
//
// Parts of scenes: materials, bodies, constraints and attachments. See scene.h.
//
// Geometry that is built by a plan (arch, card_house, spikes, rod, ring, scroll) has no struct
// here: scenes as text say it by its keys, and a program takes schema->size bytes of the schema of
// that variant, fills them with defaults (pli_schema_init) and sets the fields that it finds by
// their keys (pli_schema_find).
#ifndef PLIANT_SCENE_BODY_H
#define PLIANT_SCENE_BODY_H

#include "pliant/scene_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- numbers that differ from place to place, or with time ------------------------------------

typedef struct pli_paint_key_def {
    double time;  // s
    double value; // in the unit of the number
} pli_paint_key_def;

// Stands for a number of a material or a body: exactly one of array, expression and keys. Values of
// an array become scale * value + offset.
typedef struct pli_paint_def {
    const char *key;               // of the number, such as "young"
    const char *array;             // of the body's mesh file; "": none
    int32_t component;             // of the array's values; -1: they have one, or all are meant
    const char *unit;              // of the array's values; "": that of the number
    double scale;                  // of the array's values
    double offset;                 // in the unit of the number
    const char *const *expression; // of x, y, z, the place at rest in the scene (m): one, or three
    int32_t expression_count;
    const pli_paint_key_def *keys; // over time, ascending
    int32_t key_count;
    int32_t ease; // pli_motion_ease, between keys
} pli_paint_def;

// ---- materials and bodies ---------------------------------------------------------------------

typedef enum pli_yield_kind {
    PLI_YIELD_SNOW,
    PLI_YIELD_VON_MISES,
    PLI_YIELD_DRUCKER_PRAGER,
    PLI_YIELD_NONE
} pli_yield_kind;

typedef struct pli_snow_def { // stretch is bounded, what is beyond becomes plastic
    double compression;       // singular values of F stay above 1 - compression ...
    double stretch;           // ... and below 1 + stretch
    double hardening;         // stiffness grows by exp(hardening (1 - Jp))
    double least;             // bounds of Jp, the plastic part of the volume
    double most;
} pli_snow_def;

typedef struct pli_von_mises_def { // metal, goo: shear stress is bounded
    double stress;                 // in a pulled rod (Pa); 0: from the preset
    double hardening;              // growth of it per plastic strain (Pa)
} pli_von_mises_def;

typedef struct pli_drucker_prager_def { // sand: internal friction, no cohesion
    double angle;                       // of internal friction (degrees)
    bool volume_correction; // volume gained in tension is closed before there is pressure
} pli_drucker_prager_def;

typedef struct pli_no_yield_def { // elastic, whatever the preset says
    int32_t unused;
} pli_no_yield_def;

typedef enum pli_moduli_kind {
    PLI_MODULI_LONG_TERM,    // what slow loads feel
    PLI_MODULI_INSTANTANEOUS // what sudden loads feel
} pli_moduli_kind;

typedef struct pli_branch_def { // of a viscoelastic material: a spring and a dashpot in a row
    double ratio;               // of its modulus to that of the law (-)
    double time;                // in which its stress fades (s)
} pli_branch_def;

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
    const pli_branch_def *viscoelastic; // branches beside the law, of tetrahedra
    int32_t viscoelastic_count;
    int32_t moduli;               // pli_moduli_kind, that the law's are, beside branches
    const pli_paint_def *painted; // numbers above that are painted or keyed
    int32_t painted_count;
} pli_material_def;

typedef enum pli_geometry_kind {
    PLI_GEOMETRY_GRID,
    PLI_GEOMETRY_FILL,
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

typedef struct pli_fill_def { // a shape filled with tetrahedra
    pli_variant shape;
    int32_t vertices; // wanted number, when no spacing is given
    double spacing;   // edge length of the lattice (m); 0: by vertices
} pli_fill_def;

typedef struct pli_sheet_def { // a flat sheet of squares across y, each cut into two triangles
    double center[3];          // m
    double width;              // along x (m)
    double depth;              // along z (m)
    int32_t columns;           // squares along x
    int32_t rows;              // squares along z
} pli_sheet_def;

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

typedef enum pli_bending_kind { // how a shell bends
    PLI_BENDING_AUTO,
    PLI_BENDING_HINGES, // about each edge by itself
    PLI_BENDING_PLATE   // as a plate does, with Poisson's ratio
} pli_bending_kind;

typedef struct pli_fold_def { // of a shell: how hinges yield
    double angle;             // from rest at which they do (degrees); 0: never
    double hardening;         // share of their stiffness that is left beyond
} pli_fold_def;

typedef struct pli_springs_def { // what a cloth is made of
    double stretch;              // of springs along edges and across squares (N/m); -1: not given
    double bend;                 // of springs over two edges (N/m); -1: not given
    double area_density;         // kg/m^2; -1: not given
    double drag;                 // damping in proportion to mass (1/s)
    double rayleigh;             // damping in proportion to stiffness (s)
} pli_springs_def;

typedef enum pli_element_kind {
    PLI_ELEMENT_AUTO,        // quadratic if its file is, locking-free if nearly incompressible
    PLI_ELEMENT_LINEAR,      // four nodes
    PLI_ELEMENT_QUADRATIC,   // ten nodes
    PLI_ELEMENT_LOCKING_FREE // four nodes, and the mean change of volume of a patch
} pli_element_kind;

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
    int32_t kind;                 // pli_body_kind
    double thickness;             // of a shell (m); 0: not given
    double bending;               // of a shell: factor on its resistance to bending; -1: not given
    pli_motion_def motion;        // of an obstacle
    pli_springs_def springs;      // of a cloth
    const pli_paint_def *painted; // numbers above that are painted
    int32_t painted_count;
    int32_t bending_model; // pli_bending_kind, of a shell
    pli_fold_def fold;     // of a shell
    int32_t element;       // of a solid: pli_element_kind
} pli_body_def;

// ---- constraints and attachments ---------------------------------------------------------------

typedef struct pli_constraint_def { // Dirichlet boundary condition: fixed, or by a script
    const char *body;               // "" : every body
    pli_variant where;
    const char *axes; // any of "xyz"
    pli_motion_def motion;
    const char *name; // of its reaction; "": constraint-0, by its number
} pli_constraint_def;

typedef struct pli_attachment_def { // soft springs from vertices to where they started, or a script
    const char *body;
    pli_variant where;
    double stiffness; // N/m per vertex
    pli_motion_def motion;
    const char *name; // of its reaction; "": attachment-0, by its number
} pli_attachment_def;

// ---- probes ------------------------------------------------------------------------------------

// What is measured at every step: at one vertex, at one place of the material, over a selection,
// between two other probes, or of the contact of two.
typedef struct pli_probe_def {
    const char *name;
    const char *body;  // "": every body
    int32_t vertex;    // of the body; -1: not given
    const double *at;  // [3] place in the initial placement (m); the nearest material is meant
    int32_t at_count;  // 0 or 3
    pli_variant where; // average over these; absent: the whole body, when no place is given either
    const char *const *of; // what is measured; none: position, displacement, velocity
    int32_t of_count;
    const char *const *distance; // names of two probes
    int32_t distance_count;      // 0 or 2
    const char *const *contact;  // names of two bodies, or of a body and a collider
    int32_t contact_count;       // 0 or 2
} pli_probe_def;

#ifdef __cplusplus
}
#endif

#endif
