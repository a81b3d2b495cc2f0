// SPDX-License-Identifier: Apache-2.0
#include "io/run/checkpoint_hdf5.h"

#include "io/file/hdf5_file.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_CAPACITY = 64,      // longest text attribute that is compared
    CORE_INCREMENT = 1 << 20 // by which HDF5's memory file grows (bytes)
};

static const char group_state[] = "/state/";

typedef struct array_type {
    hid_t stored;
    hid_t given; // in memory
    const char *name;
} array_type;

static array_type type_of(pli_array_kind kind)
{
    switch (kind) {
    case PLI_ARRAY_F64: return (array_type){H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, "64-bit floats"};
    case PLI_ARRAY_I64: return (array_type){H5T_STD_I64LE, H5T_NATIVE_INT64, "64-bit integers"};
    case PLI_ARRAY_I32: return (array_type){H5T_STD_I32LE, H5T_NATIVE_INT32, "32-bit integers"};
    }
    return (array_type){H5I_INVALID_HID, H5I_INVALID_HID, "numbers of no known kind"};
}

// A type for texts of exactly this length.
static hid_t text_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (H5Tset_size(type, length > 0 ? length : 1) < 0 ||
        H5Tset_strpad(type, H5T_STR_NULLPAD) < 0) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

// ---- packing ----------------------------------------------------------------------------------

static bool put_attribute(hid_t file, const char *name, hid_t stored, hid_t given,
                          const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, given, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    return good;
}

static bool put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = text_type(strlen(text));
    bool good = type >= 0 && put_attribute(file, name, type, type, text);
    if (type >= 0) H5Tclose(type);
    return good;
}

static void format_hash(uint64_t hash, char text[17])
{
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}

// Whether a file does without an array, which then is read as what it is: all zero.
static bool is_left_out(const pli_state_array *array)
{
    if (!array->optional) return false;
    size_t bytes =
        (size_t)array->rows * (size_t)array->columns * H5Tget_size(type_of(array->kind).given);
    const char *data = array->data;
    return bytes == 0 || (data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0);
}

static int32_t count_arrays(const pli_checkpoint_def *def)
{
    int32_t count = def->array_count;
    for (int32_t i = 0; i < def->array_count; ++i) count -= is_left_out(&def->arrays[i]);
    return count;
}

static bool put_attributes(hid_t file, const pli_checkpoint_def *def)
{
    int32_t format = PLI_CHECKPOINT_FORMAT;
    int32_t array_count = count_arrays(def);
    char hash[17];
    format_hash(def->scene_hash, hash);
    return put_attribute(file, "format", H5T_STD_I32LE, H5T_NATIVE_INT32, &format) &&
           put_text(file, "pliant", pli_version()) &&
           put_text(file, "build", pli_build_get()->text) && put_text(file, "scene_hash", hash) &&
           put_attribute(file, "step", H5T_STD_I64LE, H5T_NATIVE_INT64, &def->step) &&
           put_attribute(file, "time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &def->time) &&
           put_attribute(file, "array_count", H5T_STD_I32LE, H5T_NATIVE_INT32, &array_count);
}

// Creates and writes a dataset; the groups on its path are made, and no time is recorded.
static bool put_dataset(hid_t file, const char *name, hid_t stored, hid_t given, hid_t space,
                        const void *data)
{
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    bool good = H5Pset_create_intermediate_group(link, 1) >= 0 &&
                H5Pset_obj_track_times(create, false) >= 0;
    hid_t set = good ? H5Dcreate2(file, name, stored, space, link, create, H5P_DEFAULT) : -1;
    good = set >= 0 && (H5Sget_simple_extent_npoints(space) == 0 ||
                        H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0) H5Dclose(set);
    H5Pclose(create);
    H5Pclose(link);
    return good;
}

static bool put_scene(hid_t file, const char *text)
{
    hid_t type = text_type(strlen(text));
    hid_t space = H5Screate(H5S_SCALAR);
    bool good = type >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
                put_dataset(file, "/scene", type, type, space, text);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return good;
}

static bool put_array(hid_t file, const pli_state_array *array)
{
    char name[256];
    int length = snprintf(name, sizeof name, "%s%s", group_state, array->name);
    hsize_t shape[2] = {(hsize_t)array->rows, (hsize_t)array->columns};
    array_type type = type_of(array->kind);
    hid_t space = H5Screate_simple(2, shape, NULL);
    bool good = space >= 0 && length > 0 && length < (int)sizeof name &&
                put_dataset(file, name, type.stored, type.given, space, array->data);
    if (space >= 0) H5Sclose(space);
    return good;
}

static bool put_all(hid_t file, const pli_checkpoint_def *def)
{
    bool good = put_attributes(file, def) && put_scene(file, def->scene_text);
    for (int32_t i = 0; i < def->array_count && good; ++i) {
        good = is_left_out(&def->arrays[i]) || put_array(file, &def->arrays[i]);
    }
    return good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

// The superblock says that somebody has the file open, which nobody has who reads these bytes: its
// consistency flags are bytes 20 to 23 in versions 0 and 1, later byte 11.
static void mark_as_closed(char *bytes)
{
    int version = bytes[8];
    if (version <= 1) {
        memset(bytes + 20, 0, 4);
    } else {
        bytes[11] = 0;
    }
}

// Finds the bytes of the memory file, which are as many as HDF5 says and not the room it has.
static bool find_image(hid_t file, pli_checkpoint_image *image)
{
    void *handle = NULL;
    ssize_t size = H5Fget_file_image(file, NULL, 0);
    if (size <= 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return false;
    char *bytes = *(char **)handle;
    if (bytes == NULL) return false;
    mark_as_closed(bytes);
    image->bytes = bytes;
    image->count = size;
    return true;
}

pli_status pli_checkpoint_image_init(pli_context *context, const pli_checkpoint_def *def,
                                     pli_checkpoint_image *image)
{
    *image = (pli_checkpoint_image){.file = H5I_INVALID_HID};
    pli_hdf5_silence before = pli_hdf5_silence_begin();
    // a file that lives in memory only; the name is never used on the disk
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (H5Pset_fapl_core(access, CORE_INCREMENT, false) >= 0) {
        image->file = H5Fcreate("checkpoint.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    pli_status status = PLI_OK;
    if (image->file < 0 || !put_all(image->file, def) || !find_image(image->file, image)) {
        status = PLI_FAIL(context, PLI_ERROR_MEMORY,
                          "HDF5 could not build the checkpoint of step %lld in memory",
                          (long long)def->step);
    }
    H5Pclose(access);
    pli_hdf5_silence_end(before);
    return status;
}

void pli_checkpoint_image_clear(pli_checkpoint_image *image)
{
    pli_hdf5_silence before = pli_hdf5_silence_begin();
    if (image->file >= 0) H5Fclose(image->file);
    pli_hdf5_silence_end(before);
    *image = (pli_checkpoint_image){.file = H5I_INVALID_HID};
}

// ---- unpacking --------------------------------------------------------------------------------

// An attribute converted to a memory type of `size` bytes; false when it is absent, is no scalar or
// has another class.
static bool get_attribute(hid_t file, const char *name, hid_t type, void *value)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t space = H5Aget_space(attribute);
    hid_t stored = H5Aget_type(attribute);
    bool good = H5Sget_simple_extent_npoints(space) == 1 &&
                H5Tget_class(stored) == H5Tget_class(type) && H5Aread(attribute, type, value) >= 0;
    H5Tclose(stored);
    H5Sclose(space);
    H5Aclose(attribute);
    return good;
}

// A text attribute of fixed length; "" when there is none or it is too long.
static void get_text(hid_t file, const char *name, char text[TEXT_CAPACITY])
{
    hid_t type = text_type(TEXT_CAPACITY);
    text[0] = '\0';
    if (type < 0 || !get_attribute(file, name, type, text)) text[0] = '\0';
    text[TEXT_CAPACITY - 1] = '\0';
    if (type >= 0) H5Tclose(type);
}

static pli_status check_origin(pli_context *context, const char *path, hid_t file,
                               const pli_checkpoint_def *def)
{
    char version[TEXT_CAPACITY];
    char hash[TEXT_CAPACITY];
    char wanted[17];
    get_text(file, "pliant", version);
    if (strcmp(version, pli_version()) != 0) {
        return PLI_FAIL(context, PLI_ERROR_IO,
                        "%s: was written by pliant %s; this is %s, whose results may differ", path,
                        version[0] != '\0' ? version : "of unknown version", pli_version());
    }
    get_text(file, "scene_hash", hash);
    format_hash(def->scene_hash, wanted);
    if (strcmp(hash, wanted) != 0) {
        return PLI_FAIL(context, PLI_ERROR_SCENE,
                        "%s: belongs to another scene: its hash is %s, that of this scene %s", path,
                        hash, wanted);
    }
    return PLI_OK;
}

// Whether a dataset is what was written of such an array; all of its rows must be in the file.
static bool is_dataset_of(hid_t set, const pli_state_array *array, int64_t *rows)
{
    hsize_t shape[2] = {0, 0};
    hid_t space = H5Dget_space(set);
    hid_t type = H5Dget_type(set);
    bool good = H5Sget_simple_extent_ndims(space) == 2 &&
                H5Sget_simple_extent_dims(space, shape, NULL) == 2 &&
                shape[0] <= (hsize_t)INT64_MAX && shape[1] == (hsize_t)array->columns &&
                H5Tequal(type, type_of(array->kind).stored) > 0;
    good = good && H5Dget_storage_size(set) == shape[0] * shape[1] * H5Tget_size(type);
    *rows = good ? (int64_t)shape[0] : 0;
    H5Tclose(type);
    H5Sclose(space);
    return good && (array->of_particles || *rows == array->rows);
}

// Opens the dataset of an array if it has the array's columns and kind, and its rows unless they
// are particles; otherwise fails.
static hid_t open_array(hid_t file, const pli_state_array *array, int64_t *rows)
{
    char name[256];
    *rows = 0;
    int length = snprintf(name, sizeof name, "%s%s", group_state, array->name);
    if (length < 0 || length >= (int)sizeof name) return H5I_INVALID_HID;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0 || is_dataset_of(set, array, rows)) return set;
    H5Dclose(set);
    return H5I_INVALID_HID;
}

static pli_status fail_of_array(pli_context *context, const char *path,
                                const pli_state_array *array)
{
    char rows[32] = "any number of";
    if (!array->of_particles) snprintf(rows, sizeof rows, "%lld", (long long)array->rows);
    return PLI_FAIL(context, PLI_ERROR_IO,
                    "%s: has no array '%s' of %s rows and %d columns of %s, or not all of it", path,
                    array->name, rows, array->columns, type_of(array->kind).name);
}

// rows that the arrays of particles of a file have
typedef struct particle_rows {
    const char *of; // name of the first such array; NULL: there is none
    int64_t count;
    bool differ; // from those of the state
} particle_rows;

// Notes the rows of another array; those of particles all have as many.
static pli_status note_rows(pli_context *context, const char *path, const pli_state_array *array,
                            int64_t rows, particle_rows *particles)
{
    if (!array->of_particles) return PLI_OK;
    if (particles->of == NULL) *particles = (particle_rows){array->name, rows, false};
    if (rows != array->rows) particles->differ = true;
    if (rows == particles->count) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_IO,
                    "%s: array '%s' has %lld rows and array '%s' %lld; those of particles must all "
                    "have as many",
                    path, particles->of, (long long)particles->count, array->name, (long long)rows);
}

// Whether a file may be, and is, without an array.
static bool is_missing(hid_t file, const pli_state_array *array)
{
    char name[256];
    int length = snprintf(name, sizeof name, "%s%s", group_state, array->name);
    if (!array->optional || length < 0 || length >= (int)sizeof name) return false;
    return H5Lexists(file, name, H5P_DEFAULT) == 0;
}

static pli_status check_count(pli_context *context, const char *path, hid_t file,
                              const pli_checkpoint_def *def)
{
    int32_t count = -1;
    int32_t wanted = def->array_count;
    for (int32_t i = 0; i < def->array_count; ++i) wanted -= is_missing(file, &def->arrays[i]);
    if (get_attribute(file, "array_count", H5T_NATIVE_INT32, &count) && count == wanted) {
        return PLI_OK;
    }
    return PLI_FAIL(context, PLI_ERROR_IO, "%s: has %d arrays; the state of this scene has %d",
                    path, count, wanted);
}

static pli_status check_arrays(pli_context *context, const char *path, hid_t file,
                               const pli_checkpoint_def *def, particle_rows *particles)
{
    *particles = (particle_rows){0};
    PLI_TRY(check_count(context, path, file, def));
    for (int32_t i = 0; i < def->array_count; ++i) {
        int64_t rows = 0;
        if (is_missing(file, &def->arrays[i])) continue;
        hid_t set = open_array(file, &def->arrays[i], &rows);
        if (set < 0) return fail_of_array(context, path, &def->arrays[i]);
        H5Dclose(set);
        PLI_TRY(note_rows(context, path, &def->arrays[i], rows, particles));
    }
    return PLI_OK;
}

// Makes the state's arrays of particles as long as those of the file.
static pli_status make_room(pli_context *context, const char *path, const pli_checkpoint_def *def,
                            const particle_rows *particles)
{
    if (!particles->differ) return PLI_OK;
    if (def->set_particle_count == NULL || particles->count > INT32_MAX) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: has %lld particles; allowed are %s", path,
                        (long long)particles->count,
                        def->set_particle_count == NULL ? "as many as the state has"
                                                        : "up to 2147483647");
    }
    return def->set_particle_count(def->user, particles->count);
}

// Fills an array; one that the file is without becomes zero.
static bool read_array(hid_t file, const pli_state_array *array)
{
    hid_t given = type_of(array->kind).given;
    bool empty = array->rows == 0 || array->columns == 0;
    if (is_missing(file, array)) {
        size_t count = (size_t)array->rows * (size_t)array->columns;
        if (!empty) memset(array->data, 0, count * H5Tget_size(given));
        return true;
    }
    int64_t rows = 0;
    hid_t set = open_array(file, array, &rows);
    bool good = set >= 0 && rows == array->rows;
    good = good && (empty || H5Dread(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) >= 0);
    if (set >= 0) H5Dclose(set);
    return good;
}

static pli_status read_arrays(pli_context *context, const char *path, hid_t file,
                              const pli_checkpoint_def *def)
{
    for (int32_t i = 0; i < def->array_count; ++i) {
        if (read_array(file, &def->arrays[i])) continue;
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: cannot read array '%s'", path,
                        def->arrays[i].name);
    }
    return PLI_OK;
}

static pli_status read_content(pli_context *context, const char *path, hid_t file,
                               const pli_checkpoint_def *def, pli_checkpoint_info *info)
{
    int64_t step = -1;
    double time = 0;
    PLI_TRY(check_origin(context, path, file, def));
    if (!get_attribute(file, "step", H5T_NATIVE_INT64, &step) ||
        !get_attribute(file, "time", H5T_NATIVE_DOUBLE, &time) || step < 0) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: lacks step or time", path);
    }
    particle_rows particles;
    PLI_TRY(check_arrays(context, path, file, def, &particles));
    PLI_TRY(make_room(context, path, def, &particles));
    PLI_TRY(read_arrays(context, path, file, def));
    info->step = step;
    info->time = time;
    return PLI_OK;
}

pli_status pli_checkpoint_unpack(pli_context *context, const char *path,
                                 const pli_checkpoint_def *def, pli_checkpoint_info *info)
{
    *info = (pli_checkpoint_info){.step = -1};
    pli_hdf5_silence before = pli_hdf5_silence_begin();
    // the run's folder has a lock of its own, and some file systems know no locks
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    pli_status status = PLI_OK;
    if (file < 0) {
        status = PLI_FAIL(context, PLI_ERROR_IO, "%s: HDF5 cannot open it", path);
    } else {
        status = read_content(context, path, file, def, info);
        H5Fclose(file);
    }
    H5Pclose(access);
    pli_hdf5_silence_end(before);
    return status;
}
