// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the reader of checkpoints. The first byte of the input says how:
//   even: the bytes are the file. Length and checksum are verified before HDF5 opens anything, so
//         all but the rarest inputs end there;
//   odd:  the bytes are changes of a good checkpoint, [2 bytes where, 1 byte what, 1 byte value]
//         each, after which length and checksum are made right again: what a fault of ours, or an
//         attacker, could write. HDF5 itself takes apart what stands there.
// Either way the arrays are filled within their bounds or there is a refusal.
#include "fuzz.h"

#include "base/hash.h"
#include "io/checkpoint.h"

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
    for (int i = 0; i < VERTICES; ++i) fake->contacts[i][0] = i;
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

// ---- a file that is good but for the changes

static uint8_t good[MOST_BYTES];
static size_t good_size;

static void make_good(pli_context *context)
{
    char path[128];
    fake_state fake;
    init(&fake);
    CHECK(pli_checkpoint_write(context, &fake.def) == PLI_OK);
    free(fake.mass);
    snprintf(path, sizeof path, "%s/step_00000003.h5", fuzz_folder());
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    good_size = fread(good, 1, sizeof good, file);
    CHECK(good_size > BLOCK_BYTES && good_size < sizeof good && fclose(file) == 0);
    unlink(path);
    rmdir(fuzz_folder());
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

// One change behind the block; sizes stay within the buffer.
static size_t change(uint8_t *bytes, size_t size, const uint8_t edit[4])
{
    size_t body = size - BLOCK_BYTES;
    size_t where = BLOCK_BYTES + ((size_t)edit[0] << 8 | edit[1]) % body;
    uint8_t value = edit[3];
    size_t left = size - where;
    switch (edit[2] % 6) {
    case 0: bytes[where] = value; break;
    case 1: bytes[where] ^= (uint8_t)(1 << value % 8); break;
    case 2: memset(bytes + where, value, left < 8 ? left : 8); break;
    case 3: bytes[where] = (uint8_t)(bytes[where] + value); break;
    case 4: // cut off what follows
        return where > BLOCK_BYTES + 1 ? where : size;
    default: // say something twice
        if (size + value >= MOST_BYTES || left < value) return size;
        memmove(bytes + where + value, bytes + where, left);
        return size + value;
    }
    return size;
}

static size_t build(const uint8_t *edits, size_t count, uint8_t *bytes)
{
    size_t size = good_size;
    memcpy(bytes, good, good_size);
    for (; count >= 4; edits += 4, count -= 4) size = change(bytes, size, edits);
    seal(bytes, size);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    static uint8_t changed[MOST_BYTES];
    fuzz_world world;
    fuzz_world_init(&world);
    if (good_size == 0) make_good(world.context);
    const uint8_t *bytes = data + 1;
    size_t count = size - 1;
    if (data[0] % 2 == 1) {
        count = build(bytes, count, changed);
        bytes = changed;
    }
    fake_state fake;
    pli_checkpoint_info info;
    init(&fake);
    fake.file_bytes = (int64_t)count;
    pli_status status =
        pli_checkpoint_read(world.context, fuzz_file(bytes, count), &fake.def, &info);
    CHECK(status == PLI_OK ? info.step >= 0 : info.step == -1);
    CHECK(status == PLI_OK || status == PLI_ERROR_IO || status == PLI_ERROR_SCENE);
    if (status != PLI_OK) fuzz_check_message(&world, "/proc/self/fd/");
    // an input without changes is a good file
    if (data[0] % 2 == 1 && size < 5) CHECK(status == PLI_OK && info.step == 3);
    free(fake.mass);
    fuzz_world_clear(&world);
    return 0;
}
