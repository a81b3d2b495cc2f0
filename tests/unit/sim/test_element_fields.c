// SPDX-License-Identifier: Apache-2.0
//
// Stress, strain and energy density in frames: closed forms of a stretched bar and sheet, what
// turns along and what does not, averages at vertices.
#include "simulate.h"

#include "support/same_bits.h"

#define ALL                                                                                      \
    "output: {fields: [von_mises, J, stress, stress_principal, stress_direction, log_strain, "   \
    "green_strain, energy_density, von_mises_cell, J_cell, stress_cell, stress_principal_cell, " \
    "stress_direction_cell, log_strain_cell, green_strain_cell, energy_density_cell]}\n"

static const double young = 1e6, poisson = 0.3;

static const char *bar =
    "materials: {m: {law: hencky, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "bodies: {bar: {geometry: {grid: {size: [1, 1, 1], cells: [2, 3, 2]}}, material: m}}\n"
    "contact: none\n" ALL;

static const pli_frame_field *find(const pli_frame *frame, const char *name)
{
    const pli_frame_part *part = &frame->parts[0];
    for (int32_t k = 0; k < part->field_count; ++k) {
        if (strcmp(part->fields[k].name, name) == 0) return &part->fields[k];
    }
    fail_msg("no field %s", name);
    return NULL;
}

// Puts the vertices where x = R F X, with F diagonal, and R a turn by `angle` about z, to see.
static pli_frame deform(simulation *s, const double F[3], double angle)
{
    const double *rest = pli_model_get_mesh(s->model).rest_positions;
    double *x = malloc(3 * (size_t)s->info.vertex_count * sizeof *x);
    for (int32_t k = 0; k < s->info.vertex_count; ++k) {
        double y[3] = {F[0] * rest[3 * k], F[1] * rest[3 * k + 1], F[2] * rest[3 * k + 2]};
        x[3 * k] = cos(angle) * y[0] - sin(angle) * y[1];
        x[3 * k + 1] = sin(angle) * y[0] + cos(angle) * y[1];
        x[3 * k + 2] = y[2];
    }
    OK(s->context, pli_state_set(s->state, x, NULL));
    free(x);
    pli_frame frame;
    OK(s->context, pli_solver_frame(s->solver, s->state, &frame));
    return frame;
}

// All values of a field and of that of its elements are these.
static void expect(const pli_frame *frame, const char *name, const double *want, double relative,
                   double absolute)
{
    char of_cells[64];
    snprintf(of_cells, sizeof of_cells, "%s_cell", name);
    const pli_frame_field *fields[2] = {find(frame, name), find(frame, of_cells)};
    const pli_frame_part *part = &frame->parts[0];
    assert_int_equal(fields[0]->place, PLI_PLACE_POINT);
    assert_int_equal(fields[1]->place, PLI_PLACE_CELL);
    for (int f = 0; f < 2; ++f) {
        int32_t size = fields[f]->components, count = f == 0 ? part->point_count : part->cell_count;
        for (int32_t k = 0; k < size * count; ++k) {
            NEAR(fields[f]->values[k], want[k % size], relative, absolute);
        }
    }
}

// A symmetric tensor that is diagonal, turned about z: xx, yy, zz, xy, yz, xz.
static void turn(const double d[3], double angle, double tensor[6])
{
    double c = cos(angle), s = sin(angle);
    tensor[0] = c * c * d[0] + s * s * d[1];
    tensor[1] = s * s * d[0] + c * c * d[1];
    tensor[2] = d[2];
    tensor[3] = c * s * (d[0] - d[1]);
    tensor[4] = tensor[5] = 0;
}

static void fields_of_a_stretched_bar_are_those_of_the_law(void **state)
{
    (void)state;
    static const double angles[] = {0, 0.7};
    simulation s;
    simulation_init(&s, bar, 1);
    // J sigma = lambda tr h 1 + 2 mu h, h = ln F
    double mu = young / (2 + 2 * poisson),
           lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const double F[3] = {1.2, 0.95, 0.9};
    double E[3], sigma[3], h[3], J = F[0] * F[1] * F[2], trace = 0, psi = 0, mises = 0;
    for (int k = 0; k < 3; ++k) {
        E[k] = 0.5 * (F[k] * F[k] - 1);
        h[k] = log(F[k]);
        trace += h[k];
    }
    for (int k = 0; k < 3; ++k) {
        sigma[k] = (lambda * trace + 2 * mu * h[k]) / J;
        psi += mu * h[k] * h[k];
    }
    psi += 0.5 * lambda * trace * trace;
    for (int k = 0; k < 3; ++k) mises += 0.5 * pow(sigma[k] - sigma[(k + 1) % 3], 2);
    mises = sqrt(mises);
    for (int a = 0; a < 2; ++a) {
        pli_frame frame = deform(&s, F, angles[a]);
        double stress[6], strain[6], fixed[6] = {E[0], E[1], E[2], 0, 0, 0};
        turn(sigma, angles[a], stress);
        turn(h, angles[a], strain);
        expect(&frame, "stress", stress, 1e-10, 1e-6);
        expect(&frame, "log_strain", strain, 1e-10, 1e-12);
        // the material's own, which does not turn along
        expect(&frame, "green_strain", fixed, 1e-10, 1e-12);
        expect(&frame, "J", &J, 1e-12, 0);
        expect(&frame, "energy_density", &psi, 1e-10, 0);
        expect(&frame, "von_mises", &mises, 1e-10, 0);
        double principal[3] = {sigma[0], sigma[1], sigma[2]};
        expect(&frame, "stress_principal", principal, 1e-10, 1e-6);
        const pli_frame_field *direction = find(&frame, "stress_direction");
        for (int32_t k = 0; k < frame.parts[0].point_count; ++k) {
            const double *n = direction->values + 3 * k;
            NEAR(fabs(cos(angles[a]) * n[0] + sin(angles[a]) * n[1]), 1, 1e-10, 0);
        }
    }
    simulation_clear(&s);
}

static void fields_of_a_stretched_sheet_are_those_of_plane_stress(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
                    "bodies: {sheet: {kind: shell, thickness: 0.01, geometry: {sheet: {columns: 3, "
                    "rows: 2}}, material: m}}\n"
                    "contact: none\n" ALL,
                    1);
    // small strains: sigma_xx = E / (1 - nu^2) (e_x + nu e_z), and the sheet lies across y
    const double e = 1e-6, F[3] = {1 + e, 1, 1 - 0.5 * e};
    pli_frame frame = deform(&s, F, 0);
    double plate = young / (1 - poisson * poisson);
    double stress[6] = {
        plate * (e - poisson * 0.5 * e), 0, plate * (poisson * e - 0.5 * e), 0, 0, 0};
    double strain[6] = {e, 0, -0.5 * e, 0, 0, 0};
    expect(&frame, "stress", stress, 1e-5, 1e-6);
    expect(&frame, "log_strain", strain, 1e-5, 1e-12);
    expect(&frame, "green_strain", strain, 1e-5, 1e-12);
    // turned out of its plane, strain of the material stays
    frame = deform(&s, F, 1.1);
    expect(&frame, "green_strain", strain, 1e-5, 1e-12);
    simulation_clear(&s);
}

// What is in a frame when nobody says.
static void plain_frames_have_von_mises_at_vertices_and_no_tensors(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
                    "bodies: {bar: {geometry: {grid: {cells: [2, 2, 2]}}, material: m}}\n",
                    1);
    const double F[3] = {1.1, 1, 1};
    pli_frame frame = deform(&s, F, 0);
    assert_int_equal(find(&frame, "von_mises")->place, PLI_PLACE_POINT);
    for (int32_t k = 0; k < frame.parts[0].field_count; ++k) {
        assert_true(frame.parts[0].fields[k].components <= 3);
        assert_null(strstr(frame.parts[0].fields[k].name, "_cell"));
    }
    simulation_clear(&s);
}

// Weights are volumes: the average at each vertex of what elements have.
static void values_at_vertices_are_averages_by_volume(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, bar, 1);
    const double *rest = pli_model_get_mesh(s.model).rest_positions;
    const int32_t *tets = pli_model_get_mesh(s.model).tets;
    double *x = malloc(3 * (size_t)s.info.vertex_count * sizeof *x);
    for (int32_t k = 0; k < 3 * s.info.vertex_count; ++k) {
        x[k] = rest[k] + 0.02 * sin(3 * rest[k] + 5 * rest[3 * (k / 3)]);
    }
    OK(s.context, pli_state_set(s.state, x, NULL));
    free(x);
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    const double *cells = find(&frame, "stress_cell")->values;
    const double *vertices = find(&frame, "stress")->values;
    for (int32_t vertex = 0; vertex < s.info.vertex_count; ++vertex) {
        double sum[6] = {0}, volume = 0;
        for (int32_t tet = 0; tet < s.info.tet_count; ++tet) {
            const int32_t *c = tets + 4 * tet;
            if (c[0] != vertex && c[1] != vertex && c[2] != vertex && c[3] != vertex) continue;
            double e[3][3];
            for (int k = 0; k < 9; ++k)
                e[k / 3][k % 3] = rest[3 * c[k / 3 + 1] + k % 3] - rest[3 * c[0] + k % 3];
            double v = fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]));
            volume += v;
            for (int k = 0; k < 6; ++k) sum[k] += v * cells[6 * tet + k];
        }
        for (int k = 0; k < 6; ++k) NEAR(vertices[6 * vertex + k], sum[k] / volume, 1e-10, 1e-5);
    }
    simulation_clear(&s);
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        simulation s;
        simulation_init(&s, bar, bits.threads);
        const double F[3] = {1.2, 0.95, 0.9};
        pli_frame frame = deform(&s, F, 0.3);
        const pli_frame_part *part = &frame.parts[0];
        for (int32_t k = 0; k < part->field_count; ++k) {
            const pli_frame_field *field = &part->fields[k];
            bool of_cells = field->place == PLI_PLACE_CELL;
            int32_t rows = of_cells ? part->cell_count : part->point_count;
            same_bits_keep(&bits, field->values,
                           (size_t)(rows * field->components) * sizeof(double));
        }
        simulation_clear(&s);
    }
}

// A drop of particles that is squeezed has the stress of its law.
static void particles_have_stress_by_name(void **state)
{
    (void)state;
    simulation s;
    simulation_init(
        &s,
        "materials: {m: {law: hencky, young: 1e6, poisson: 0.3, density: 1000}}\n"
        "bodies: {drop: {geometry: {particles: {shape: {sphere: {radius: 0.1}}, stretch: {fixed: "
        "[1.2, 0.95, 0.9]}}}, material: m, position: [0, 0.5, 0]}}\n"
        "domain: {min: [-1, 0, -1], max: [1, 2, 1], cell: 0.05}\n"
        "output: {fields: [von_mises, stress, stress_principal, log_strain, green_strain, "
        "energy_density]}\n",
        1);
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    double mu = young / (2 + 2 * poisson),
           lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const double F[3] = {1.2, 0.95, 0.9};
    double J = F[0] * F[1] * F[2], trace = 0;
    for (int k = 0; k < 3; ++k) trace += log(F[k]);
    for (int32_t row = 0; row < frame.parts[0].point_count; ++row) {
        for (int k = 0; k < 3; ++k) {
            double E = 0.5 * (F[k] * F[k] - 1);
            double sigma = (lambda * trace + 2 * mu * log(F[k])) / J;
            NEAR(find(&frame, "stress")->values[6 * row + k], sigma, 1e-9, 1e-6);
            NEAR(find(&frame, "stress_principal")->values[3 * row + k], sigma, 1e-9, 1e-6);
            NEAR(find(&frame, "green_strain")->values[6 * row + k], E, 1e-9, 1e-12);
            NEAR(find(&frame, "log_strain")->values[6 * row + k], log(F[k]), 1e-9, 1e-12);
        }
        assert_true(find(&frame, "von_mises")->values[row] > 0);
        assert_true(find(&frame, "energy_density")->values[row] > 0);
    }
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_a_stretched_bar_are_those_of_the_law),
        cmocka_unit_test(fields_of_a_stretched_sheet_are_those_of_plane_stress),
        cmocka_unit_test(plain_frames_have_von_mises_at_vertices_and_no_tensors),
        cmocka_unit_test(values_at_vertices_are_averages_by_volume),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(particles_have_stress_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
