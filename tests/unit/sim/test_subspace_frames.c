// SPDX-License-Identifier: Apache-2.0
//
// Handles and cubature in frames (Trusty et al. 2025): that the fields say what the solver works
// with, also after the way through files, and are there with the solver subspace alone.
#include "folder.h"
#include "simulate.h"

#include "geometry/mesh/tet_mesh.h"
#include "sim/model/subspace_build.h"

// two bodies, the second behind the first in all arrays
#define TWO_BODIES                                                                            \
    "materials: {soft: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n" \
    "contact: none\n"                                                                         \
    "bodies:\n"                                                                               \
    "  low: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [8, 3, 3]}}, material: soft}\n"    \
    "  high: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [6, 2, 2]}}, material: soft, "    \
    "position: [0, 1, 0]}\n"

static const char *const two_bodies = TWO_BODIES
    "solver: {name: subspace, subspace: {handles: 6, hessian: cubature}}\noutput: {handle: 1}\n";

static const pli_frame_field *find_field(const pli_frame_part *part, const char *name)
{
    for (int32_t k = 0; k < part->field_count; ++k) {
        if (strcmp(part->fields[k].name, name) == 0) return &part->fields[k];
    }
    return NULL;
}

static const double *values_of(const pli_frame_part *part, const char *name, pli_field_place place)
{
    const pli_frame_field *field = find_field(part, name);
    assert_non_null(field);
    assert_int_equal(field->place, place);
    assert_int_equal(field->components, 1);
    return field->values;
}

static double weight_of(const pli_bases *bases, int32_t vertex, int32_t handle)
{
    for (int64_t k = bases->start[vertex]; k < bases->start[vertex + 1]; ++k) {
        if (bases->handle[k] == handle) return bases->weight[k];
    }
    return 0;
}

// The fields of a part against the parts of the reduction. relative: of real numbers, for files
// hold floats.
static void check_points(const pli_model *model, int32_t body, const pli_frame_part *part,
                         double relative)
{
    const pli_reduction *reduction = model->reduction;
    const double *handle = values_of(part, "handle", PLI_PLACE_POINT);
    const double *largest = values_of(part, "handle_weight", PLI_PLACE_POINT);
    const double *weight = values_of(part, "weight", PLI_PLACE_POINT);
    for (int32_t i = 0; i < part->point_count; ++i) {
        int32_t vertex = model->bodies[body].first_vertex + i;
        assert_true(handle[i] == reduction->partition->vertex_part[vertex]);
        double most = 0;
        for (int32_t k = 0; k < reduction->bases->handle_count; ++k) {
            most = fmax(most, weight_of(reduction->bases, vertex, k));
        }
        NEAR(largest[i], most, relative, 0);
        NEAR(weight[i], weight_of(reduction->bases, vertex, 1), relative, 0);
    }
}

static void check_cells(const pli_model *model, int32_t body, const pli_frame_part *part,
                        double relative)
{
    const pli_reduction *reduction = model->reduction;
    const double *partition = values_of(part, "partition", PLI_PLACE_CELL);
    const double *cubature = values_of(part, "cubature", PLI_PLACE_CELL);
    int32_t chosen = 0;
    for (int32_t k = 0; k < reduction->cubature->count; ++k) {
        int32_t tet = reduction->cubature->elements[k] - model->bodies[body].first_tet;
        if (tet < 0 || tet >= part->cell_count) continue;
        double volume = pli_tet_volume_at(
            model->rest, model->tets + 4 * (int64_t)reduction->cubature->elements[k]);
        NEAR(cubature[tet] * volume, reduction->cubature->weights[k], relative, 0);
        ++chosen;
    }
    for (int32_t tet = 0; tet < part->cell_count; ++tet) {
        chosen -= cubature[tet] > 0;
        int32_t whole = model->bodies[body].first_tet + tet;
        assert_true(partition[tet] == reduction->partition->element_part[whole]);
    }
    // the others are zero
    assert_int_equal(chosen, 0);
}

static void fields_say_what_the_solver_works_with(void **state)
{
    (void)state;
    simulation sim;
    pli_frame frame;
    simulation_init(&sim, two_bodies, 2);
    OK(sim.context, pli_solver_frame(sim.solver, sim.state, &frame));
    assert_int_equal(frame.part_count, 2);
    for (int32_t body = 0; body < 2; ++body) {
        // rounding of a division and a product
        check_points(sim.model, body, &frame.parts[body], 0);
        check_cells(sim.model, body, &frame.parts[body], 1e-15);
    }
    simulation_clear(&sim);
}

// A cubature integrates constants: over each cluster weights sum to the volume, to its tolerance.
static void cubature_of_a_cluster_has_its_volume(void **state)
{
    (void)state;
    simulation sim;
    pli_frame frame;
    simulation_init(&sim, two_bodies, 2);
    OK(sim.context, pli_solver_frame(sim.solver, sim.state, &frame));
    int32_t count = sim.model->reduction->partition->count;
    double *excess = calloc((size_t)count, sizeof *excess);
    double *volumes = calloc((size_t)count, sizeof *volumes);
    assert_true(excess != NULL && volumes != NULL);
    for (int32_t body = 0; body < 2; ++body) {
        const pli_frame_part *part = &frame.parts[body];
        const double *partition = values_of(part, "partition", PLI_PLACE_CELL);
        const double *cubature = values_of(part, "cubature", PLI_PLACE_CELL);
        const double *rest = sim.model->rest + 3 * (int64_t)sim.model->bodies[body].first_vertex;
        for (int64_t tet = 0; tet < part->cell_count; ++tet) {
            double volume = pli_tet_volume_at(rest, part->cells + 4 * tet);
            volumes[(int32_t)partition[tet]] += volume;
            excess[(int32_t)partition[tet]] += (cubature[tet] - 1) * volume;
        }
    }
    for (int32_t k = 0; k < count; ++k) NEAR(excess[k] / volumes[k], 0, 0, 1e-9);
    free(excess);
    free(volumes);
    simulation_clear(&sim);
}

static void fields_survive_the_way_through_files(void **state)
{
    folder_fixture *fix = *state;
    simulation sim;
    pli_frame frame;
    simulation_init(&sim, two_bodies, 2);
    OK(sim.context, pli_solver_frame(sim.solver, sim.state, &frame));

    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = fix->folder;
    pli_frame_writer *writer = NULL;
    pli_series *series = NULL;
    pli_frame *read = NULL;
    OK(sim.context, pli_frame_writer_create(sim.context, &def, &writer));
    OK(sim.context, pli_frame_writer_add(writer, &frame));
    OK(sim.context, pli_series_create(sim.context, fix->folder, &series));
    OK(sim.context, pli_series_load(series, 0, &read));
    assert_int_equal(read->part_count, 2);
    for (int32_t body = 0; body < 2; ++body) {
        // half a unit in the last place of a float, 2^-25, and what comes before
        check_points(sim.model, body, &read->parts[body], 6e-8);
        check_cells(sim.model, body, &read->parts[body], 6.1e-8);
    }
    pli_frame_destroy(read);
    pli_series_destroy(series);
    pli_frame_writer_destroy(writer);
    simulation_clear(&sim);
}

static bool has_field(const char *yaml, const char *name)
{
    simulation sim;
    pli_frame frame;
    simulation_init(&sim, yaml, 1);
    OK(sim.context, pli_solver_frame(sim.solver, sim.state, &frame));
    bool found = find_field(&frame.parts[0], name) != NULL;
    simulation_clear(&sim);
    return found;
}

static void fields_come_with_solver_and_wish_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"handle", "handle_weight", "partition", "cubature"};
    for (int k = 0; k < 4; ++k) {
        assert_true(has_field(
            TWO_BODIES "solver: {name: subspace, subspace: {hessian: cubature}}\n", names[k]));
        assert_false(has_field(TWO_BODIES "solver: newton\noutput: {handle: 0}\n", names[k]));
        assert_false(has_field(
            TWO_BODIES
            "solver: {name: subspace, subspace: {hessian: cubature}}\noutput: {fields: [J]}\n",
            names[k]));
    }
    assert_false(has_field(TWO_BODIES "solver: {name: subspace, subspace: {hessian: cubature}}\n",
                           "weight"));
    assert_true(has_field(two_bodies, "weight"));
    assert_false(has_field(TWO_BODIES "solver: newton\noutput: {handle: 0}\n", "weight"));
}

static void all_tetrahedra_count_with_the_full_hessian(void **state)
{
    (void)state;
    simulation sim;
    pli_frame frame;
    simulation_init(&sim, TWO_BODIES "solver: {name: subspace, subspace: {hessian: full}}\n", 1);
    OK(sim.context, pli_solver_frame(sim.solver, sim.state, &frame));
    const double *cubature = values_of(&frame.parts[1], "cubature", PLI_PLACE_CELL);
    for (int32_t tet = 0; tet < frame.parts[1].cell_count; ++tet) assert_true(cubature[tet] == 1);
    simulation_clear(&sim);
}

static void a_handle_that_is_not_there_is_refused(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    const char *yaml = TWO_BODIES
        "solver: {name: subspace, subspace: {hessian: cubature}}\noutput: {handle: 1000}\n";
    OK(context, pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &scene));
    assert_int_equal(pli_model_create(context, scene, NULL, &model), PLI_ERROR_SCENE);
    assert_null(model);
    assert_true(message_has(context, "output.handle: found 1000, but the handles"));
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void model_tells_about_the_subspace(void **state)
{
    (void)state;
    simulation sim;
    simulation_init(
        &sim,
        TWO_BODIES
        "solver: {name: subspace, subspace: {handles: 6, polish: 7, hessian: cubature}}\n",
        1);
    const pli_reduction *reduction = sim.model->reduction;
    assert_int_equal(sim.info.handle_count, reduction->bases->handle_count);
    assert_int_equal(sim.info.cubature_count, reduction->cubature->count);
    assert_int_equal(sim.info.polish_iterations, 7);
    AT_LEAST((double)sim.info.subspace_memory, 12.0 * (double)sim.info.vertex_count);
    AT_MOST((double)sim.info.subspace_memory, (double)sim.info.memory_estimate);
    simulation_clear(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_say_what_the_solver_works_with),
        cmocka_unit_test(cubature_of_a_cluster_has_its_volume),
        TEST_IN_FOLDER(fields_survive_the_way_through_files),
        cmocka_unit_test(fields_come_with_solver_and_wish_alone),
        cmocka_unit_test(all_tetrahedra_count_with_the_full_hessian),
        cmocka_unit_test(a_handle_that_is_not_there_is_refused),
        cmocka_unit_test(model_tells_about_the_subspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
