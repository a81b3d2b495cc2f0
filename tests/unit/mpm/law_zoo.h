// SPDX-License-Identifier: Apache-2.0
//
// Materials of every pair of laws that exists, and random states of deformation.
#ifndef PLI_TESTS_LAW_ZOO_H
#define PLI_TESTS_LAW_ZOO_H

#include "near.h"

#include "base/random.h"
#include "math/mat3.h"
#include "mpm/law.h"

#define ZOO_SOLID .density = 400, .mu = 4e4, .lambda = 6e4
#define ZOO_SNOW \
    .compression = 0.025, .stretch = 0.0075, .hardening = 5, .least_volume = 0.5, .most_volume = 2

typedef struct zoo_entry {
    const char *name;
    pli_mpm_material material;
} zoo_entry;

static const zoo_entry zoo[] = {
    {"fixed corotated", {PLI_MPM_FIXED_COROTATED, PLI_MPM_NO_YIELD, ZOO_SOLID}},
    {"fixed corotated, snow", {PLI_MPM_FIXED_COROTATED, PLI_MPM_SNOW, ZOO_SOLID, ZOO_SNOW}},
    {"fixed corotated, von Mises",
     {PLI_MPM_FIXED_COROTATED, PLI_MPM_VON_MISES, ZOO_SOLID, .yield_stress = 2e3}},
    {"Neo-Hookean", {PLI_MPM_NEO_HOOKEAN, PLI_MPM_NO_YIELD, ZOO_SOLID, .viscosity = 3}},
    {"Neo-Hookean, snow", {PLI_MPM_NEO_HOOKEAN, PLI_MPM_SNOW, ZOO_SOLID, ZOO_SNOW}},
    {"Hencky", {PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, ZOO_SOLID, .viscosity = 3}},
    {"Hencky, snow", {PLI_MPM_HENCKY, PLI_MPM_SNOW, ZOO_SOLID, ZOO_SNOW}},
    {"Hencky, von Mises",
     {PLI_MPM_HENCKY, PLI_MPM_VON_MISES, ZOO_SOLID, .yield_stress = 2e3, .strain_hardening = 1e4}},
    {"fixed corotated, von Mises with hardening",
     {PLI_MPM_FIXED_COROTATED, PLI_MPM_VON_MISES, ZOO_SOLID, .yield_stress = 2e3,
      .strain_hardening = 1e4}},
    {"Hencky, Drucker-Prager",
     {PLI_MPM_HENCKY, PLI_MPM_DRUCKER_PRAGER, ZOO_SOLID, .friction_angle = 0.5}},
    {"Hencky, Drucker-Prager with volume correction",
     {PLI_MPM_HENCKY, PLI_MPM_DRUCKER_PRAGER, ZOO_SOLID, .friction_angle = 0.5,
      .volume_correction = true}},
    {"fluid", {PLI_MPM_FLUID, PLI_MPM_NO_YIELD, .density = 1000, .bulk = 1e5, .exponent = 7}},
    {"gas",
     {PLI_MPM_FLUID, PLI_MPM_NO_YIELD, .density = 1000, .bulk = 1e5, .exponent = 1,
      .viscosity = 2}},
};

enum { ZOO_COUNT = sizeof zoo / sizeof *zoo };

static inline void zoo_rotation(uint64_t stream, double Q[9])
{
    pli_random random = {.seed = 31, .stream = stream};
    double axis[3];
    for (uint64_t k = 0; k < 3; ++k) axis[k] = pli_random_normal(random, k);
    pli_vec3_normalize(axis, axis);
    pli_mat3_rotation(axis, pli_random_range(random, 3, -3.2, 3.2), Q);
}

// F = A diag(s) B^T with random rotations
static inline void zoo_compose(uint64_t stream, const double s[3], double F[9])
{
    double A[9];
    double B[9];
    zoo_rotation(2 * stream, A);
    zoo_rotation(2 * stream + 1, B);
    for (int k = 0; k < 9; ++k) A[k] *= s[k % 3];
    pli_mat3_multiply_transposed_right(A, B, F);
}

// A deformation with principal strains log s up to the given size; returns the least s.
static inline double zoo_deformation(uint64_t stream, double strain, double F[9])
{
    pli_random random = {.seed = 32, .stream = stream};
    double s[3];
    double least = INFINITY;
    for (uint64_t k = 0; k < 3; ++k) {
        s[k] = exp(pli_random_range(random, k, -strain, strain));
        least = fmin(least, s[k]);
    }
    zoo_compose(stream, s, F);
    return least;
}

static inline void zoo_gradient(uint64_t stream, double size, double C[9])
{
    pli_random random = {.seed = 33, .stream = stream};
    for (uint64_t k = 0; k < 9; ++k) C[k] = pli_random_range(random, k, -size, size);
}

// The whole matrix of a stress.
static inline void zoo_matrix(const double tau[6], double out[9])
{
    double m[9] = {tau[0], tau[5], tau[4], tau[5], tau[1], tau[3], tau[4], tau[3], tau[2]};
    pli_mat3_copy(m, out);
}

static inline double zoo_trace(const double tau[6])
{
    return tau[0] + tau[1] + tau[2];
}

// |dev tau|
static inline double zoo_shear(const double tau[6])
{
    double mean = zoo_trace(tau) / 3;
    double sum = 2 * (tau[3] * tau[3] + tau[4] * tau[4] + tau[5] * tau[5]);
    for (int k = 0; k < 3; ++k) sum += (tau[k] - mean) * (tau[k] - mean);
    return sqrt(sum);
}

// How far the stress is beyond what the material bears (Pa); below zero inside.
static inline double zoo_beyond(const pli_mpm_material *m, const double tau[6], double memory)
{
    const double root = sqrt(2.0 / 3);
    if (m->yield == PLI_MPM_VON_MISES) {
        return zoo_shear(tau) - root * (m->yield_stress + m->strain_hardening * memory);
    }
    if (m->yield == PLI_MPM_DRUCKER_PRAGER) {
        double sine = sin(m->friction_angle);
        return zoo_shear(tau) + root * 2 * sine / (3 - sine) * zoo_trace(tau);
    }
    return -INFINITY;
}

// A stiffness to measure errors of stress by (Pa).
static inline double zoo_stiffness(const pli_mpm_material *m)
{
    return m->elasticity == PLI_MPM_FLUID ? m->bulk * m->exponent : 2 * m->mu + 3 * m->lambda;
}

#endif
