// SPDX-License-Identifier: Apache-2.0
//
// Elements in batches of eight, one a lane; lanes are the fastest index, so that the compiler
// vectorises the innermost loops. Included by elastic.c once for every kind of element, with
//     NODES    of an element, 4 or 10
//     POINTS   material points of an element, 1 or 4
//     PATCHED  whether the law sees F (Jbar / J)^e with the mean J of a patch (elastic_patch.h)
//     NAME     what makes names of functions and types their own

enum {
    NAME(EDGES) = NODES - 1,               // nodes but for the first
    NAME(PLANES) = 3 * (NODES - 1),        // of gradients
    NAME(PAIRS) = NODES * (NODES + 1) / 2, // of nodes, a <= b
};

typedef struct NAME(batch) {
    const pli_material_ops *law;
    int32_t count; // lanes in use; the others hold an undeformed element of no volume
    int32_t point; // material point of all elements
    double G[NAME(PLANES)][LANES]; // gradients of N_1, N_2, ..., plane 3 a + j (1/m)
    double V[LANES];               // that the material point stands for (m^3)
    double F[9][LANES];            // deformation gradient
    double psi[LANES];             // J/m^3
    double P[9][LANES];            // Pa
    double T[81][LANES];           // dP/dF (Pa)
    double params[PLI_ELASTIC_PARAMS][LANES];
    bool adds;                       // the law is multiplied, and has stress added
    double factor[LANES];            // of the law
    double B[9][LANES];              // added stress (Pa)
    double K[NAME(PAIRS)][9][LANES]; // blocks (a, b), a <= b, of the element matrix (N/m)
#if PATCHED
    patch_lanes patch;
#endif
} NAME(batch);

// where the block of nodes (a, b), a <= b, is kept
static inline int NAME(pair)(int a, int b)
{
    return a * NODES - a * (a - 1) / 2 + b - a;
}

// Fills the lanes from count on with elements that do no harm.
static void NAME(pad_batch)(int32_t count, int32_t param_count, NAME(batch) * b)
{
    b->count = count;
    for (int lane = count; lane < LANES; ++lane) {
        b->V[lane] = 0;
        b->factor[lane] = 0;
        for (int k = 0; k < 9; ++k) b->B[k][lane] = 0;
        for (int plane = 0; plane < NAME(PLANES); ++plane) b->G[plane][lane] = 0;
        for (int k = 0; k < param_count; ++k) b->params[k][lane] = b->params[k][0];
    }
}

// Reads what is added to the law of a material point.
static inline void NAME(load_added)(const pli_elastic *elastic, int64_t tet, int lane,
                                    NAME(batch) * b)
{
    static const int from[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    b->adds = elastic->factor != NULL;
    if (!b->adds) return;
    int64_t count = elastic->tet_count;
    b->factor[lane] = elastic->factor[b->point * count + tet];
    for (int k = 0; k < 9; ++k) {
        b->B[k][lane] = elastic->added_stress[(6 * b->point + from[k]) * count + tet];
    }
}

// Reads the geometry of a material point, that of what has never yielded if it is to be, and
// parameters of count <= LANES consecutive elements of one group.
static void NAME(load_batch)(const pli_elastic *elastic, const pli_elastic_group *group,
                             int32_t begin, int32_t count, int32_t point, bool at_rest,
                             NAME(batch) * b)
{
    bool is_kept = at_rest && elastic->rest_gradients != NULL;
    const double *gradients = is_kept ? elastic->rest_gradients : elastic->gradients;
    const double *volume = is_kept ? elastic->rest_volume : elastic->volume;
    b->point = point;
    for (int plane = 0; plane < NAME(PLANES); ++plane) {
        int64_t row = (int64_t)point * NAME(PLANES) + plane;
        const double *from = gradients + row * elastic->tet_count + begin;
        for (int lane = 0; lane < count; ++lane) b->G[plane][lane] = from[lane];
    }
    const double *V = volume + (int64_t)point * elastic->tet_count + begin;
    for (int lane = 0; lane < count; ++lane) b->V[lane] = V[lane];
    for (int k = 0; k < group->law->param_count; ++k) {
        int64_t row = (int64_t)k * POINTS + point;
        const double *from =
            group->params + row * (group->end - group->begin) + (begin - group->begin);
        for (int lane = 0; lane < count; ++lane) b->params[k][lane] = from[lane];
    }
    for (int lane = 0; lane < count; ++lane) NAME(load_added)(elastic, begin + lane, lane, b);
    // a shape at rest has nothing added
    for (int k = 0; k < 9 && at_rest; ++k) {
        for (int lane = 0; lane < LANES; ++lane) b->B[k][lane] = 0;
    }
    NAME(pad_batch)(count, group->law->param_count, b);
}

// F_ij = sum_a (x_a - x_0)_i g_aj
static void NAME(compute_deformation)(const int32_t (*tets)[NODES], const double *x,
                                      NAME(batch) * b)
{
    double D[NAME(PLANES)][LANES]; // plane EDGES i + a: the way from node 0 to node a + 1
    for (int lane = 0; lane < b->count; ++lane) {
        const double *x0 = x + 3 * (int64_t)tets[lane][0];
        for (int a = 0; a < NAME(EDGES); ++a) {
            const double *xa = x + 3 * (int64_t)tets[lane][a + 1];
            for (int i = 0; i < 3; ++i) D[NAME(EDGES) * i + a][lane] = xa[i] - x0[i];
        }
    }
    for (int lane = b->count; lane < LANES; ++lane) {
        for (int k = 0; k < NAME(PLANES); ++k) D[k][lane] = 0;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int lane = 0; lane < LANES; ++lane) {
                double sum = D[NAME(EDGES) * i][lane] * b->G[j][lane];
                for (int a = 1; a < NAME(EDGES); ++a) {
                    sum += D[NAME(EDGES) * i + a][lane] * b->G[3 * a + j][lane];
                }
                b->F[3 * i + j][lane] = sum;
            }
        }
    }
    // lanes without an element must not trip the law
    for (int lane = b->count; lane < LANES; ++lane) {
        b->F[0][lane] = b->F[4][lane] = b->F[8][lane] = 1;
    }
}

static void NAME(set_identity)(NAME(batch) * b)
{
    for (int k = 0; k < 9; ++k) {
        for (int lane = 0; lane < LANES; ++lane) b->F[k][lane] = k % 4 == 0;
    }
}

// dE/dx_ai = V P_ij g_aj for nodes 1, 2, ...; node 0 gets minus their sum
static void NAME(add_forces)(const int32_t (*tets)[NODES], const NAME(batch) * b, double *g)
{
    double f[NAME(PLANES)][LANES]; // plane 3 a + i
    for (int a = 0; a < NAME(EDGES); ++a) {
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
        for (int a = 0; a < NAME(EDGES); ++a) {
            double *ga = g + 3 * (int64_t)tets[lane][a + 1];
            for (int i = 0; i < 3; ++i) {
                ga[i] += f[3 * a + i][lane];
                g0[i] -= f[3 * a + i][lane];
            }
        }
    }
}

// W_i,kl = V g_aj dP_ij/dF_kl for one node a
static void NAME(contract_left)(const NAME(batch) * b, int a, double W[27][LANES])
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

// K_ik = W_i,kl g_bl, the sum over the material points of an element
static void NAME(contract_right)(const NAME(batch) * b, int node, double W[27][LANES],
                                 double K[9][LANES])
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int lane = 0; lane < LANES; ++lane) {
                double part = W[9 * i + 3 * k][lane] * b->G[3 * node][lane] +
                              W[9 * i + 3 * k + 1][lane] * b->G[3 * node + 1][lane] +
                              W[9 * i + 3 * k + 2][lane] * b->G[3 * node + 2][lane];
                K[3 * i + k][lane] = POINTS > 1 && b->point > 0 ? K[3 * i + k][lane] + part : part;
            }
        }
    }
}

// K_0c = -(K_1c + K_2c + ...), with K_ac = K_ca^T, and K_00 = -(K_01 + K_02 + ...)
static void NAME(sum_rows)(NAME(batch) * b, int c)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            double sum[LANES] = {0};
            for (int a = 1; a < NODES; ++a) {
                const double *from = c == 0   ? b->K[NAME(pair)(0, a)][3 * i + k]
                                     : a <= c ? b->K[NAME(pair)(a, c)][3 * i + k]
                                              : b->K[NAME(pair)(c, a)][3 * k + i];
                for (int lane = 0; lane < LANES; ++lane) sum[lane] += from[lane];
            }
            for (int lane = 0; lane < LANES; ++lane) {
                b->K[NAME(pair)(0, c)][3 * i + k][lane] = -sum[lane];
            }
        }
    }
}

// The blocks of the element matrices from T, material point after material point; node 0 follows
// from the others at the last one because every row and column sums to zero.
static void NAME(compute_stiffness)(NAME(batch) * b)
{
    for (int a = 0; a < NAME(EDGES); ++a) {
        double W[27][LANES];
        NAME(contract_left)(b, a, W);
        for (int c = a; c < NAME(EDGES); ++c) {
            NAME(contract_right)(b, c, W, b->K[NAME(pair)(a + 1, c + 1)]);
        }
    }
    if (b->point + 1 < POINTS) return;
    for (int c = 1; c < NODES; ++c) NAME(sum_rows)(b, c);
    NAME(sum_rows)(b, 0);
}

static inline void NAME(add_block)(const NAME(batch) * b, int pair, int lane, bool transposed,
                                   double *block)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            block[3 * i + k] += b->K[pair][transposed ? 3 * k + i : 3 * i + k][lane];
        }
    }
}

// slots_of: where the slots of an element's nodes begin
static inline void NAME(add_element)(const NAME(batch) * b, int lane, const int32_t *slots,
                                     double *values)
{
    for (int p = 0; p < NODES; ++p) {
        for (int q = 0; q < NODES; ++q) {
            NAME(add_block)
            (b, NAME(pair)(p < q ? p : q, p < q ? q : p), lane, p > q,
             values + 9 * (int64_t)slots[NODES * p + q]);
        }
    }
}

// ---- loops over batches

typedef void (*NAME(batch_fn))(void *user, const pli_elastic *elastic, int32_t begin,
                               NAME(batch) * b);

// Cuts [begin, end) at group borders into batches, computes F at every material point (x NULL: at
// rest, where it is the identity, and of what has never yielded), and hands each to visit.
static void NAME(for_each_batch)(const pli_elastic *elastic, const double *x, int32_t begin,
                                 int32_t end, NAME(batch_fn) visit, void *user)
{
    NAME(batch) b;
    for (int32_t k = 0; k < elastic->group_count; ++k) {
        const pli_elastic_group *group = &elastic->groups[k];
        int32_t from = begin > group->begin ? begin : group->begin;
        int32_t to = end < group->end ? end : group->end;
        b.law = group->law;
        for (int32_t at = from; at < to; at += LANES) {
            int32_t count = to - at < LANES ? to - at : LANES;
            for (int32_t point = 0; point < POINTS; ++point) {
                NAME(load_batch)(elastic, group, at, count, point, x == NULL, &b);
                if (x != NULL) {
                    NAME(compute_deformation)
                    ((const int32_t(*)[NODES])elastic->tets + at, x, &b);
                } else {
                    NAME(set_identity)(&b);
                }
#if PATCHED
                if (x != NULL) patch_scale(elastic->patches, at, count, b.F, &b.patch);
#endif
                visit(user, elastic, at, &b);
            }
        }
    }
}

// psi <- factor psi + 1/2 B : (F^T F - 1)
static void NAME(add_to_energy)(NAME(batch) * b)
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
static void NAME(add_to_stress)(NAME(batch) * b)
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
static void NAME(add_to_tangent)(NAME(batch) * b)
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

// The nearest positive semi-definite tangent of every lane.
static void NAME(clamp_tangent)(NAME(batch) * b)
{
    for (int lane = 0; lane < b->count; ++lane) {
        double T[81];
        for (int k = 0; k < 81; ++k) T[k] = b->T[k][lane];
        if (!pli_psd_clamp(9, T)) continue;
        for (int k = 0; k < 81; ++k) b->T[k][lane] = T[k];
    }
}

// What a law says, and what is added to it.
static inline void NAME(call_law)(NAME(batch) * b, pli_projection projection, bool want_energy,
                                  bool want_stress, bool want_tangent)
{
    b->law->evaluate(LANES, b->F[0], b->params[0], b->adds ? PLI_TANGENT_EXACT : projection,
                     want_energy ? b->psi : NULL, want_stress ? b->P[0] : NULL,
                     want_tangent ? b->T[0] : NULL);
    if (!b->adds) return;
    if (want_energy) NAME(add_to_energy)(b);
    if (want_stress) NAME(add_to_stress)(b);
    if (want_tangent) NAME(add_to_tangent)(b);
    if (want_tangent && projection == PLI_TANGENT_PROJECTED) NAME(clamp_tangent)(b);
}

// ---- points by themselves

static void NAME(visit_batch)(void *user, const pli_elastic *elastic, int32_t begin,
                              NAME(batch) * b)
{
    const visit_job *job = user;
    bool energy = (job->want & PLI_ELASTIC_ENERGY) != 0;
    bool stress = (job->want & PLI_ELASTIC_STRESS) != 0;
    bool tangent = (job->want & PLI_ELASTIC_TANGENT) != 0;
    b->adds = b->adds && (job->want & PLI_ELASTIC_WHOLE) != 0;
    if (energy || stress || tangent) {
        NAME(call_law)(b, PLI_TANGENT_EXACT, energy, stress, tangent);
    }
    for (int lane = 0; lane < b->count; ++lane) {
        pli_elastic_point point = {.tet = elastic->origin[begin + lane],
                                   .point = b->point,
                                   .share = 1,
                                   .volume = b->V[lane]};
        if (POINTS > 1) point.share = share_of_point(elastic, begin + lane, b->point);
        gather_lane(9, b->F, lane, point.F);
        if (energy) point.psi = b->psi[lane];
        if (stress) gather_lane(9, b->P, lane, point.P);
        if (tangent) gather_lane(81, b->T, lane, point.T);
        job->visit(job->user, &point);
    }
}

static void NAME(visit)(const pli_elastic *elastic, const double *x, int32_t begin, int32_t end,
                        visit_job *job)
{
    NAME(for_each_batch)(elastic, x, begin, end, NAME(visit_batch), job);
}

// ---- energy

static void NAME(sum_batch_energy)(void *user, const pli_elastic *elastic, int32_t begin,
                                   NAME(batch) * b)
{
    (void)elastic;
    (void)begin;
    pli_sum *sum = user;
    NAME(call_law)(b, PLI_TANGENT_EXACT, true, false, false);
#if PATCHED
    patch_bound_energy(&b->patch, b->count, b->psi);
#endif
    for (int lane = 0; lane < b->count; ++lane) {
        pli_sum_merge(sum, (pli_sum){b->V[lane] * b->psi[lane], 0});
    }
}

static pli_sum NAME(sum_energy)(const pli_elastic *elastic, const double *x, int32_t begin,
                                int32_t end)
{
    pli_sum sum = {0, 0};
    NAME(for_each_batch)(elastic, x, begin, end, NAME(sum_batch_energy), &sum);
    return sum;
}

// ---- gradient

static void NAME(add_batch_gradient)(void *user, const pli_elastic *elastic, int32_t begin,
                                     NAME(batch) * b)
{
    double *g = user;
    NAME(call_law)(b, PLI_TANGENT_EXACT, false, true, false);
#if PATCHED
    patch_correct_stress(&b->patch, b->F, b->P);
#endif
    NAME(add_forces)((const int32_t(*)[NODES])elastic->tets + begin, b, g);
}

static void NAME(add_gradient)(const pli_elastic *elastic, const double *x, int32_t begin,
                               int32_t end, double *g)
{
    NAME(for_each_batch)(elastic, x, begin, end, NAME(add_batch_gradient), g);
}

// ---- Hessian

static void NAME(add_batch_hessian)(void *user, const pli_elastic *elastic, int32_t begin,
                                    NAME(batch) * b)
{
    const pli_element_job *target = user;
    pli_projection projection = target->projected ? PLI_TANGENT_PROJECTED : PLI_TANGENT_EXACT;
    if (target->weights != NULL) {
        for (int lane = 0; lane < b->count; ++lane) {
            b->V[lane] *=
                target->weights[PATCHED ? elastic->patches->of_tet[begin + lane] : begin + lane];
        }
    }
#if PATCHED
    NAME(call_law)(b, projection, false, true, true);
    patch_correct_tangent(projection, &b->patch, b->F, b->P, b->T);
    NAME(compute_stiffness)(b);
    for (int lane = 0; lane < b->count; ++lane) {
        int32_t slots[NODES * NODES];
        patch_slots(elastic->patches, begin + lane, target->slots, slots);
        NAME(add_element)(b, lane, slots, target->H->values);
        patch_couple(elastic->patches, begin + lane, lane, b->V[lane], b->G, &b->patch);
    }
#else
    (void)elastic;
    NAME(call_law)(b, projection, false, false, true);
    NAME(compute_stiffness)(b);
    if (b->point + 1 < POINTS) return;
    for (int lane = 0; lane < b->count; ++lane) {
        NAME(add_element)
        (b, lane, target->slots + NODES * NODES * (int64_t)(begin + lane), target->H->values);
    }
#endif
}

static void NAME(add_hessian)(const pli_elastic *elastic, const double *x, int32_t begin,
                              int32_t end, const pli_element_job *target)
{
    NAME(for_each_batch)(elastic, x, begin, end, NAME(add_batch_hessian), (void *)target);
}

// ---- scalar matrix

// S_ab += V dP_00/dF_00 g_a . g_b, the stiffness at rest against stretching along an axis.
static void NAME(add_batch_lifted)(void *user, const pli_elastic *elastic, int32_t begin,
                                   NAME(batch) * b)
{
    pli_lifted *S = user;
    NAME(call_law)(b, PLI_TANGENT_EXACT, false, false, true);
    for (int lane = 0; lane < b->count; ++lane) {
        const int32_t *nodes = elastic->tets + NODES * (int64_t)(begin + lane);
        double G[NODES][3];
        for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int a = 0; a < NAME(EDGES); ++a) sum += G[a + 1][j] = b->G[3 * a + j][lane];
            G[0][j] = -sum;
        }
        double weight = b->T[0][lane] * b->V[lane];
        for (int k = 0; k < NODES * NODES; ++k) {
            int p = k / NODES, q = k % NODES;
            int64_t slot = pli_lifted_find(S, nodes[p], nodes[q]);
            pli_lifted_add(S, slot, weight * pli_vec3_dot(G[p], G[q]));
        }
    }
}

static void NAME(add_lifted)(const pli_elastic *elastic, int32_t begin, int32_t end, pli_lifted *S)
{
    NAME(for_each_batch)(elastic, NULL, begin, end, NAME(add_batch_lifted), S);
}

#if !PATCHED
// ---- one vertex

// Elements of some vertices, gathered until the lanes are full.
typedef struct NAME(gathering) {
    const pli_elastic *elastic;
    const double *x;
    const pli_vertex_batch *wanted;
    const pli_elastic_group *group;
    int32_t count;
    int32_t numbers[LANES];
    int32_t tets[LANES][NODES];
    int32_t place[LANES]; // in the batch of vertices
    int32_t node[LANES];  // of the element that the vertex is
    double a[3][LANES];   // gradient of its shape function (1/m)
    double g[3][LANES];   // dE/dx (N)
    double H[6][LANES];   // d2E/dx2 (N/m): xx, yy, zz, xy, xz, yz
    NAME(batch) b;
} NAME(gathering);

// Reads a material point of the gathered elements.
static void NAME(load_gathered)(NAME(gathering) * g, int32_t point)
{
    const pli_elastic *elastic = g->elastic;
    const pli_elastic_group *group = g->group;
    NAME(batch) *b = &g->b;
    int64_t count = elastic->tet_count;
    b->point = point;
    for (int lane = 0; lane < g->count; ++lane) {
        int32_t tet = g->numbers[lane];
        b->V[lane] = elastic->volume[point * count + tet];
        for (int k = 0; k < NAME(PLANES); ++k) {
            b->G[k][lane] = elastic->gradients[(point * NAME(PLANES) + k) * count + tet];
        }
        for (int k = 0; k < group->law->param_count; ++k) {
            int64_t plane = ((int64_t)k * POINTS + point) * (group->end - group->begin);
            b->params[k][lane] = group->params[plane + tet - group->begin];
        }
        NAME(load_added)(elastic, tet, lane, b);
        int node = g->node[lane];
        for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int a = 0; a < NAME(EDGES); ++a) sum += b->G[3 * a + j][lane];
            g->a[j][lane] = node == 0 ? -sum : b->G[3 * (node - 1) + j][lane];
        }
    }
    for (int lane = g->count; lane < LANES; ++lane) {
        for (int j = 0; j < 3; ++j) g->a[j][lane] = 0;
    }
    NAME(pad_batch)(g->count, group->law->param_count, b);
}

// g_i = V P_ij a_j
static void NAME(compute_node_forces)(NAME(gathering) * g)
{
    const NAME(batch) *b = &g->b;
    for (int i = 0; i < 3; ++i) {
        for (int lane = 0; lane < LANES; ++lane) {
            g->g[i][lane] = b->V[lane] * (b->P[3 * i][lane] * g->a[0][lane] +
                                          b->P[3 * i + 1][lane] * g->a[1][lane] +
                                          b->P[3 * i + 2][lane] * g->a[2][lane]);
        }
    }
}

// H_ik = V a_j (dP_ij/dF_kl) a_l
static void NAME(compute_node_stiffness)(NAME(gathering) * g)
{
    static const int rows[6] = {0, 1, 2, 0, 0, 1};
    static const int columns[6] = {0, 1, 2, 1, 2, 2};
    const NAME(batch) *b = &g->b;
    for (int e = 0; e < 6; ++e) {
        double sum[LANES] = {0};
        for (int jl = 0; jl < 9; ++jl) {
            const double *T = b->T[(3 * rows[e] + jl / 3) * 9 + 3 * columns[e] + jl % 3];
            for (int lane = 0; lane < LANES; ++lane) {
                sum[lane] += g->a[jl / 3][lane] * T[lane] * g->a[jl % 3][lane];
            }
        }
        for (int lane = 0; lane < LANES; ++lane) g->H[e][lane] = b->V[lane] * sum[lane];
    }
}

// Adds what the law says about one material point of the gathered elements to their vertices.
static void NAME(flush_point)(NAME(gathering) * g, int32_t point)
{
    const pli_vertex_batch *wanted = g->wanted;
    NAME(batch) *b = &g->b;
    NAME(load_gathered)(g, point);
    NAME(compute_deformation)((const int32_t(*)[NODES])g->tets, g->x, b);
    b->law = g->group->law;
    NAME(call_law)
    (b, PLI_TANGENT_PROJECTED, wanted->energy != NULL, wanted->g != NULL, wanted->H != NULL);
    if (wanted->g != NULL) NAME(compute_node_forces)(g);
    if (wanted->H != NULL) NAME(compute_node_stiffness)(g);
    for (int lane = 0; lane < g->count; ++lane) {
        int64_t at = g->place[lane];
        if (wanted->energy != NULL) wanted->energy[at] += b->V[lane] * b->psi[lane];
        for (int i = 0; i < 3 && wanted->g != NULL; ++i) {
            wanted->g[3 * at + i] += g->g[i][lane];
        }
        for (int e = 0; e < 6 && wanted->H != NULL; ++e) {
            wanted->H[6 * at + e] += g->H[e][lane];
        }
    }
}

static void NAME(flush)(NAME(gathering) * g)
{
    for (int32_t point = 0; point < POINTS && g->count > 0; ++point) NAME(flush_point)(g, point);
    g->count = 0;
}

// Takes an element of the group into the next lane, as one of one of its nodes.
static void NAME(gather_tet)(NAME(gathering) * g, int32_t tet, int32_t place)
{
    int lane = g->count++;
    int32_t vertex = g->wanted->vertices[place];
    g->numbers[lane] = tet;
    g->place[lane] = place;
    for (int k = 0; k < NODES; ++k) {
        g->tets[lane][k] = g->elastic->tets[NODES * (int64_t)tet + k];
        if (g->tets[lane][k] == vertex) g->node[lane] = k;
    }
    if (g->count == LANES) NAME(flush)(g);
}

// Law after law, vertex after vertex: lanes are full but for the last ones of a law.
static void NAME(add_vertices)(const pli_elastic *elastic, const double *x,
                               const pli_vertex_batch *wanted)
{
    const pli_incidence *incidence = &elastic->incidence;
    NAME(gathering) g = {.elastic = elastic, .x = x, .wanted = wanted};
    for (int32_t k = 0; k < elastic->group_count; ++k) {
        g.group = &elastic->groups[k];
        for (int32_t i = 0; i < wanted->count; ++i) {
            int32_t vertex = wanted->vertices[i];
            for (int64_t at = incidence->start[vertex]; at < incidence->start[vertex + 1]; ++at) {
                int32_t tet = incidence->elements[at];
                if (tet >= g.group->begin && tet < g.group->end) NAME(gather_tet)(&g, tet, i);
            }
        }
        NAME(flush)(&g);
    }
}
#endif

// ---- reports

// The smallest J of an element's material points, and the mean of their stress by volume.
static void NAME(measure_batch)(void *user, const pli_elastic *elastic, int32_t begin,
                                NAME(batch) * b)
{
    const measure_job *job = user;
    for (int lane = 0; lane < b->count; ++lane) {
        int32_t tet = elastic->origin[begin + lane];
#if PATCHED
        double J = b->patch.J[lane];
#else
        double F[9];
        gather_lane(9, b->F, lane, F);
        double J = pli_mat3_determinant(F);
#endif
        job->J[tet] = b->point > 0 ? fmin(job->J[tet], J) : J;
    }
}

static void NAME(measure)(const pli_elastic *elastic, int32_t begin, int32_t end, measure_job *job)
{
    NAME(for_each_batch)(elastic, job->x, begin, end, NAME(measure_batch), job);
}

static const elastic_kernel NAME(kernel) = {
    .sum_energy = NAME(sum_energy),
    .add_gradient = NAME(add_gradient),
    .add_hessian = NAME(add_hessian),
    .add_lifted = NAME(add_lifted),
#if !PATCHED
    .add_vertices = NAME(add_vertices),
#endif
    .measure = NAME(measure),
    .visit = NAME(visit),
};
