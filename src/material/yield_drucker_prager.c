// SPDX-License-Identifier: Apache-2.0
//
// Drucker-Prager without cohesion: sand. The norm of dev tau is at most -a tr tau, with
// a = sqrt(2/3) 2 sin(angle) / (3 - sin(angle)), a cone with its tip at rest (Klar et al. 2016).
//
// The history v is the logarithm of the volume that sand has gained without stress; it is given
// back first (Tampubolon et al. 2017), t <- t + v, and what the strain then loses becomes the new
// v. Three cases:
//
//   t >= 0                  apart: no strain at all, v <- t
//   inside of the cone      the strain as it is, v <- 0
//   else                    back along the deviator to the cone, v <- 0
//
// For Hencky's law tr tau = (3 lambda + 2 mu) t, so that with n = |d| the cone is
// n <= -a (3 lambda + 2 mu) / (2 mu) t.
#include "material/lanes.h"

#include "base/schema_rows.h"
#include "math/mat3.h"
#include "pliant/scene.h"

enum { ANGLE, CONE, CORRECTION }; // angle (radians), a, whether volume is given back

static const double root_two_thirds = 0.81649658092772603;
static const double half_pi = 1.5707963267948966;

// ---- scenes

static const pli_field fields[] = {
    {.key = "angle",
     PLI_REAL(pli_drucker_prager_def, angle),
     .fallback = "30",
     .flags = PLI_FIELD_MAX_EXCLUDED,
     .min = 0,
     .max = 90,
     .unit = "deg",
     .doc = "Angle of internal friction: about the slope at which a heap stands."},
    {.key = "volume_correction",
     PLI_BOOL(pli_drucker_prager_def, volume_correction),
     .fallback = "true",
     .doc = "Whether volume gained in tension is closed again before there is pressure; without "
            "it, sand that is stirred swells."},
};

const pli_schema pli_yield_drucker_prager_schema = {
    .name = "drucker-prager",
    .former = "friction",
    .doc = "Drucker-Prager yield of grains with internal friction, without cohesion: sand, soil.",
    .size = sizeof(pli_drucker_prager_def),
    .scalar_key = "angle",
    PLI_TABLE(fields)};

static pli_status derive(pli_context *context, const void *def, const pli_material *material,
                         double params[PLI_YIELD_PARAMS])
{
    (void)material;
    const pli_drucker_prager_def *own = def;
    double angle = own->angle * pli_radians_per_degree, sine = sin(angle);
    params[ANGLE] = angle;
    params[CONE] = root_two_thirds * 2 * sine / (3 - sine);
    params[CORRECTION] = own->volume_correction;
    return pli_material_check_number(context, "friction angle", angle,
                                     angle >= 0 && angle < half_pi, "in [0, pi/2) radians");
}

// ---- one point

// The trace that counts, with the volume that was gained.
static double total_of(const pli_material *m, double t, double history)
{
    return m->yield_params[CORRECTION] != 0 ? t + history : t;
}

static double excess(const pli_material *material, const double s[3], double history)
{
    double t, d[3], moved[3], trace;
    double n = pli_yield_logarithms(s, &t, d), total = total_of(material, t, history);
    if (total >= 0) return fmax(n, fabs(t));
    pli_yield_stretch(total, 1, d, moved);
    double shear = pli_yield_shear(material, moved, &trace);
    return (shear + material->yield_params[CONE] * trace) / (2 * material->mu);
}

static bool restore(const pli_material *material, double s[3], double *history)
{
    double t, d[3], trace, cone = material->yield_params[CONE], old = *history;
    (void)pli_yield_logarithms(s, &t, d);
    double total = total_of(material, t, old);
    if (material->yield_params[CORRECTION] != 0) *history = total >= 0 ? total : 0;
    if (total >= 0) {
        s[0] = s[1] = s[2] = 1;
        return true;
    }
    if (total != t) pli_yield_stretch(total, 1, d, s);
    bool inside = pli_yield_shear(material, s, &trace) + cone * trace <= 0;
    if (!inside) pli_yield_return(material, cone, 0, s);
    return !inside || total != t;
}

// ---- eight points

static void flow(const pli_material *material, pli_f8 n, pli_f8 t, pli_f8 *history, pli_flow *flow)
{
    const double ratio = 1 + 1.5 * material->lambda / material->mu;
    const float cone = (float)(material->yield_params[CONE] * ratio);
    const bool corrects = material->yield_params[CORRECTION] != 0;
    const pli_f8 zero = {0};
    pli_f8 total = corrects ? t + *history : t;
    pli_f8_mask apart = (pli_f8_mask)(total >= 0.0f);
    pli_f8 limit = -cone * total;
    pli_f8 keep = pli_f8_select((pli_f8_mask)(n > limit), limit / n, zero + 1.0f);
    flow->keep = pli_f8_select(apart, zero, keep);
    flow->trace = pli_f8_select(apart, zero, total);
    flow->moved = (pli_f8_mask)(flow->keep != 1.0f) | (pli_f8_mask)(flow->trace != t);
    if (corrects) *history = pli_f8_select(apart, total, zero);
}

static void restore_lanes(const pli_material *material, pli_principal_lanes *p)
{
    pli_f8 d[3];
    pli_flow result;
    pli_logarithms_f8(p->s, d);
    pli_f8 t = d[0] + d[1] + d[2];
    pli_f8 n = pli_deviate_f8(d);
    flow(material, n, t, &p->history, &result);
    p->moved = result.moved;
    for (int k = 0; k < 3; ++k) {
        pli_f8 s = pli_f8_exp(result.keep * d[k] + result.trace * (1.0f / 3));
        p->s[k] = pli_f8_select(p->moved, s, p->s[k]);
    }
}

static const pli_yield_lanes lanes = {.logarithmic = true, .flow = flow, .restore = restore_lanes};

const pli_yield_ops pli_yield_drucker_prager = {
    .schema = &pli_yield_drucker_prager_schema,
    .history = {.name = "volume gain",
                .unit = "",
                .rest = 0,
                .doc = "Logarithm of the volume that was gained without stress."},
    .derive = derive,
    .excess = excess,
    .restore = restore,
    .lanes = &lanes,
};
