// SPDX-License-Identifier: Apache-2.0
#include "sim/body/body_copy.h"

#include "base/random.h"
#include "math/mat3.h"
#include "sim/body/body_piece.h"

#include <math.h>
#include <stdio.h>

enum { RANDOM_STREAM_COPY = 2, RANDOM_NUMBERS = 3 };

int64_t pli_body_copy_count(const pli_body_def *def)
{
    const int32_t *count = def->copies.count;
    return (int64_t)count[0] * count[1] * count[2];
}

void pli_body_copy_name(const pli_body_def *def, int32_t copy, int32_t piece,
                        char name[PLI_BODY_COPY_NAME])
{
    int32_t pieces = pli_body_piece_count(def);
    if (pli_body_copy_count(def) * pieces == 1) {
        snprintf(name, PLI_BODY_COPY_NAME, "%s", def->name);
    } else {
        snprintf(name, PLI_BODY_COPY_NAME, "%s-%d", def->name, (int)(copy * pieces + piece + 1));
    }
}

// A rotation about a random axis (uniform on the sphere) by a random angle up to the largest.
static void random_turn(const pli_copies_def *copies, int32_t seed, int32_t body, int32_t copy,
                        double R[9])
{
    pli_random source = {(uint64_t)(uint32_t)seed,
                         (uint64_t)RANDOM_STREAM_COPY << 32 | (uint32_t)body};
    uint64_t first = (uint64_t)(uint32_t)copy * RANDOM_NUMBERS;
    double up = 2 * pli_random_uniform(source, first) - 1;
    double around = 360 * pli_radians_per_degree * pli_random_uniform(source, first + 1);
    double angle = copies->turn * pli_radians_per_degree * pli_random_uniform(source, first + 2);
    double radius = sqrt(fmax(1 - up * up, 0));
    double axis[3] = {radius * cos(around), up, radius * sin(around)};
    pli_mat3_rotation(axis, angle, R);
}

// A copy is turned by one step more than the copy before.
static void step_turn(const pli_copies_def *copies, int32_t copy, double R[9])
{
    double axis[3];
    pli_vec3_normalize(copies->axis, axis);
    // whole turns are taken out first, where degrees are exact
    double angle = fmod(copies->angle * copy, 360);
    pli_mat3_rotation(axis, angle * pli_radians_per_degree, R);
}

void pli_body_copy_place(const pli_body_def *def, int32_t seed, int32_t body, int32_t copy,
                         double A[9], double offset[3])
{
    double axis[3];
    pli_vec3_normalize(def->axis, axis);
    double own[9];
    double further[9];
    double turn[9];
    double turned[9];
    pli_mat3_rotation(axis, def->angle * pli_radians_per_degree, own);
    step_turn(&def->copies, copy, further);
    random_turn(&def->copies, seed, body, copy, turn);
    pli_mat3_multiply(further, own, turned);
    pli_mat3_multiply(turn, turned, A);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) A[3 * i + j] *= def->scale[j];
    }
    const int32_t *count = def->copies.count;
    int32_t cell[3] = {copy % count[0], copy / count[0] % count[1], copy / count[0] / count[1]};
    for (int k = 0; k < 3; ++k) {
        offset[k] = def->position[k] + (cell[k] - 0.5 * (count[k] - 1)) * def->copies.spacing[k];
    }
}
