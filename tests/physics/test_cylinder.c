// SPDX-License-Identifier: Apache-2.0
//
// A thick cylinder under inner pressure in plane strain (Lame): displacements and hoop stress.
#include "simulate.h"

#include "math/vec3.h"

static const double inner = 1, outer = 2, pressure = 1e3; // m, m, Pa
static const double young = 1e6, poisson = 0.3;

// ---- a quarter of a ring, one cell thick

enum { RINGS = 24, SECTORS = 36, RING_POINTS = (RINGS + 1) * (SECTORS + 1) };
static const double thickness = 0.04;

typedef struct ring {
    double points[2 * RING_POINTS][3];
    int32_t tets[6 * RINGS * SECTORS][4];
} ring;

static int32_t point_id(int32_t r, int32_t t, int32_t side)
{
    return side * RING_POINTS + t * (RINGS + 1) + r;
}

// Six tetrahedra around the diagonal of a cell.
static void fill_cell(ring *m, int32_t r, int32_t t)
{
    static const int steps[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 6; ++k) {
        int32_t *tet = m->tets[6 * (t * RINGS + r) + k], at[3] = {r, t, 0};
        tet[0] = point_id(at[0], at[1], at[2]);
        for (int i = 0; i < 3; ++i) {
            ++at[steps[k][i]];
            tet[i + 1] = point_id(at[0], at[1], at[2]);
        }
        // every other order of steps turns the other way
        bool is_odd = k == 1 || k == 2 || k == 5;
        int32_t swap = tet[1];
        if (is_odd) tet[1] = tet[2];
        if (is_odd) tet[2] = swap;
    }
}

static void fill_ring(ring *m)
{
    for (int32_t t = 0; t <= SECTORS; ++t) {
        for (int32_t k = 0; k < 2 * (RINGS + 1); ++k) {
            double r = inner + (outer - inner) * (k % (RINGS + 1)) / RINGS;
            double angle = M_PI / 2 * t / SECTORS;
            double *x = m->points[point_id(k % (RINGS + 1), t, k / (RINGS + 1))];
            pli_vec3_set(r * cos(angle), r * sin(angle), thickness * (k / (RINGS + 1)), x);
        }
    }
    for (int32_t k = 0; k < RINGS * SECTORS; ++k) fill_cell(m, k % RINGS, k / RINGS);
}

static void ring_init(simulation *s, const ring *m)
{
    static const char yaml[] =
        "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0.3}}\n"
        "bodies: {ring: {geometry: grid, material: m}}\n"
        "gravity: [0, 0, 0]\n"
        "constraints:\n"
        "  - {where: all, axes: z}\n"
        "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}, axes: x}\n"
        "  - {where: {half_space: {point: [0, 1e-9, 0], normal: [0, -1, 0]}}, axes: y}\n"
        "solver: {name: newton, linear: cholesky, tolerance: 1e-12}\n"
        "time: {fps: 1, frames: 1, mode: quasi-static}\n";
    pli_mesh_data mesh = {.point_count = 2 * RING_POINTS,
                          .points = m->points[0],
                          .tet_count = 6 * RINGS * SECTORS,
                          .tets = m->tets[0]};
    simulation_init_mesh(s, yaml, &mesh);
}

// Pressure on the inner face, as springs so soft and far away that their force does not change.
static void load_ring(simulation *s, const ring *m)
{
    const double far = 1e4;
    double force = pressure * thickness / 2 * inner * M_PI / 2 / SECTORS;
    for (int32_t k = 0; k < 2 * (SECTORS + 1); ++k) {
        int32_t t = k / 2, vertex = point_id(0, t, k % 2);
        bool is_end = t == 0 || t == SECTORS;
        const double *x = m->points[vertex];
        double target[3] = {(1 + far) * x[0], (1 + far) * x[1], x[2]};
        OK(s->context,
           pli_state_set_grip(s->state, vertex, force / far / (is_end ? 2 : 1), target));
    }
}

// ---- what comes out

// Mean displacement away from the axis on a circle (m).
static double radial(const simulation *s, const ring *m, int32_t r)
{
    const double *x = pli_state_get(s->state).positions;
    double sum = 0;
    for (int32_t k = 0; k < 2 * (SECTORS + 1); ++k) {
        int32_t vertex = point_id(r, k / 2, k % 2);
        sum += hypot(x[3 * vertex], x[3 * vertex + 1]) -
               hypot(m->points[vertex][0], m->points[vertex][1]);
    }
    return sum / (2 * (SECTORS + 1));
}

// Hoop stress of plane strain between two circles (Pa), from what they moved by: that of the
// middle, where both strains are of second order.
static double hoop(double r, double dr, double u_in, double u_out)
{
    double around = (u_in + u_out) / 2 / (r + dr / 2), along = (u_out - u_in) / dr;
    return young / ((1 + poisson) * (1 - 2 * poisson)) * ((1 - poisson) * around + poisson * along);
}

// u = A r + B / r, and hoop = a^2 p / (b^2 - a^2) (1 + b^2 / r^2)
static void thick_cylinders_widen_as_lame_says(void **state)
{
    (void)state;
    ring *m = calloc(1, sizeof *m);
    simulation s;
    fill_ring(m);
    ring_init(&s, m);
    load_ring(&s, m);
    simulation_step(&s);
    NEAR(radial(&s, m, 0), 1.906667e-3, 0.01, 0);
    NEAR(radial(&s, m, RINGS), 1.213333e-3, 0.01, 0);
    // hoop = c + d / r^2 through the middles of the first and the last layer, at the inner face
    double dr = (outer - inner) / RINGS, r[2] = {inner, outer - dr}, h[2], q[2];
    for (int k = 0; k < 2; ++k) {
        int32_t layer = k == 0 ? 0 : RINGS - 1;
        h[k] = hoop(r[k], dr, radial(&s, m, layer), radial(&s, m, layer + 1));
        q[k] = 1 / pow(r[k] + dr / 2, 2);
    }
    double d = (h[0] - h[1]) / (q[0] - q[1]);
    NEAR(h[0] + d * (1 - q[0]), 1666.67, 0.01, 0);
    simulation_clear(&s);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thick_cylinders_widen_as_lame_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
