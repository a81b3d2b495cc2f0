// SPDX-License-Identifier: Apache-2.0
//
// One frame in front of the camera: Embree's scene, the light, and what rays bring back.
//
// Light. One key light, a disc of small angular radius far away, to the left of the camera; and a
// sky, brighter above than at the horizon. What the sky sends to a surface is the mean over
// directions drawn in proportion to the cosine with the normal; a ray that something stops within
// `reach` brings only a remainder that stands for light from body to body, and a ray that ends on
// the ground brings what the ground reflects, which is less the closer it lies, since the body then
// shades it. Everything is scaled so that a surface that faces the key light shows about its own
// colour.
//
// Distances are in metres, relative to the mesh's origin.
#ifndef PLI_RENDER_PICTURE_VIEW_H
#define PLI_RENDER_PICTURE_VIEW_H

#include "render/picture.h"

#include <embree3/rtcore.h>

typedef enum pli_picture_kind {
    PLI_PICTURE_NOTHING, // the background
    PLI_PICTURE_GROUND,
    PLI_PICTURE_TRIANGLE,
    PLI_PICTURE_SPHERE,
    PLI_PICTURE_WALL_TRIANGLE // as Embree knows it; hits are of PLI_PICTURE_TRIANGLE
} pli_picture_kind;

// Where a ray from the camera ended.
typedef struct pli_picture_hit {
    pli_picture_kind kind;
    uint32_t primitive;   // triangle or sphere
    double weight[3];     // of a triangle's corners
    double distance;      // from the camera (m)
    double direction[3];  // of the ray, unit
    double point[3];      // on the surface (m)
    double normal[3];     // smooth, unit, towards the camera
    double ray_origin[3]; // from where rays towards light start: lifted off the surface (m)
} pli_picture_hit;

// Light that arrives at a surface.
typedef struct pli_picture_light {
    double sky[3]; // from the sky and the ground; 1 is white paper under an open sky
    double key;    // share of the key light that is visible, 0 to 1
} pli_picture_light;

// The light at the middle of a pixel.
typedef struct pli_picture_record {
    float point[3];  // m
    float normal[3]; // unit
    float sky[3];
    float key;
    int32_t kind; // pli_picture_kind
} pli_picture_record;

enum { PLI_PICTURE_WINDOW = 4, PLI_PICTURE_SLICES = 16 }; // a window of 4 x 4 holds every slice

// Directions towards the light, the same for every window.
typedef struct pli_picture_directions {
    int32_t sky_count; // a slice
    int32_t key_count; // a slice
    float *sky;        // [slices][sky_count][3]  about the normal (0, 0, 1), cosine-weighted
    float *key;        // [slices][key_count][3]  towards the disc of the key light, unit
} pli_picture_directions;

typedef struct pli_picture_view {
    pli_context *context;
    const pli_picture_def *def;
    pli_picture_mesh mesh;
    pli_picture_colors colors;
    pli_picture_camera camera;
    pli_picture_canvas canvas;
    RTCScene scene;   // all that is opaque
    RTCScene shadows; // what the key light knows of it: walls around bodies are left out
    RTCScene glass;   // NULL: there is none

    double up[3];     // unit
    double middle[3]; // of everything surveyed (m)
    double size;      // diagonal of everything surveyed (m)
    bool has_ground;
    double ground;           // its height along up (m)
    double key[3];           // unit, towards the key light
    double key_radius;       // tangent of its angular radius
    double reach;            // how far rays towards the sky look for obstacles (m)
    double lift;             // of rays off a surface (m)
    double pixel_size;       // of a pixel at distance 1 (-)
    double background[2][3]; // linear colours at the top and at the bottom of the picture
    pli_picture_light open;  // what an unobstructed ground receives

    pli_picture_directions directions;
    pli_picture_record *records; // [height][width]
} pli_picture_view;

// Places the lights and draws the directions of rays. Errors: memory.
pli_status pli_picture_light_build(pli_picture_view *view, pli_arena *scratch);

// Casts one ray through each of PLI_PICTURE_LANES neighbouring pixels, from column on in a row, at
// the same offset (pixels) inside each. Pixels past the border give PLI_PICTURE_NOTHING.
void pli_picture_cast(const pli_picture_view *view, int32_t column, int32_t row,
                      const double offset[2], pli_picture_hit hits[PLI_PICTURE_LANES]);

// Finds the glass before hits of the same call of pli_picture_cast; PLI_PICTURE_NOTHING: none.
void pli_picture_cast_glass(const pli_picture_view *view, int32_t column, int32_t row,
                            const pli_picture_hit hits[PLI_PICTURE_LANES],
                            pli_picture_hit glass[PLI_PICTURE_LANES]);

// Fills the records of a tile of pixels.
void pli_picture_light_record(const pli_picture_view *view, int32_t column, int32_t row);

// The light at a hit seen at (x, y) pixels: the mean of the records around that lie on the same
// surface, or rays of its own.
void pli_picture_light_gather(const pli_picture_view *view, const pli_picture_hit *hit, double x,
                              double y, pli_picture_light *light);

// Renders the view into its canvas. Errors: memory.
pli_status pli_picture_render(pli_picture_view *view, pli_arena *scratch);

#endif
