// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the reader of checkpoints. The first byte of the input says how:
//   0 (mod 3): the bytes are the file. Length and checksum are verified before HDF5 opens anything,
//       so all but the rarest inputs end there;
//   1: the bytes are changes of what a good file holds, [2 bytes where, 1 byte what, 1 byte value]
//       each, after which the checksum is made right again;
//   2: the bytes are the shapes of other arrays, [kind, rows, columns, name] each, that a file is
//       written with: what HDF5 takes apart well but is not the state that is to be filled.
// The arrays are filled within their bounds or there is a refusal.
//
// What is not tried: a file with a right checksum whose inner structure of HDF5 is broken.
// HDF5 1.10 itself steps over the end of its memory in such files, so that one must not be opened;
// the checksum tells damage, not intent. tests/fault/INPUTS.md says so.
#include "fuzz.h"

#include "base/hash.h"
#include "io/run/checkpoint.h"

#include <sys/stat.h>

enum { VERTICES = 6, BLOCK_BYTES = 512, PARTICLES = 4, MOST_BYTES = 1 << 16 };

typedef struct fake_state {
    double x[VERTICES][3];
    int64_t contacts[VERTICES][2];
    int32_t held[VERTICES];
    double *mass; // of particles
    pli_state_array arrays[4];
    pli_checkpoint_def def;
    int64_t file_bytes;
} fake_state;

// A state has rows for as many particles as the file holds, which its size bounds.
static pli_status set_particle_count(void *user, int64_t count)
{
    fake_state *fake = user;
    CHECK(count >= 0 && count * (int64_t)sizeof *fake->mass <= fake->file_bytes);
    free(fake->mass);
    fake->mass = calloc((size_t)count + 1, sizeof *fake->mass);
    CHECK(fake->mass != NULL);
    fake->arrays[3].rows = count;
    fake->arrays[3].data = fake->mass;
    return PLI_OK;
}

static void init(fake_state *fake)
{
    memset(fake, 0, sizeof *fake);
    for (int i = 0; i < VERTICES; ++i) fake->contacts[i][0] = fake->held[i] = i;
    fake->mass = calloc(PARTICLES, sizeof *fake->mass);
    CHECK(fake->mass != NULL);
    fake->arrays[0] = (pli_state_array){
        .name = "fem/x", .kind = PLI_ARRAY_F64, .rows = VERTICES, .columns = 3, .data = fake->x};
    fake->arrays[1] = (pli_state_array){.name = "contacts",
                                        .kind = PLI_ARRAY_I64,
                                        .rows = VERTICES,
                                        .columns = 2,
                                        .data = fake->contacts};
    fake->arrays[2] = (pli_state_array){.name = "held",
                                        .kind = PLI_ARRAY_I32,
                                        .rows = VERTICES,
                                        .columns = 1,
                                        .data = fake->held,
                                        .optional = true};
    fake->arrays[3] = (pli_state_array){.name = "mass",
                                        .kind = PLI_ARRAY_F64,
                                        .rows = PARTICLES,
                                        .columns = 1,
                                        .data = fake->mass,
                                        .of_particles = true};
    fake->def = (pli_checkpoint_def){.folder = fuzz_folder(),
                                     .scene_hash = 0x1234,
                                     .scene_text = "about: fuzz\n",
                                     .step = 3,
                                     .time = 0.5,
                                     .array_count = 4,
                                     .arrays = fake->arrays,
                                     .set_particle_count = set_particle_count,
                                     .user = fake};
}

// ---- a file that is good but for its numbers

typedef struct good_file {
    size_t size;
    size_t content_count;
    uint32_t content[MOST_BYTES]; // places of bytes that depend on what is saved
    uint8_t bytes[MOST_BYTES];
} good_file;

static size_t write_file(pli_context *context, const fake_state *fake, uint8_t *bytes)
{
    char path[128];
    CHECK(pli_checkpoint_write(context, &fake->def) == PLI_OK);
    snprintf(path, sizeof path, "%s/step_%08lld.h5", fuzz_folder(), (long long)fake->def.step);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t size = fread(bytes, 1, MOST_BYTES, file);
    CHECK(size > BLOCK_BYTES && size < MOST_BYTES && fclose(file) == 0);
    unlink(path);
    return size;
}

// Two files of states that differ in every number show which bytes are numbers.
static void make_good(pli_context *context, good_file *good)
{
    static uint8_t other[MOST_BYTES];
    fake_state fake;
    init(&fake);
    good->size = write_file(context, &fake, good->bytes);
    memset(fake.x, 0x5a, sizeof fake.x);
    memset(fake.contacts, 0x5a, sizeof fake.contacts);
    memset(fake.mass, 0x5a, PARTICLES * sizeof *fake.mass);
    memset(fake.held, 0x5a, sizeof fake.held);
    fake.def.step = 0x5a5a5a5a;
    fake.def.time = -1e300;
    fake.def.scene_hash = ~fake.def.scene_hash;
    fake.def.scene_text = "ABOUT: FUZZ\n";
    CHECK(write_file(context, &fake, other) == good->size);
    for (size_t i = BLOCK_BYTES; i < good->size; ++i) {
        if (good->bytes[i] != other[i]) good->content[good->content_count++] = (uint32_t)i;
    }
    CHECK(good->content_count > 100);
    free(fake.mass);
}

// Makes what the first block says true of the bytes behind it.
static void seal(uint8_t *bytes, size_t size)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, bytes + BLOCK_BYTES, size - BLOCK_BYTES);
    memset(bytes, 0, BLOCK_BYTES);
    snprintf((char *)bytes, BLOCK_BYTES,
             "pliant checkpoint\nformat %d\nbytes %lld\nchecksum %016llx\n", PLI_CHECKPOINT_FORMAT,
             (long long)size, (unsigned long long)hash);
}

static size_t change_content(const good_file *good, const uint8_t *edits, size_t count,
                             uint8_t *bytes)
{
    memcpy(bytes, good->bytes, good->size);
    for (; count >= 4; edits += 4, count -= 4) {
        size_t where = good->content[((size_t)edits[0] << 8 | edits[1]) % good->content_count];
        uint8_t value = edits[3];
        if (edits[2] % 3 == 0) bytes[where] = value;
        if (edits[2] % 3 == 1) bytes[where] ^= (uint8_t)(1 << value % 8);
        if (edits[2] % 3 == 2) bytes[where] = (uint8_t)(bytes[where] + value);
    }
    seal(bytes, good->size);
    return good->size;
}

// ---- a file of other arrays

static size_t write_shapes(pli_context *context, const uint8_t *shapes, size_t count,
                           uint8_t *bytes)
{
    enum { MOST_ARRAYS = 6, MOST_NUMBERS = 256 * 4 };
    static const char *const names[] = {"fem/x", "contacts", "held", "mass", "other", "fem/y/z"};
    static const pli_array_kind kinds[] = {PLI_ARRAY_F64, PLI_ARRAY_I64, PLI_ARRAY_I32};
    static uint64_t numbers[MOST_NUMBERS];
    pli_state_array arrays[MOST_ARRAYS];
    fake_state fake;
    init(&fake);
    bool taken[MOST_ARRAYS] = {false};
    int32_t array_count = 0;
    for (; count >= 4; shapes += 4, count -= 4) {
        int name = shapes[3] % MOST_ARRAYS;
        if (taken[name]) continue;
        taken[name] = true;
        arrays[array_count++] = (pli_state_array){.name = names[name],
                                                  .kind = kinds[shapes[0] % 3],
                                                  .rows = shapes[1],
                                                  .columns = shapes[2] % 5,
                                                  .data = numbers};
    }
    fake.def.arrays = arrays;
    fake.def.array_count = array_count;
    size_t size = write_file(context, &fake, bytes);
    free(fake.mass);
    return size;
}

// HDF5 does not open the names of a process's own descriptors, so this is a file with a name.
static const char *put_file(const uint8_t *bytes, size_t count)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/step_00000003.h5", fuzz_folder());
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    static good_file good;
    static uint8_t made[MOST_BYTES];
    fuzz_world world;
    fuzz_world_init(&world);
    if (good.size == 0) make_good(world.context, &good);
    const uint8_t *bytes = data + 1;
    size_t count = size - 1;
    int mode = data[0] % 3;
    if (mode == 1) count = change_content(&good, bytes, count, made);
    if (mode == 2) count = write_shapes(world.context, bytes, count, made);
    if (mode != 0) bytes = made;

    fake_state fake;
    pli_checkpoint_info info;
    init(&fake);
    fake.file_bytes = (int64_t)count;
    const char *path = put_file(bytes, count);
    pli_status status = pli_checkpoint_read(world.context, path, &fake.def, &info);
    unlink(path);
    rmdir(fuzz_folder());
    CHECK(status == PLI_OK ? info.step >= 0 : info.step == -1);
    CHECK(status == PLI_OK || status == PLI_ERROR_IO || status == PLI_ERROR_SCENE);
    if (status != PLI_OK) fuzz_check_message(&world, path);
    // an input without changes is a good file
    if (mode == 1 && size < 5) CHECK(status == PLI_OK && info.step == 3);
    free(fake.mass);
    fuzz_world_clear(&world);
    return 0;
}
