// SPDX-License-Identifier: Apache-2.0
#include "io/picture.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PIXELS_ACROSS = 1 << 20 };

// What libpng's callbacks see.
typedef struct png_work {
    pli_context *context;
    FILE *file;
    int32_t width;
    int32_t height;
    const uint8_t *rgb;
    char reason[128]; // why libpng gave up
    bool no_memory;
} png_work;

static png_voidp png_allocate(png_structp png, png_alloc_size_t bytes)
{
    png_work *work = png_get_mem_ptr(png);
    void *memory =
        bytes <= INT64_MAX ? pli_allocate(work->context, (int64_t)bytes, 1, "png") : NULL;
    if (memory == NULL) work->no_memory = true;
    return memory;
}

static void png_release(png_structp png, png_voidp memory)
{
    png_work *work = png_get_mem_ptr(png);
    pli_release(work->context, memory);
}

static void png_fail(png_structp png, png_const_charp text)
{
    png_work *work = png_get_error_ptr(png);
    snprintf(work->reason, sizeof work->reason, "%s", text);
    png_longjmp(png, 1);
}

static void png_hush(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void png_write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    png_work *work = png_get_io_ptr(png);
    if (fwrite(bytes, 1, count, work->file) != count) png_error(png, strerror(errno));
}

static void png_flush_bytes(png_structp png)
{
    (void)png;
}

// Everything that may jump; holds nothing of its own.
static bool png_encode(png_structp png, png_infop info, png_work *work)
{
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_write_fn(png, work, png_write_bytes, png_flush_bytes);
    png_set_IHDR(png, info, (png_uint_32)work->width, (png_uint_32)work->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int64_t row = 0; row < work->height; ++row) {
        png_write_row(png, work->rgb + 3 * row * work->width);
    }
    png_write_end(png, info);
    return true;
}

static bool png_write_file(png_work *work)
{
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, work, png_fail, png_hush,
                                                work, png_allocate, png_release);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool done = info != NULL && png_encode(png, info, work);
    png_destroy_write_struct(&png, &info);
    return done;
}

static pli_status write_part(pli_context *context, const char *path, png_work *work)
{
    work->file = fopen(path, "wb");
    if (work->file == NULL) {
        return PLI_FAIL(context, PLI_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    }
    bool written = png_write_file(work);
    bool closed = fclose(work->file) == 0;
    if (work->no_memory) return PLI_ERROR_MEMORY;
    if (!written) {
        return PLI_FAIL(context, PLI_ERROR_IO, "cannot write '%s': %s", path, work->reason);
    }
    if (!closed) {
        return PLI_FAIL(context, PLI_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    }
    return PLI_OK;
}

pli_status pli_picture_write_png(pli_context *context, const char *path, int32_t width,
                                 int32_t height, const uint8_t *rgb)
{
    if (width < 1 || height < 1 || width > MOST_PIXELS_ACROSS || height > MOST_PIXELS_ACROSS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a picture of %d x %d pixels; each side must be 1 to %d", width, height,
                        MOST_PIXELS_ACROSS);
    }
    // beside the file that it becomes, so that the rename stays on one disc
    pli_text part;
    pli_text_init(&part, context);
    pli_text_format(&part, "%s.%ld.part", path, (long)getpid());
    pli_status status = PLI_ERROR_MEMORY;
    if (part.failed) goto done;

    png_work work = {.context = context,
                     .width = width,
                     .height = height,
                     .rgb = rgb,
                     .reason = "out of memory"};
    status = write_part(context, part.bytes, &work);
    if (status == PLI_OK && rename(part.bytes, path) != 0) {
        status = PLI_FAIL(context, PLI_ERROR_IO, "cannot rename '%s' to '%s': %s", part.bytes, path,
                          strerror(errno));
    }
    if (status != PLI_OK) unlink(part.bytes);

done:
    pli_text_clear(&part);
    return status;
}
