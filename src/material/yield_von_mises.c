// SPDX-License-Identifier: Apache-2.0
//
// von Mises with linear isotropic hardening: metal, clay, goo. The norm of dev tau is at most
// sqrt(2/3) (yield + H a), a the plastic strain so far. In units of strain, n = |dev tau| / (2 mu),
// l = sqrt(2/3) (yield + H a) / (2 mu), the return goes to where it meets the limit that has grown
// on the way (Simo and Hughes 1998, box 3.1):
//
//   g = (n - l) / (1 + H / (3 mu)),   dev tau <- (1 - g / n) dev tau,   a <- a + sqrt(2/3) g
//
// with the volume kept. For Hencky's law that is the radial return in logarithmic strain, for fixed
// corotated matter the deviator of tau keeps its direction, for others that of log s does.
//
// Inside of a solve it has a potential with these two laws (plastic.h).
#include "material/lanes.h"
#include "material/laws.h"
#include "material/plastic.h"

#include "base/schema_rows.h"
#include "pliant/scene.h"

enum { STRESS, HARDENING };

static const double root_two_thirds = 0.81649658092772603;

// ---- scenes

static const pli_field fields[] = {
    {.key = "stress",
     PLI_REAL(pli_von_mises_def, stress),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e15,
     .unit = "Pa",
     .doc = "Stress in a pulled rod from which on it stays deformed; by default that of the "
            "preset."},
    {.key = "hardening",
     PLI_REAL(pli_von_mises_def, hardening),
     .fallback = "0",
     .min = 0,
     .max = 1e15,
     .unit = "Pa",
     .doc = "Growth of that stress per plastic strain."},
};

const pli_schema pli_yield_von_mises_schema = {.name = "von-mises",
                                               .doc = "Shear stress is bounded: metal, clay, goo.",
                                               .size = sizeof(pli_von_mises_def),
                                               .scalar_key = "stress",
                                               PLI_TABLE(fields)};

static void complete(const pli_material_preset *preset, void *def)
{
    pli_von_mises_def *own = def;
    if (own->stress == 0) own->stress = preset->yield;
}

static pli_status derive(pli_context *context, const void *def, const pli_material *material,
                         double params[PLI_YIELD_PARAMS])
{
    (void)material;
    const pli_von_mises_def *own = def;
    params[STRESS] = own->stress;
    params[HARDENING] = own->hardening;
    PLI_TRY(pli_material_check_number(context, "yield stress", own->stress, own->stress > 0,
                                      "above 0"));
    return pli_material_check_number(context, "strain hardening", own->hardening,
                                     own->hardening >= 0, "0 or more");
}

// ---- one point

static double limit(const pli_material *m, double strain)
{
    double stress = m->yield_params[STRESS] + m->yield_params[HARDENING] * strain;
    return root_two_thirds * stress / (2 * m->mu);
}

static double excess(const pli_material *material, const double s[3], double history)
{
    double trace, norm = pli_yield_shear(material, s, &trace);
    return norm / (2 * material->mu) - limit(material, history);
}

// How much of a deviator of norm n (of strain) stays; the plastic strain grows.
static double flow(const pli_material *m, double n, double *strain)
{
    double beyond = n - limit(m, *strain);
    if (!(beyond > 0)) return 1;
    double g = beyond / (1 + m->yield_params[HARDENING] / (3 * m->mu)), keep = 1 - g / n;
    if (keep < 1) *strain += root_two_thirds * g;
    return keep;
}

static bool restore(const pli_material *material, double s[3], double *history)
{
    const pli_law_lanes *law = material->law->lanes;
    double trace, norm = pli_yield_shear(material, s, &trace);
    double keep = flow(material, norm / (2 * material->mu), history);
    if (keep == 1) return false;
    bool is_done = law != NULL && law->relax_point != NULL && law->relax_point(keep, s);
    if (!is_done) pli_yield_return(material, 0, keep * norm, s);
    return true;
}

// ---- inside of a solve

static const pli_material_ops *condense(const pli_material_ops *law)
{
    if (law == &pli_law_hencky) return &pli_law_hencky_von_mises;
    return law == &pli_law_fixed_corotated ? &pli_law_corotated_von_mises : NULL;
}

static void condense_params(const pli_material *material, double history,
                            double params[PLI_MATERIAL_PARAMS])
{
    const double *own = material->yield_params;
    params[PLI_PLASTIC_YIELD] = own[STRESS] + own[HARDENING] * history;
    params[PLI_PLASTIC_HARDENING] = own[HARDENING];
}

// The return in logarithmic strain, which both laws have; not where they are not defined.
static bool condense_restore(const pli_material *material, double s[3], double *history)
{
    double t, d[3];
    for (int k = 0; k < 3; ++k) {
        if (!(s[k] > 0)) return false;
    }
    double n = pli_yield_logarithms(s, &t, d);
    double keep = flow(material, n, history);
    if (keep == 1) return false;
    pli_yield_stretch(t, keep, d, s);
    return true;
}

// ---- eight points

PLI_INLINE void flow_lanes(const pli_material *m, pli_f8 n, pli_f8 *history, pli_flow *flow)
{
    const double stress = 0.5 * root_two_thirds / m->mu;
    const double hardening = m->yield_params[HARDENING];
    const float first = (float)(stress * m->yield_params[STRESS]);
    const float growth = (float)(stress * hardening);
    const float share = (float)(1 / (1 + hardening / (3 * m->mu)));
    pli_f8 beyond = n - (first + growth * *history);
    flow->moved = (pli_f8_mask)(beyond > PLI_YIELD_ROUNDING);
    pli_f8 g = share * pli_f8_select(flow->moved, beyond, (pli_f8){0});
    flow->keep = 1.0f - g / pli_f8_max(pli_f8_broadcast(PLI_YIELD_ROUNDING), n);
    *history += (float)root_two_thirds * g;
}

static pli_f8_mask holds(const pli_material *material, const pli_f8 b[6], pli_f8 J,
                         const pli_f8 q[6], pli_f8 history)
{
    (void)b;
    (void)J;
    pli_f8 deviator[6];
    for (int k = 0; k < 6; ++k) deviator[k] = q[k];
    (void)pli_symmetric_deviate_f8(deviator);
    pli_f8 norm = pli_f8_sqrt(pli_symmetric_norm2_f8(deviator));
    pli_flow result;
    flow_lanes(material, norm, &history, &result);
    return ~result.moved;
}

static void flow_near(const pli_material *material, pli_f8 n, pli_f8 t, pli_f8 *history,
                      pli_flow *result)
{
    flow_lanes(material, n, history, result);
    result->trace = t;
}

static void restore_lanes(const pli_material *material, pli_principal_lanes *p)
{
    const pli_law_lanes *law = material->lanes;
    pli_f8 q[3], moved[3];
    pli_flow result;
    law->shear(p->s, q);
    pli_f8 norm = pli_deviate_f8(q);
    flow_lanes(material, norm, &p->history, &result);
    p->moved = result.moved;
    if (!pli_f8_any(p->moved)) return;
    for (int k = 0; k < 3; ++k) moved[k] = p->s[k];
    if (law->relax != NULL)
        law->relax(result.keep, moved);
    else
        pli_lanes_return(law, result.keep * norm, moved);
    for (int k = 0; k < 3; ++k) p->s[k] = pli_f8_select(p->moved, moved[k], p->s[k]);
}

static const pli_yield_lanes lanes = {.holds = holds, .flow = flow_near, .restore = restore_lanes};

const pli_yield_ops pli_yield_von_mises = {
    .schema = &pli_yield_von_mises_schema,
    .history = {.name = "plastic strain", .unit = "", .rest = 0, .doc = "What has flown so far."},
    .derive = derive,
    .excess = excess,
    .restore = restore,
    .complete = complete,
    .condense = condense,
    .condense_params = condense_params,
    .condense_restore = condense_restore,
    .lanes = &lanes,
};
