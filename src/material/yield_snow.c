// SPDX-License-Identifier: Apache-2.0
//
// Snow (Stomakhin et al. 2013): every singular value is kept within [1 - compression, 1 + stretch],
// and what is cut off goes to the plastic part of the volume, Jp <- Jp prod(s / clamped), the
// history. Stiffness is multiplied by exp(hardening (1 - Jp)).
//
// Inside of a solve it has a potential, but for its pressure, with fixed corotated matter
// (plastic.h).
#include "material/lanes.h"
#include "material/laws.h"
#include "material/plastic.h"

#include "base/schema_rows.h"
#include "pliant/scene.h"

enum { COMPRESSION, STRETCH, HARDENING, LEAST, MOST };

// ---- scenes

static const pli_field fields[] = {
    {.key = "compression",
     PLI_REAL(pli_snow_def, compression),
     .fallback = "0.025",
     .flags = PLI_FIELD_MAX_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "How much it may be squeezed in any direction before it stays so."},
    {.key = "stretch",
     PLI_REAL(pli_snow_def, stretch),
     .fallback = "0.0075",
     .min = 0,
     .max = 1e3,
     .unit = "",
     .doc = "How much it may be stretched in any direction before it stays so, and falls apart."},
    {.key = "hardening",
     PLI_REAL(pli_snow_def, hardening),
     .fallback = "10",
     .min = 0,
     .max = 1e3,
     .unit = "",
     .doc = "The stiffness grows by exp(hardening (1 - Jp)), Jp being what the volume is of what "
            "it was before it yielded."},
    {.key = "least",
     PLI_REAL(pli_snow_def, least),
     .fallback = "0.6",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Jp does not fall below this, which bounds the hardening of packed snow."},
    {.key = "most",
     PLI_REAL(pli_snow_def, most),
     .fallback = "20",
     .min = 1,
     .max = 1e9,
     .unit = "",
     .doc = "Jp does not rise above this, which bounds the softening of torn snow."},
};

const pli_schema pli_yield_snow_schema = {
    .name = "snow",
    .doc = "Stretch is bounded in every direction, and stiffness follows the density.",
    .size = sizeof(pli_snow_def),
    PLI_TABLE(fields)};

static pli_status derive(pli_context *context, const void *def, const pli_material *material,
                         double params[PLI_YIELD_PARAMS])
{
    const pli_snow_def *own = def;
    double hardest = fmax(material->mu, material->lambda) * exp(own->hardening * (1 - own->least));
    const double values[] = {own->compression, own->stretch, own->hardening, own->least, own->most};
    memcpy(params, values, sizeof values);
    PLI_TRY(pli_material_check_number(context, "compression", own->compression,
                                      own->compression >= 0 && own->compression < 1, "in [0, 1)"));
    PLI_TRY(pli_material_check_number(context, "stretch", own->stretch, own->stretch >= 0,
                                      "0 or more"));
    PLI_TRY(pli_material_check_number(context, "hardening", own->hardening, own->hardening >= 0,
                                      "0 or more"));
    PLI_TRY(pli_material_check_number(context, "least volume", own->least,
                                      own->least > 0 && own->least <= 1, "in (0, 1]"));
    PLI_TRY(
        pli_material_check_number(context, "most volume", own->most, own->most >= 1, "1 or more"));
    return pli_material_check_number(context, "stiffness at the least volume", hardest,
                                     hardest >= 0, "finite");
}

// ---- one point

// x into [low, high]; not-a-number stays one
static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double excess(const pli_material *material, const double s[3], double history)
{
    (void)history;
    double most = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        most = fmax(most, s[k] - (1 + material->yield_params[STRETCH]));
        most = fmax(most, 1 - material->yield_params[COMPRESSION] - s[k]);
    }
    return most;
}

static bool restore(const pli_material *material, double s[3], double *history)
{
    const double *own = material->yield_params;
    double ratio = 1;
    bool moved = false;
    for (int k = 0; k < 3; ++k) {
        double clamped = clamp(s[k], 1 - own[COMPRESSION], 1 + own[STRETCH]);
        if (clamped == s[k]) continue;
        ratio *= s[k] / clamped;
        s[k] = clamped;
        moved = true;
    }
    if (moved) *history = clamp(*history * ratio, own[LEAST], own[MOST]);
    return moved;
}

static double stiffness(const pli_material *material, double history)
{
    return exp(material->yield_params[HARDENING] * (1 - history));
}

// ---- inside of a solve

static const pli_material_ops *condense(const pli_material_ops *law)
{
    return law == &pli_law_fixed_corotated ? &pli_law_snow : NULL;
}

static void condense_params(const pli_material *material, double history,
                            double params[PLI_MATERIAL_PARAMS])
{
    (void)history;
    params[PLI_PLASTIC_COMPRESSION] = material->yield_params[COMPRESSION];
    params[PLI_PLASTIC_STRETCH] = material->yield_params[STRETCH];
}

// ---- eight points

// The squares of the singular values, eigenvalues of b, are inside the squared limits.
static pli_f8_mask holds(const pli_material *material, const pli_f8 b[6], pli_f8 J,
                         const pli_f8 q[6], pli_f8 history)
{
    (void)q;
    (void)history;
    double low = 1 - material->yield_params[COMPRESSION];
    double high = 1 + material->yield_params[STRETCH];
    float low2 = (float)(low * low) * (1 - 4 * PLI_YIELD_ROUNDING);
    float high2 = (float)(high * high) * (1 + 4 * PLI_YIELD_ROUNDING);
    return pli_symmetric_is_above_f8(b, low2) & pli_symmetric_is_below_f8(b, high2) &
           (pli_f8_mask)(J > 0.0f);
}

static void restore_lanes(const pli_material *material, pli_principal_lanes *p)
{
    const double *own = material->yield_params;
    const float low = (float)(1 - own[COMPRESSION]);
    const float high = (float)(1 + own[STRETCH]);
    pli_f8 old = pli_product_f8(p->s);
    p->moved = (pli_f8_mask){0};
    for (int k = 0; k < 3; ++k) {
        pli_f8 clamped = pli_at_least_f8(low, pli_f8_min(pli_f8_broadcast(high), p->s[k]));
        p->moved |= (pli_f8_mask)(clamped != p->s[k]);
        p->s[k] = clamped;
    }
    pli_f8 volume = p->history * old / pli_product_f8(p->s);
    const pli_f8 most = pli_f8_broadcast((float)own[MOST]);
    volume = pli_at_least_f8(own[LEAST], pli_f8_min(most, volume));
    p->history = pli_f8_select(p->moved, volume, p->history);
}

static pli_f8 stiffness_lanes(const pli_material *material, pli_f8 history)
{
    return pli_f8_exp((float)material->yield_params[HARDENING] * (1.0f - history));
}

static const pli_yield_lanes lanes = {
    .holds = holds, .restore = restore_lanes, .stiffness = stiffness_lanes};

const pli_yield_ops pli_yield_snow = {
    .schema = &pli_yield_snow_schema,
    .history = {.name = "plastic volume",
                .unit = "",
                .rest = 1,
                .doc = "Jp, what the volume without stress is of what it was."},
    .derive = derive,
    .excess = excess,
    .restore = restore,
    .stiffness = stiffness,
    .condense = condense,
    .condense_params = condense_params,
    .lanes = &lanes,
};
