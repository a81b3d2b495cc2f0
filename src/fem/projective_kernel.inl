// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of blocks of eight tetrahedra, one or two blocks in step. Positions x and forces f are
// those of a chunk, [vertices of the chunk][4], the fourth number zero. Included by projective.c
// only.

enum { LANES = PLI_F8_LANES };

// Eight tetrahedra; lanes without one repeat the last, with no weight.
typedef struct tet_block {
    float gradients[9][LANES]; // plane 3 a + j: d N_(a+1) / d X_j; N_0 is minus their sum (1/m)
    float weight[LANES];       // 2 mu V (J)
    int16_t corner[LANES][4];  // vertices, numbered inside the chunk
} tet_block;

// What is known of a block at the current positions.
typedef struct block_state {
    pli_f8 F[18]; // deformation gradients, row-major
    pli_f8 R[18]; // rotations nearest to them
} block_state;

#define EACH for (int k = 0; k < count; ++k)

// The edges from corner 0, plane 3 a + i: subtracted in double, so that the place in the world
// costs no digits.
PLI_INLINE void gather_edges(const tet_block *block, const double *x, pli_f8 edges[9])
{
    pli_f4 rows[3][LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        const int16_t *corner = block->corner[lane];
        pli_d4 x0 = pli_d4_load(x + 4 * corner[0]);
        for (int a = 0; a < 3; ++a) {
            rows[a][lane] = pli_f4_from_d4(pli_d4_load(x + 4 * corner[a + 1]) - x0);
        }
    }
    for (int a = 0; a < 3; ++a) pli_rows_to_planes(rows[a], edges + 3 * a);
}

// F_ij = sum_a (x_a - x_0)_i g_aj
PLI_INLINE void compute_deformation(const tet_block *block, const double *x, pli_f8 F[9])
{
    pli_f8 edges[9];
    gather_edges(block, x, edges);
    for (int j = 0; j < 3; ++j) {
        pli_f8 g[3];
        for (int a = 0; a < 3; ++a) g[a] = pli_f8_load(block->gradients[3 * a + j]);
        for (int i = 0; i < 3; ++i) {
            F[3 * i + j] = edges[i] * g[0] + edges[3 + i] * g[1] + edges[6 + i] * g[2];
        }
    }
}

PLI_INLINE void compute_blocks(int count, const tet_block *blocks, const double *x, block_state *at)
{
    EACH compute_deformation(&blocks[k], x, at->F + 9 * k);
    if (count == 2) {
        pli_rotation_pair_f8(at->F, at->R);
    } else {
        pli_rotation_f8(at->F, at->R);
    }
}

// Adds the forces on corners 1, 2, 3, and minus their sum on corner 0: in double, so that they
// balance to the last bit of a double.
PLI_INLINE void scatter_forces(const tet_block *block, pli_f4 rows[3][LANES], double *f)
{
    for (int lane = 0; lane < LANES; ++lane) {
        const int16_t *corner = block->corner[lane];
        pli_d4 sum = {0};
        for (int a = 0; a < 3; ++a) {
            pli_d4 force = pli_d4_from_f4(rows[a][lane]);
            double *to = f + 4 * corner[a + 1];
            pli_d4_store(pli_d4_load(to) + force, to);
            sum += force;
        }
        double *to = f + 4 * corner[0];
        pli_d4_store(pli_d4_load(to) - sum, to);
    }
}

// dE/dx_ai = 2 mu V (F - R)_ij g_aj
PLI_INLINE void add_block_forces(const tet_block *block, const pli_f8 F[9], const pli_f8 R[9],
                                 double *f)
{
    pli_f8 P[9];
    pli_f8 weight = pli_f8_load(block->weight);
    for (int c = 0; c < 9; ++c) P[c] = weight * (F[c] - R[c]);
    pli_f4 rows[3][LANES];
    for (int a = 0; a < 3; ++a) {
        pli_f8 g[3];
        pli_f8 force[3];
        for (int j = 0; j < 3; ++j) g[j] = pli_f8_load(block->gradients[3 * a + j]);
        for (int i = 0; i < 3; ++i) {
            force[i] = P[3 * i] * g[0] + P[3 * i + 1] * g[1] + P[3 * i + 2] * g[2];
        }
        pli_planes_to_rows(force, rows[a]);
    }
    scatter_forces(block, rows, f);
}

// Forces of count (1 or 2) blocks.
PLI_INLINE void add_forces(int count, const tet_block *blocks, const double *x, double *f)
{
    block_state at;
    compute_blocks(count, blocks, x, &at);
    EACH add_block_forces(&blocks[k], at.F + 9 * k, at.R + 9 * k, f);
}

PLI_INLINE pli_f8 block_determinant(const pli_f8 F[9])
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

// What a chunk adds up, lane by lane.
typedef struct lane_sums {
    pli_d4 energy[2]; // 1/2 w |F - R|^2 of lanes 0 to 3 and 4 to 7 (J)
    pli_f8 min_J;
    int64_t inverted;
} lane_sums;

PLI_INLINE void measure_block(const tet_block *block, const pli_f8 F[9], const pli_f8 R[9],
                              lane_sums *sums)
{
    const pli_f8 zero = {0};
    pli_f8 weight = pli_f8_load(block->weight);
    pli_f8 length = {0};
    for (int c = 0; c < 9; ++c) length += (F[c] - R[c]) * (F[c] - R[c]);
    float energy[LANES];
    pli_f8_store(0.5f * weight * length, energy);
    for (int lane = 0; lane < LANES; ++lane) sums->energy[lane / 4][lane % 4] += energy[lane];
    pli_f8 J = block_determinant(F);
    sums->min_J = pli_f8_min(J, sums->min_J);
    // padding has no weight
    pli_f8_mask inverted = (pli_f8_mask)(J < zero) & (pli_f8_mask)(weight > zero);
    sums->inverted += __builtin_popcount(pli_f8_bits(inverted));
}

PLI_INLINE void measure_blocks(int count, const tet_block *blocks, const double *x, lane_sums *sums)
{
    block_state at;
    compute_blocks(count, blocks, x, &at);
    EACH measure_block(&blocks[k], at.F + 9 * k, at.R + 9 * k, sums);
}

#undef EACH
