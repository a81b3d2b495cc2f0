// SPDX-License-Identifier: Apache-2.0
//
// Materials of particles by the names of their laws and rules.
#ifndef PLI_TESTS_MATERIALS_H
#define PLI_TESTS_MATERIALS_H

#include "near.h"

#include "material/material.h"
#include "material/yield.h"
#include "pliant/scene.h"

static inline double material_energy(const pli_material *material, const double F[9],
                                     double history)
{
    double psi;
    pli_material_energies(material, 1, F, &history, &psi);
    return psi;
}

// Inputs are in the order of the law's table.
static inline pli_material material_of(const pli_material_ops *law, double density,
                                       const double *inputs)
{
    pli_material material;
    assert_non_null(law);
    assert_int_equal(pli_material_init(NULL, law, inputs, density, 0, &material), PLI_OK);
    return material;
}

// A solid with Young's modulus (Pa) and Poisson's ratio.
static inline pli_material material_solid(const char *law, double density, double young,
                                          double poisson)
{
    return material_of(pli_material_find(NULL, law), density, (double[]){young, poisson});
}

// p = bulk (J^-exponent - 1)
static inline pli_material material_fluid(double density, double bulk, double exponent)
{
    return material_of(pli_material_find(NULL, "fluid"), density, (double[]){bulk, exponent});
}

static inline pli_material material_yielding(pli_material material, pli_yield_kind kind,
                                             const void *def)
{
    assert_int_equal(pli_material_set_yield(NULL, pli_yield_get((int32_t)kind), def, &material),
                     PLI_OK);
    return material;
}

// With the hardening of snow, of what bears strains up to 1.
static inline pli_material material_hardening(pli_material material, double hardening)
{
    return material_yielding(material, PLI_YIELD_SNOW,
                             &(pli_snow_def){0.99, 1, hardening, 0.1, 20});
}

#endif
