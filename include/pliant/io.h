// SPDX-License-Identifier: Apache-2.0
//
// Files: scenes in; frames, checkpoints, whole runs in a folder and exports out.
//
// Every file appears under its name whole or not at all: it is written beside its target, synced to
// the disk and renamed. Every failure names the file, what was tried and the system's reason. A
// program that runs under a limit on file sizes must ignore SIGXFSZ to get a failure instead of
// being killed; the library does not touch signals.
//
// Texts that a function here hands out through `char **text` belong to the caller, who gives them
// back with pli_text_free; on failure there is nothing to give back.
#ifndef PLIANT_IO_H
#define PLIANT_IO_H

#include "pliant/base.h"
#include "pliant/scene.h"
#include "pliant/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gives back a text that was handed out by this context; NULL is legal.
PLI_API void pli_text_free(pli_context *context, char *text);

// ---- scenes
// --------------------------------------------------------------------------------------
//
// A scene file is YAML (JSON is read as well), at most 16 MiB. Its keys are those of the field
// table in scene.h. Every error has the form "file:line:column: path: what is wrong, and what would
// be right".
//
//   include: [materials.yaml]    at the top of a file: other files, relative to this one. Maps are
//                                merged key by key, anything else is replaced; what comes later
//                                wins, and the file itself wins over what it includes.
//   solver: newton               a plain value stands for a struct's main key, here solver.name
//   where: all                   a variant by its name alone takes all its defaults
//   shape: {sphere: {radius: 1}} a variant with its values is a map with one key
//   fps: 1/0.04                  numbers may be fractions
//
// Unknown keys, keys that are there twice, tags, and more than one document are refused. Anchors
// and aliases work as long as what they expand to stays small. A scene and what it includes may
// have 16 MB in all, an included file counting as often as it is included.

typedef struct pli_load_def {
    // changes applied on top of the file, in this order: "PATH=VALUE", where the path is made of
    // keys, names and indices ("bodies.cube.position[1]", "constraints[0].where") and the value is
    // YAML ("0.3", "[0, 1, 0]", "{box: {...}}")
    const char *const *sets;
    int32_t set_count;

    // whether includes and mesh files may lie outside the folder of the scene file
    bool allow_outside;

    pli_cancel_fn cancel; // asked while it reads, which fails as PLI_ERROR_INTERRUPTED; NULL: never
    void *cancel_user;
} pli_load_def;

// Reads a scene and the mesh files it names, and validates it. def may be NULL.
// Errors: io, scene, mesh, memory.
PLI_API PLI_CHECKED pli_status pli_scene_load(pli_context *context, const char *path,
                                              const pli_load_def *def, pli_scene **scene);

// The same from a text of count bytes. name stands for the file in messages; relative paths count
// from its folder.
PLI_API PLI_CHECKED pli_status pli_scene_parse(pli_context *context, const char *text,
                                               int64_t count, const char *name,
                                               const pli_load_def *def, pli_scene **scene);

typedef struct pli_yaml_def {
    bool comments;       // unit and meaning beside every key
    bool absolute_paths; // mesh files by absolute path, so that the text can be moved elsewhere
} pli_yaml_def;

// A validated scene as YAML with every default filled in; reading it again gives the same scene
// (absolute paths need allow_outside; meshes given as arrays are not in the text). def may be NULL.
// Errors: memory, io (a mesh file is no longer there).
PLI_API PLI_CHECKED pli_status pli_scene_to_yaml(const pli_scene *scene, const pli_yaml_def *def,
                                                 char **text);

// The field table as JSON Schema (draft 7), for editors that complete and check scene files.
PLI_API PLI_CHECKED pli_status pli_schema_to_json(pli_context *context, char **text);

// The field table as reference documentation in Markdown.
PLI_API PLI_CHECKED pli_status pli_schema_to_markdown(pli_context *context, char **text);

// ---- frames ------------------------------------------------------------------------------------
//
// A series is a folder with series.pvd, which lists the frames with their times, and
// frames/<body>_<frame, five digits or more>.vtu or .vtp, one file a body and frame. It opens in
// ParaView at any moment, also while frames are still being added. Points are stored as double,
// fields as float, or as int32 where they are whole. Meshes are .vtu, particles .vtp: as many as
// each frame has, none among them. What has no finite place is refused of particles; of meshes it
// is kept, for pli_frame_check to find.

typedef struct pli_frame_writer_def {
    const char *folder; // made if it is not there
    int32_t keep;       // frames 0 ... keep of an earlier series stay, later ones are removed
    bool compress;      // zlib
    const char *const *fields; // names of the fields to write; none: all
    int32_t field_count;
} pli_frame_writer_def;

typedef struct pli_frame_writer pli_frame_writer;

// keep is -1: a new series.
PLI_API pli_frame_writer_def pli_frame_writer_def_default(void);

// Begins or continues a series. Frames that series.pvd of the folder lists beyond `keep` are
// removed. Errors: argument, io, memory.
PLI_API PLI_CHECKED pli_status pli_frame_writer_create(pli_context *context,
                                                       const pli_frame_writer_def *def,
                                                       pli_frame_writer **writer);
PLI_API void pli_frame_writer_destroy(pli_frame_writer *writer);

// Writes the files of a frame, then lists it in series.pvd. Frames come in ascending order. After a
// failure the series is as it was. Errors: argument, io, memory, unsupported.
PLI_API PLI_CHECKED pli_status pli_frame_writer_add(pli_frame_writer *writer,
                                                    const pli_frame *frame);

// Number of the newest frame of the series; -1: there is none.
PLI_API int32_t pli_frame_writer_newest(const pli_frame_writer *writer);

typedef struct pli_series pli_series;

typedef struct pli_series_info {
    int32_t index;      // number of the frame; not every number need be there
    double time;        // s
    int32_t part_count; // bodies
} pli_series_info;

// Opens the series in a folder. Errors: io (missing, damaged, not written by pliant), memory.
PLI_API PLI_CHECKED pli_status pli_series_create(pli_context *context, const char *folder,
                                                 pli_series **series);
PLI_API void pli_series_destroy(pli_series *series);

// Looks for frames that were added since. Errors: io, memory; the series then is as it was.
PLI_API PLI_CHECKED pli_status pli_series_update(pli_series *series);

PLI_API int32_t pli_series_count(const pli_series *series);

// The frame at a position from 0 to count - 1.
PLI_API void pli_series_get_info(const pli_series *series, int32_t position, pli_series_info *info);

// Reads the frame at a position into memory of its own. Lifetime: until pli_frame_destroy.
// Errors: argument, io (the message names file and fault), memory.
PLI_API PLI_CHECKED pli_status pli_series_load(pli_series *series, int32_t position,
                                               pli_frame **frame);

// For frames of pli_series_load only.
PLI_API void pli_frame_destroy(pli_frame *frame);

// ---- checkpoints -------------------------------------------------------------------------------
//
// A checkpoint is a state with the scene it belongs to, in <folder>/step_<number>.h5 (HDF5). The
// two newest are kept. A file that is cut short, damaged, of another version or of another scene is
// refused; loading then falls back to the one before it. What changes no result does not count as
// another scene: about, output, and the number of frames.

// Errors: io, memory; earlier checkpoints are as they were.
PLI_API PLI_CHECKED pli_status pli_checkpoint_save(const pli_scene *scene, const pli_model *model,
                                                   pli_state *state, const char *folder);

// Restores the newest whole checkpoint. Errors: io (none is there, or none is whole), scene (of
// another scene; names both hashes), memory.
PLI_API PLI_CHECKED pli_status pli_checkpoint_load(const pli_scene *scene, const pli_model *model,
                                                   const char *folder, pli_state *state);

// ---- runs --------------------------------------------------------------------------------------
//
// A run simulates a scene into a folder:
//   scene.yaml       the scene with every default filled in
//   steps.jsonl      a JSON object a step; iterations.jsonl, one an iteration, if the scene asks
//   series.pvd       the frames, in frames/
//   residuals/       if the scene asks: a series of its own, a frame an iteration of implicit steps
//                    of particles, and iterates.jsonl, which says of which step and iteration
//   checkpoint/      the two newest states
//   cache/           what took long to prepare, by a hash of what it was made from; the next run in
//                    this folder takes it from there, one by force too. The newest few are kept
//   run.json         version, times, warnings, how it ended
//   report.html      plots and a verdict, written when the run ends for whatever reason
// The folder has a lock that goes away with the process: two runs never share one. A run that was
// interrupted, killed or stopped at a limit can be resumed and gives the same frames and
// checkpoints, bit for bit, as one that was not.

typedef struct pli_run_progress {
    int32_t frame;                 // frames computed so far, the initial one not counted
    int32_t frame_count;           // to compute in all
    int64_t step;                  // steps taken so far
    int64_t step_count;            // to take in all
    double time;                   // simulated so far (s)
    double seconds;                // since the run was created (wall clock)
    double seconds_left;           // estimate; negative: not known yet
    const pli_step_report *report; // of the last step
} pli_run_progress;

typedef void (*pli_run_progress_fn)(void *user, const pli_run_progress *progress);

typedef struct pli_run_def {
    const pli_scene *scene; // borrowed until the run is destroyed
    const char *folder;     // made if it is not there
    bool force;             // replace the files of an earlier run in the folder
    bool resume;            // go on from its newest checkpoint; without one, begin again
    int32_t frames;         // to compute; 0: as many as the scene says
    int64_t steps;          // stop after so many steps in all; 0: no limit
    // stop before so much wall-clock time (s) has passed, with the state saved; a step that would
    // take longer is given up, and a model then fails as PLI_ERROR_INTERRUPTED; 0: no limit
    double seconds;
    const char *command;          // command line, for run.json and the report; NULL: none
    pli_run_progress_fn progress; // hears every step; NULL: nobody does
    void *progress_user;
    // asked while the model is made, which then fails as PLI_ERROR_INTERRUPTED, and at every
    // iteration; NULL: never stops
    pli_cancel_fn cancel;
    void *cancel_user;
    // wall-clock time between checkpoints (s), which then are written after any step; 0: by frames,
    // as the scene says
    double checkpoint_seconds;
    pli_prepare_fn prepare; // hears how far the model is; NULL: nobody does
    void *prepare_user;
} pli_run_def;

typedef enum pli_run_outcome {
    PLI_RUN_GOING,       // has not ended
    PLI_RUN_DONE,        // every frame was computed
    PLI_RUN_LIMITED,     // stopped at a limit of the def; the state is saved
    PLI_RUN_INTERRUPTED, // stopped by the cancel hook; the state is saved
    PLI_RUN_FAILED,      // a step was rejected, or memory ran out; the state before it is saved
    PLI_RUN_BROKEN,      // numbers that are not finite; the state before them is saved
    PLI_RUN_UNWRITTEN    // a file could not be written
} pli_run_outcome;

typedef struct pli_run_info {
    pli_run_outcome outcome;
    int64_t step;        // taken in all
    int64_t first_step;  // the run was resumed after this step; 0: it began anew
    int32_t frame;       // computed in all, the initial one not counted
    double time;         // simulated (s)
    double seconds;      // wall clock, since the run was created
    int64_t unconverged; // steps that ended without convergence
    const char *folder;  // Lifetime: that of the run
    const char *advice;  // what helps against most of those; Lifetime: static
    int64_t saved_step;  // of the newest state that is saved in the folder; -1: none is
} pli_run_info;

typedef struct pli_run pli_run;

PLI_API pli_run_def pli_run_def_default(void);

// Compiles the scene, takes the folder and writes frame 0, or restores the newest checkpoint.
// Errors: io (folder in use, holding another run, not writable), scene, mesh, unsupported, memory,
// argument.
PLI_API PLI_CHECKED pli_status pli_run_create(const pli_run_def *def, pli_run **run);
PLI_API void pli_run_destroy(pli_run *run);

// Computes up to the next frame and writes it. *more tells whether there is another one; when there
// is not, the run has ended and its report is written. Errors end the run too: interrupted,
// numeric (failed or broken), io, memory. The message says where the state was saved.
PLI_API PLI_CHECKED pli_status pli_run_advance(pli_run *run, bool *more);

// Advances until the run ends. A limit of the def is not an error.
PLI_API PLI_CHECKED pli_status pli_run_execute(pli_run *run);

PLI_API void pli_run_get_info(const pli_run *run, pli_run_info *info);

// "done", "interrupted", ... as in run.json.
PLI_API const char *pli_run_outcome_name(pli_run_outcome outcome);

// What the run works on. Lifetime: that of the run.
PLI_API const pli_model *pli_run_model(const pli_run *run);
PLI_API const pli_state *pli_run_state(const pli_run *run);

// ---- checking frames ---------------------------------------------------------------------------
//
// Whether surfaces cross and tetrahedra are inverted, decided exactly for the coordinates of a
// frame, without tolerance and apart from all code that keeps a simulation free of them. Frames
// store points as doubles, so what is judged is the state that was computed. (Frames that another
// program rewrote in single precision are judged as they are: rounding may make or hide a touch.)
//
// Tested are bodies: the boundary of tetrahedra, and triangles; colliders on request. Two triangles
// intersect when
//   - they share no vertex and have a point in common; touching in a point counts;
//   - they share one vertex and meet elsewhere, too;
//   - they share an edge and lie flat upon each other, or share all three vertices.
// Vertices are shared by number within a body, not by place. Colliders are allowed to cross each
// other; in frames they are triangulated, so that a body may cut a corner of a curved one that it
// keeps off. A tetrahedron is inverted when its volume is not above zero.
//
// Coordinates under 1e-92 m count as zero; points that are not finite, or beyond 1e92 m, are
// counted, and what hangs on them is left out. Of particles nothing else is looked at.

enum { PLI_FINDINGS_SHOWN = 8 }; // of each kind, findings of a frame that are told one by one

typedef struct pli_found_cell {
    const char *part;    // the body. Lifetime: that of the frame
    int32_t cell;        // of the part: a triangle, or a tetrahedron (for surfaces: the one behind)
    int32_t vertices[4]; // of the part; three of a triangle
} pli_found_cell;

typedef struct pli_found_pair {
    pli_found_cell cells[2];
    double place[3]; // middle of the overlap of the triangles' boxes (m)
} pli_found_pair;

typedef struct pli_frame_findings {
    int32_t index;          // of the frame
    double time;            // s
    int32_t triangle_count; // tested
    int32_t tet_count;
    int64_t intersection_count; // pairs of triangles; a million stands for so many or more
    int64_t inverted_count;     // tetrahedra
    int64_t flat_count;         // triangles of bodies without area
    int64_t lost_count;         // points that are not finite, or too far
    int32_t pairs_shown;
    pli_found_pair pairs[PLI_FINDINGS_SHOWN]; // the first ones, by their triangles
    int32_t inverted_shown;
    pli_found_cell inverted[PLI_FINDINGS_SHOWN];
    int64_t particle_count; // whose coordinates were looked at
} pli_frame_findings;

// Whether anything was found.
PLI_API bool pli_frame_findings_any(const pli_frame_findings *findings);

// Checks one frame, of a file or of pli_solver_frame. The outcome is the same for any number of
// threads. Errors: mesh (an index is past the end), memory.
PLI_API PLI_CHECKED pli_status pli_frame_check(pli_context *context, const pli_frame *frame,
                                               bool colliders, pli_frame_findings *findings);

// Hears of every frame that was checked. Lifetime of the findings: the call.
typedef void (*pli_findings_fn)(void *user, const pli_frame_findings *findings);

typedef struct pli_check_def {
    const char *folder;       // of the run or series
    int32_t every;            // checks every n-th frame
    bool colliders;           // tests bodies against colliders, too
    bool stop_at_first;       // ends at the first frame with findings
    pli_findings_fn findings; // NULL: nobody hears
    void *findings_user;
    pli_cancel_fn cancel; // asked before every frame; NULL: never stops
    void *cancel_user;
} pli_check_def;

typedef struct pli_check_report { // over all frames that were checked
    int32_t frame_count;
    int32_t bad_frame_count; // with findings
    int64_t triangle_count;  // tested in all
    int64_t tet_count;
    int64_t intersection_count;
    int64_t inverted_count;
    int64_t flat_count;
    int64_t lost_count;
    int64_t particle_count;
} pli_check_report;

// Every frame, without colliders.
PLI_API pli_check_def pli_check_def_default(void);

// Checks the frames of a series. Findings are no failure. Errors: argument, io (files missing or
// damaged, no frames), mesh, memory, interrupted; the report then says what was done before.
PLI_API PLI_CHECKED pli_status pli_frames_check(pli_context *context, const pli_check_def *def,
                                                pli_check_report *report);

// ---- export ------------------------------------------------------------------------------------
//
// Frames of a series for other programs. Bodies of tetrahedra are shown by their surface, points by
// themselves; vtkhdf keeps everything. Lengths are in metres; which way is up is stated in every
// file that can state it.
//
//   ply       <body>_00000.ply, one a body and frame: float32 x y z, then fields by name, int for
//             whole ones; values of cells are averaged to vertices. Read by Blender, Houdini,
//             MeshLab
//   obj+pc2   <body>.obj and its motion in <body>.pc2, for Blender's Mesh Cache modifier; particles
//             are vertices without faces
//   glb       one glTF 2.0 file: a morph target a frame and an animation of their weights. Every
//             target costs a full set of vertices, so frames are thinned to at most max_targets.
//             Particles are a primitive of points
//   usda      one USD file as text: Mesh and Points with time samples; Points have velocities and
//             widths
//   vtkhdf    <body>.vtkhdf, everything of a body in one file (ParaView 5.12, VTK 9.3 or newer)
//
// Particles whose number changes need ply, usda or vtkhdf: point caches and morph targets are
// refused for them.

typedef struct pli_export_format {
    const char *name;
    const char *doc;
} pli_export_format;

// Lifetime: static.
PLI_API int32_t pli_export_format_count(void);
PLI_API const pli_export_format *pli_export_format_get(int32_t index);

typedef void (*pli_export_progress_fn)(void *user, int32_t done, int32_t total);

typedef struct pli_export_def {
    const char *folder;  // of the run or series
    const char *target;  // folder that the files go to, made if it is not there
    const char *format;  // name of a format
    int32_t first;       // number of the first frame
    int32_t last;        // number of the last one; -1: the last there is
    int32_t every;       // of these, take every n-th
    int32_t max_targets; // glb: morph targets a body; frames are thinned evenly to fit
    double fps;          // of the animation; 0: as the run says, or by the times of the frames
    pli_export_progress_fn progress; // hears of every body of every frame; NULL: nobody does
    void *progress_user;
    pli_cancel_fn cancel; // NULL: never stops
    void *cancel_user;
} pli_export_def;

typedef struct pli_export_report {
    int32_t file_count;
    int32_t frame_count;  // that went into them
    int32_t frames_found; // that were asked for
} pli_export_report;

// All frames, every one, at most 60 morph targets.
PLI_API pli_export_def pli_export_def_default(void);

// Files that were finished before a failure stay. Errors: argument (unknown format, no frames), io,
// memory, unsupported (the bodies change in ways that the format cannot say), interrupted.
PLI_API PLI_CHECKED pli_status pli_export(pli_context *context, const pli_export_def *def,
                                          pli_export_report *report);

// ---- pictures ------------------------------------------------------------------------------
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
    int32_t component; // 0, 1, 2, or PLI_COMPONENT_MAGNITUDE of a field with 3 components
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
