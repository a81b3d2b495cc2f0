// SPDX-License-Identifier: Apache-2.0
//
// Manufactured solutions of explicit MPM (Wallstedt and Guilkey 2008): a bar between two walls is
// made to move as u = A g(X) sin(w t) by the body force that this takes, and it is told how far
// particles are from it.
//
// g = sin^2(pi X) has no stress at the walls, and the error falls with the square of the cells.
// g = sin(pi X), as in the paper, pushes against them. The first free node at a wall reaches half a
// cell behind it, where nobody pushes: an error of first order, which the other one does not see.
#include "mpm_world.h"

static const double density = 1000, young = 1e6, poisson = 0.3, amplitude = 0.005;

// g, g' and g'' at X.
typedef void (*form_fn)(double X, double g[3]);

static void push_walls(double X, double g[3])
{
    g[0] = sin(M_PI * X);
    g[1] = M_PI * cos(M_PI * X);
    g[2] = -M_PI * M_PI * sin(M_PI * X);
}

static void spare_walls(double X, double g[3])
{
    g[0] = sin(M_PI * X) * sin(M_PI * X);
    g[1] = M_PI * sin(2 * M_PI * X);
    g[2] = 2 * M_PI * M_PI * cos(2 * M_PI * X);
}

typedef struct forced_bar {
    mpm_world *world;
    form_fn form;
    double mu, lambda, omega;
    int64_t step; // that is being taken, from 0
    double error; // mean over particles (m)
    double time;  // s
} forced_bar;

static const forced_bar *moving; // whose velocity is seeded

static void start_moving(const double x[3], double v[3], double C[9])
{
    double speed = amplitude * moving->omega, g[3];
    moving->form(x[2], g);
    v[2] = speed * g[0];
    C[8] = speed * g[1];
}

// ---- the force

// Where what is at z was at rest: X + A g(X) sin(w t) = z.
static double find_rest(const forced_bar *b, double z, double swing)
{
    double X = z, g[3];
    for (int k = 0; k < 8; ++k) {
        b->form(X, g);
        X -= (X + amplitude * g[0] * swing - z) / (1 + amplitude * g[1] * swing);
    }
    return X;
}

// b = d2u/dt2 - (dP/dX) / rho, with P = mu (F - 1 / F) + lambda log(F) / F of a bar whose sides are
// held.
static double body_force(const forced_bar *b, double z, double time)
{
    double swing = sin(b->omega * time), g[3];
    b->form(find_rest(b, z, swing), g);
    double F = 1 + amplitude * g[1] * swing, dF = amplitude * g[2] * swing;
    double slope = b->mu * (1 + 1 / (F * F)) + b->lambda * (1 - log(F)) / (F * F);
    return -b->omega * b->omega * amplitude * g[0] * swing - slope * dF / density;
}

static void force_page(void *user, uint32_t code, float *nodes, double dt)
{
    forced_bar *b = user;
    int32_t at[3];
    pli_paged_grid_coordinates(pli_stepper_particles(b->world->stepper)->grid, code, at);
    double time = (double)b->step * b->world->def.tick;
    for (int32_t k = 0; k < PLI_BLOCK_X * PLI_BLOCK_Y * PLI_BLOCK_Z; ++k) {
        float *node = nodes + PLI_NODE_FLOATS * k;
        double z = (PLI_BLOCK_Z * at[2] + k % PLI_BLOCK_Z - MPM_WALL) * mpm_dx(b->world);
        if (node[0] > 0) node[6] += (float)(dt * body_force(b, z, time));
    }
    mpm_world_constrain(b->world, code, nodes, dt);
}

// ---- the error

// Particles keep the number of their place on the lattice, two a cell.
static void add_error(void *user, const mpm_world *w, const mpm_sample *s)
{
    forced_bar *b = user;
    double X = (s->particle.id + 0.5) * mpm_dx(w) / 2;
    double g[3];
    b->form(X, g);
    double u = amplitude * g[0] * sin(b->omega * b->time);
    b->error += fabs(s->x[2] - X - u) * mpm_dx(w) / 2;
}

// Mean error over particles, largest of eight times of a period, over the amplitude.
static double largest_error(form_fn form, int32_t cells)
{
    double dx = 1.0 / cells, worst = 0;
    pli_material rubber = material_solid("neo-hookean", density, young, poisson);
    forced_bar b = {.world = mpm_world_make(dx, 0, 0, cells),
                    .form = form,
                    .mu = rubber.mu,
                    .lambda = rubber.lambda,
                    .omega = M_PI * sqrt((rubber.lambda + 2 * rubber.mu) / density)};
    mpm_world *w = b.world;
    int32_t kind = mpm_world_kind(w, &rubber);
    // an eighth of a period; sound crosses an eighth of a cell in a step
    int64_t steps = 2 * cells;
    mpm_world_build(w, 2 * M_PI / b.omega / 8 / (double)steps);
    pli_stepper_destroy(w->stepper);
    w->def.constrain = force_page;
    w->def.user = &b;
    OK(w->context, pli_stepper_create(w->context, &w->def, &w->stepper));
    moving = &b;
    mpm_world_seed(w, kind, mpm_box(w, (double[3]){0, 0, 0}, (double[3]){0, 0, 1}), start_moving);
    for (int eighth = 1; eighth <= 8; ++eighth) {
        for (int64_t k = 0; k < steps; ++k, ++b.step) mpm_world_run(w, 1);
        b.time = (double)b.step * w->def.tick;
        b.error = 0;
        mpm_world_visit(w, add_error, &b);
        worst = fmax(worst, b.error / amplitude);
    }
    mpm_world_destroy(w);
    return worst;
}

static void errors_fall_with_the_square_of_the_cells(void **state)
{
    (void)state;
    double before = largest_error(spare_walls, 8);
    for (int32_t cells = 16; cells <= 64; cells *= 2) {
        double error = largest_error(spare_walls, cells), order = log2(before / error);
        AT_LEAST(order, 1.8);
        before = error;
    }
    AT_MOST(before, 3e-3);
}

static void errors_at_walls_that_are_pushed_fall_with_the_cells(void **state)
{
    (void)state;
    double coarse = largest_error(push_walls, 16), fine = largest_error(push_walls, 32);
    double order = log2(coarse / fine);
    NEAR(order, 1, 0.15, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_fall_with_the_square_of_the_cells),
        cmocka_unit_test(errors_at_walls_that_are_pushed_fall_with_the_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
