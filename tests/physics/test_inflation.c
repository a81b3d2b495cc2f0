// SPDX-License-Identifier: Apache-2.0
//
// Gas and liquid in cavities against models of one degree of freedom.
#include "simulate.h"

#include "math/vec3.h"
#include "sim/model/model.h"

// ---- a weight on a column of gas

// A box of gas of 1 m^3 whose lid moves up and down; its skin has next to no stiffness.
static const char *column =
    "materials: {skin: {law: neo-hookean, density: 1e4, young: 1000, poisson: 0.3}}\n"
    "bodies: {box: {kind: shell, thickness: 0.01, geometry: {grid: {cells: [1, 1, 1]}}, material: "
    "skin}}\n"
    "contact: none\n"
    "gravity: [0, -80, 0]\n"
    "constraints:\n"
    "  - {axes: xz}\n"
    "  - {where: {half_space: {point: [0, -0.49, 0], normal: [0, -1, 0]}}}\n"
    "cavities: {air: {body: box, content: gas}}\n"
    "time: {fps: 2000, frames: 2000, integrator: bdf2}\n"
    "solver: {name: newton, tolerance: 1e-8}\n";

// Height of a lid of mass m over gas at atmospheric pressure, let go at h = 1:
// m h'' = p_0 (h^-y - 1) - m g; the time of n returns to the top by Runge-Kutta steps.
static double model_period(double m, double g)
{
    const double dt = 1e-6, p = 101325, y = 1.4;
    double h = 1, v = 0, t = 0;
    bool down = true;
    while (down || v > 0) {
        double k[4], u[4], at = h, speed = v;
        for (int i = 0; i < 4; ++i) {
            double s = i == 3 ? dt : 0.5 * dt;
            u[i] = speed;
            k[i] = p / m * (pow(at, -y) - 1) - g;
            at = h + s * u[i];
            speed = v + s * k[i];
        }
        h += dt / 6 * (u[0] + 2 * u[1] + 2 * u[2] + u[3]);
        v += dt / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
        t += dt;
        down = down && v <= 0;
    }
    return t;
}

static void a_weight_bounces_on_gas_with_its_period(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, column, 1);
    const double *mass = pli_model_get_mesh(s.model).masses;
    const double *rest = pli_model_get_mesh(s.model).rest_positions;
    double lid = 0;
    int32_t top = 0;
    for (int32_t k = 0; k < s.info.vertex_count; ++k) {
        if (rest[3 * k + 1] < 0) continue;
        lid += mass[k];
        top = k;
    }
    double expected = model_period(lid, 80);
    // four bounces; the lid is at its highest where its velocity changes from up to down
    int32_t bounces = 0;
    double last = 0, before = 0, lowest = 1;
    while (bounces < 4) {
        pli_step_report report = simulation_step(&s);
        double v = pli_state_get(s.state).velocities[3 * top + 1];
        lowest = fmin(lowest, report.cavities[0].volume);
        if (before > 0 && v <= 0) {
            ++bounces;
            last = report.time;
        }
        before = v;
        assert_true(report.time < 4);
    }
    NEAR(last / 4, expected, 0.02, 0);
    // the weight compresses the gas by far more than linear theory takes
    AT_MOST(lowest, 0.8);
    simulation_clear(&s);
}

// ---- a thin sphere of rubber

enum { LEVEL = 4, SIDE = 1 << LEVEL, MOST = 2 * (4 * SIDE * SIDE + 2) };

typedef struct sphere {
    int32_t point_count; // of one skin
    double points[2 * MOST][3];
    int32_t triangle_count;
    int32_t triangles[8 * SIDE * SIDE][3];
    int32_t tets[3 * 8 * SIDE * SIDE][4];
} sphere;

static int32_t add_point(sphere *s, const double x[3])
{
    for (int32_t k = 0; k < s->point_count; ++k) {
        if (pli_vec3_distance(s->points[k], x) < 1e-9) return k;
    }
    pli_vec3_copy(x, s->points[s->point_count]);
    return s->point_count++;
}

// An octahedron whose faces are cut into SIDE^2 triangles, blown up to a sphere of radius 1.
static void make_skin(sphere *s)
{
    for (int face = 0; face < 8; ++face) {
        double sign[3] = {face & 1 ? -1 : 1, face & 2 ? -1 : 1, face & 4 ? -1 : 1};
        bool turned = sign[0] * sign[1] * sign[2] < 0;
        int32_t grid[SIDE + 1][SIDE + 1];
        for (int i = 0; i <= SIDE; ++i) {
            for (int j = 0; i + j <= SIDE; ++j) {
                double x[3] = {sign[0] * i, sign[1] * j, sign[2] * (SIDE - i - j)};
                pli_vec3_normalize(x, x);
                grid[i][j] = add_point(s, x);
            }
        }
        for (int i = 0; i < SIDE; ++i) {
            for (int j = 0; i + j < SIDE; ++j) {
                for (int upper = 0; upper < (i + j + 1 < SIDE ? 2 : 1); ++upper) {
                    int32_t *t = s->triangles[s->triangle_count++];
                    t[0] = upper ? grid[i + 1][j + 1] : grid[i][j];
                    t[1] = upper ? grid[i][j + 1] : grid[i + 1][j];
                    t[2] = upper ? grid[i + 1][j] : grid[i][j + 1];
                    int32_t swap = t[1];
                    if (turned) t[1] = t[2];
                    if (turned) t[2] = swap;
                }
            }
        }
    }
}

// One layer of wedges between two skins, each cut into three tetrahedra by the order of its
// vertices, so that neighbours fit.
static void make_wall(sphere *s, double inner, double outer)
{
    int32_t n = s->point_count;
    for (int32_t k = 0; k < n; ++k) {
        pli_vec3_scale(outer, s->points[k], s->points[n + k]);
        pli_vec3_scale(inner, s->points[k], s->points[k]);
    }
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        int32_t v[3];
        memcpy(v, s->triangles[t], sizeof v);
        for (int pass = 0; pass < 3; ++pass) {
            int i = pass % 2, swap = v[i];
            if (v[i] < v[i + 1]) continue;
            v[i] = v[i + 1];
            v[i + 1] = swap;
        }
        int32_t wedge[3][4] = {{v[0], v[1], v[2], n + v[2]},
                               {v[0], v[1], n + v[1], n + v[2]},
                               {v[0], n + v[0], n + v[1], n + v[2]}};
        for (int k = 0; k < 3; ++k) {
            int32_t *tet = wedge[k];
            double a[3], b[3], c[3], cross[3];
            pli_vec3_subtract(s->points[tet[1]], s->points[tet[0]], a);
            pli_vec3_subtract(s->points[tet[2]], s->points[tet[0]], b);
            pli_vec3_subtract(s->points[tet[3]], s->points[tet[0]], c);
            pli_vec3_cross(b, c, cross);
            int32_t swap = tet[2];
            if (pli_vec3_dot(a, cross) < 0) {
                tet[2] = tet[3];
                tet[3] = swap;
            }
            memcpy(s->tets[3 * t + k], tet, 4 * sizeof *tet);
        }
    }
}

// f(z) = 1 / (2 z^4) + 2 / z; an incompressible Neo-Hookean wall from a to b that is stretched
// from l_a at the inside to l_b holds the pressure mu (f(l_b) - f(l_a)) (Green and Zerna 1954).
static double sphere_pressure(double mu, double stretch, double ratio)
{
    double outer = cbrt(1 + (pow(stretch, 3) - 1) / pow(ratio, 3));
    return mu * (0.5 * pow(outer, -4) + 2 / outer - 0.5 * pow(stretch, -4) - 2 / stretch);
}

// The volume is given, so that the pressure may fall: it is largest at a stretch of 7^(1/6) = 1.38.
static void an_inflated_sphere_has_the_pressure_of_the_closed_form(void **state)
{
    (void)state;
    static const char *yaml =
        "materials: {rubber: {law: neo-hookean, density: 1000, mu: 1e5, lambda: 5e7}}\n"
        "bodies: {ball: {geometry: {grid: {}}, material: rubber}}\n"
        "gravity: [0, 0, 0]\ncontact: none\n"
        // poles move along their axes
        "constraints:\n"
        "  - {where: {box: {min: [-2, -1e-6, -1e-6], max: [2, 1e-6, 1e-6]}}, axes: yz}\n"
        "  - {where: {box: {min: [-1e-6, -2, -1e-6], max: [1e-6, 2, 1e-6]}}, axes: xz}\n"
        "  - {where: {box: {min: [-1e-6, -1e-6, -2], max: [1e-6, 1e-6, 2]}}, axes: xy}\n"
        "cavities:\n"
        "  air: {body: ball, content: {liquid: {bulk: 1e8}}, over_time: [{time: 0, factor: 1}, "
        "{time: 1, factor: 7}]}\n"
        "solver: {name: newton, linear: cholesky}\n"
        "time: {fps: 24, frames: 24, mode: quasi-static}\n";
    const double outer = 1.005;
    sphere *s = calloc(1, sizeof *s);
    assert_non_null(s);
    make_skin(s);
    make_wall(s, 1, outer);
    pli_mesh_data mesh = {.point_count = 2 * s->point_count,
                          .points = s->points[0],
                          .tet_count = 3 * s->triangle_count,
                          .tets = s->tets[0]};
    simulation sim;
    simulation_init_mesh(&sim, yaml, &mesh);
    double highest = 0, last = 0;
    for (int step = 0; step < 24; ++step) {
        pli_step_report report = simulation_step(&sim);
        const pli_cavity_report *air = &report.cavities[0];
        double stretch = cbrt(air->volume / sim.model->cavities[0].law.volume);
        NEAR(air->volume / sim.model->cavities[0].law.volume, 1 + 6 * (step + 1) / 24.0, 1e-4, 0);
        NEAR(air->pressure, sphere_pressure(1e5, stretch, outer), 0.01, 0);
        highest = fmax(highest, air->pressure);
        last = air->pressure;
    }
    // past its maximum
    AT_MOST(last, 0.95 * highest);
    simulation_clear(&sim);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_bounces_on_gas_with_its_period),
        cmocka_unit_test(an_inflated_sphere_has_the_pressure_of_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
