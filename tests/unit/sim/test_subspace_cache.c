// SPDX-License-Identifier: Apache-2.0
//
// The solver subspace out of a cache: the same bits as computed, another key for another input, and
// nothing that is damaged ever gets in.
#include "simulate.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/hash.h"
#include "base/memory.h"
#include "sim/model/subspace_cache.h"

static const char *const small_scene =
    "materials: {soft: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n"
    "bodies:\n"
    "  bar: {geometry: {grid: {size: [1, 0.5, 0.5], cells: [4, 2, 2]}}, material: soft}\n"
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "solver: {name: subspace, subspace: {handles: 3, affine: on, hessian: cubature}}\n";

// ---- a cache in memory

static bool is_same_key(const pli_cache_key *a, const pli_cache_key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

typedef struct memory_cache {
    pli_cache_key key;
    char *bytes;
    int64_t size;
    int loads;
    int stores;
    int handed_out; // and not given back
} memory_cache;

static bool load(void *user, const pli_cache_key *key, const void **bytes, int64_t *size)
{
    memory_cache *cache = user;
    ++cache->loads;
    if (cache->bytes == NULL || !is_same_key(&cache->key, key)) return false;
    ++cache->handed_out;
    *bytes = cache->bytes;
    *size = cache->size;
    return true;
}

static void release(void *user, const void *bytes)
{
    memory_cache *cache = user;
    assert_ptr_equal(bytes, cache->bytes);
    --cache->handed_out;
}

static void store(void *user, const pli_cache_key *key, const void *bytes, int64_t size)
{
    memory_cache *cache = user;
    ++cache->stores;
    free(cache->bytes);
    cache->bytes = malloc((size_t)size);
    assert_non_null(cache->bytes);
    memcpy(cache->bytes, bytes, (size_t)size);
    cache->key = *key;
    cache->size = size;
}

static pli_model_def with_cache(memory_cache *cache)
{
    return (pli_model_def){
        .cache = {.user = cache, .load = load, .release = release, .store = store}};
}

// ---- a scene, and its parts as bytes

typedef struct fixture {
    simulation sim;
    pli_reduction_source source;
    pli_cache_key key;
    char *bytes;
    int64_t size;
} fixture;

static void fixture_init(fixture *fix, const char *yaml)
{
    simulation_init(&fix->sim, yaml, 2);
    OK(fix->sim.context, pli_reduction_source_init(&fix->source, fix->sim.model));
    fix->key = pli_reduction_key(&fix->source);
    void *bytes = NULL;
    OK(fix->sim.context, pli_reduction_encode(fix->sim.context, fix->sim.model->reduction,
                                              &fix->key, &bytes, &fix->size));
    fix->bytes = bytes;
}

static void fixture_clear(fixture *fix)
{
    pli_release(fix->sim.context, fix->bytes);
    pli_reduction_source_clear(&fix->source);
    simulation_clear(&fix->sim);
}

static bool is_empty(const pli_reduction *reduction)
{
    return reduction->partition == NULL && reduction->bases == NULL && reduction->affine == NULL &&
           reduction->cubature == NULL;
}

// Whether bytes are taken; what is not taken leaves nothing behind, and what is taken says the same
// when it is written again.
static bool is_taken(fixture *fix, const char *bytes, int64_t size)
{
    pli_reduction reduction = {0};
    const char *fault = NULL;
    OK(fix->sim.context,
       pli_reduction_decode(&fix->source, &fix->key, bytes, size, &reduction, &fault));
    if (fault != NULL) {
        assert_true(is_empty(&reduction));
        return false;
    }
    void *again = NULL;
    int64_t size_again = 0;
    OK(fix->sim.context,
       pli_reduction_encode(fix->sim.context, &reduction, &fix->key, &again, &size_again));
    assert_int_equal(size_again, size);
    assert_memory_equal(again, bytes, (size_t)size);
    pli_release(fix->sim.context, again);
    pli_reduction_clear(&reduction);
    return true;
}

// Makes size and hash in the head right for what stands behind it.
static void mend_head(const fixture *fix, char *bytes, int64_t size)
{
    const int64_t head = 64;
    uint64_t rest = (uint64_t)(size - head);
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, &fix->key, sizeof fix->key);
    hash = pli_hash_bytes(hash, bytes + head, (size_t)rest);
    memcpy(bytes + 48, &rest, sizeof rest);
    memcpy(bytes + 56, &hash, sizeof hash);
}

// ---- claims

static void parts_survive_the_way_through_bytes(void **state)
{
    (void)state;
    fixture fix;
    fixture_init(&fix, small_scene);
    pli_reduction read = {0};
    const char *fault = NULL;
    OK(fix.sim.context,
       pli_reduction_decode(&fix.source, &fix.key, fix.bytes, fix.size, &read, &fault));
    assert_null(fault);
    const pli_reduction *made = fix.sim.model->reduction;
    size_t vertices = (size_t)made->bases->vertex_count;
    size_t entries = (size_t)made->bases->start[vertices];
    assert_int_equal(read.partition->count, made->partition->count);
    assert_memory_equal(read.partition->element_part, made->partition->element_part,
                        (size_t)made->partition->element_count * sizeof(int32_t));
    assert_memory_equal(read.bases->start, made->bases->start, (vertices + 1) * sizeof(int64_t));
    assert_memory_equal(read.bases->weight, made->bases->weight, entries * sizeof(double));
    assert_memory_equal(read.affine->center, made->affine->center, 3 * sizeof(double));
    assert_int_equal(read.cubature->count, made->cubature->count);
    assert_memory_equal(read.cubature->weights, made->cubature->weights,
                        (size_t)made->cubature->count * sizeof(double));
    pli_reduction_clear(&read);
    assert_true(is_taken(&fix, fix.bytes, fix.size));
    fixture_clear(&fix);
}

static void parts_that_the_scene_does_not_want_are_not_there(void **state)
{
    (void)state;
    fixture fix;
    fixture_init(&fix,
                 "materials: {soft: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: "
                 "0.4}}\n"
                 "bodies: {bar: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: "
                 "soft}}\n"
                 "solver: {name: subspace, subspace: {handles: 2, affine: off, hessian: full}}\n");
    assert_null(fix.sim.model->reduction->affine);
    assert_null(fix.sim.model->reduction->cubature);
    assert_int_equal(fix.sim.info.cubature_count, fix.sim.info.tet_count);
    assert_true(is_taken(&fix, fix.bytes, fix.size));
    fixture_clear(&fix);
}

static pli_cache_key key_of(const char *set)
{
    pli_context *context = make_context(1);
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_load_def def = {.sets = &set, .set_count = set != NULL ? 1 : 0};
    OK(context,
       pli_scene_parse(context, small_scene, (int64_t)strlen(small_scene), "test", &def, &scene));
    OK(context, pli_model_create(context, scene, NULL, &model));
    pli_reduction_source source;
    OK(context, pli_reduction_source_init(&source, model));
    pli_cache_key key = pli_reduction_key(&source);
    pli_reduction_source_clear(&source);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
    return key;
}

static void key_changes_with_what_parts_are_made_from(void **state)
{
    (void)state;
    static const char *const changes[] = {"materials.soft.young=2e5",
                                          "materials.soft.density=900",
                                          "bodies.bar.position=[0, 0, 0.01]",
                                          "bodies.bar.geometry.grid.cells=[4, 2, 3]",
                                          "constraints=[]",
                                          "seed=5",
                                          "solver.subspace.handles=4",
                                          "solver.subspace.bases=radial",
                                          "solver.subspace.affine=off",
                                          "solver.subspace.dirichlet=false",
                                          "solver.subspace.jump=0.5",
                                          "solver.subspace.conform=20",
                                          "solver.subspace.oversampling=2",
                                          "solver.subspace.prune_ratio=3",
                                          "solver.subspace.prune_period=4",
                                          "solver.subspace.rounds=12",
                                          "solver.subspace.hessian=full",
                                          "solver.subspace.degree=1",
                                          "solver.subspace.cubature_tolerance=1e-6",
                                          "solver.subspace.cubature_initial=9",
                                          "solver.subspace.cubature_increment=3"};
    enum { COUNT = sizeof changes / sizeof changes[0] };
    pli_cache_key keys[COUNT + 1];
    keys[COUNT] = key_of(NULL);
    for (int k = 0; k < COUNT; ++k) keys[k] = key_of(changes[k]);
    for (int k = 0; k <= COUNT; ++k) {
        for (int other = 0; other < k; ++other) assert_false(is_same_key(&keys[k], &keys[other]));
    }
}

static void key_is_the_same_for_what_only_solves_look_at(void **state)
{
    (void)state;
    static const char *const changes[] = {"solver.subspace.tolerance=1e-5",
                                          "solver.subspace.polish=7",
                                          "solver.subspace.refresh_period=2",
                                          "solver.tolerance=1e-5",
                                          "gravity=[0, 0, 0]",
                                          "time.fps=100"};
    pli_cache_key key = key_of(NULL);
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; ++k) {
        pli_cache_key changed = key_of(changes[k]);
        assert_true(is_same_key(&changed, &key));
    }
}

static void bytes_that_end_early_are_refused(void **state)
{
    (void)state;
    fixture fix;
    fixture_init(&fix, small_scene);
    for (int64_t size = 0; size < fix.size; ++size) {
        // as they are, in a block of that size, so that a sanitizer sees a step too far
        char *exact = malloc((size_t)size + (size == 0));
        memcpy(exact, fix.bytes, (size_t)size);
        assert_false(is_taken(&fix, exact, size));
        // with a head that says that this is all
        if (size >= 64) {
            mend_head(&fix, exact, size);
            assert_false(is_taken(&fix, exact, size));
        }
        free(exact);
    }
    fixture_clear(&fix);
}

static void bytes_that_go_on_are_refused(void **state)
{
    (void)state;
    fixture fix;
    fixture_init(&fix, small_scene);
    char *longer = calloc(1, (size_t)fix.size + 8);
    assert_non_null(longer);
    memcpy(longer, fix.bytes, (size_t)fix.size);
    assert_false(is_taken(&fix, longer, fix.size + 8));
    mend_head(&fix, longer, fix.size + 8);
    assert_false(is_taken(&fix, longer, fix.size + 8));
    free(longer);
    fixture_clear(&fix);
}

static void flipped_bytes_are_refused(void **state)
{
    (void)state;
    fixture fix;
    fixture_init(&fix, small_scene);
    for (int64_t at = 0; at < fix.size; ++at) {
        fix.bytes[at] = (char)(fix.bytes[at] ^ 0x41);
        assert_false(is_taken(&fix, fix.bytes, fix.size));
        fix.bytes[at] = (char)(fix.bytes[at] ^ 0x41);
    }
    assert_true(is_taken(&fix, fix.bytes, fix.size));
    fixture_clear(&fix);
}

// Behind a right hash there may be a number that is as good as the one before, but never an index
// out of its range or a number that is not finite: is_taken reads everything again.
static void nonsense_under_a_right_hash_does_no_harm(void **state)
{
    (void)state;
    fixture fix;
    fixture_init(&fix, small_scene);
    char *bytes = malloc((size_t)fix.size);
    assert_non_null(bytes);
    int refused = 0;
    for (int64_t at = 64; at < fix.size; ++at) {
        memcpy(bytes, fix.bytes, (size_t)fix.size);
        bytes[at] = (char)(bytes[at] ^ 0xff);
        mend_head(&fix, bytes, fix.size);
        refused += !is_taken(&fix, bytes, fix.size);
    }
    // at least all bytes of the clusters' numbers, four for each vertex and each element
    AT_LEAST(refused, 4 * (fix.sim.info.vertex_count + fix.sim.info.tet_count));
    free(bytes);
    fixture_clear(&fix);
}

static pli_model *model_with(pli_context *context, const pli_scene *scene, memory_cache *cache)
{
    pli_model *model = NULL;
    pli_model_def def = with_cache(cache);
    OK(context, pli_model_create(context, scene, &def, &model));
    assert_int_equal(cache->handed_out, 0);
    return model;
}

static uint64_t hash_after_steps(const pli_model *model, pli_context *context)
{
    pli_state *state = NULL;
    pli_solver *solver = NULL;
    pli_step_report report;
    OK(context, pli_state_create(model, &state));
    OK(context, pli_solver_create(model, &solver));
    for (int k = 0; k < 3; ++k) OK(context, pli_solver_step(solver, state, &report));
    uint64_t hash = pli_state_hash(state);
    pli_solver_destroy(solver);
    pli_state_destroy(state);
    return hash;
}

static void a_cached_model_gives_the_same_bits(void **state)
{
    (void)state;
    simulation sim;
    simulation_init(&sim, small_scene, 2);
    uint64_t plain = hash_after_steps(sim.model, sim.context);

    memory_cache cache = {0};
    pli_model *first = model_with(sim.context, sim.scene, &cache);
    assert_int_equal(cache.stores, 1);
    pli_model *second = model_with(sim.context, sim.scene, &cache);
    assert_int_equal(cache.stores, 1);
    assert_int_equal(cache.loads, 2);
    assert_true(hash_after_steps(first, sim.context) == plain);
    assert_true(hash_after_steps(second, sim.context) == plain);
    pli_model_destroy(second);
    pli_model_destroy(first);

    // what is damaged is computed again, and stored again
    cache.bytes[cache.size / 2] = (char)(cache.bytes[cache.size / 2] ^ 1);
    pli_model *third = model_with(sim.context, sim.scene, &cache);
    assert_int_equal(cache.stores, 2);
    assert_true(hash_after_steps(third, sim.context) == plain);
    pli_model_destroy(third);
    free(cache.bytes);
    simulation_clear(&sim);
}

static void other_solvers_leave_the_cache_alone(void **state)
{
    (void)state;
    simulation sim;
    simulation_init(&sim,
                    "materials: {soft: {law: linear, density: 1000, young: 1e5, poisson: 0.4}}\n"
                    "bodies: {bar: {geometry: {grid: {size: [1, 1, 1], cells: [1, 1, 1]}}, "
                    "material: soft}}\n"
                    "solver: newton\n",
                    1);
    memory_cache cache = {0};
    pli_model *model = model_with(sim.context, sim.scene, &cache);
    assert_int_equal(cache.loads + cache.stores, 0);
    assert_int_equal(sim.info.handle_count, 0);
    pli_model_destroy(model);
    simulation_clear(&sim);
}

// ---- progress

enum { STAGES = 4 };

typedef struct listener {
    const char *stages[STAGES]; // in the order in which they came
    int count;
    double fraction; // the last
    double seconds;
} listener;

static void hear(void *user, const pli_preparation *preparation)
{
    listener *heard = user;
    assert_string_equal(preparation->what, "subspace");
    AT_LEAST(preparation->seconds, heard->seconds);
    heard->seconds = preparation->seconds;
    bool is_new =
        heard->count == 0 || strcmp(heard->stages[heard->count - 1], preparation->stage) != 0;
    if (is_new) {
        // stages begin at nothing, and the one before has come to its end
        assert_true(preparation->fraction == 0);
        if (heard->count > 0) assert_true(heard->fraction == 1);
        assert_in_range(heard->count, 0, STAGES - 1);
        heard->stages[heard->count++] = preparation->stage;
    } else {
        AT_LEAST(preparation->fraction, heard->fraction);
    }
    AT_MOST(preparation->fraction, 1);
    heard->fraction = preparation->fraction;
}

static void progress_goes_through_all_stages(void **state)
{
    (void)state;
    static const char *const want[STAGES] = {"clusters", "weights", "cubature", ""};
    simulation sim;
    simulation_init(&sim, small_scene, 2);
    listener heard = {0};
    memory_cache cache = {0};
    pli_model_def def = with_cache(&cache);
    def.prepare = hear;
    def.prepare_user = &heard;
    pli_model *model = NULL;
    OK(sim.context, pli_model_create(sim.context, sim.scene, &def, &model));
    assert_int_equal(heard.count, STAGES);
    for (int k = 0; k < STAGES; ++k) assert_string_equal(heard.stages[k], want[k]);
    pli_model_destroy(model);

    // a cache has nothing to prepare
    heard = (listener){0};
    OK(sim.context, pli_model_create(sim.context, sim.scene, &def, &model));
    assert_int_equal(heard.count, 0);
    pli_model_destroy(model);
    free(cache.bytes);
    simulation_clear(&sim);
}

// ---- memory

// Every allocation of making a model fails once, with a cache that is empty or full.
static void starve(bool full)
{
    memory_cache cache = {0};
    simulation filling;
    simulation_init(&filling, small_scene, 1);
    pli_model_destroy(model_with(filling.context, filling.scene, &cache));
    simulation_clear(&filling);
    pli_model_def def = with_cache(&cache);
    if (!full) def.cache.load = NULL;
    // the arrays of the four parts, at least
    for (fault_sweep sweep = {.absorbs = true, .at_least = 20}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        pli_scene *scene = NULL;
        pli_model *model = NULL;
        OK(sweep.context, pli_scene_parse(sweep.context, small_scene, (int64_t)strlen(small_scene),
                                          "test", NULL, &scene));
        fault_sweep_resume(&sweep);
        sweep.status = pli_model_create(sweep.context, scene, &def, &model);
        assert_int_equal(model == NULL, sweep.status != PLI_OK);
        assert_int_equal(cache.handed_out, 0);
        pli_model_destroy(model);
        pli_scene_destroy(scene);
    }
    free(cache.bytes);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    starve(true);
    starve(false);
}

// ---- being stopped

typedef struct patience {
    int64_t asked;
    int64_t limit; // asked so often, it ends
} patience;

static bool is_over(void *user)
{
    patience *p = user;
    return ++p->asked >= p->limit;
}

// Stops a model whenever it asks: nothing stays, and a cache gets nothing that is not whole.
static void stopped_preparations_leave_nothing_behind(void **state)
{
    (void)state;
    pli_fault fault = {0};
    pli_context *context = fault_context(&fault, 1);
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    OK(context,
       pli_scene_parse(context, small_scene, (int64_t)strlen(small_scene), "test", NULL, &scene));
    int64_t blocks = fault.live_blocks;
    memory_cache cache = {0};
    pli_status status = PLI_ERROR_INTERRUPTED;
    int64_t stops = 0;
    for (; status != PLI_OK; ++stops) {
        patience waiting = {.limit = stops + 1};
        pli_model_def def = with_cache(&cache);
        def.cancel = is_over;
        def.cancel_user = &waiting;
        status = pli_model_create(context, scene, &def, &model);
        if (status == PLI_OK) break;
        assert_int_equal(status, PLI_ERROR_INTERRUPTED);
        assert_null(model);
        assert_null(cache.bytes);
        assert_int_equal(fault.live_blocks, blocks);
    }
    // stages of the model, and some in each of the three of the subspace
    AT_LEAST((double)stops, 10);
    pli_model_destroy(model);
    free(cache.bytes);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_survive_the_way_through_bytes),
        cmocka_unit_test(parts_that_the_scene_does_not_want_are_not_there),
        cmocka_unit_test(key_changes_with_what_parts_are_made_from),
        cmocka_unit_test(key_is_the_same_for_what_only_solves_look_at),
        cmocka_unit_test(bytes_that_end_early_are_refused),
        cmocka_unit_test(bytes_that_go_on_are_refused),
        cmocka_unit_test(flipped_bytes_are_refused),
        cmocka_unit_test(nonsense_under_a_right_hash_does_no_harm),
        cmocka_unit_test(a_cached_model_gives_the_same_bits),
        cmocka_unit_test(other_solvers_leave_the_cache_alone),
        cmocka_unit_test(progress_goes_through_all_stages),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(stopped_preparations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
