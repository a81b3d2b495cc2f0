// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints of particles: their number is that of the file, runs go on with the same bits, and
// what cannot be a state of the scene is refused.
#include "folder.h"
#include "particle_scene.h"
#include "simulate.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "io/run/saved_state.h"

enum { ROWS = 37, MOST_ROWS = 64 };

// ---- arrays alone

// a state whose particles may become more and move in memory
typedef struct fake_particles {
    double positions[2][MOST_ROWS][3];
    double velocities[2][MOST_ROWS][3];
    int32_t kinds[2][MOST_ROWS];
    int64_t next_id;
    pli_state_array arrays[4];
    pli_checkpoint_def def;
    char folder[512];
} fake_particles;

// Puts the arrays into one of the two places.
static void place(fake_particles *fake, int where, int64_t rows)
{
    fake->arrays[0] = (pli_state_array){"particle_positions",   PLI_ARRAY_F64, rows, 3,
                                        fake->positions[where], true,          false};
    fake->arrays[1] = (pli_state_array){"particle_velocities",   PLI_ARRAY_F64, rows, 3,
                                        fake->velocities[where], true,          false};
    fake->arrays[2] = (pli_state_array){"particle_kinds",   PLI_ARRAY_I32, rows, 1,
                                        fake->kinds[where], true,          false};
    fake->arrays[3] =
        (pli_state_array){"next_id", PLI_ARRAY_I64, 1, 1, &fake->next_id, false, false};
}

static pli_status move_elsewhere(void *user, int64_t count)
{
    assert_in_range(count, 0, MOST_ROWS);
    place(user, 1, count);
    return PLI_OK;
}

static void init(fake_particles *fake, const folder_fixture *fix, int64_t rows)
{
    memset(fake, 0, sizeof *fake);
    snprintf(fake->folder, sizeof fake->folder, "%s/checkpoint", fix->folder);
    place(fake, 0, rows);
    fake->def = (pli_checkpoint_def){.folder = fake->folder,
                                     .scene_text = "about: particles\n",
                                     .step = 7,
                                     .array_count = 4,
                                     .arrays = fake->arrays,
                                     .set_particle_count = move_elsewhere,
                                     .user = fake};
}

static void fill(fake_particles *fake)
{
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < 3; ++k) fake->positions[0][i][k] = 1e-300 / (1 + i + k);
        for (int k = 0; k < 3; ++k) fake->velocities[0][i][k] = 1e-40f * (float)(i - k);
        fake->kinds[0][i] = INT32_MIN + i;
    }
    fake->next_id = INT64_MAX;
}

static void save(folder_fixture *fix)
{
    fake_particles fake;
    init(&fake, fix, ROWS);
    fill(&fake);
    OK(fix->context, pli_checkpoint_write(fix->context, &fake.def));
}

static void check_loads(folder_fixture *fix, int64_t rows_before)
{
    fake_particles want, got;
    pli_checkpoint_info info;
    init(&want, fix, ROWS);
    fill(&want);
    init(&got, fix, rows_before);
    OK(fix->context, pli_checkpoint_read_newest(fix->context, &got.def, &info));
    assert_int_equal(info.step, 7);
    // only where there is another number of rows do arrays move
    int where = rows_before == ROWS ? 0 : 1;
    assert_int_equal(got.arrays[0].rows, ROWS);
    assert_ptr_equal(got.arrays[0].data, got.positions[where]);
    assert_memory_equal(got.positions[where], want.positions[0], sizeof want.positions[0]);
    assert_memory_equal(got.velocities[where], want.velocities[0], sizeof want.velocities[0]);
    assert_memory_equal(got.kinds[where], want.kinds[0], sizeof want.kinds[0]);
    assert_true(got.next_id == want.next_id);
}

static void arrays_of_32_bits_come_back_bit_for_bit(void **state)
{
    save(*state);
    check_loads(*state, ROWS);
}

static void files_say_how_many_particles_there_are(void **state)
{
    save(*state);
    check_loads(*state, 0);
    check_loads(*state, ROWS - 1);
    check_loads(*state, MOST_ROWS);
}

// Reading into `fake` is refused with a message, and nothing of it has changed.
static void check_refused(folder_fixture *fix, fake_particles *fake, const char *word)
{
    pli_checkpoint_info info;
    fake_particles before = *fake;
    pli_status status = pli_checkpoint_read_newest(fix->context, &fake->def, &info);
    assert_int_equal(status, PLI_ERROR_IO);
    assert_int_equal(info.step, -1);
    assert_true(message_has(fix->context, word));
    assert_memory_equal(fake, &before, sizeof before);
}

static void other_numbers_of_rows_are_refused(void **state)
{
    folder_fixture *fix = *state;
    fake_particles fake;
    // arrays of particles that do not agree
    init(&fake, fix, ROWS);
    fake.arrays[2].rows = ROWS - 2;
    OK(fix->context, pli_checkpoint_write(fix->context, &fake.def));
    init(&fake, fix, ROWS);
    check_refused(fix, &fake,
                  "array 'particle_positions' has 37 rows and array 'particle_kinds' 35");
    // arrays of something else
    init(&fake, fix, ROWS);
    fake.arrays[3].rows = 0;
    OK(fix->context, pli_checkpoint_write(fix->context, &fake.def));
    init(&fake, fix, ROWS);
    check_refused(fix, &fake, "no array 'next_id' of 1 rows and 1 columns of 64-bit integers");
    // a state that can't have another number
    save(fix);
    init(&fake, fix, ROWS + 1);
    fake.def.set_particle_count = NULL;
    check_refused(fix, &fake, "has 37 particles; allowed are as many as the state has");
}

static void other_kinds_of_numbers_are_refused(void **state)
{
    folder_fixture *fix = *state;
    fake_particles fake;
    static const pli_array_kind kinds[] = {PLI_ARRAY_F64, PLI_ARRAY_I64, PLI_ARRAY_I32};
    static const char *const names[] = {"64-bit floats", "64-bit integers", "32-bit integers"};
    save(fix);
    for (int array = 0; array < 3; ++array) {
        for (int k = 0; k < 3; ++k) {
            init(&fake, fix, ROWS);
            if (fake.arrays[array].kind == kinds[k]) continue;
            fake.arrays[array].kind = kinds[k];
            check_refused(fix, &fake, names[k]);
        }
    }
    init(&fake, fix, ROWS);
    fake.arrays[1].columns = 2;
    check_refused(fix, &fake, "'particle_velocities' of any number of rows and 2 columns");
}

// ---- states

// Restores into a new state of the same scene, from the folder "checkpoint".
static void load(folder_fixture *fix, const simulation *s, pli_state **state)
{
    OK(s->context, pli_state_create(s->model, state));
    OK(s->context, pli_checkpoint_load(s->scene, s->model, in_folder(fix, "checkpoint"), *state));
}

static void emitting_states_come_back_and_go_on_with_the_same_bits(void **state)
{
    folder_fixture *fix = *state;
    simulation s;
    pli_state *restored = NULL;
    pli_solver *solver = NULL;
    pli_step_report report;
    simulation_init(&s, PARTICLE_SCENE, 2);
    pli_step_report last = simulation_run(&s, 3);
    assert_true(last.matter.particles > s.info.particle_count);
    OK(s.context, pli_checkpoint_save(s.scene, s.model, s.state, in_folder(fix, "checkpoint")));
    load(fix, &s, &restored);
    assert_true(pli_state_hash(restored) == pli_state_hash(s.state));

    // another solver, which knows nothing of what was before
    OK(s.context, pli_solver_create(s.model, &solver));
    for (int k = 0; k < 3; ++k) {
        last = simulation_step(&s);
        OK(s.context, pli_solver_step(solver, restored, &report));
        assert_true(report.matter.emitted > 0);
        assert_true(pli_state_hash(restored) == pli_state_hash(s.state));
    }
    // from more particles to fewer
    OK(s.context, pli_checkpoint_load(s.scene, s.model, in_folder(fix, "checkpoint"), s.state));
    assert_int_equal(pli_state_get(s.state).step, 3);
    OK(s.context, pli_solver_step(s.solver, s.state, &report));
    assert_int_equal(report.step, 4);
    pli_solver_destroy(solver);
    pli_state_destroy(restored);
    simulation_clear(&s);
}

// Writes a checkpoint of the simulation's state after `spoil` has changed what is written.
static void save_spoiled(folder_fixture *fix, simulation *s, void (*spoil)(pli_checkpoint_def *))
{
    pli_saved_state saved;
    OK(s->context, pli_saved_state_init(&saved, s->scene, s->model, s->state));
    for (int32_t k = 0; k < saved.array_count; ++k) {
        pli_state_get_array(s->state, k, &saved.arrays[k]);
    }
    char folder[256];
    snprintf(folder, sizeof folder, "%s/checkpoint", fix->folder);
    pli_checkpoint_def def = {.folder = folder,
                              .scene_hash = saved.scene_hash,
                              .scene_text = saved.scene_text,
                              .step = pli_state_get(s->state).step,
                              .array_count = saved.array_count,
                              .arrays = saved.arrays};
    spoil(&def);
    OK(s->context, pli_checkpoint_write(s->context, &def));
    pli_saved_state_clear(&saved);
}

static void spoil_step(pli_checkpoint_def *def)
{
    ++def->step;
}

static void spoil_rows(pli_checkpoint_def *def)
{
    --((pli_state_array *)(uintptr_t)def->arrays)[def->array_count - 4].rows;
}

static void refused_files_leave_the_state_alone(void **state)
{
    folder_fixture *fix = *state;
    simulation s;
    simulation_init(&s, PARTICLE_SCENE, 2);
    simulation_run(&s, 2);
    uint64_t hash = pli_state_hash(s.state);
    const char *const words[] = {"must all have as many", "holds the state of step 2"};
    void (*const spoils[])(pli_checkpoint_def *) = {spoil_rows, spoil_step};
    for (int k = 0; k < 2; ++k) {
        save_spoiled(fix, &s, spoils[k]);
        pli_status status =
            pli_checkpoint_load(s.scene, s.model, in_folder(fix, "checkpoint"), s.state);
        assert_int_equal(status, PLI_ERROR_IO);
        assert_true(message_has(s.context, words[k]));
        assert_true(pli_state_hash(s.state) == hash);
    }
    assert_int_equal(unlink(in_folder(fix, "checkpoint/step_00000002.h5")), 0);

    // cut at any place
    OK(s.context, pli_checkpoint_save(s.scene, s.model, s.state, in_folder(fix, "checkpoint")));
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, "checkpoint/step_00000002.h5"), &count);
    simulation_step(&s);
    hash = pli_state_hash(s.state);
    for (size_t cut = 0; cut < count; cut += count / 16) {
        write_bytes(in_folder(fix, "checkpoint/step_00000002.h5"), bytes, cut);
        pli_status status =
            pli_checkpoint_load(s.scene, s.model, in_folder(fix, "checkpoint"), s.state);
        assert_int_equal(status, PLI_ERROR_IO);
        assert_true(pli_state_hash(s.state) == hash);
    }
    free(bytes);
    simulation_clear(&s);
}

// The data of an array of the state by its name.
static void *find_array(pli_state *state, const char *name, pli_state_array *array)
{
    for (int32_t k = 0; pli_state_get_array(state, k, array); ++k) {
        if (strcmp(array->name, name) == 0) return array->data;
    }
    fail();
    return NULL;
}

// Steps, frames and measures of such a state fail with a message.
static void check_useless(simulation *s, const char *word)
{
    pli_step_report report;
    pli_frame frame;
    uint64_t hash = pli_state_hash(s->state);
    assert_int_equal(pli_solver_step(s->solver, s->state, &report), PLI_ERROR_ARGUMENT);
    assert_true(message_has(s->context, word));
    assert_int_equal(pli_solver_frame(s->solver, s->state, &frame), PLI_ERROR_ARGUMENT);
    assert_true(pli_state_hash(s->state) == hash);
}

static void kinds_that_can_not_be_are_errors(void **state)
{
    simulation s;
    pli_state_array array;
    pli_step_report report;
    (void)state;
    simulation_init(&s, PARTICLE_SCENE, 2);
    simulation_run(&s, 2);
    int32_t *kinds = find_array(s.state, "particle_kinds", &array);
    int64_t last = array.rows - 1;
    assert_int_equal(kinds[0], 0);
    assert_int_equal(kinds[last], 1);
    static const struct {
        bool at_end;
        int32_t kind;
        const char *word;
    } cases[] = {{false, -1, "row 0 is of kind -1; allowed there are 0 to 1"},
                 {true, 2, "is of kind 2; allowed there are 1 to 1"},
                 {true, INT32_MAX, "is of kind 2147483647; allowed there are 1 to 1"},
                 {true, 0, "is of kind 0; allowed there are 1 to 1"},
                 {false, 1, "row 1 is of kind 0; allowed there are 1 to 1"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        int32_t *kind = &kinds[cases[k].at_end ? last : 0], before = *kind;
        *kind = cases[k].kind;
        check_useless(&s, cases[k].word);
        assert_int_equal(pli_solver_measure(s.solver, s.state, &report), PLI_ERROR_ARGUMENT);
        *kind = before;
    }
    simulation_step(&s);
    simulation_clear(&s);
}

// A step is not taken, and it is told why.
static void check_rejected(simulation *s, const char *word)
{
    pli_step_report report;
    uint64_t hash = pli_state_hash(s->state);
    OK(s->context, pli_solver_step(s->solver, s->state, &report));
    assert_int_equal(report.stop, PLI_STOP_NONFINITE);
    assert_non_null(report.culprit);
    assert_non_null(strstr(report.culprit, word));
    assert_true(pli_state_hash(s->state) == hash);
}

static void particles_that_can_not_be_are_errors(void **state)
{
    simulation s;
    pli_state_array array;
    (void)state;
    simulation_init(&s, PARTICLE_SCENE, 2);
    simulation_run(&s, 2);
    double *x = find_array(s.state, "particle_positions", &array);
    int32_t *id = find_array(s.state, "particle_ids", &array);
    int32_t *kind = find_array(s.state, "particle_kinds", &array);
    static const double places[] = {1e300, -3, NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 5; ++k) {
        double before = x[1];
        x[1] = places[k];
        if (isfinite(places[k])) {
            check_useless(&s, "the domain has room in");
        } else {
            // whatever else is wrong with it
            kind[0] = k == 2 ? 0 : INT32_MAX;
            check_rejected(&s, "the position of particle");
            kind[0] = 0;
        }
        x[1] = before;
    }
    int32_t before = id[0];
    id[0] = -1;
    check_useless(&s, "ids below 0");
    id[0] = before;
    simulation_step(&s);
    simulation_clear(&s);
}

// numbers of a state that a file could bring; a step or frame of it ends in whatever way, but ends
static void numbers_that_can_not_be_do_no_harm(void **state)
{
    static const char *const names[] = {"particle_velocities", "particle_affine_velocities",
                                        "particle_deformations", "particle_memories",
                                        "emitter_times"};
    static const double values[] = {NAN, INFINITY, -INFINITY, 1e30, -1e30, 0};
    (void)state;
    simulation s;
    simulation_init(&s, PARTICLE_SCENE, 2);
    for (size_t name = 0; name < sizeof names / sizeof *names; ++name) {
        for (size_t k = 0; k < sizeof values / sizeof *values; ++k) {
            pli_state *fresh = NULL;
            pli_state_array array;
            pli_step_report report;
            pli_frame frame;
            OK(s.context, pli_state_create(s.model, &fresh));
            void *data = find_array(fresh, names[name], &array);
            assert_int_equal(array.kind, PLI_ARRAY_F64);
            *(double *)data = values[k];
            uint64_t hash = pli_state_hash(fresh);
            (void)!pli_solver_frame(s.solver, fresh, &frame);
            pli_status status = pli_solver_step(s.solver, fresh, &report);
            if (status != PLI_OK) assert_true(pli_state_hash(fresh) == hash);
            pli_state_destroy(fresh);
        }
    }
    simulation_clear(&s);
}

static void any_failed_allocation_leaves_the_state_alone(void **state)
{
    folder_fixture *fix = *state;
    // more than ten: staging state, arrays, and more rows than there was room for
    for (fault_sweep sweep = {.at_least = 10}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        simulation s;
        simulation_init_in(&s, sweep.context, PARTICLE_SCENE);
        simulation_run(&s, 3);
        OK(s.context, pli_checkpoint_save(s.scene, s.model, s.state, in_folder(fix, "checkpoint")));
        pli_state *fresh = NULL;
        OK(s.context, pli_state_create(s.model, &fresh));
        uint64_t before = pli_state_hash(fresh);
        fault_sweep_resume(&sweep);
        sweep.status = pli_checkpoint_load(s.scene, s.model, in_folder(fix, "checkpoint"), fresh);
        assert_true(pli_state_hash(fresh) ==
                    (sweep.status == PLI_OK ? pli_state_hash(s.state) : before));
        pli_state_destroy(fresh);
        simulation_clear(&s);
        sweep.context = NULL;
    }
}

// ---- runs

// Runs the scene in a folder up to a step and returns the hash of its state.
static uint64_t run_to(folder_fixture *fix, const char *name, int64_t steps, bool resume)
{
    pli_scene *scene = NULL;
    pli_run *run = NULL;
    OK(fix->context, pli_scene_parse(fix->context, PARTICLE_SCENE, (int64_t)strlen(PARTICLE_SCENE),
                                     "test", NULL, &scene));
    char folder[256];
    snprintf(folder, sizeof folder, "%s/%s", fix->folder, name);
    pli_run_def def = {0};
    def.scene = scene;
    def.folder = folder;
    def.steps = steps;
    def.resume = resume;
    OK(fix->context, pli_run_create(&def, &run));
    OK(fix->context, pli_run_execute(run));
    assert_int_equal(pli_state_get(pli_run_get_info(run).state).step, steps);
    uint64_t hash = pli_state_hash(pli_run_get_info(run).state);
    pli_run_destroy(run);
    pli_scene_destroy(scene);
    return hash;
}

static void resumed_runs_end_in_the_same_state(void **state)
{
    folder_fixture *fix = *state;
    uint64_t whole = run_to(fix, "whole", 5, false);
    (void)run_to(fix, "parts", 2, false);
    // the newest state is damaged: the one before it serves
    write_bytes(in_folder(fix, "parts/checkpoint/step_00000002.h5"), "half", 4);
    assert_true(run_to(fix, "parts", 5, true) == whole);
    static const char *const files[] = {"frames/tap_00005.vtp", "frames/ball_00005.vtp",
                                        "checkpoint/step_00000005.h5"};
    for (int k = 0; k < 3; ++k) {
        size_t counts[2];
        char *bytes[2], name[64];
        snprintf(name, sizeof name, "whole/%s", files[k]);
        bytes[0] = read_bytes(in_folder(fix, name), &counts[0]);
        snprintf(name, sizeof name, "parts/%s", files[k]);
        bytes[1] = read_bytes(in_folder(fix, name), &counts[1]);
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(bytes[0], bytes[1], counts[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(arrays_of_32_bits_come_back_bit_for_bit),
        TEST_IN_FOLDER(files_say_how_many_particles_there_are),
        TEST_IN_FOLDER(other_numbers_of_rows_are_refused),
        TEST_IN_FOLDER(other_kinds_of_numbers_are_refused),
        TEST_IN_FOLDER(emitting_states_come_back_and_go_on_with_the_same_bits),
        TEST_IN_FOLDER(refused_files_leave_the_state_alone),
        cmocka_unit_test(kinds_that_can_not_be_are_errors),
        cmocka_unit_test(particles_that_can_not_be_are_errors),
        cmocka_unit_test(numbers_that_can_not_be_do_no_harm),
        TEST_IN_FOLDER(any_failed_allocation_leaves_the_state_alone),
        TEST_IN_FOLDER(resumed_runs_end_in_the_same_state),
    };
    return cmocka_run_group_tests_name("checkpoint_particles", tests, NULL, NULL);
}
