// SPDX-License-Identifier: Apache-2.0
//
// Natural frequencies against closed forms and against what swings in time.
#include "simulate.h"

#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include <math.h>

enum { MOST = 16 };

typedef struct found_modes {
    pli_modes *modes;
    pli_modes_report report;
    double frequency[MOST];
} found_modes;

static found_modes find(simulation *s, const pli_state *state, int32_t count)
{
    found_modes found = {0};
    pli_modes_def def = pli_modes_def_default();
    def.count = count;
    OK(s->context, pli_modes_compute(s->model, state, &def, &found.modes));
    pli_modes_get_report(found.modes, &found.report);
    for (int32_t k = 0; k < count; ++k) {
        pli_vibration mode;
        pli_modes_get(found.modes, k, &mode);
        found.frequency[k] = mode.frequency;
    }
    return found;
}

static const char free_cube[] =
    "materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "bodies: {cube: {material: m, geometry: {grid: {size: [1, 1, 1], cells: [8, 8, 8]}}}}\n"
    "time: {fps: 24, frames: 1}\n";

// Six motions of a free body that nothing resists, and the next ones far above.
static void free_bodies_have_six_rigid_modes(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, free_cube, 2);
    found_modes found = find(&s, NULL, 10);
    for (int k = 0; k < 10; ++k) {
        pli_vibration mode;
        pli_modes_get(found.modes, k, &mode);
        printf("%d %.17g %.3e  %g %g %g\n", k, mode.frequency, mode.omega2, mode.share[0],
               mode.share[1], mode.share[2]);
    }
    printf("residual %g rigid %d\n", found.report.residual, found.report.rigid);
    pli_modes_destroy(found.modes);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_bodies_have_six_rigid_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
