// SPDX-License-Identifier: Apache-2.0
//
// PNG files: libpng packs into memory, with the context's allocator, and the file appears at once.
#include "base/memory.h"
#include "base/text.h"
#include "io/file/file.h"
#include "pliant/io.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

enum { MOST_PIXELS_ACROSS = 1 << 20 };

// What libpng's callbacks see.
typedef struct png_work {
    pli_context *context;
    int32_t width;
    int32_t height;
    const uint8_t *rgb; // [height][width][3]
    pli_text file;      // what was packed so far
    bool no_memory;
    char reason[128]; // why libpng gave up
} png_work;

static png_voidp png_allocate(png_structp png, png_alloc_size_t bytes)
{
    png_work *work = png_get_mem_ptr(png);
    int64_t count = bytes <= INT64_MAX ? (int64_t)bytes : -1;
    void *memory = pli_allocate(work->context, count, 1, "png");
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

static void png_append(png_structp png, png_bytep bytes, size_t count)
{
    png_work *work = png_get_io_ptr(png);
    pli_text_append_bytes(&work->file, bytes, (int64_t)count);
    work->no_memory = work->file.failed;
    if (work->no_memory) png_error(png, "out of memory");
}

static void png_flush_nothing(png_structp png)
{
    (void)png;
}

// Everything that may jump; holds nothing of its own.
static bool png_encode(png_structp png, png_infop info, png_work *work)
{
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_write_fn(png, work, png_append, png_flush_nothing);
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

static pli_status png_pack(png_work *work)
{
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, work, png_fail, png_hush,
                                                work, png_allocate, png_release);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool packed = info != NULL && png_encode(png, info, work);
    png_destroy_write_struct(&png, &info);
    if (work->no_memory) return PLI_ERROR_MEMORY;
    if (packed) return PLI_OK;
    return PLI_FAIL(work->context, PLI_ERROR_IO, "libpng could not pack the picture: %s",
                    work->reason);
}

pli_status pli_picture_write_png(pli_context *context, const char *path, int32_t width,
                                 int32_t height, const uint8_t *rgb)
{
    if (width < 1 || height < 1 || width > MOST_PIXELS_ACROSS || height > MOST_PIXELS_ACROSS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a picture of %d x %d pixels; each side must be 1 to %d", width, height,
                        MOST_PIXELS_ACROSS);
    }
    png_work work = {.context = context, .width = width, .height = height, .rgb = rgb};
    pli_text_init(&work.file, context);
    pli_status status = png_pack(&work);
    if (status == PLI_OK) {
        status = pli_file_write(context, path, work.file.bytes, work.file.length);
    }
    pli_text_clear(&work.file);
    return status;
}
