// SPDX-License-Identifier: Apache-2.0
#include "near.h"
#include "support/fault_sweep.h"

#include "pliant/io.h"

#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 64, HEIGHT = 48, PICTURES = 5 };

static char folder[] = "/tmp/pliant_film_XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/a.mp4", folder);
    return 0;
}

// fails when anything but the folder itself was left
static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static pli_film_def small_def(void)
{
    pli_film_def def = pli_film_def_default();
    def.path = path;
    def.width = WIDTH;
    def.height = HEIGHT;
    return def;
}

// a picture of one grey, lighter from picture to picture
static uint8_t grey_of(int32_t picture)
{
    return (uint8_t)(40 + 40 * picture);
}

static void fill(uint8_t *rgb, int32_t picture)
{
    memset(rgb, grey_of(picture), (size_t)(3 * WIDTH * HEIGHT));
}

static bool has_ffmpeg(void)
{
    return system("ffmpeg -version >/dev/null 2>&1") == 0;
}

static void film_decodes_to_its_pictures(void **state)
{
    if (!has_ffmpeg()) skip();
    pli_context *context = *state;
    pli_film_def def = small_def();
    pli_film *film = NULL;
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    OK(context, pli_film_create(context, &def, &film));
    for (int32_t i = 0; i < PICTURES; ++i) {
        fill(rgb, i);
        OK(context, pli_film_add(film, rgb));
        assert_int_not_equal(access(path, F_OK), 0);
    }
    OK(context, pli_film_finish(film));
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(pli_film_add(film, rgb), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_film_finish(film), PLI_ERROR_ARGUMENT);
    pli_film_destroy(film);

    char command[256];
    snprintf(command, sizeof command,
             "ffmpeg -loglevel error -i %s -f rawvideo -pix_fmt rgb24 - </dev/null", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    for (int32_t i = 0; i < PICTURES; ++i) {
        assert_int_equal(fread(rgb, 1, sizeof rgb, pipe), sizeof rgb);
        // 220 levels of video for 256 of grey, and an encoder that is not quite lossless
        NEAR(rgb[3 * (WIDTH * HEIGHT / 2 + 20)], grey_of(i), 0, 3);
    }
    assert_int_equal(fread(rgb, 1, 1, pipe), 0);
    assert_int_equal(pclose(pipe), 0);
    remove(path);
}

// An encoder that writes what it gets, as it gets it.
static void make_copier(char *name, size_t capacity)
{
    snprintf(name, capacity, "%s.copier", folder);
    FILE *script = fopen(name, "w");
    assert_non_null(script);
    fputs("#!/bin/sh\nfor last; do :; done\nexec cat > \"${last#file:}\"\n", script);
    assert_int_equal(fchmod(fileno(script), 0700), 0);
    assert_int_equal(fclose(script), 0);
}

static void abandoned_film_leaves_no_file(void **state)
{
    pli_context *context = *state;
    char copier[64];
    make_copier(copier, sizeof copier);
    pli_film_def def = small_def();
    def.program = copier;
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    for (int finishes = 0; finishes < 2; ++finishes) {
        pli_film *film = NULL;
        OK(context, pli_film_create(context, &def, &film));
        for (int32_t i = 0; i < PICTURES; ++i) OK(context, pli_film_add(film, rgb));
        // a folder goes only when nothing is in it
        assert_int_equal(rmdir(folder), -1);
        assert_int_not_equal(access(path, F_OK), 0);
        if (finishes) OK(context, pli_film_finish(film));
        pli_film_destroy(film);
        struct stat found;
        assert_int_equal(stat(path, &found), finishes ? 0 : -1);
        if (finishes) assert_int_equal(found.st_size, PICTURES * sizeof rgb);
        if (finishes) assert_int_equal(remove(path), 0);
        assert_int_equal(rmdir(folder), 0);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    pli_film_destroy(NULL);
    remove(copier);
}

static void every_ending_gives_a_film(void **state)
{
    if (!has_ffmpeg()) skip();
    pli_context *context = *state;
    // names that ffmpeg would take for an option or a protocol
    static const char *const names[] = {"-a.mp4", "b:c.mov", "d.MKV"};
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    for (int i = 0; i < 3; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        pli_film_def def = small_def();
        def.path = name;
        pli_film *film = NULL;
        OK(context, pli_film_create(context, &def, &film));
        OK(context, pli_film_add(film, rgb));
        OK(context, pli_film_finish(film));
        pli_film_destroy(film);
        assert_int_equal(remove(name), 0);
    }
}

static void missing_encoder_is_named(void **state)
{
    pli_context *context = *state;
    pli_film_def def = small_def();
    def.program = "no-such-encoder";
    pli_film *film = (pli_film *)&def;
    assert_int_equal(pli_film_create(context, &def, &film), PLI_ERROR_UNSUPPORTED);
    assert_null(film);
    char text[512];
    pli_context_message(context, text, sizeof text);
    assert_non_null(strstr(text, "no-such-encoder"));
}

static void encoder_that_dies_gives_an_error_with_its_words(void **state)
{
    pli_context *context = *state;
    pli_film_def def = small_def();
    // it knows none of the options, says so, and leaves
    def.program = "/bin/cat";
    pli_film *film = NULL;
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    OK(context, pli_film_create(context, &def, &film));
    // what the socket holds may still be accepted; the process is not killed by a signal
    pli_status status = PLI_OK;
    for (int i = 0; i < 1000 && status == PLI_OK; ++i) status = pli_film_add(film, rgb);
    assert_int_equal(status, PLI_ERROR_IO);
    char text[1024];
    pli_context_message(context, text, sizeof text);
    assert_non_null(strstr(text, "the encoder stopped: /bin/cat: "));
    assert_int_equal(pli_film_finish(film), PLI_ERROR_ARGUMENT);
    pli_film_destroy(film);

    OK(context, pli_film_create(context, &def, &film));
    assert_int_equal(pli_film_finish(film), PLI_ERROR_IO);
    pli_film_destroy(film);
}

static void wrong_values_are_refused(void **state)
{
    pli_context *context = *state;
    pli_film_def wrong[6];
    for (int i = 0; i < 6; ++i) wrong[i] = small_def();
    wrong[0].width = 63;
    wrong[1].height = 0;
    wrong[2].path = "film.gif";
    wrong[3].rate = 0;
    wrong[4].quality = 52;
    wrong[5].path = NULL;
    for (int i = 0; i < 6; ++i) {
        pli_film *film = (pli_film *)&wrong;
        assert_int_equal(pli_film_create(context, &wrong[i], &film), PLI_ERROR_ARGUMENT);
        assert_null(film);
    }
    pli_film *film = NULL;
    char text[256];
    assert_int_equal(pli_film_create(context, &wrong[0], &film), PLI_ERROR_ARGUMENT);
    pli_context_message(context, text, sizeof text);
    assert_non_null(strstr(text, "such as 64 x 48"));
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_film_def def = small_def();
        def.program = "/bin/true";
        pli_film *film = NULL;
        sweep.status = pli_film_create(sweep.context, &def, &film);
        pli_film_destroy(film);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(film_decodes_to_its_pictures, 1),
        TEST_IN_CONTEXT(abandoned_film_leaves_no_file, 1),
        TEST_IN_CONTEXT(every_ending_gives_a_film, 1),
        TEST_IN_CONTEXT(missing_encoder_is_named, 1),
        TEST_IN_CONTEXT(encoder_that_dies_gives_an_error_with_its_words, 1),
        TEST_IN_CONTEXT(wrong_values_are_refused, 1),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
