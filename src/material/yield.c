// SPDX-License-Identifier: Apache-2.0
#include "material/yield.h"

#include "material/lanes.h"
#include "material/principal.h"

#include "math/vec3.h"
#include "pliant/scene.h"

enum { HALVINGS = 60 }; // of one down to rounding

#define X(name) &pli_yield_##name,
static const pli_yield_ops *const yields[] = {PLI_YIELDS(X)};
#undef X

#define X(name) &pli_yield_##name##_schema,
const pli_schema *const pli_yield_variants[] = {PLI_YIELDS(X) NULL};
#undef X

const pli_schema pli_yield_none_schema = {
    .name = "none",
    .doc = "Elastic whatever happens, although the preset would yield.",
    .size = sizeof(pli_no_yield_def)};

const pli_yield_ops pli_yield_none = {.schema = &pli_yield_none_schema};

const pli_yield_ops *pli_yield_get(int32_t kind)
{
    int32_t count = (int32_t)(sizeof yields / sizeof *yields);
    return kind >= 0 && kind < count ? yields[kind] : NULL;
}

bool pli_yield_fits(const pli_yield_ops *yield, const pli_material_ops *law)
{
    if (yield->restore == NULL) return true;
    return (law->flags & PLI_LAW_ISOTROPIC) != 0 && (law->flags & PLI_LAW_FLUID) == 0;
}

double pli_yield_logarithms(const double s[3], double *t, double d[3])
{
    for (int k = 0; k < 3; ++k) d[k] = log(s[k] < PLI_LEAST_STRETCH ? PLI_LEAST_STRETCH : s[k]);
    *t = d[0] + d[1] + d[2];
    for (int k = 0; k < 3; ++k) d[k] -= *t / 3;
    return pli_vec3_norm(d);
}

void pli_yield_stretch(double t, double x, const double d[3], double s[3])
{
    for (int k = 0; k < 3; ++k) s[k] = exp(t / 3 + x * d[k]);
}

double pli_yield_shear(const pli_material *material, const double s[3], double *trace)
{
    double at[3], tau[3];
    bool everywhere = (material->law->flags & PLI_LAW_INVERTIBLE) != 0;
    for (int k = 0; k < 3; ++k)
        at[k] = everywhere || !(s[k] < PLI_LEAST_STRETCH) ? s[k] : PLI_LEAST_STRETCH;
    pli_principal_evaluate(material->law, 1, at, material->params, NULL, tau, NULL);
    for (int k = 0; k < 3; ++k) tau[k] *= at[k];
    *trace = tau[0] + tau[1] + tau[2];
    for (int k = 0; k < 3; ++k) tau[k] -= *trace / 3;
    return pli_vec3_norm(tau);
}

void pli_yield_return(const pli_material *material, double slope, double limit, double s[3])
{
    double t, d[3], trace, low = 0, high = 1;
    double n = pli_yield_logarithms(s, &t, d);
    const pli_law_lanes *law = material->law->lanes;
    if (law != NULL && law->logarithmic) {
        double bulk = 3 * material->lambda + 2 * material->mu;
        double x = n > 0 ? (limit - slope * bulk * t) / (2 * material->mu * n) : 0;
        pli_yield_stretch(t, fmin(fmax(x, 0), 1), d, s);
        return;
    }
    // where the stress is not monotone, what is nearest to the sphere may be skipped
    pli_yield_stretch(t, 1, d, s);
    if (pli_yield_shear(material, s, &trace) + slope * trace <= limit) return;
    for (int step = 0; step < HALVINGS; ++step) {
        double x = (low + high) / 2;
        pli_yield_stretch(t, x, d, s);
        if (pli_yield_shear(material, s, &trace) + slope * trace <= limit)
            low = x;
        else
            high = x;
    }
    pli_yield_stretch(t, low, d, s);
}
