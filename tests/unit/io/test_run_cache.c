// SPDX-License-Identifier: Apache-2.0
//
// The cache in a run's folder: what was stored comes back, trouble is a warning, and the folder
// does not grow for ever.
#include "folder.h"
#include "support/fault_sweep.h"

#include "base/sha256.h"
#include "io/run/run_cache.h"

#include <sys/stat.h>

typedef struct cache_fixture {
    pli_run_folder folder;
    pli_cache cache;
} cache_fixture;

// The secret of the user is made beside the run's folder.
static void cache_init(cache_fixture *c, pli_context *context, const char *path)
{
    char home[512];
    snprintf(home, sizeof home, "%s/home", path);
    setenv("XDG_CACHE_HOME", home, 1);
    OK(context, pli_run_folder_init(&c->folder, context, path));
    c->cache = pli_run_cache(&c->folder);
}

// Keys that differ in their last byte.
static pli_cache_key key_of(uint64_t number)
{
    pli_cache_key key = {{0}};
    key.bytes[31] = (unsigned char)number;
    return key;
}

#define ZEROS_62 "00000000000000000000000000000000000000000000000000000000000000"

static bool holds(const pli_cache *cache, uint64_t number, const char *text)
{
    const void *bytes = NULL;
    int64_t size = 0;
    pli_cache_key key = key_of(number);
    if (!cache->load(cache->user, &key, &bytes, &size)) return false;
    assert_int_equal(size, strlen(text));
    assert_memory_equal(bytes, text, (size_t)size);
    cache->release(cache->user, bytes);
    return true;
}

static void keep(const pli_cache *cache, uint64_t number, const char *text)
{
    pli_cache_key key = key_of(number);
    cache->store(cache->user, &key, text, (int64_t)strlen(text));
}

static void what_was_stored_comes_back(void **state)
{
    folder_fixture *fix = *state;
    cache_fixture c;
    cache_init(&c, fix->context, fix->folder);
    const uint64_t key = 0x00ab;
    assert_false(holds(&c.cache, key, ""));
    keep(&c.cache, key, "bread");
    keep(&c.cache, key + 1, "butter");
    assert_true(holds(&c.cache, key, "bread"));
    keep(&c.cache, key, "cheese");
    assert_int_equal(access(in_folder(fix, "cache/" ZEROS_62 "ab.bin"), R_OK), 0);

    // a run that is replaced, and one in another process, have it still
    OK(fix->context, pli_run_folder_wipe(&c.folder));
    pli_run_folder_clear(&c.folder);
    cache_init(&c, fix->context, fix->folder);
    assert_true(holds(&c.cache, key, "cheese"));
    assert_true(holds(&c.cache, key + 1, "butter"));
    pli_run_folder_clear(&c.folder);
}

// Writes a cache file that everything but the user's secret is right of.
static void forge(folder_fixture *fix, const char *name, const char *text)
{
    char bytes[256] = "pliant cache 1\n";
    pli_cache_key key = key_of(9);
    uint8_t nobody[PLI_SHA256_BYTES] = {0};
    uint8_t digest[PLI_SHA256_BYTES];
    pli_hmac mac;
    pli_hmac_init(&mac, nobody);
    pli_hmac_add(&mac, bytes, 15);
    pli_hmac_add(&mac, key.bytes, sizeof key.bytes);
    pli_hmac_add(&mac, text, strlen(text));
    pli_hmac_end(&mac, digest);
    memcpy(bytes + 15, digest, sizeof digest);
    memcpy(bytes + 15 + sizeof digest, text, strlen(text));
    write_bytes(in_folder(fix, name), bytes, 15 + sizeof digest + strlen(text));
}

static void forged_file_is_not_used(void **state)
{
    folder_fixture *fix = *state;
    cache_fixture c;
    cache_init(&c, fix->context, fix->folder);
    const char *name = "cache/" ZEROS_62 "09.bin";
    keep(&c.cache, 9, "bread");
    assert_true(holds(&c.cache, 9, "bread"));

    // by somebody who knows all but the secret
    forge(fix, name, "stone");
    assert_false(holds(&c.cache, 9, "stone"));

    // a file of ours under the key of something else
    keep(&c.cache, 8, "stone");
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, "cache/" ZEROS_62 "08.bin"), &count);
    write_bytes(in_folder(fix, name), bytes, count);
    free(bytes);
    assert_false(holds(&c.cache, 9, "stone"));

    // a link to a file that is right
    keep(&c.cache, 9, "bread");
    char moved[512];
    snprintf(moved, sizeof moved, "%s/moved", fix->folder);
    assert_int_equal(rename(in_folder(fix, name), moved), 0);
    assert_int_equal(symlink(moved, in_folder(fix, name)), 0);
    assert_false(holds(&c.cache, 9, "bread"));
    pli_run_folder_clear(&c.folder);
}

static void secret_that_others_can_read_is_not_used(void **state)
{
    folder_fixture *fix = *state;
    cache_fixture c;
    struct stat found;
    cache_init(&c, fix->context, fix->folder);
    keep(&c.cache, 1, "bread");
    const char *secret = in_folder(fix, "home/pliant/run-cache.key");
    assert_int_equal(stat(secret, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(found.st_size, PLI_SHA256_BYTES);
    assert_int_equal(chmod(secret, 0644), 0);
    assert_false(holds(&c.cache, 1, "bread"));
    assert_true(message_has(fix->context, "only its owner can read"));
    assert_int_equal(unlink(in_folder(fix, "home/pliant/run-cache.key")), 0);
    // another secret knows nothing of what the first one signed
    assert_false(holds(&c.cache, 1, "bread"));
    keep(&c.cache, 1, "bread");
    assert_true(holds(&c.cache, 1, "bread"));
    pli_run_folder_clear(&c.folder);
}

static void the_newest_are_kept(void **state)
{
    folder_fixture *fix = *state;
    cache_fixture c;
    cache_init(&c, fix->context, fix->folder);
    keep(&c.cache, 1, "x");
    // what is not a file of the cache stays
    write_bytes(in_folder(fix, "cache/notes.txt"), "mine", 4);
    for (uint64_t key = 2; key <= PLI_CACHE_KEPT + 3; ++key) {
        // times of writing may be as coarse as a tick of the system's clock
        usleep(20000);
        keep(&c.cache, key, "x");
    }
    assert_int_equal(count_entries(fix, "cache"), PLI_CACHE_KEPT + 1);
    for (uint64_t key = 1; key <= 3; ++key) assert_false(holds(&c.cache, key, "x"));
    for (uint64_t key = 4; key <= PLI_CACHE_KEPT + 3; ++key) assert_true(holds(&c.cache, key, "x"));
    pli_run_folder_clear(&c.folder);
}

static void count_warning(void *user, pli_log_level level, const char *text)
{
    int *count = user;
    assert_int_equal(level, PLI_LOG_WARNING);
    assert_non_null(strstr(text, "the cache of the run cannot be"));
    ++*count;
}

static void trouble_is_a_warning(void **state)
{
    folder_fixture *fix = *state;
    int warnings = 0;
    pli_context_def def = pli_context_def_default();
    def.log = count_warning;
    def.log_user = &warnings;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    cache_fixture c;
    cache_init(&c, context, fix->folder);

    // a file stands where the folder would be
    write_bytes(in_folder(fix, "cache"), "x", 1);
    keep(&c.cache, 7, "bread");
    assert_int_equal(warnings, 1);
    assert_false(holds(&c.cache, 7, "bread"));
    assert_int_equal(warnings, 2);
    assert_int_equal(unlink(in_folder(fix, "cache")), 0);

    // a folder stands where the file would be
    assert_int_equal(mkdir(in_folder(fix, "cache"), 0777), 0);
    assert_int_equal(mkdir(in_folder(fix, "cache/" ZEROS_62 "07.bin"), 0777), 0);
    assert_false(holds(&c.cache, 7, "bread"));
    assert_int_equal(warnings, 3);
    keep(&c.cache, 7, "bread");
    assert_int_equal(warnings, 4);
    pli_run_folder_clear(&c.folder);
    pli_context_destroy(context);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    enum { MOST = 40 };
    folder_fixture *fix = *state;
    pli_fault fault = {0};
    pli_context *context = fault_context(&fault, 1);
    cache_fixture c;
    cache_init(&c, context, fix->folder);
    // the list of files keeps its memory
    for (uint64_t n = 1; n <= MOST; ++n) keep(&c.cache, n, "butter");
    int64_t blocks = fault.live_blocks;
    int kept = 0;
    for (int64_t n = 1; n <= MOST; ++n) {
        fault.calls = 0;
        fault.fail_at = n;
        keep(&c.cache, (uint64_t)n, "bread");
        fault.calls = 0;
        bool loaded = holds(&c.cache, (uint64_t)n, "bread");
        fault.fail_at = 0;
        assert_int_equal(fault.live_blocks, blocks);
        kept += loaded;
    }
    // with enough calls before the failure both work
    assert_in_range(kept, 1, MOST - 1);
    pli_run_folder_clear(&c.folder);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(what_was_stored_comes_back),
        TEST_IN_FOLDER(forged_file_is_not_used),
        TEST_IN_FOLDER(secret_that_others_can_read_is_not_used),
        TEST_IN_FOLDER(the_newest_are_kept),
        TEST_IN_FOLDER(trouble_is_a_warning),
        TEST_IN_FOLDER(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
