// SPDX-License-Identifier: Apache-2.0
//
// Inside of the pictures: a ray caster on Embree 3. See pliant/io.h for what it offers.
//
// The way of a frame into a picture:
//
//     hide     parts that are not to be seen lose their points
//     survey   bounding box, lowest point, range of the field, spacing of particles; what the
//              colliders are in relation to the bodies
//     mesh     boundary of tetrahedra, triangles and spheres in one list, in single precision
//              relative to the middle of the bodies; corner normals, values of the field; of
//              colliders what does not stand in the way; nothing that a section cuts away
//     scene    Embree's trees over it
//     light    per pixel: rays towards the sky and the key light, kept as one record
//     shade    per sample: surface, colour, light gathered from the records near it, edges, and
//              the layer of glass before it
//     overlay  legend and time stamp
//
// Light is sampled by interleaving (Keller, Heidrich 2001): the rays of a pixel are a slice of one
// low-discrepancy sequence, chosen by the pixel's place in a square of 4 x 4, so that any window of
// 4 x 4 pixels together holds every slice once. A sample takes the mean of the records in such a
// window that lie on its own surface, which leaves neither noise nor pattern for the price of a few
// rays a pixel. A sample without any such record casts rays of its own.
//
// Same bytes for any number of threads: every pixel is a function of the frame alone, the random
// numbers are fixed, and Embree builds its tree with one thread, since a tree built by several may
// answer a tie between two triangles differently.
//
// Embree advises to flush denormals to zero. That is a mode of the thread and would outlive the
// call, so it is not done.
//
// Left out: transparency but for one layer of glass, textures, motion blur, light between bodies
// beyond one bounce from the ground.
#ifndef PLI_RENDER_PICTURE_H
#define PLI_RENDER_PICTURE_H

#include "base/arena.h"
#include "base/context.h"
#include "math/vec3.h"
#include "pliant/picture.h"

#include <stdint.h>

enum {
    PLI_PICTURE_LANES = 8, // rays of a packet
    PLI_PICTURE_TILE = 8,  // a tile is 8 x 8 pixels
    PLI_PICTURE_SHADES = 256,
    PLI_PICTURE_BEARINGS = 16, // directions in which the extent of an orbited scene is measured
    PLI_PICTURE_COLLIDERS = 16 // that a survey tells apart
};

// x cut to [0, 1]; a NaN gives 0.
static inline double pli_picture_clamp(double x)
{
    if (!(x > 0)) return 0;
    return x < 1 ? x : 1;
}

// Whether a point can be drawn: finite, and not so far away that single precision overflows.
bool pli_picture_is_drawable(const double point[3]);

// Whether something is cut away: its middle lies ahead of the section.
static inline bool pli_picture_is_cut(const pli_picture_def *def, const double middle[3])
{
    const pli_section_def *section = &def->section;
    if (!section->cuts) return false;
    double length = pli_vec3_norm(section->normal);
    return pli_vec3_dot(section->normal, middle) > section->offset * length;
}

// The frame without the parts that are hidden: they keep their places and have no points. Parts
// live in scratch. Errors: memory.
pli_status pli_picture_hide(const pli_picture_def *def, const pli_frame *frame, pli_arena *scratch,
                            pli_frame *seen);

// ---- survey: what automatic choices are made from

// What decides how far away the camera must be, for a known direction of view. A point with
// coordinate x along an axis of the picture and depth D + z is inside when
// low (D + z) <= x - c <= high (D + z) for a camera shifted by c. So all are inside when
// most - high D <= c <= least - low D, where most is the largest x - high z and least the smallest
// x - low z; that leaves room once D >= (most - least) / (high - low).
typedef struct pli_picture_fit {
    double forward[3]; // unit, direction of view
    double axis[2][3]; // unit, to the right and upwards in the picture
    double low[2];     // tangents between which everything must appear, per axis
    double high[2];
    double most[2];  // m
    double least[2]; // m
} pli_picture_fit;

// How far points reach.
typedef struct pli_picture_extent {
    bool empty;    // nothing finite was seen
    double low[3]; // bounding box of all points (m)
    double high[3];
    pli_picture_fit fit; // of all points, for an automatic camera that does not orbit
    double around[PLI_PICTURE_BEARINGS]; // largest coordinate along each, when orbited (m)
} pli_picture_extent;

// One collider, or several once there are more than are told apart.
typedef struct pli_picture_collider {
    uint64_t name; // hash
    pli_picture_extent extent;
    double lowest; // smallest height along up (m)
    bool encloses; // surrounds the bodies in some frame, at least up to their middle
    bool is_floor; // level, facing up, at the same height in every frame
} pli_picture_collider;

typedef struct pli_picture_survey_data {
    pli_picture_extent extent; // of bodies; pli_picture_survey_grown adds colliders
    double lowest;             // smallest height along up, of meshes (m); infinite: no meshes
    double lowest_particle;    // the same, of particles
    double range[2];           // of the field's finite values; range[0] > range[1]: none seen
    double spacing;            // of particles that have no radius (m); 0: none seen
    double own_radius;         // largest that particles have (m); 0: none has one
    bool has_unsized;          // particles without a radius were seen
    double bearing[PLI_PICTURE_BEARINGS][3]; // unit, across up, from the front to the side and on
    double middle[3];                        // of the bodies' box (m), set by *_grown
    int32_t collider_count;
    pli_picture_collider colliders[PLI_PICTURE_COLLIDERS];
} pli_picture_survey_data;

void pli_picture_survey_init(const pli_picture_def *def, pli_picture_survey_data *survey);
void pli_picture_survey_add(const pli_context *context, const pli_picture_def *def,
                            const pli_frame *frame, pli_picture_survey_data *survey);

// Radius with which particles are drawn that do not have their own: the given one, or from the
// spacing (m).
double pli_picture_particle_radius(const pli_picture_def *def,
                                   const pli_picture_survey_data *survey);

// Radius with which one particle is drawn: the given one for all, its own, or else `otherwise` (m).
// radii is what pli_part_find_radius returned.
double pli_picture_radius_of(const pli_picture_def *def, const pli_frame_part *part,
                             const pli_frame_field *radii, int64_t particle, double otherwise);

// The survey made ready: the particles' radius added to box and lowest point, and the colliders
// that are not much larger than the bodies to the box; the lowest point lies below all colliders,
// or at the floor.
pli_picture_survey_data pli_picture_survey_grown(const pli_picture_def *def,
                                                 const pli_picture_survey_data *survey);

// The field of a part that colours it; NULL when it has none, the component does not exist, or the
// part is a collider.
const pli_frame_field *pli_picture_find_field(const pli_picture_def *def,
                                              const pli_frame_part *part);

// Component or magnitude of a field at an item; not finite where the field is not.
double pli_picture_field_value(const pli_picture_def *def, const pli_frame_field *field,
                               int64_t item);

// ---- colliders

static inline bool pli_picture_is_collider(const pli_frame_part *part)
{
    return part->role == PLI_ROLE_COLLIDER && part->kind == PLI_PART_TRIANGLES;
}

// How the triangles of a mesh are drawn; they are sorted by this.
typedef enum pli_picture_group {
    PLI_PICTURE_SOLID, // bodies, and colliders that stand beside them
    PLI_PICTURE_WALL,  // of colliders around bodies: let the key light in
    PLI_PICTURE_GLASS, // see-through, without shadow
    PLI_PICTURE_GROUPS,
    PLI_PICTURE_LEFT_OUT = PLI_PICTURE_GROUPS
} pli_picture_group;

// Takes a collider of a frame into account; bodies is the middle of the frame's bodies.
void pli_picture_collider_survey(const pli_picture_def *def, const pli_frame_part *part,
                                 const double bodies[3], pli_picture_collider *collider);

// What the survey knows of a collider; NULL when it was never surveyed.
const pli_picture_collider *pli_picture_collider_find(const pli_picture_survey_data *survey,
                                                      const pli_frame_part *part);

// Whether a collider takes the ground's place.
bool pli_picture_is_ground(const pli_picture_def *def, const pli_picture_collider *collider);

// Where things are seen from, in the world (m).
typedef struct pli_picture_stage {
    const pli_picture_survey_data *survey; // made ready
    double eye[3];                         // the camera
    double particle_radius;                // of particles without a radius of their own (m)
} pli_picture_stage;

// Sorts the triangles of a collider into groups [cell_count] of pli_picture_group. Errors: memory.
pli_status pli_picture_collider_sort(const pli_picture_def *def, const pli_picture_stage *stage,
                                     const pli_frame_part *part, pli_arena *scratch,
                                     uint8_t *groups);

// ---- mesh: a frame made ready for rays

typedef struct pli_picture_mesh {
    double origin[3]; // world position of the mesh's zero (m)
    double size;      // diagonal of the bounding box of bodies (m)
    double reach;     // of everything (m)

    int32_t vertex_count;
    float *vertices; // [vertex_count][3]  relative to origin (m); one more row for Embree's reads
    int32_t triangle_count;
    uint32_t *triangles;    // [triangle_count][3]
    float *normals;         // [triangle_count][3][3]  unit normal at each corner
    float *values;          // [triangle_count][3]  the field at each corner; NULL without a field
    int32_t *triangle_part; // [triangle_count]
    int32_t group_end[PLI_PICTURE_GROUPS]; // where the triangles of each group end

    int32_t sphere_count;
    float *spheres;       // [sphere_count][4]  centre relative to origin, radius (m)
    float *sphere_values; // [sphere_count]  NULL without a field
    int32_t *sphere_part; // [sphere_count]

    bool *part_has_field;   // [part_count]
    bool *part_is_collider; // [part_count]
} pli_picture_mesh;

// Arrays live in scratch. Errors: mesh, memory.
pli_status pli_picture_mesh_build(pli_context *context, const pli_picture_def *def,
                                  const pli_frame *frame, const pli_picture_stage *stage,
                                  pli_arena *scratch, pli_picture_mesh *mesh);

// Corner normals: the mean of the faces around a vertex, weighted by their angle there (Thürmer,
// Wüthrich 1998), over those faces only that bend from the corner's own by less than the crease
// angle. Errors: memory.
pli_status pli_picture_normals_build(pli_context *context, pli_arena *scratch,
                                     pli_picture_mesh *mesh);

// ---- camera

typedef struct pli_picture_camera {
    double position[3]; // relative to the mesh's origin (m)
    double right[3];    // unit
    double up[3];       // unit
    double forward[3];  // unit
    double tangent[2];  // of half the angles of view, horizontal and vertical
    double width;       // pixels
    double height;
} pli_picture_camera;

// Axes of the world as the camera sees them: up, and front and side across it. For y up the front
// is +z and the side +x; for z up the front is -y.
void pli_picture_axes(const double up[3], double front[3], double side[3]);

// The fit for the automatic camera's direction, turned by some degrees about up; no points yet.
void pli_picture_fit_init(const pli_picture_def *def, double turn, pli_picture_fit *fit);
// Takes a ball into account; a point is a ball of radius 0.
void pli_picture_fit_add(pli_picture_fit *fit, const double centre[3], double radius);

// The camera for a frame.
void pli_picture_camera_build(const pli_picture_def *def, const pli_picture_survey_data *survey,
                              int32_t frame_index, const double origin[3],
                              pli_picture_camera *camera);

// Unit direction of the ray through a place of the picture, in pixels from the top left corner.
void pli_picture_camera_ray(const pli_picture_camera *camera, double x, double y,
                            double direction[3]);

// Where a point appears, in pixels; false when it is not in front of the camera.
bool pli_picture_camera_project(const pli_picture_camera *camera, const double point[3],
                                double pixel[2]);

// ---- colours

// All colours are linear unless said so; sRGB colours are in [0, 1].
typedef struct pli_picture_colors {
    double map[PLI_PICTURE_SHADES][3]; // the colour map
    double range[2];                   // values at its ends; range[0] < range[1]
    pli_colormap kind;
    bool by_field;
} pli_picture_colors;

double pli_picture_linear_from_srgb(double value);
double pli_picture_srgb_from_linear(double value);

void pli_picture_colors_build(const pli_picture_def *def, const pli_picture_survey_data *survey,
                              pli_picture_colors *colors);

// Colour of a value; magenta when it is not finite.
void pli_picture_color_of_value(const pli_picture_colors *colors, double value, double color[3]);
// Colour of a body or category, repeating after a while.
void pli_picture_color_of_body(int64_t body, double color[3]);
// Colour of a part that lacks the field.
void pli_picture_color_of_nothing(double color[3]);
// Colour of colliders.
void pli_picture_color_of_collider(double color[3]);

// ---- overlay

typedef struct pli_picture_canvas {
    int32_t width; // pixels
    int32_t height;
    uint8_t *rgb; // [height][width][3]  sRGB
} pli_picture_canvas;

typedef struct pli_picture_ink {
    double color[3]; // sRGB
    double size;     // height of a capital letter (pixels)
    double weight;   // width of the pen (pixels)
} pli_picture_ink;

// A line of text in the built-in pen font; x, y is the left end of its base line. "^" raises the
// digits after it; characters the font lacks become "?".
void pli_picture_text_draw(const pli_picture_canvas *canvas, const pli_picture_ink *ink, double x,
                           double y, const char *text);
double pli_picture_text_width(const pli_picture_ink *ink, const char *text); // pixels

// Fills a rectangle with an sRGB colour; borders at fractions of a pixel are blended.
typedef struct pli_picture_box {
    double left, top, right, bottom; // pixels
} pli_picture_box;
void pli_picture_box_draw(const pli_picture_canvas *canvas, const pli_picture_box *box,
                          const double color[3], double opacity);

// A glyph of the pen font: strokes on a grid where capital letters are 20 high.
typedef struct pli_picture_glyph {
    int32_t advance;  // to the next glyph
    const char *path; // "M x y" moves, "L x y" draws a line, "C x y x y x y" a cubic Bezier curve
} pli_picture_glyph;
const pli_picture_glyph *pli_picture_glyph_get(char character);

// Round numbers inside [low, high] for a scale; returns their count, at most capacity.
int32_t pli_picture_ticks(double low, double high, int32_t capacity, double *ticks);

// Share of the picture's width that the legend takes; 0 without a legend.
double pli_picture_legend_margin(const pli_picture_def *def);
// field: the one that colours, of any part; NULL when no part has it.
void pli_picture_legend_draw(const pli_picture_def *def, const pli_picture_colors *colors,
                             const pli_frame_field *field, const pli_picture_canvas *canvas);
void pli_picture_time_draw(const pli_picture_def *def, double time,
                           const pli_picture_canvas *canvas);

#endif
