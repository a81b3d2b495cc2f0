// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of one batch of eight tetrahedra; lanes are the fastest index, so that the compiler
// vectorises the innermost loops. Included by elastic.c only.

enum { LANES = 8, PAIRS = 10 };

typedef struct batch {
    const pli_material_ops *law;
    int32_t count;       // lanes in use; the others hold an undeformed element of no volume
    double G[9][LANES];  // gradients of N_1, N_2, N_3, plane 3 a + j (1/m)
    double V[LANES];     // m^3
    double F[9][LANES];  // deformation gradient
    double psi[LANES];   // J/m^3
    double P[9][LANES];  // Pa
    double T[81][LANES]; // dP/dF (Pa)
    double params[PLI_ELASTIC_PARAMS][LANES];
    bool adds;                 // the law is multiplied, and has stress added
    double factor[LANES];      // of the law
    double B[9][LANES];        // added stress (Pa)
    double K[PAIRS][9][LANES]; // blocks (a, b), a <= b, of the element matrix (N/m)
} batch;

// Reads what is added to the law of a tetrahedron.
static void load_added(const pli_elastic *elastic, int64_t tet, int lane, batch *b)
{
    static const int from[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    b->adds = elastic->factor != NULL;
    if (!b->adds) return;
    b->factor[lane] = elastic->factor[tet];
    for (int k = 0; k < 9; ++k) {
        b->B[k][lane] = elastic->added_stress[from[k] * (int64_t)elastic->tet_count + tet];
    }
}

// Fills the lanes from count on with elements that do no harm.
static void pad_batch(int32_t count, int32_t param_count, batch *b)
{
    b->count = count;
    for (int lane = count; lane < LANES; ++lane) {
        b->V[lane] = 0;
        for (int plane = 0; plane < 9; ++plane) b->G[plane][lane] = 0;
        for (int k = 0; k < param_count; ++k) b->params[k][lane] = b->params[k][0];
        b->factor[lane] = 0;
        for (int k = 0; k < 9; ++k) b->B[k][lane] = 0;
    }
}

// Reads geometry, that of what has never yielded if it is to be, and parameters of count <= LANES
// consecutive tetrahedra of one group.
static void load_batch(const pli_elastic *elastic, const pli_elastic_group *group, int32_t begin,
                       int32_t count, bool at_rest, batch *b)
{
    bool is_kept = at_rest && elastic->rest_gradients != NULL;
    const double *gradients = is_kept ? elastic->rest_gradients : elastic->gradients;
    const double *volume = is_kept ? elastic->rest_volume : elastic->volume;
    for (int plane = 0; plane < 9; ++plane) {
        const double *from = gradients + (int64_t)plane * elastic->tet_count + begin;
        for (int lane = 0; lane < count; ++lane) b->G[plane][lane] = from[lane];
    }
    for (int lane = 0; lane < count; ++lane) b->V[lane] = volume[begin + lane];
    for (int k = 0; k < group->law->param_count; ++k) {
        const double *from =
            group->params + (int64_t)k * (group->end - group->begin) + (begin - group->begin);
        for (int lane = 0; lane < count; ++lane) b->params[k][lane] = from[lane];
    }
    for (int lane = 0; lane < count; ++lane) load_added(elastic, begin + lane, lane, b);
    // a shape at rest has nothing added
    for (int k = 0; k < 9 && at_rest; ++k) {
        for (int lane = 0; lane < LANES; ++lane) b->B[k][lane] = 0;
    }
    pad_batch(count, group->law->param_count, b);
}

// psi <- factor psi + 1/2 B : (F^T F - 1)
static void add_to_energy(batch *b)
{
    double sum[LANES] = {0}; // (F B) : F - tr B
    for (int ij = 0; ij < 9; ++ij) {
        int i = ij - ij % 3, j = ij % 3;
        double own = ij % 4 == 0;
        for (int lane = 0; lane < LANES; ++lane) {
            double FB = b->F[i][lane] * b->B[j][lane] + b->F[i + 1][lane] * b->B[3 + j][lane] +
                        b->F[i + 2][lane] * b->B[6 + j][lane];
            sum[lane] += FB * b->F[ij][lane] - own * b->B[ij][lane];
        }
    }
    for (int lane = 0; lane < LANES; ++lane) {
        b->psi[lane] = b->factor[lane] * b->psi[lane] + 0.5 * sum[lane];
    }
}

// P <- factor P + F B
static void add_to_stress(batch *b)
{
    for (int ij = 0; ij < 9; ++ij) {
        int i = ij - ij % 3, j = ij % 3;
        for (int lane = 0; lane < LANES; ++lane) {
            b->P[ij][lane] = b->factor[lane] * b->P[ij][lane] + b->F[i][lane] * b->B[j][lane] +
                             b->F[i + 1][lane] * b->B[3 + j][lane] +
                             b->F[i + 2][lane] * b->B[6 + j][lane];
        }
    }
}

// T_ij,kl <- factor T_ij,kl + delta_ik B_jl
static void add_to_tangent(batch *b)
{
    for (int at = 0; at < 81; ++at) {
        int ij = at / 9, kl = at % 9;
        const double *B = b->B[3 * (ij % 3) + kl % 3];
        double same = ij / 3 == kl / 3;
        for (int lane = 0; lane < LANES; ++lane) {
            b->T[at][lane] = b->factor[lane] * b->T[at][lane] + same * B[lane];
        }
    }
}

// F_ij = sum_a (x_a - x_0)_i g_aj
static void compute_deformation(const int32_t (*tets)[4], const double *x, batch *b)
{
    double D[9][LANES]; // plane 3 i + a: edge a from corner 0
    for (int lane = 0; lane < b->count; ++lane) {
        const double *x0 = x + 3 * (int64_t)tets[lane][0];
        for (int a = 0; a < 3; ++a) {
            const double *xa = x + 3 * (int64_t)tets[lane][a + 1];
            for (int i = 0; i < 3; ++i) D[3 * i + a][lane] = xa[i] - x0[i];
        }
    }
    for (int lane = b->count; lane < LANES; ++lane) {
        for (int k = 0; k < 9; ++k) D[k][lane] = 0;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int lane = 0; lane < LANES; ++lane) {
                b->F[3 * i + j][lane] = D[3 * i][lane] * b->G[j][lane] +
                                        D[3 * i + 1][lane] * b->G[3 + j][lane] +
                                        D[3 * i + 2][lane] * b->G[6 + j][lane];
            }
        }
    }
    // lanes without an element must not trip the law
    for (int lane = b->count; lane < LANES; ++lane) {
        b->F[0][lane] = b->F[4][lane] = b->F[8][lane] = 1;
    }
}

static void set_identity(batch *b)
{
    for (int k = 0; k < 9; ++k) {
        for (int lane = 0; lane < LANES; ++lane) b->F[k][lane] = k % 4 == 0;
    }
}

// dE/dx_ai = V P_ij g_aj for corners 1..3; corner 0 gets minus their sum
static void add_forces(const int32_t (*tets)[4], const batch *b, double *g)
{
    double f[9][LANES]; // plane 3 a + i
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            for (int lane = 0; lane < LANES; ++lane) {
                f[3 * a + i][lane] = b->V[lane] * (b->P[3 * i][lane] * b->G[3 * a][lane] +
                                                   b->P[3 * i + 1][lane] * b->G[3 * a + 1][lane] +
                                                   b->P[3 * i + 2][lane] * b->G[3 * a + 2][lane]);
            }
        }
    }
    for (int lane = 0; lane < b->count; ++lane) {
        double *g0 = g + 3 * (int64_t)tets[lane][0];
        for (int a = 0; a < 3; ++a) {
            double *ga = g + 3 * (int64_t)tets[lane][a + 1];
            for (int i = 0; i < 3; ++i) {
                ga[i] += f[3 * a + i][lane];
                g0[i] -= f[3 * a + i][lane];
            }
        }
    }
}

// where the block of corners (a, b), a <= b, is kept
static const int pair_index[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};

// W_i,kl = V g_aj dP_ij/dF_kl for one corner a
static void contract_left(const batch *b, int a, double W[27][LANES])
{
    for (int i = 0; i < 3; ++i) {
        for (int kl = 0; kl < 9; ++kl) {
            for (int lane = 0; lane < LANES; ++lane) {
                W[9 * i + kl][lane] =
                    b->V[lane] * (b->G[3 * a][lane] * b->T[27 * i + kl][lane] +
                                  b->G[3 * a + 1][lane] * b->T[27 * i + 9 + kl][lane] +
                                  b->G[3 * a + 2][lane] * b->T[27 * i + 18 + kl][lane]);
            }
        }
    }
}

// K_ik = W_i,kl g_bl
static void contract_right(const batch *b, int corner, double W[27][LANES], double K[9][LANES])
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int lane = 0; lane < LANES; ++lane) {
                K[3 * i + k][lane] = W[9 * i + 3 * k][lane] * b->G[3 * corner][lane] +
                                     W[9 * i + 3 * k + 1][lane] * b->G[3 * corner + 1][lane] +
                                     W[9 * i + 3 * k + 2][lane] * b->G[3 * corner + 2][lane];
            }
        }
    }
}

// out = -(A + B + C), where some of them are needed transposed
static void negative_sum(double A[9][LANES], double B[9][LANES], double C[9][LANES],
                         const bool transposed[3], double out[9][LANES])
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            int at = 3 * i + k;
            int flipped = 3 * k + i;
            const double *p = A[transposed[0] ? flipped : at];
            const double *q = B[transposed[1] ? flipped : at];
            const double *r = C[transposed[2] ? flipped : at];
            for (int lane = 0; lane < LANES; ++lane) {
                out[at][lane] = -(p[lane] + q[lane] + r[lane]);
            }
        }
    }
}

// The ten blocks of the element matrices from T; corner 0 follows from the others because every
// row and column sums to zero.
static void compute_stiffness(batch *b)
{
    for (int a = 0; a < 3; ++a) {
        double W[27][LANES];
        contract_left(b, a, W);
        for (int c = a; c < 3; ++c) contract_right(b, c, W, b->K[pair_index[a + 1][c + 1]]);
    }
    // K_0c = -(K_1c + K_2c + K_3c), with K_ac = K_ca^T
    for (int c = 1; c < 4; ++c) {
        const bool transposed[3] = {1 > c, 2 > c, 3 > c};
        negative_sum(b->K[pair_index[1][c]], b->K[pair_index[2][c]], b->K[pair_index[3][c]],
                     transposed, b->K[pair_index[0][c]]);
    }
    // K_00 = -(K_01 + K_02 + K_03)
    const bool plain[3] = {false, false, false};
    negative_sum(b->K[1], b->K[2], b->K[3], plain, b->K[0]);
}

static void add_block(const batch *b, int pair, int lane, bool transposed, double *block)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            block[3 * i + k] += b->K[pair][transposed ? 3 * k + i : 3 * i + k][lane];
        }
    }
}

static void add_stiffness(const batch *b, const int32_t (*slots)[16], double *values)
{
    for (int lane = 0; lane < b->count; ++lane) {
        for (int p = 0; p < 4; ++p) {
            for (int q = 0; q < 4; ++q) {
                add_block(b, pair_index[p][q], lane, p > q,
                          values + 9 * (int64_t)slots[lane][4 * p + q]);
            }
        }
    }
}

// One corner of every tetrahedron of a batch.
typedef struct batch_corner {
    double a[3][LANES]; // gradient of its shape function (1/m)
    double g[3][LANES]; // dE/dx (N)
    double H[6][LANES]; // d2E/dx2 (N/m): xx, yy, zz, xy, xz, yz
} batch_corner;

// g_i = V P_ij a_j
static void compute_corner_forces(const batch *b, batch_corner *c)
{
    for (int i = 0; i < 3; ++i) {
        for (int lane = 0; lane < LANES; ++lane) {
            c->g[i][lane] = b->V[lane] * (b->P[3 * i][lane] * c->a[0][lane] +
                                          b->P[3 * i + 1][lane] * c->a[1][lane] +
                                          b->P[3 * i + 2][lane] * c->a[2][lane]);
        }
    }
}

// H_ik = V a_j (dP_ij/dF_kl) a_l
static void compute_corner_stiffness(const batch *b, batch_corner *c)
{
    static const int rows[6] = {0, 1, 2, 0, 0, 1};
    static const int columns[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; ++e) {
        double sum[LANES] = {0};
        for (int jl = 0; jl < 9; ++jl) {
            const double *T = b->T[(3 * rows[e] + jl / 3) * 9 + 3 * columns[e] + jl % 3];
            for (int lane = 0; lane < LANES; ++lane) {
                sum[lane] += c->a[jl / 3][lane] * T[lane] * c->a[jl % 3][lane];
            }
        }
        for (int lane = 0; lane < LANES; ++lane) c->H[e][lane] = b->V[lane] * sum[lane];
    }
}
