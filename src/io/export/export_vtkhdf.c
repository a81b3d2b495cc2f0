// SPDX-License-Identifier: Apache-2.0
//
// VTKHDF 2.0, temporal: one file a body with all its frames. Every body is an UnstructuredGrid
// (points are cells of one vertex). Arrays of all frames stand one after another; the group Steps
// says where each frame's begin. Cells that stay the same are stored once.
//
// The arrays are chunked, shuffled and deflated at the lowest level, which halves positions at
// little cost. Debian's VTK 9.1 cannot read temporal files; VTK 9.3 and ParaView 5.12 can.
#include "base/memory.h"
#include "io/export/export.h"
#include "io/file/file.h"
#include "io/file/hdf5_file.h"
#include "io/frames/frame_vtu.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

enum {
    CHUNK_ROWS = 1 << 14, // rows of a chunk
    NAME_CAPACITY = 512
};

// offsets of one frame in the arrays, one row of the Steps group each
typedef struct step_offsets {
    int64_t part;         // entry in NumberOfPoints, NumberOfCells, NumberOfConnectivityIds
    int64_t point;        // row in Points and in point data
    int64_t cell;         // row in Types, Offsets (less the parts before it)
    int64_t connectivity; // row in Connectivity
    int64_t cell_data;    // row in cell data
} step_offsets;

typedef struct vtkhdf {
    pli_export_job *job;
    int32_t body;
    const char *path;
    pli_hdf5_file *disk;
    hid_t file;          // HDF5's number of it
    step_offsets *steps; // [frame_count]
    double *times;       // [frame_count] (s)
    int32_t step_count;
    step_offsets ends; // where the next frame's arrays begin
    pli_skin shape;    // of the part whose cells are stored last
    // names and components of the fields, which every frame must have
    pli_frame_field *fields;
    int32_t field_count;
} vtkhdf;

static pli_status fail(const vtkhdf *v, const char *what)
{
    return PLI_FAIL(v->job->context, PLI_ERROR_IO, "%s: HDF5 cannot write %s", v->path, what);
}

// ---- datasets that grow -----------------------------------------------------------------------

// A dataset of no rows that can grow; columns 0: one-dimensional.
static bool create_array(hid_t file, const char *name, hid_t type, hsize_t columns)
{
    int rank = columns > 0 ? 2 : 1;
    hsize_t shape[2] = {0, columns};
    hsize_t limit[2] = {H5S_UNLIMITED, columns};
    hsize_t chunk[2] = {CHUNK_ROWS, columns};
    hid_t space = H5Screate_simple(rank, shape, limit);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_chunk(create, rank, chunk);
    H5Pset_shuffle(create);
    H5Pset_deflate(create, 1);
    H5Pset_obj_track_times(create, false);
    H5Pset_create_intermediate_group(link, 1);
    hid_t set = H5Dcreate2(file, name, type, space, link, create, H5P_DEFAULT);
    if (set >= 0) H5Dclose(set);
    H5Pclose(link);
    H5Pclose(create);
    H5Sclose(space);
    return set >= 0;
}

// Adds rows at the end of a dataset.
static bool append_rows(hid_t file, const char *name, hid_t type, int64_t rows, const void *data)
{
    if (rows == 0) return true;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) return false;
    hid_t space = H5Dget_space(set);
    hsize_t shape[2] = {0, 1};
    int rank = H5Sget_simple_extent_dims(space, shape, NULL);
    H5Sclose(space);
    hsize_t start[2] = {shape[0], 0};
    hsize_t count[2] = {(hsize_t)rows, shape[1]};
    shape[0] += (hsize_t)rows;
    bool good = H5Dset_extent(set, shape) >= 0;
    space = H5Dget_space(set);
    hid_t memory = H5Screate_simple(rank, count, NULL);
    good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
           H5Dwrite(set, type, memory, space, H5P_DEFAULT, data) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

// A whole dataset at once.
static bool put_array(hid_t file, const char *name, hid_t type, int64_t rows, hsize_t columns,
                      const void *data)
{
    return create_array(file, name, type, columns) && append_rows(file, name, type, rows, data);
}

static void field_path(const pli_frame_field *field, char path[NAME_CAPACITY])
{
    snprintf(path, NAME_CAPACITY, "/VTKHDF/%s/%s",
             field->place == PLI_PLACE_POINT ? "PointData" : "CellData", field->name);
    // a '/' in the name would make a group
    for (char *at = strrchr(path, '\0') - strlen(field->name); *at != '\0'; ++at) {
        if (*at == '/') *at = '_';
    }
}

// ---- beginning --------------------------------------------------------------------------------

static bool put_attribute(hid_t object, const char *name, hid_t type, hid_t space,
                          const void *value)
{
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    return good;
}

// Version and Type; the latter as a text of fixed length, which the readers insist on.
static bool put_root(hid_t file)
{
    static const char kind[] = "UnstructuredGrid";
    int64_t version[2] = {2, 0};
    hsize_t two = 2;
    hid_t group = H5Gcreate2(file, "/VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t pair = H5Screate_simple(1, &two, NULL);
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, sizeof kind - 1);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    bool good = group >= 0 && put_attribute(group, "Version", H5T_NATIVE_INT64, pair, version) &&
                put_attribute(group, "Type", text, scalar, kind);
    H5Tclose(text);
    H5Sclose(scalar);
    H5Sclose(pair);
    if (group >= 0) H5Gclose(group);
    return good;
}

static bool create_arrays(hid_t file)
{
    static const char *const counts[] = {"/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfCells",
                                         "/VTKHDF/NumberOfConnectivityIds", "/VTKHDF/Connectivity",
                                         "/VTKHDF/Offsets"};
    bool good = put_root(file);
    for (int i = 0; i < 5 && good; ++i) good = create_array(file, counts[i], H5T_STD_I64LE, 0);
    return good && create_array(file, "/VTKHDF/Types", H5T_STD_U8LE, 0) &&
           create_array(file, "/VTKHDF/Points", H5T_IEEE_F64LE, 3);
}

// The first frame decides which fields there are.
static pli_status create_fields(vtkhdf *v, const pli_frame_part *part)
{
    pli_context *context = v->job->context;
    PLI_TRY(PLI_MAKE(context, v->fields, part->field_count, "export"));
    for (int32_t i = 0; i < part->field_count; ++i) {
        char path[NAME_CAPACITY];
        v->fields[i] = part->fields[i];
        v->fields[i].values = NULL;
        v->fields[i].unit = NULL;
        char *name = pli_string_copy(context, part->fields[i].name);
        if (name == NULL) return PLI_ERROR_MEMORY;
        v->fields[i].name = name;
        v->field_count = i + 1;
        field_path(&v->fields[i], path);
        hsize_t columns = part->fields[i].components > 1 ? (hsize_t)part->fields[i].components : 0;
        hid_t type = part->fields[i].whole ? H5T_STD_I32LE : H5T_IEEE_F32LE;
        if (!create_array(v->file, path, type, columns)) return fail(v, "a field");
    }
    return PLI_OK;
}

// ---- frames -----------------------------------------------------------------------------------

// Connectivity, offsets and types of a part, and its numbers.
static pli_status append_cells(vtkhdf *v, const pli_frame_part *part)
{
    pli_context *context = v->job->context;
    bool points = part->kind == PLI_PART_POINTS;
    int32_t corners = pli_part_corners(part->kind);
    int64_t cells = points ? part->point_count : part->cell_count;
    int64_t *ids = PLI_NEW(context, int64_t, cells * corners + cells + 1, "export");
    uint8_t *types = PLI_NEW(context, uint8_t, cells, "export");
    pli_status status = ids != NULL && types != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        // VTK's numbers of cell types: 1 vertex, 5 triangle, 10 tetrahedron, 24 one with ten nodes
        int type = corners == 10 ? 24 : corners == 3 ? 5 : 10;
        memset(types, points ? 1 : type, (size_t)cells);
        int64_t *offsets = ids + cells * corners;
        for (int64_t i = 0; i < cells * corners; ++i) ids[i] = points ? i : part->cells[i];
        for (int64_t i = 0; i <= cells; ++i) offsets[i] = i * corners;
        int64_t numbers[3] = {part->point_count, cells, cells * corners};
        bool good =
            append_rows(v->file, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, cells * corners, ids) &&
            append_rows(v->file, "/VTKHDF/Offsets", H5T_NATIVE_INT64, cells + 1, offsets) &&
            append_rows(v->file, "/VTKHDF/Types", H5T_NATIVE_UINT8, cells, types) &&
            append_rows(v->file, "/VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, 1, &numbers[0]) &&
            append_rows(v->file, "/VTKHDF/NumberOfCells", H5T_NATIVE_INT64, 1, &numbers[1]) &&
            append_rows(v->file, "/VTKHDF/NumberOfConnectivityIds", H5T_NATIVE_INT64, 1,
                        &numbers[2]);
        if (!good) status = fail(v, "the cells");
    }
    PLI_RELEASE(context, types, ids);
    return status;
}

// Stores the cells unless they are those of the frame before; notes where the frame finds them.
static pli_status take_cells(vtkhdf *v, const pli_frame_part *part, step_offsets *step)
{
    bool same = v->shape.context != NULL && pli_skin_fits(&v->shape, part);
    const step_offsets *before = v->step_count > 0 ? &v->steps[v->step_count - 1] : NULL;
    if (same) {
        step->part = before->part;
        step->cell = before->cell;
        step->connectivity = before->connectivity;
        return PLI_OK;
    }
    int64_t cells = part->kind == PLI_PART_POINTS ? part->point_count : part->cell_count;
    step->part = v->ends.part++;
    step->cell = v->ends.cell;
    step->connectivity = v->ends.connectivity;
    v->ends.cell += cells;
    v->ends.connectivity += cells * pli_part_corners(part->kind);
    pli_skin_clear(&v->shape);
    PLI_TRY(pli_skin_init(&v->shape, v->job->context, part));
    return append_cells(v, part);
}

static pli_status append_fields(vtkhdf *v, const pli_frame_part *part)
{
    for (int32_t i = 0; i < v->field_count; ++i) {
        char path[NAME_CAPACITY];
        const pli_frame_field *wanted = &v->fields[i];
        const pli_frame_field *field =
            pli_part_find_field(part, wanted->name, wanted->place, wanted->components);
        if (field == NULL) {
            return PLI_FAIL(v->job->context, PLI_ERROR_UNSUPPORTED,
                            "body '%s' does not have the field '%s' in every frame",
                            v->job->bodies[v->body].name, wanted->name);
        }
        int64_t rows = field->place == PLI_PLACE_POINT ? part->point_count : part->cell_count;
        field_path(field, path);
        if (!append_rows(v->file, path, H5T_NATIVE_DOUBLE, rows, field->values)) {
            return fail(v, "a field");
        }
    }
    return PLI_OK;
}

static pli_status append_frame(vtkhdf *v, const pli_frame *frame)
{
    const pli_frame_part *part = &frame->parts[0];
    step_offsets step = {.point = v->ends.point, .cell_data = v->ends.cell_data};
    if (v->step_count == 0) PLI_TRY(create_fields(v, part));
    PLI_TRY(take_cells(v, part, &step));
    if (!append_rows(v->file, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, part->point_count,
                     part->points)) {
        return fail(v, "the points");
    }
    PLI_TRY(append_fields(v, part));
    v->ends.point += part->point_count;
    v->ends.cell_data += part->cell_count;
    v->times[v->step_count] = frame->time;
    v->steps[v->step_count++] = step;
    return PLI_OK;
}

static pli_status append_frames(vtkhdf *v)
{
    pli_status status = PLI_OK;
    for (int32_t frame = 0; frame < v->job->frame_count && status == PLI_OK; ++frame) {
        pli_frame *loaded = NULL;
        status = pli_export_load(v->job, v->body, frame, &loaded);
        if (loaded != NULL) status = append_frame(v, loaded);
        if (status == PLI_OK) status = pli_hdf5_file_check(v->disk);
        pli_frame_destroy(loaded);
    }
    return status;
}

// ---- the group Steps --------------------------------------------------------------------------

// One column of the offsets as a dataset.
static bool put_offsets(const vtkhdf *v, const char *name, size_t member, hsize_t columns,
                        int64_t *scratch)
{
    for (int32_t i = 0; i < v->step_count; ++i) {
        memcpy(&scratch[i], (const char *)&v->steps[i] + member, sizeof *scratch);
    }
    return put_array(v->file, name, H5T_NATIVE_INT64, v->step_count, columns, scratch);
}

static bool put_field_offsets(const vtkhdf *v, int64_t *scratch)
{
    bool good = true;
    for (int32_t i = 0; i < v->field_count && good; ++i) {
        char path[NAME_CAPACITY];
        char name[NAME_CAPACITY];
        field_path(&v->fields[i], path);
        bool of_points = v->fields[i].place == PLI_PLACE_POINT;
        int length = snprintf(name, sizeof name, "/VTKHDF/Steps/%sDataOffsets%s",
                              of_points ? "Point" : "Cell", strrchr(path, '/'));
        good = length < NAME_CAPACITY && put_offsets(v, name,
                                                     of_points ? offsetof(step_offsets, point)
                                                               : offsetof(step_offsets, cell_data),
                                                     0, scratch);
    }
    return good;
}

static bool put_steps(const vtkhdf *v, int64_t *scratch)
{
    static const char group[] = "/VTKHDF/Steps";
    bool good =
        put_array(v->file, "/VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, v->step_count, 0, v->times) &&
        put_offsets(v, "/VTKHDF/Steps/PartOffsets", offsetof(step_offsets, part), 0, scratch) &&
        put_offsets(v, "/VTKHDF/Steps/PointOffsets", offsetof(step_offsets, point), 0, scratch) &&
        put_offsets(v, "/VTKHDF/Steps/CellOffsets", offsetof(step_offsets, cell), 1, scratch) &&
        put_offsets(v, "/VTKHDF/Steps/ConnectivityIdOffsets", offsetof(step_offsets, connectivity),
                    1, scratch) &&
        put_field_offsets(v, scratch);
    for (int32_t i = 0; i < v->step_count; ++i) scratch[i] = 1;
    good = good && put_array(v->file, "/VTKHDF/Steps/NumberOfParts", H5T_NATIVE_INT64,
                             v->step_count, 0, scratch);
    hid_t steps = good ? H5Gopen2(v->file, group, H5P_DEFAULT) : H5I_INVALID_HID;
    hid_t scalar = H5Screate(H5S_SCALAR);
    int64_t count = v->step_count;
    good = steps >= 0 && put_attribute(steps, "NSteps", H5T_NATIVE_INT64, scalar, &count);
    H5Sclose(scalar);
    if (steps >= 0) H5Gclose(steps);
    return good;
}

// ---- the file ---------------------------------------------------------------------------------

static pli_status write_content(vtkhdf *v)
{
    pli_context *context = v->job->context;
    v->steps = PLI_NEW(context, step_offsets, v->job->frame_count, "export");
    v->times = PLI_NEW(context, double, v->job->frame_count, "export");
    int64_t *scratch = PLI_NEW(context, int64_t, v->job->frame_count, "export");
    pli_status status =
        v->steps != NULL && v->times != NULL && scratch != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK && !create_arrays(v->file)) status = fail(v, "its layout");
    if (status == PLI_OK) status = append_frames(v);
    if (status == PLI_OK && !put_steps(v, scratch)) status = fail(v, "the steps");
    pli_release(context, scratch);
    return status;
}

static pli_status write_file(vtkhdf *v, const char *name)
{
    pli_hdf5_silence before = pli_hdf5_silence_begin();
    pli_status status = pli_hdf5_file_create(v->job->context, name, v->path, &v->disk);
    if (status == PLI_OK) {
        v->file = pli_hdf5_file_id(v->disk);
        status = write_content(v);
    }
    if (status == PLI_OK) status = pli_hdf5_file_finish(v->disk);
    pli_hdf5_file_destroy(v->disk);
    pli_hdf5_silence_end(before);
    return status;
}

static pli_status write_body(pli_export_job *job, int32_t body)
{
    pli_draft *draft = NULL;
    char *path = pli_export_path(job, job->bodies[body].stem, ".vtkhdf");
    vtkhdf v = {.job = job, .body = body, .path = path, .file = H5I_INVALID_HID};
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_draft_create(job->context, path, &draft);
    if (status == PLI_OK) status = write_file(&v, pli_draft_name(draft));
    if (status == PLI_OK) status = pli_draft_commit(draft);
    if (status == PLI_OK) ++job->report->file_count;
    pli_draft_destroy(draft);
    pli_skin_clear(&v.shape);
    for (int32_t i = 0; i < v.field_count; ++i) {
        pli_release(job->context, (char *)(uintptr_t)v.fields[i].name);
    }
    PLI_RELEASE(job->context, v.fields, v.times, v.steps, path);
    return status;
}

static pli_status write_vtkhdf(pli_export_job *job)
{
    for (int32_t body = 0; body < job->body_count; ++body) PLI_TRY(write_body(job, body));
    return PLI_OK;
}

const pli_exporter_ops pli_exporter_vtkhdf = {
    {"vtkhdf", "one HDF5 file per body with all its frames (ParaView 5.12, VTK 9.3 or newer)"},
    write_vtkhdf};
