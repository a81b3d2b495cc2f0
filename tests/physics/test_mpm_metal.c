// SPDX-License-Identifier: Apache-2.0
//
// Metal of explicit MPM: a copper rod that strikes a rigid wall (Taylor's test), against what
// other codes have found.
#include "mpm_world.h"

static const double origin[3] = {0, 0, 0};

// The usual numbers (Kamoulakos 1990): a rod of 32.4 mm x 3.2 mm at 227 m/s, 80 microseconds.
static const double rod_length = 32.4e-3, rod_radius = 3.2e-3, rod_speed = 227, rod_time = 80e-6;

static pli_material make_copper(void)
{
    pli_material copper = material_solid("hencky", 8930, 117e9, 0.35);
    copper = material_yielding(copper, PLI_YIELD_VON_MISES, &(pli_von_mises_def){400e6, 100e6});
    return copper;
}

static void fly_down(const double x[3], double v[3], double C[9])
{
    (void)x;
    (void)C;
    v[2] = -rod_speed;
}

// A quarter of the rod between two planes of symmetry.
static const pli_shape *make_rod(mpm_world *w)
{
    const pli_shape *shapes[2] = {NULL, NULL}, *quarter = NULL;
    const double top[3] = {0, 0, rod_length}, corner[3] = {rod_radius, rod_radius, rod_length};
    OK(w->context, pli_shape_cylinder(w->shapes, origin, top, rod_radius, &shapes[0]));
    shapes[1] = mpm_box(w, origin, corner);
    OK(w->context, pli_shape_intersection(w->shapes, 2, shapes, 0, &quarter));
    return quarter;
}

// What can be seen of particles.
typedef struct rod_sums {
    double top;    // highest (m)
    double radius; // farthest from the axis (m)
    double strain; // largest plastic one
} rod_sums;

static void add_to_rod(void *user, const mpm_world *w, const mpm_sample *s)
{
    rod_sums *r = user;
    (void)w;
    r->top = fmax(r->top, s->x[2]);
    r->radius = fmax(r->radius, hypot(s->x[0], s->x[1]));
    r->strain = fmax(r->strain, (double)s->particle.memory);
}

typedef struct rod_report {
    double energy;  // at the start, of the whole rod (J)
    double length;  // at the end (m)
    double radius;  // of the end that struck (m)
    double strain;  // largest plastic one
    double kinetic; // left at the end, of that at the start
} rod_report;

// Particles end half of their spacing before the surface, which stretches with them.
static rod_report strike(int32_t cells)
{
    double dx = rod_radius / cells;
    mpm_world *w = mpm_world_make(dx, 3 * cells, 3 * cells, (int32_t)(rod_length / dx) + 3);
    pli_material copper = make_copper();
    int32_t kind = mpm_world_kind(w, &copper);
    mpm_world_build(w, 0.35 * dx / sqrt((copper.lambda + 2 * copper.mu) / copper.density));
    mpm_world_seed(w, kind, make_rod(w), fly_down);
    rod_sums before = {0}, after = {0};
    mpm_world_visit(w, add_to_rod, &before);
    mpm_totals start = mpm_world_measure(w);
    mpm_world_run(w, (int64_t)(rod_time / w->def.tick));
    mpm_world_visit(w, add_to_rod, &after);
    mpm_totals end = mpm_world_measure(w);
    // as if the lattice had all of the volume of the rod
    double volume = M_PI * rod_radius * rod_radius * rod_length;
    double share = 8930 * volume / (4 * start.mass);
    rod_report report = {4 * share * start.kinetic, after.top + rod_length - before.top,
                         after.radius * rod_radius / before.radius, after.strain,
                         end.kinetic / start.kinetic};
    NEAR(end.mass, start.mass, 1e-12, 0);
    mpm_world_destroy(w);
    return report;
}

// Published codes end with a length of 21.3 to 21.7 mm, a radius of 6.9 to 7.2 mm and a plastic
// strain of about 2.5 to 3.2 (Kamoulakos 1990; Zhu and Cescotto 1995; Camacho and Ortiz 1997).
//
// These particles do not get there: they pass their velocity through the grid in every step, which
// damps what is as small as a few cells, the lip that flares at the wall before all. With 6 cells a
// radius it takes 3.5 times as many steps to lose 0.2 mm of the radius (5.46 to 5.28 mm), and both
// laws of elasticity give the same. Lengths are 22.14, 22.06, 21.96, 21.96 and 21.90 mm,
// radii 5.37, 5.46, 5.52, 5.53 and 5.57 mm and strains 1.27, 1.72, 2.07, 2.36 and 2.61 at 4, 6, 8,
// 10 and 12.
static void a_copper_rod_gets_shorter_as_other_codes_have_it(void **state)
{
    (void)state;
    int32_t cells = getenv("PLIANT_LONG") != NULL ? 12 : 6;
    rod_report coarse = strike(cells * 2 / 3), fine = strike(cells);
    NEAR(fine.energy, 239.81, 1e-4, 0);
    NEAR(fine.length, 21.5e-3, 0.03, 0);
    NEAR(coarse.length, fine.length, 0.01, 0);
    // finer cells lead towards what is published, not beyond
    AT_MOST(fine.length, coarse.length);
    AT_LEAST(fine.length, 21.3e-3);
    AT_LEAST(fine.radius, coarse.radius);
    AT_MOST(fine.radius, 7.2e-3);
    AT_LEAST(fine.strain, coarse.strain);
    AT_MOST(fine.strain, 3.2);
    // it has come to rest
    AT_MOST(fine.kinetic, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copper_rod_gets_shorter_as_other_codes_have_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
