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

#include "pliant/picture.h"
#include "pliant/run.h"
#include "pliant/scene.h"

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
PLI_API pli_series_info pli_series_get_info(const pli_series *series, int32_t position);

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
    bool is_clean;          // nothing was found
} pli_frame_findings;

// Checks one frame, of a file or of pli_solver_frame. The outcome is the same for any number of
// threads. Errors: mesh (an index is past the end), memory.
PLI_API PLI_CHECKED pli_status pli_frame_check(pli_context *context, const pli_frame *frame,
                                               bool colliders, pli_frame_findings *findings);

// Hears of every frame that was checked. Lifetime of the findings: the call.
typedef void (*pli_findings_fn)(void *user, const pli_frame_findings *findings);

typedef struct pli_check_def {
    const char *folder;       // of the run or series
    int32_t every;            // checks every n-th frame; 0: every one
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

// Counted from 0; NULL behind the last of them. Lifetime: static.
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

#ifdef __cplusplus
}
#endif

#endif
