// SPDX-License-Identifier: Apache-2.0
//
// The elastic energy of particles as a function of their nodes: derivatives, the matrix and the
// product without it, transfers, in all splines and laws.
#include "derivatives.h"
#include "materials.h"
#include "near.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "base/random.h"
#include "math/vec3.h"
#include "mpm/implicit/implicit.h"

enum { PARTICLES = 60, KINDS = 3 };

typedef struct world {
    pli_context *context;
    pli_cloud *cloud;
    pli_implicit *implicit;
    int32_t count;
    double *position, *velocity, *affine, *deformation, *memory;
    int32_t *kind;
    double *x; // [nodes][3]
} world;

static void set_particle(world *w, int32_t k, pli_random random)
{
    for (int a = 0; a < 3; ++a) {
        w->position[3 * k + a] = 0.5 + 0.4 * pli_random_uniform(random, (uint64_t)(100 * k + a));
        w->velocity[3 * k + a] = pli_random_range(random, (uint64_t)(100 * k + 10 + a), -1, 1);
    }
    for (int i = 0; i < 9; ++i) {
        w->affine[9 * k + i] = pli_random_range(random, (uint64_t)(100 * k + 20 + i), -2, 2);
        w->deformation[9 * k + i] =
            (i % 4 == 0) + pli_random_range(random, (uint64_t)(100 * k + 40 + i), -0.1, 0.1);
    }
    w->memory[k] = pli_random_range(random, (uint64_t)(100 * k + 60), 0.9, 1.1);
    w->kind[k] = k % KINDS;
}

static pli_implicit_kind make_kind(const char *law, double young, double hardening)
{
    pli_material made = material_solid(law, 1000, young, 0.3);
    if (hardening > 0) made = material_hardening(made, hardening);
    return pli_implicit_kind_make(&made, false);
}

static pli_cloud_source source_of(const world *w)
{
    return (pli_cloud_source){.count = w->count,
                              .position = w->position,
                              .velocity = w->velocity,
                              .affine = w->affine,
                              .deformation = w->deformation,
                              .memory = w->memory,
                              .kind = w->kind};
}

static world make_world(pli_spline_kind spline, int32_t threads, int32_t count)
{
    world w = {.context = make_context(threads), .count = count};
    size_t n = (size_t)count;
    pli_cloud_kind kinds[KINDS] = {{1, 1e-3}, {2, 2e-3}, {0.5, 1e-3}};
    pli_implicit_kind matter[KINDS] = {make_kind("fixed-corotated", 1e3, 0),
                                       make_kind("neo-hookean", 5e2, 0),
                                       make_kind("fixed-corotated", 2e3, 5)};
    pli_cloud_def def = {.spline = spline, .dx = 0.1, .kind_count = KINDS, .kinds = kinds};
    pli_vec3_set(-0.31, -0.2, -0.1, def.origin);
    OK(w.context, pli_cloud_create(w.context, &def, &w.cloud));
    OK(w.context, pli_implicit_create(w.context, w.cloud, KINDS, matter, &w.implicit));
    w.position = calloc(3 * n, sizeof(double));
    w.velocity = calloc(3 * n, sizeof(double));
    w.affine = calloc(9 * n, sizeof(double));
    w.deformation = calloc(9 * n, sizeof(double));
    w.memory = calloc(n, sizeof(double));
    w.kind = calloc(n, sizeof(int32_t));
    for (int32_t k = 0; k < count; ++k) set_particle(&w, k, (pli_random){3, 7});
    pli_cloud_source source = source_of(&w);
    OK(w.context, pli_cloud_build(w.cloud, &source));
    OK(w.context, pli_implicit_begin(w.implicit));
    size_t nodes = (size_t)w.cloud->nodes->count;
    w.x = calloc(3 * nodes, sizeof(double));
    for (size_t k = 0; k < 3 * nodes; ++k) {
        w.x[k] = pli_random_range((pli_random){5, 1}, k, -0.005, 0.005);
    }
    return w;
}

static void clear_world(world *w)
{
    pli_implicit_destroy(w->implicit);
    pli_cloud_destroy(w->cloud);
    pli_context_destroy(w->context);
    free(w->position);
    free(w->velocity);
    free(w->affine);
    free(w->deformation);
    free(w->memory);
    free(w->kind);
    free(w->x);
}

static double energy_at(const world *w, const double *x)
{
    return pli_sum_value(pli_implicit_term.energy(w->implicit, x));
}

static double *make_vector(const world *w)
{
    return calloc(3 * (size_t)w->cloud->nodes->count, sizeof(double));
}

static double dot(const world *w, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t k = 0; k < 3 * w->cloud->nodes->count; ++k) sum += a[k] * b[k];
    return sum;
}

// y = x + t d
static void step_to(const world *w, double t, const double *d, double *y)
{
    for (int32_t k = 0; k < 3 * w->cloud->nodes->count; ++k) y[k] = w->x[k] + t * d[k];
}

static double *random_direction(const world *w, uint64_t stream)
{
    double *d = make_vector(w);
    for (int32_t k = 0; k < 3 * w->cloud->nodes->count; ++k) {
        d[k] = pli_random_range((pli_random){11, stream}, (uint64_t)k, -1, 1);
    }
    return d;
}

// ---- transfers

static void weights_sum_up_and_reproduce_linear_fields(void **state)
{
    (void)state;
    for (int width = 2; width <= 4; ++width) {
        for (int k = 0; k <= 20; ++k) {
            double low = width == 2 ? 0 : width == 3 ? 0.5 : 1;
            double f = low + k / 20.001;
            pli_d4 w[PLI_SPLINE_WIDTH], d[PLI_SPLINE_WIDTH];
            pli_spline_weights(width, (pli_d4){f, f, f, f}, w, d);
            double sum = 0, slope = 0, first = 0, first_slope = 0, second = 0;
            for (int n = 0; n < width; ++n) {
                sum += w[n][0];
                slope += d[n][0];
                first += n * w[n][0];
                first_slope += n * d[n][0];
                second += (n - f) * (n - f) * w[n][0];
                AT_LEAST(w[n][0], -1e-15);
            }
            NEAR(sum, 1, 1e-14, 0);
            NEAR(slope, 0, 0, 1e-14);
            NEAR(first, f, 1e-14, 0);
            NEAR(first_slope, 1, 1e-14, 0);
            double spread = pli_spline_spread((pli_spline_kind)(width - 2));
            if (width > 2) NEAR(second, spread, 1e-13, 0);
        }
    }
}

static void nodes_get_all_mass_and_momenta(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        world w = make_world((pli_spline_kind)spline, 2, PARTICLES);
        int32_t nodes = w.cloud->nodes->count;
        double *mass = calloc((size_t)nodes, sizeof(double)), *momentum = make_vector(&w);
        pli_cloud_to_nodes(w.cloud, true, mass, momentum);
        double want[7] = {0}, got[7] = {0};
        double spread = pli_spline_spread(w.cloud->spline) * 0.01;
        for (int32_t k = 0; k < w.count; ++k) {
            double m = w.cloud->kinds[w.kind[k]].mass, arm[3];
            const double *C = w.affine + 9 * k;
            pli_vec3_cross(w.position + 3 * k, w.velocity + 3 * k, arm);
            want[0] += m;
            for (int a = 0; a < 3; ++a) {
                int next = (a + 1) % 3, after = (a + 2) % 3;
                want[1 + a] += m * w.velocity[3 * k + a];
                want[4 + a] += m * (arm[a] + spread * (C[3 * after + next] - C[3 * next + after]));
            }
        }
        for (int32_t n = 0; n < nodes; ++n) {
            double x[3], arm[3];
            for (int a = 0; a < 3; ++a) {
                x[a] = w.cloud->origin[a] + w.cloud->dx * w.cloud->nodes->at[3 * n + a];
            }
            pli_vec3_cross(x, momentum + 3 * n, arm);
            got[0] += mass[n];
            for (int a = 0; a < 3; ++a) {
                got[1 + a] += momentum[3 * n + a];
                got[4 + a] += arm[a];
            }
        }
        // angular momentum holds where the spread is the same everywhere
        for (int k = 0; k < (spline > 0 ? 7 : 4); ++k) NEAR(got[k], want[k], 1e-12, 1e-11);
        free(mass);
        free(momentum);
        clear_world(&w);
    }
}

static void particles_may_have_volumes_of_their_own(void **state)
{
    (void)state;
    world w = make_world(PLI_SPLINE_QUADRATIC, 2, PARTICLES);
    double own[PARTICLES];
    pli_cloud_source source = source_of(&w);
    source.volume = own;
    for (int32_t k = 0; k < PARTICLES; ++k) own[k] = 1e-3 * (1 + 0.01 * k);
    OK(w.context, pli_cloud_build(w.cloud, &source));
    int32_t seen = 0;
    for (int32_t slot = 0; slot < w.cloud->slot_count; ++slot) {
        int32_t row = w.cloud->row[slot];
        if (row < 0) continue;
        const pli_cloud_kind *kind = &w.cloud->kinds[w.kind[row]];
        NEAR(w.cloud->volume[slot], own[row], 0, 0);
        NEAR(w.cloud->mass[slot], kind->mass, 0, 0);
        ++seen;
    }
    assert_int_equal(seen, PARTICLES);
    clear_world(&w);
}

// An affine motion of the nodes is what particles then have, and F follows it.
static void particles_take_affine_motions_exactly(void **state)
{
    (void)state;
    const double A[9] = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, 0.8, 0.9}, b[3] = {1, 2, 3};
    for (int spline = 0; spline < 3; ++spline) {
        world w = make_world((pli_spline_kind)spline, 2, PARTICLES);
        double *velocity = make_vector(&w);
        for (int32_t n = 0; n < w.cloud->nodes->count; ++n) {
            for (int a = 0; a < 3; ++a) {
                velocity[3 * n + a] = b[a];
                for (int c = 0; c < 3; ++c) {
                    velocity[3 * n + a] +=
                        A[3 * a + c] *
                        (w.cloud->origin[c] + w.cloud->dx * w.cloud->nodes->at[3 * n + c]);
                }
            }
        }
        pli_cloud_pull pull = {.velocity = velocity, .h = 0.01};
        pli_cloud_from_nodes(w.cloud, &pull);
        double *old = malloc(9 * (size_t)w.count * sizeof(double));
        double *before = malloc(3 * (size_t)w.count * sizeof(double));
        memcpy(old, w.deformation, 9 * (size_t)w.count * sizeof(double));
        memcpy(before, w.position, 3 * (size_t)w.count * sizeof(double));
        pli_cloud_target to = {w.position, w.velocity, w.affine, w.deformation, w.memory};
        pli_cloud_store(w.cloud, &to);
        for (int32_t k = 0; k < w.count; ++k) {
            for (int a = 0; a < 3; ++a) {
                double v = b[a];
                for (int c = 0; c < 3; ++c) v += A[3 * a + c] * before[3 * k + c];
                NEAR(w.velocity[3 * k + a], v, 1e-12, 1e-12);
                NEAR(w.position[3 * k + a], before[3 * k + a] + 0.01 * v, 1e-12, 0);
                for (int c = 0; c < 3; ++c) {
                    double F = old[9 * k + 3 * a + c];
                    for (int e = 0; e < 3; ++e) {
                        F += 0.01 * A[3 * a + e] * old[9 * k + 3 * e + c];
                    }
                    NEAR(w.affine[9 * k + 3 * a + c], A[3 * a + c], 1e-11, 1e-11);
                    NEAR(w.deformation[9 * k + 3 * a + c], F, 1e-12, 1e-13);
                }
            }
        }
        free(velocity);
        free(old);
        free(before);
        clear_world(&w);
    }
}

// ---- derivatives

static void gradient_is_that_of_the_energy(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        world w = make_world((pli_spline_kind)spline, 2, PARTICLES);
        double *g = make_vector(&w), *trial = make_vector(&w);
        pli_implicit_term.add_gradient(w.implicit, w.x, g);
        for (uint64_t s = 0; s < 4; ++s) {
            double *d = random_direction(&w, s);
            const double t = 1e-5;
            step_to(&w, t, d, trial);
            double high = energy_at(&w, trial);
            step_to(&w, -t, d, trial);
            double low = energy_at(&w, trial);
            double slope = dot(&w, g, d);
            NEAR((high - low) / (2 * t), slope, 1e-6, 1e-6);
            free(d);
        }
        free(g);
        free(trial);
        clear_world(&w);
    }
}

static pli_ell *assemble(const world *w, bool projected)
{
    pli_ell *matrix = NULL;
    int32_t slots = 2 * pli_implicit_reach(w->implicit) + 1;
    int32_t width = slots * slots * slots;
    OK(w->context, pli_ell_create(w->context, w->cloud->nodes->count, width, width / 2, &matrix));
    pli_node_grid_neighbors(w->cloud->nodes, pli_implicit_reach(w->implicit), matrix->column);
    pli_implicit_assemble(w->implicit, w->x, projected, matrix);
    return matrix;
}

static void matrix_is_the_derivative_of_the_gradient(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        world w = make_world((pli_spline_kind)spline, 2, PARTICLES);
        int32_t n = 3 * w.cloud->nodes->count;
        pli_ell *matrix = assemble(&w, false);
        double *trial = make_vector(&w), *Kd = make_vector(&w);
        for (uint64_t s = 0; s < 3; ++s) {
            double *d = random_direction(&w, 20 + s);
            double *high = make_vector(&w), *low = make_vector(&w);
            const double t = 1e-5;
            step_to(&w, t, d, trial);
            pli_implicit_term.add_gradient(w.implicit, trial, high);
            step_to(&w, -t, d, trial);
            pli_implicit_term.add_gradient(w.implicit, trial, low);
            pli_ell_multiply(matrix, d, Kd);
            double largest = 0;
            for (int32_t k = 0; k < n; ++k) largest = fmax(largest, fabs(Kd[k]));
            for (int32_t k = 0; k < n; ++k) {
                NEAR((high[k] - low[k]) / (2 * t), Kd[k], 0, 1e-6 * largest);
            }
            free(d);
            free(high);
            free(low);
        }
        free(trial);
        free(Kd);
        pli_ell_destroy(matrix);
        clear_world(&w);
    }
}

static void products_need_no_matrix(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        for (int projected = 0; projected < 2; ++projected) {
            world w = make_world((pli_spline_kind)spline, 2, PARTICLES);
            int32_t n = w.cloud->nodes->count;
            pli_ell *matrix = assemble(&w, projected == 1);
            double *Kd = make_vector(&w), *free_of_it = make_vector(&w);
            double *d = random_direction(&w, 40);
            OK(w.context, pli_implicit_prepare(w.implicit, w.x, projected == 1));
            pli_implicit_multiply(w.implicit, d, free_of_it);
            pli_ell_multiply(matrix, d, Kd);
            double largest = 0;
            for (int32_t k = 0; k < 3 * n; ++k) largest = fmax(largest, fabs(Kd[k]));
            for (int32_t k = 0; k < 3 * n; ++k) NEAR(free_of_it[k], Kd[k], 0, 1e-12 * largest);
            double *blocks = calloc(9 * (size_t)n, sizeof(double));
            pli_implicit_add_diagonal(w.implicit, blocks);
            for (int32_t k = 0; k < 9 * n; ++k) {
                double entry =
                    matrix->values[9 * ((int64_t)(k / 9) * matrix->width + matrix->center) + k % 9];
                NEAR(blocks[k], entry, 0, 1e-11 * largest);
            }
            // what is projected is positive
            if (projected == 1) AT_LEAST(dot(&w, d, Kd), 0);
            free(blocks);
            free(d);
            free(Kd);
            free(free_of_it);
            pli_ell_destroy(matrix);
            clear_world(&w);
        }
    }
}

// At x = 0, where F is that of the particle.
static void kept_tangents_are_those_of_the_law(void **state)
{
    (void)state;
    world w = make_world(PLI_SPLINE_QUADRATIC, 2, PARTICLES);
    double *nowhere = make_vector(&w);
    OK(w.context, pli_implicit_prepare(w.implicit, nowhere, true));
    for (int32_t slot = 0; slot < w.cloud->slot_count; ++slot) {
        int32_t row = w.cloud->row[slot];
        if (row < 0) continue;
        const pli_implicit_kind *kind = &w.implicit->kinds[w.kind[row]];
        double growth = pli_material_stiffness(&kind->material, w.memory[row]);
        double want[81], got[45];
        kind->law->evaluate(1, w.deformation + 9 * row, kind->params, PLI_TANGENT_PROJECTED, NULL,
                            NULL, want);
        pli_implicit_get_tangents(w.implicit, slot, got);
        for (int i = 0, k = 0; i < 9; ++i) {
            for (int j = i; j < 9; ++j, ++k) {
                // rounding of a decomposition, against the largest entry
                double weight = growth * w.cloud->volume[slot];
                NEAR(got[k], weight * want[9 * i + j], 1e-12, 1e-12 * weight * want[0]);
            }
        }
    }
    free(nowhere);
    clear_world(&w);
}

// ---- promises

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        world w = make_world(PLI_SPLINE_QUADRATIC, bits.threads, 3000);
        size_t n = 3 * (size_t)w.cloud->nodes->count;
        pli_ell *matrix = assemble(&w, true);
        size_t values = 9 * (size_t)w.cloud->nodes->count * (size_t)matrix->width;
        double *g = make_vector(&w);
        pli_implicit_term.add_gradient(w.implicit, w.x, g);
        same_bits_keep(&bits, g, n * sizeof *g);
        same_bits_keep_double(&bits, energy_at(&w, w.x));
        same_bits_keep(&bits, matrix->values, values * sizeof *matrix->values);
        free(g);
        pli_ell_destroy(matrix);
        clear_world(&w);
    }
}

static void building_again_allocates_nothing(void **state)
{
    (void)state;
    world w = make_world(PLI_SPLINE_QUADRATIC, 2, 500);
    OK(w.context, pli_implicit_prepare(w.implicit, w.x, true));
    int64_t before = pli_context_allocation_count(w.context);
    pli_cloud_source source = source_of(&w);
    OK(w.context, pli_cloud_build(w.cloud, &source));
    OK(w.context, pli_implicit_begin(w.implicit));
    OK(w.context, pli_implicit_prepare(w.implicit, w.x, true));
    assert_int_equal(pli_context_allocation_count(w.context), before);
    clear_world(&w);
}

static void a_particle_off_the_grid_is_named(void **state)
{
    (void)state;
    world w = make_world(PLI_SPLINE_QUADRATIC, 1, 10);
    pli_cloud_source source = source_of(&w);
    const double wrong[] = {-5, NAN, 1e9};
    for (int k = 0; k < 3; ++k) {
        w.position[3 * 7 + 1] = wrong[k];
        assert_int_equal(pli_cloud_build(w.cloud, &source), PLI_ERROR_NUMERIC);
        char message[512];
        pli_context_message(w.context, message, sizeof message);
        assert_non_null(strstr(message, "particle 7"));
    }
    clear_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_sum_up_and_reproduce_linear_fields),
        cmocka_unit_test(nodes_get_all_mass_and_momenta),
        cmocka_unit_test(particles_may_have_volumes_of_their_own),
        cmocka_unit_test(particles_take_affine_motions_exactly),
        cmocka_unit_test(gradient_is_that_of_the_energy),
        cmocka_unit_test(matrix_is_the_derivative_of_the_gradient),
        cmocka_unit_test(products_need_no_matrix),
        cmocka_unit_test(kept_tangents_are_those_of_the_law),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(building_again_allocates_nothing),
        cmocka_unit_test(a_particle_off_the_grid_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
