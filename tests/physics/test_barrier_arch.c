// SPDX-License-Identifier: Apache-2.0
//
// Friction carries a building (Li et al. 2020): a masonry arch of 25 loose blocks stands when stone
// is rough and falls when it is smooth. Its feet meet the ground at an angle whose tangent lies in
// between.
#include "barrier.h"

enum { BLOCKS = 25, STEPS = 60 };

// Height of the highest vertex above the ground (m).
static double crown(const simulation *s)
{
    const double *x = pli_state_get(s->state).positions;
    double top = 0;
    for (int64_t k = 0; k < s->info.vertex_count; ++k) top = fmax(top, x[3 * k + 1]);
    return top;
}

// How far the crown of the arch has come down after 0.6 s (m).
static double drop_after(double friction)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {stone: {law: neo-hookean, density: 2300, young: 2e10, poisson: 0.2}}\n"
             "bodies:\n"
             "  arch: {material: stone, geometry: {arch: {span: 1, rise: 0.8, thickness: 0.1,\n"
             "    depth: 0.2, blocks: %d, gap: 5e-4, cells: [1, 1, 1]}}}\n"
             "colliders: {ground: {shape: plane, friction: %.17g}}\n"
             "contact: {method: barrier, distance: 5e-4, friction: %.17g}\n"
             "solver: ipc-llt\n"
             "time: {fps: 100, frames: 1}\n",
             (int)BLOCKS, friction, friction);
    simulation s;
    simulation_init(&s, yaml, 1);
    assert_int_equal(s.info.body_count, BLOCKS);
    double before = crown(&s);
    for (int k = 0; k < STEPS; ++k) barrier_step(&s);
    double drop = before - crown(&s);
    simulation_clear(&s);
    return drop;
}

static void an_arch_of_rough_blocks_stands(void **state)
{
    (void)state;
    // it settles by the gaps, which close in part
    AT_MOST(drop_after(0.5), 5e-3);
}

static void an_arch_of_smooth_blocks_falls(void **state)
{
    (void)state;
    AT_MOST(0.2, drop_after(0.1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arch_of_rough_blocks_stands),
        cmocka_unit_test(an_arch_of_smooth_blocks_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
