// SPDX-License-Identifier: Apache-2.0
//
// Gives the files of a corpus to a fuzzing target without libFuzzer, so that every compiler's build
// and `make test` can do it: replay_<target> FILE|FOLDER...; folders are walked. Names go to the
// standard error before each file, so that a crash tells which one it was.
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static int run_count;

static void run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    // exactly as many bytes as there are, so that the sanitizers see a step beyond them
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    CHECK(bytes != NULL && fread(bytes, 1, size, file) == size);
    fclose(file);
    fprintf(stderr, "%s\n", path);
    (void)LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    ++run_count;
}

static void run_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) {
        run_file(path, (size_t)status.st_size);
        return;
    }
    DIR *listing = opendir(path);
    CHECK(listing != NULL);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        char inner[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        run_path(inner);
    }
    closedir(listing);
}

int main(int argument_count, char **arguments)
{
    static const uint8_t nothing[1] = {0};
    (void)LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = 1; i < argument_count; ++i) run_path(arguments[i]);
    printf("%d inputs\n", run_count);
    return run_count > 0 ? 0 : 1;
}
