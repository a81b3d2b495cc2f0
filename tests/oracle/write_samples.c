// SPDX-License-Identifier: Apache-2.0
//
// write_samples FOLDER: the files that the scripts beside this one examine.
//   raw/, zlib/         series of three frames, lattices of 9 vertices a side
//   <format>/           exports of the first one
//   cloud/, cloud-zlib/ series of particles whose number changes
//   cloud-<format>/     exports of the first one, in the formats that can say that
//   checkpoint/         a state of three arrays at step 42
#include "sample_cloud.h"
#include "sample_series.h"

#include "io/run/checkpoint.h"

enum { SIDE = 9, FRAMES = 3, ROWS = 20 };

static const char *in(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// Exports folder/source as folder/target.
static void write_export(pli_context *context, const char *folder, const char *source,
                         const char *target, const char *format)
{
    char from[4096];
    pli_export_report report;
    pli_export_def def = pli_export_def_default();
    snprintf(from, sizeof from, "%s", in(folder, source));
    def.folder = from;
    def.format = format;
    def.target = in(folder, target);
    OK(context, pli_export(context, &def, &report));
}

static void write_exports(pli_context *context, const char *folder)
{
    for (int32_t i = 0; pli_export_format_get(i) != NULL; ++i) {
        const char *format = pli_export_format_get(i)->name;
        write_export(context, folder, "raw", format, format);
    }
    write_export(context, folder, "cloud", "cloud-ply", "ply");
    write_export(context, folder, "cloud", "cloud-usda", "usda");
    write_export(context, folder, "cloud", "cloud-vtkhdf", "vtkhdf");
}

// x = i / 7 and v = -i as doubles, id = i^2 as integers
static void write_checkpoint(pli_context *context, const char *folder)
{
    double x[ROWS][3];
    double v[ROWS][3];
    int64_t id[ROWS];
    for (int i = 0; i < 3 * ROWS; ++i) x[i / 3][i % 3] = i / 7.0;
    for (int i = 0; i < 3 * ROWS; ++i) v[i / 3][i % 3] = -i;
    for (int64_t i = 0; i < ROWS; ++i) id[i] = i * i;
    const pli_state_array arrays[] = {{"x", PLI_ARRAY_F64, ROWS, 3, x, false, false},
                                      {"fem/v", PLI_ARRAY_F64, ROWS, 3, v, false, false},
                                      {"id", PLI_ARRAY_I64, ROWS, 1, id, false, false}};
    pli_checkpoint_def def = {.folder = in(folder, "checkpoint"),
                              .scene_hash = 0x0123456789abcdef,
                              .scene_text = "about: caf\xc3\xa9\n",
                              .step = 42,
                              .time = 1.75,
                              .array_count = 3,
                              .arrays = arrays};
    OK(context, pli_checkpoint_write(context, &def));
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    pli_context *context = make_context(2);
    sample_write(context, in(argv[1], "raw"), false, SIDE, 0, FRAMES - 1);
    sample_write(context, in(argv[1], "zlib"), true, SIDE, 0, FRAMES - 1);
    cloud_write(context, in(argv[1], "cloud"), false, true);
    cloud_write(context, in(argv[1], "cloud-zlib"), true, true);
    write_exports(context, argv[1]);
    write_checkpoint(context, argv[1]);
    pli_context_destroy(context);
    return 0;
}
