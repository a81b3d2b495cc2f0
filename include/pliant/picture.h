// SPDX-License-Identifier: Apache-2.0
//
// Frames as pictures and films, without a display. A picture is a small ray caster: surfaces of
// tetrahedra, triangles and particles under a soft key light and an open sky, standing on a ground
// that melts into the background.
//
// Colliders are scenery: drawn in a neutral tone, without edges, and of no influence on colours.
// Of those around the bodies (rooms, bowls) only the far sides are drawn, so that one can look in;
// a level plane is the ground.
//
//     pli_picture_def def = pli_picture_def_default();
//     def.field = "velocity";
//     status = pli_picture_create(context, &def, &picture);
//     for each frame: status = pli_picture_survey(picture, frame);   // optional: see there
//     for each frame: status = pli_picture_draw(picture, frame, rgb);
//
// The same frame gives the same bytes for any number of threads. Pixels are sRGB, 8 bits each,
// [height][width][3], the top row first. A build without Embree and libpng offers the same calls;
// all but pli_film_* then fail with PLI_ERROR_UNSUPPORTED.
#ifndef PLIANT_PICTURE_H
#define PLIANT_PICTURE_H

#include "pliant/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pli_colormap {
    PLI_COLORMAP_SEQUENTIAL, // dark violet to light yellow, evenly growing lightness
    PLI_COLORMAP_DIVERGING,  // blue, white, red: for values of both signs
    PLI_COLORMAP_CATEGORIES  // one colour per whole number, such as a material
} pli_colormap;

typedef enum pli_background { PLI_BACKGROUND_LIGHT, PLI_BACKGROUND_DARK } pli_background;

typedef enum pli_collider_look {
    PLI_COLLIDERS_SHOW, // in a neutral tone; what stands between camera and bodies is cut away
    PLI_COLLIDERS_HIDE,
    PLI_COLLIDERS_GLASS // translucent, one layer
} pli_collider_look;

enum { PLI_COMPONENT_MAGNITUDE = -1 };

typedef struct pli_camera_def {
    bool automatic;     // fits the bodies surveyed, and colliders of about their size
    double azimuth;     // automatic: degrees to the right of the front, about up
    double elevation;   // automatic: degrees above the horizon, -89 to 89
    double position[3]; // not automatic: where the camera stands (m)
    double target[3];   // not automatic: what it looks at (m)
    double up[3];       // direction that is up in the picture; the ground lies across it
    double fov;         // vertical angle of view (degrees), 1 to 150
    double orbit;       // degrees that the camera moves about up from one frame to the next
} pli_camera_def;

// A plane that cuts matter open.
typedef struct pli_section_def {
    bool cuts;
    double normal[3]; // not zero; what lies ahead of the plane along it is taken away
    double offset;    // of the plane from the origin along the unit normal (m)
} pli_section_def;

typedef struct pli_picture_def {
    int32_t width; // pixels
    int32_t height;
    int32_t samples;        // smoothing of borders: samples x samples rays a pixel, 1 to 8
    int32_t occlusion_rays; // a pixel, towards the sky: 0 to 256; 0: no soft darkening of corners
    int32_t shadow_rays;    // a pixel, towards the key light: 0 to 256; 0: no shadows
    bool lit;               // false: plain colours without light, shadow and ground

    const char *field; // name of the field that colours; "" or NULL: one colour per body
    int32_t component; // from 0, or PLI_COMPONENT_MAGNITUDE, of a field with several
    bool automatic_range;
    double range[2]; // not automatic: values at both ends of the colour map, in the field's unit
    pli_colormap colormap;

    bool edges;             // draw the edges of triangles
    double edge_width;      // pixels; 0: fits the height of the picture
    double particle_radius; // m; 0: what the particles have, or else from their spacing

    bool ground;
    bool automatic_ground; // at a level collider, or the lowest point of everything surveyed
    double ground_height;  // not automatic: along camera.up (m)
    pli_background background;
    pli_camera_def camera;

    bool legend;     // of the colours, when a field colours
    bool time_stamp; // "t = 0.25 s" in a corner

    pli_collider_look colliders;
    double particle_scale; // factor of a radius that is not given by particle_radius; 0: 1

    // parts that are not drawn, bodies and colliders; others keep their colours
    int32_t hidden_count;
    const char *const *hidden; // [hidden_count] names
    // tetrahedra, triangles and particles go whose middle lies ahead of it; what was inside of
    // tetrahedra shows
    pli_section_def section;
} pli_picture_def;

typedef struct pli_picture pli_picture;

// 960 x 600, one colour per body, automatic camera and ground, y up, light background.
PLI_API pli_picture_def pli_picture_def_default(void);

// Errors: argument (says which value is wrong), memory, unsupported.
PLI_API PLI_CHECKED pli_status pli_picture_create(pli_context *context, const pli_picture_def *def,
                                                  pli_picture **picture);
PLI_API void pli_picture_destroy(pli_picture *picture);

// Takes a frame into account for what is automatic: camera, ground, range of values, radius of
// particles. Surveying a whole series first makes its pictures agree; when nothing was surveyed,
// every drawn frame is fitted by itself.
PLI_API PLI_CHECKED pli_status pli_picture_survey(pli_picture *picture, const pli_frame *frame);

// Draws a frame into rgb, [height][width][3]. Values that are not finite are drawn in magenta,
// parts that lack the field in grey; what is not finite in space is left out. Errors: mesh (an
// index is past the end), memory.
PLI_API PLI_CHECKED pli_status pli_picture_draw(pli_picture *picture, const pli_frame *frame,
                                                uint8_t *rgb);

// Writes rgb, [height][width][3], as a PNG. The file appears by rename, complete or not at all.
// Errors: io, memory, argument, unsupported.
PLI_API PLI_CHECKED pli_status pli_picture_write_png(pli_context *context, const char *path,
                                                     int32_t width, int32_t height,
                                                     const uint8_t *rgb);

// A view: what a person framed in the page and saved as JSON (docs/protocol.md, "A view").
typedef struct pli_view pli_view;

// Reads one of at most 64 kB. Errors: io, memory, argument (not JSON, unknown keys, values of the
// wrong kind or out of range; says the file, the key and what is allowed).
PLI_API PLI_CHECKED pli_status pli_view_load(pli_context *context, const char *path,
                                             pli_view **view);
PLI_API void pli_view_destroy(pli_view *view);

// Sets what the view says; what it leaves out stays as it is. Lifetime: names in def are those of
// the view; pli_picture_create copies them.
PLI_API void pli_view_apply(const pli_view *view, pli_picture_def *def);

// A film, encoded as H.264 by the program ffmpeg, which must be installed.
typedef struct pli_film_def {
    const char *path;    // ends in .mp4, .mov or .mkv
    int32_t width;       // pixels; even
    int32_t height;      // pixels; even
    double rate;         // pictures per second
    int32_t quality;     // 0 (lossless) to 51; 18 looks lossless
    const char *program; // the encoder, found on PATH unless it contains a slash
} pli_film_def;

typedef struct pli_film pli_film;

// 960 x 600, 24 pictures per second, quality 18; path is NULL and must be set.
PLI_API pli_film_def pli_film_def_default(void);

// Starts the encoder. Errors: argument, unsupported (no ffmpeg), io, memory.
PLI_API PLI_CHECKED pli_status pli_film_create(pli_context *context, const pli_film_def *def,
                                               pli_film **film);

// Appends a picture, [height][width][3]. Errors: io (with the encoder's own words).
PLI_API PLI_CHECKED pli_status pli_film_add(pli_film *film, const uint8_t *rgb);

// Ends the film and moves it to its path; nothing can be added afterwards. Errors: io.
PLI_API PLI_CHECKED pli_status pli_film_finish(pli_film *film);

// Releases the film; one that was not finished leaves no file.
PLI_API void pli_film_destroy(pli_film *film);

#ifdef __cplusplus
}
#endif

#endif
