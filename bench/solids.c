// SPDX-License-Identifier: Apache-2.0
//
// Solids against closed forms: elements, loads and cavities, what is measured, laws that remember,
// modes. The set-ups are those of the tests (docs/theory/validation.md); here they are printed,
// with what locks beside what does not.
#include "bench.h"

#include "base/context.h"
#include "support/fibre_bar.h"
#include "support/solid_cavities.h"
#include "support/solid_elements.h"
#include "support/solid_forces.h"
#include "support/solid_laws.h"
#include "support/solid_modes.h"

#include <math.h>
#include <stdio.h>

// A figure whose size is bounded.
static void claim_at_most(pli_bench *bench, const char *id, const char *what, double value,
                          const char *unit, double bound)
{
    pli_bench_claim(bench, &(pli_claim){id, what, "-", value, unit, -bound, bound});
}

// ---- elements

static void claim_tip(pli_bench *bench, const char *element, int32_t n, double poisson, double tip,
                      double converged)
{
    char what[128];
    bool locks = element[0] == 'l' && element[1] == 'i';
    snprintf(what, sizeof what, "Cook's membrane, nu %g: %s, %d a side, tip", poisson, element,
             (int)n);
    double bound = locks ? NAN : 1;
    claim_at_most(bench, "cook", what, 100 * (tip / converged - 1), "%", bound);
}

// The reference is what quadratic elements of 16, 32 and 64 cells a side tend to, whose differences
// fall by a constant factor, for the clamped corner is singular.
static pli_status run_cook(pli_bench *bench, double poisson)
{
    pli_context *context = pli_bench_context(bench);
    double tip[3], linear, locking_free;
    for (int k = 0; k < 3; ++k) {
        PLI_TRY(pli_solid_cook(context, "quadratic", 16 << k, poisson, &tip[k]));
    }
    PLI_TRY(pli_solid_cook(context, "locking-free", 32, poisson, &locking_free));
    PLI_TRY(pli_solid_cook(context, "linear", 32, poisson, &linear));
    double first = tip[1] - tip[0], second = tip[2] - tip[1];
    double converged = tip[2] + second * second / (first - second);
    pli_bench_note(bench, "nu %g: tip %.5f, %.5f, %.5f mm of 16, 32, 64 quadratic cells, %.5f mm",
                   poisson, 1e3 * tip[0], 1e3 * tip[1], 1e3 * tip[2], 1e3 * converged);
    claim_tip(bench, "quadratic", 16, poisson, tip[0], converged);
    claim_tip(bench, "locking-free", 32, poisson, locking_free, converged);
    claim_tip(bench, "linear", 32, poisson, linear, converged);
    return PLI_OK;
}

static pli_status run_cantilever(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    double quadratic, linear;
    PLI_TRY(pli_solid_cantilever(context, "quadratic", 2, &quadratic));
    PLI_TRY(pli_solid_cantilever(context, "linear", 2, &linear));
    claim_at_most(bench, "cantilever", "quadratic, 2 through the thickness, deflection",
                  100 * (quadratic - 1), "%", 1);
    claim_at_most(bench, "cantilever", "linear, 2 through the thickness, deflection",
                  100 * (linear - 1), "%", NAN);
    return PLI_OK;
}

static pli_status run_cylinder(pli_bench *bench, const char *element, int32_t rings, double bound)
{
    pli_solid_lame errors;
    char what[128];
    PLI_TRY(pli_solid_cylinder(pli_bench_context(bench), element, 0.4999, rings, &errors));
    snprintf(what, sizeof what, "thick cylinder, nu 0.4999, %s, %d rings: displacement", element,
             (int)rings);
    claim_at_most(bench, "cylinder", what, 100 * errors.displacement, "%", bound);
    snprintf(what, sizeof what, "thick cylinder, nu 0.4999, %s, %d rings: hoop stress inside",
             element, (int)rings);
    claim_at_most(bench, "cylinder", what, 100 * errors.hoop, "%", bound);
    pli_bench_note(
        bench, "hoop stress, rms error: %.3f %% of the largest at vertices, %.3f %% in elements",
        100 * errors.hoop_vertices, 100 * errors.hoop_elements);
    return PLI_OK;
}

static pli_status run_order(pli_bench *bench, const char *element, int32_t n, double order)
{
    double coarse, fine;
    char what[128];
    PLI_TRY(pli_solid_manufactured(pli_bench_context(bench), element, n, &coarse));
    PLI_TRY(pli_solid_manufactured(pli_bench_context(bench), element, 2 * n, &fine));
    snprintf(what, sizeof what, "manufactured solution, %s, %d to %d cells: order in L2", element,
             (int)n, 2 * (int)n);
    pli_bench_claim(
        bench, &(pli_claim){"order", what, "-", log2(coarse / fine), "", order - 0.1, order + 0.1});
    return PLI_OK;
}

static pli_status run_elements(pli_bench *bench)
{
    static const double poisson[3] = {0.3, 0.499, 0.4999};
    for (int k = 0; k < 3; ++k) PLI_TRY(run_cook(bench, poisson[k]));
    PLI_TRY(run_cantilever(bench));
    PLI_TRY(run_cylinder(bench, "quadratic", 8, 1));
    PLI_TRY(run_cylinder(bench, "locking-free", 32, 1));
    PLI_TRY(run_cylinder(bench, "linear", 32, NAN));
    PLI_TRY(run_order(bench, "linear", 8, 2));
    PLI_TRY(run_order(bench, "quadratic", 4, 3));
    return run_order(bench, "locking-free", 8, NAN);
}

// ---- loads, cavities, forces

static pli_status run_cavities(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    pli_solid_inflation sphere;
    double change, squeeze, ratio, lowest;
    PLI_TRY(pli_solid_inflate(context, &sphere));
    claim_at_most(bench, "sphere", "inflated Neo-Hookean sphere: pressure over radius",
                  100 * sphere.pressure_error, "%", 1);
    pli_bench_claim(bench, &(pli_claim){"sphere", "its pressure at the end over the largest", "-",
                                        sphere.fall, "", 0, 0.95});
    PLI_TRY(pli_solid_adiabate(context, &change, &squeeze));
    claim_at_most(bench, "gas", "adiabatic ball: change of p V^1.4", change, "", 1e-10);
    PLI_TRY(pli_solid_bounce(context, &ratio, &lowest));
    claim_at_most(bench, "gas", "weight on a column of gas: period of bounces", 100 * (ratio - 1),
                  "%", 2);
    return PLI_OK;
}

static pli_status run_forces(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    pli_solid_balance found;
    double resultant;
    PLI_TRY(pli_solid_balances(context, &found));
    claim_at_most(bench, "reaction", "at rest, reaction and loads over the weight", found.rest, "",
                  1e-8);
    claim_at_most(bench, "reaction", "in motion, reaction, loads and M a over the weight",
                  found.motion, "", 1e-8);
    claim_at_most(bench, "reaction", "contact resultant, weight and M a over the weight",
                  found.contact, "", 1e-8);
    PLI_TRY(pli_solid_closed_pressure(context, &resultant));
    claim_at_most(bench, "pressure", "resultant of a follower pressure on a closed body", resultant,
                  "", 1e-12);
    return PLI_OK;
}

// ---- laws

static double fibre_error(int along)
{
    static const double stretches[] = {0.7, 0.9, 1.004, 1.008, 1.05, 1.3, 1.6};
    double worst = 0;
    for (size_t k = 0; k < sizeof stretches / sizeof *stretches; ++k) {
        double P[9], expected;
        pli_fibre_bar(pli_fibre_flesh, along, stretches[k], P, &expected);
        worst = fmax(worst, fabs(P[4 * along] / expected - 1));
    }
    return worst;
}

static pli_status run_laws(pli_bench *bench)
{
    static const double angles[3] = {0.6, -0.9, 1.5};
    pli_context *context = pli_bench_context(bench);
    double relaxation, creep, rest;
    pli_solid sheet;
    PLI_TRY(pli_solid_relaxation(context, "neo-hookean", 1, &relaxation));
    PLI_TRY(pli_solid_creep(context, &creep));
    claim_at_most(bench, "branch", "relaxation of one branch", relaxation, "", 1e-6);
    claim_at_most(bench, "branch", "creep of one branch", creep, "", 1e-6);
    claim_at_most(bench, "fibres", "uniaxial stress along", fibre_error(0), "", 1e-8);
    claim_at_most(bench, "fibres", "uniaxial stress across", fibre_error(1), "", 1e-8);
    PLI_TRY(pli_solid_fold(&sheet, context, angles, 3, "angle: 20, hardening: 0.05", &rest));
    pli_solid_clear(&sheet);
    double exact = pli_solid_fold_map(angles, 3, 20 * M_PI / 180, 0.05);
    claim_at_most(bench, "fold", "angle that stays", rest / exact - 1, "", 1e-6);
    return PLI_OK;
}

// ---- modes

// Frequencies of the beams of docs/theory/validation.md as they are found in time, on the same
// meshes.
static pli_status run_modes(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    const pli_solid_beam bending = {{80, 8, 8}, "linear", "", "linear"},
                         stretching = {{40, 2, 2}, "linear", "yz", "linear"},
                         struck = {{20, 2, 2}, "fixed-corotated", "", "linear"},
                         quadratic = {{20, 2, 2}, "linear", "", "quadratic"};
    double f[3], ratio;
    PLI_TRY(pli_solid_beam_modes(context, &bending, 3, f));
    claim_at_most(bench, "modes", "bending of a beam, first, against time domain",
                  100 * (f[0] / 0.51630 - 1), "%", 0.5);
    claim_at_most(bench, "modes", "bending of a beam, second, against time domain",
                  100 * (f[2] / 3.11592 - 1), "%", 0.5);
    PLI_TRY(pli_solid_beam_modes(context, &stretching, 1, f));
    claim_at_most(bench, "modes", "stretching of a bar, against time domain",
                  100 * (f[0] / 7.90498 - 1), "%", 0.5);
    PLI_TRY(pli_solid_struck_beam(context, &struck, 2, &ratio));
    claim_at_most(bench, "modes", "a beam struck in the shape of its third mode", 100 * (ratio - 1),
                  "%", 0.5);
    PLI_TRY(pli_solid_beam_modes(context, &quadratic, 1, f));
    claim_at_most(bench, "modes", "quadratic, 2 through the thickness, against Euler-Bernoulli",
                  100 * (f[0] / 0.510835 - 1), "%", NAN);
    PLI_TRY(pli_solid_free_modes(context, &ratio));
    claim_at_most(bench, "modes", "six zeros of a free cube over the seventh", ratio, "", 1e-6);
    return PLI_OK;
}

pli_status pli_bench_solids(pli_bench *bench)
{
    PLI_TRY(run_elements(bench));
    PLI_TRY(run_cavities(bench));
    PLI_TRY(run_forces(bench));
    PLI_TRY(run_laws(bench));
    PLI_TRY(run_modes(bench));
    return pli_bench_solids_cost(bench);
}
