// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the multigrid for one precision. The includer defines
//     REAL   float or double
//     LANE   the integer of the same size
//     NAME   how names of this precision are made
//     TABLE  the table of functions

typedef REAL NAME(v4) __attribute__((vector_size(4 * sizeof(REAL))));
typedef LANE NAME(m4) __attribute__((vector_size(4 * sizeof(REAL))));
// four numbers anywhere in memory
typedef REAL NAME(u4)
    __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
typedef REAL NAME(v8) __attribute__((vector_size(8 * sizeof(REAL))));
typedef REAL NAME(u8)
    __attribute__((vector_size(8 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

#define V4 NAME(v4)

PLI_INLINE V4 NAME(load4)(const REAL *p)
{
    return *(const NAME(u4) *)p;
}

PLI_INLINE void NAME(store4)(REAL *p, V4 value)
{
    *(NAME(u4) *)p = value;
}

// ---- blocks times vectors

// Rows that a node of this block size has in vectors.
PLI_INLINE int NAME(rows_of)(int size)
{
    return size == 4 || size == 12 ? 4 : 1;
}

// sum += A x for a kernel block; sums of size 12 are twelve numbers in a row, the others rows of
// four.
PLI_INLINE void NAME(add_block)(int size, const REAL *A, const REAL *x, V4 *sum)
{
    if (size == 1) {
        sum[0] += A[0] * NAME(load4)(x);
    } else if (size == 3) {
        sum[0] += NAME(load4)(A) * x[0] + NAME(load4)(A + 3) * x[1] + NAME(load4)(A + 6) * x[2];
    } else if (size == 4) {
        for (int k = 0; k < 4; ++k) {
            V4 other = NAME(load4)(x + 4 * k);
            for (int r = 0; r < 4; ++r) sum[r] += A[4 * r + k] * other;
        }
    } else {
        // twelve numbers as eight and four: fewer, wider loads
        NAME(v8) wide;
        memcpy(&wide, sum, sizeof wide);
        for (int k = 0; k < 4; ++k) {
            for (int c = 0; c < 3; ++c) {
                const REAL *column = A + 12 * (3 * k + c);
                REAL s = x[4 * k + c];
                wide += *(const NAME(u8) *)column * s;
                sum[2] += NAME(load4)(column + 8) * s;
            }
        }
        memcpy(sum, &wide, sizeof wide);
    }
}

// Brings finished sums into rows of x, y, z and 0.
PLI_INLINE void NAME(finish_sum)(int size, V4 *sum)
{
    const NAME(m4) keep = {-1, -1, -1, 0};
    if (size == 3) sum[0] = (V4)((NAME(m4))sum[0] & keep);
    if (size == 12) {
        REAL packed[16];
        for (int r = 0; r < 3; ++r) NAME(store4)(packed + 4 * r, sum[r]);
        for (int r = 0; r < 4; ++r) {
            sum[r] = (V4)((NAME(m4))NAME(load4)(packed + 3 * r) & keep);
        }
    }
}

// sum = one half of the couplings of a place times x
PLI_INLINE void NAME(sum_half)(const pli_mg_half *half, int size, int64_t place, const REAL *x,
                               V4 *sum)
{
    const REAL *values = half->values;
    int width = 4 * NAME(rows_of)(size);
    int64_t end = half->start[place + 1];
    for (int r = 0; r < 4; ++r) sum[r] = (V4){0};
    for (int64_t k = half->start[place]; k < end; ++k) {
        NAME(add_block)
        (size, values + (int64_t)(size * size) * k, x + (int64_t)width * half->column[k], sum);
    }
    NAME(finish_sum)(size, sum);
}

// out = block x of rows x: the block of a place, or the one that replaces it where the diagonal is
// not lifted
PLI_INLINE void NAME(apply_diagonal)(const pli_mg_level *level, int size, bool patched,
                                     const void *blocks, const void *patches, int64_t place,
                                     const REAL *x, V4 *out)
{
    int32_t patch = patched ? level->patches.of_place[place] : -1;
    for (int r = 0; r < 4; ++r) out[r] = (V4){0};
    if (patch >= 0) {
        int full = 3 * NAME(rows_of)(size);
        NAME(add_block)(full, (const REAL *)patches + (int64_t)(full * full) * patch, x, out);
        NAME(finish_sum)(full, out);
    } else {
        NAME(add_block)(size, (const REAL *)blocks + (int64_t)(size * size) * place, x, out);
        NAME(finish_sum)(size, out);
    }
}

// x of a place = D^-1 (b - l - u)
PLI_INLINE void NAME(relax)(const pli_mg_level *level, int size, bool patched, int64_t place,
                            const V4 *l, const V4 *u)
{
    int rows = NAME(rows_of)(size);
    int64_t at = 4 * rows * place;
    REAL t[16];
    V4 x[4];
    for (int r = 0; r < rows; ++r) {
        NAME(store4)(t + 4 * r, NAME(load4)((const REAL *)level->b + at + 4 * r) - l[r] - u[r]);
    }
    NAME(apply_diagonal)(level, size, patched, level->inverse, level->patches.inverse, place, t, x);
    for (int r = 0; r < rows; ++r) NAME(store4)((REAL *)level->x + at + 4 * r, x[r]);
}

// ---- Gauss-Seidel

enum NAME(start) {
    NAME(FROM_ZERO), // x behind a place is zero
    NAME(FROM_KEPT), // sums behind a place are those of the backward sweep before
    NAME(FROM_ANY)   // x may be anything
};

PLI_INLINE void NAME(forward)(const pli_mg_level *level, int size, bool patched, int start,
                              int64_t begin, int64_t end)
{
    int rows = NAME(rows_of)(size);
    for (int64_t place = begin; place < end; ++place) {
        V4 l[4];
        V4 u[4] = {{0}};
        int64_t at = 4 * rows * place;
        NAME(sum_half)(&level->lower, size, place, level->x, l);
        if (start == NAME(FROM_ANY)) NAME(sum_half)(&level->upper, size, place, level->x, u);
        for (int r = 0; r < rows; ++r) {
            if (start == NAME(FROM_KEPT)) {
                u[r] = NAME(load4)((const REAL *)level->up + at + 4 * r);
            }
            NAME(store4)((REAL *)level->low + at + 4 * r, l[r]);
        }
        NAME(relax)(level, size, patched, place, l, u);
    }
}

PLI_INLINE void NAME(backward)(const pli_mg_level *level, int size, bool patched, int64_t begin,
                               int64_t end)
{
    int rows = NAME(rows_of)(size);
    for (int64_t place = end - 1; place >= begin; --place) {
        V4 l[4];
        V4 u[4];
        int64_t at = 4 * rows * place;
        NAME(sum_half)(&level->upper, size, place, level->x, u);
        for (int r = 0; r < rows; ++r) {
            l[r] = NAME(load4)((const REAL *)level->low + at + 4 * r);
            NAME(store4)((REAL *)level->up + at + 4 * r, u[r]);
        }
        NAME(relax)(level, size, patched, place, l, u);
    }
}

// Residual after a backward sweep: D x = b - low - up with the sums that the sweep saw, of which
// only those before the place have changed since.
PLI_INLINE void NAME(difference)(const pli_mg_level *level, int size, int64_t begin, int64_t end)
{
    int rows = NAME(rows_of)(size);
    for (int64_t place = begin; place < end; ++place) {
        V4 l[4];
        int64_t at = 4 * rows * place;
        NAME(sum_half)(&level->lower, size, place, level->x, l);
        for (int r = 0; r < rows; ++r) {
            NAME(store4)
            ((REAL *)level->r + at + 4 * r,
             NAME(load4)((const REAL *)level->low + at + 4 * r) - l[r]);
        }
    }
}

// ---- Jacobi

// r = (1 - damping) x + damping D^-1 (b - L x - U x), the next iterate
PLI_INLINE void NAME(jacobi)(const pli_mg_level *level, int size, bool patched, bool from_zero,
                             int64_t begin, int64_t end)
{
    int rows = NAME(rows_of)(size);
    REAL damping = (REAL)level->damping;
    for (int64_t place = begin; place < end; ++place) {
        V4 l[4] = {{0}};
        V4 u[4] = {{0}};
        V4 y[4];
        REAL t[16];
        int64_t at = 4 * rows * place;
        if (!from_zero) {
            NAME(sum_half)(&level->lower, size, place, level->x, l);
            NAME(sum_half)(&level->upper, size, place, level->x, u);
        }
        for (int r = 0; r < rows; ++r) {
            NAME(store4)(t + 4 * r, NAME(load4)((const REAL *)level->b + at + 4 * r) - l[r] - u[r]);
        }
        NAME(apply_diagonal)
        (level, size, patched, level->inverse, level->patches.inverse, place, t, y);
        for (int r = 0; r < rows; ++r) {
            V4 next = damping * y[r];
            if (!from_zero) {
                next += (1 - damping) * NAME(load4)((const REAL *)level->x + at + 4 * r);
            }
            NAME(store4)((REAL *)level->r + at + 4 * r, next);
        }
    }
}

// r = b - A x
PLI_INLINE void NAME(defect)(const pli_mg_level *level, int size, bool patched, int64_t begin,
                             int64_t end)
{
    int rows = NAME(rows_of)(size);
    for (int64_t place = begin; place < end; ++place) {
        V4 l[4];
        V4 u[4];
        V4 d[4];
        int64_t at = 4 * rows * place;
        NAME(sum_half)(&level->lower, size, place, level->x, l);
        NAME(sum_half)(&level->upper, size, place, level->x, u);
        NAME(apply_diagonal)
        (level, size, patched, level->diagonal, level->patches.diagonal, place,
         (const REAL *)level->x + at, d);
        for (int r = 0; r < rows; ++r) {
            NAME(store4)
            ((REAL *)level->r + at + 4 * r,
             NAME(load4)((const REAL *)level->b + at + 4 * r) - l[r] - u[r] - d[r]);
        }
    }
}

// ---- one function for each size, with and without patches

typedef struct NAME(passes) {
    pli_range_fn forward[3];
    pli_range_fn backward;
    pli_range_fn difference;
    pli_range_fn jacobi[2]; // from x, from zero
    pli_range_fn defect;
} NAME(passes);

#define MAKE_PASSES(size, patched, suffix)                                                      \
    static void NAME(forward_zero_##suffix)(void *user, int64_t begin, int64_t end)             \
    {                                                                                           \
        NAME(forward)(user, size, patched, NAME(FROM_ZERO), begin, end);                        \
    }                                                                                           \
    static void NAME(forward_kept_##suffix)(void *user, int64_t begin, int64_t end)             \
    {                                                                                           \
        NAME(forward)(user, size, patched, NAME(FROM_KEPT), begin, end);                        \
    }                                                                                           \
    static void NAME(forward_any_##suffix)(void *user, int64_t begin, int64_t end)              \
    {                                                                                           \
        NAME(forward)(user, size, patched, NAME(FROM_ANY), begin, end);                         \
    }                                                                                           \
    static void NAME(backward_##suffix)(void *user, int64_t begin, int64_t end)                 \
    {                                                                                           \
        NAME(backward)(user, size, patched, begin, end);                                        \
    }                                                                                           \
    static void NAME(difference_##suffix)(void *user, int64_t begin, int64_t end)               \
    {                                                                                           \
        NAME(difference)(user, size, begin, end);                                               \
    }                                                                                           \
    static void NAME(jacobi_##suffix)(void *user, int64_t begin, int64_t end)                   \
    {                                                                                           \
        NAME(jacobi)(user, size, patched, false, begin, end);                                   \
    }                                                                                           \
    static void NAME(jacobi_zero_##suffix)(void *user, int64_t begin, int64_t end)              \
    {                                                                                           \
        NAME(jacobi)(user, size, patched, true, begin, end);                                    \
    }                                                                                           \
    static void NAME(defect_##suffix)(void *user, int64_t begin, int64_t end)                   \
    {                                                                                           \
        NAME(defect)(user, size, patched, begin, end);                                          \
    }                                                                                           \
    static const NAME(passes) NAME(passes_##suffix) = {                                         \
        {NAME(forward_zero_##suffix), NAME(forward_kept_##suffix), NAME(forward_any_##suffix)}, \
        NAME(backward_##suffix),                                                                \
        NAME(difference_##suffix),                                                              \
        {NAME(jacobi_##suffix), NAME(jacobi_zero_##suffix)},                                    \
        NAME(defect_##suffix)}

MAKE_PASSES(1, false, 1);
MAKE_PASSES(1, true, 1p);
MAKE_PASSES(3, false, 3);
MAKE_PASSES(4, false, 4);
MAKE_PASSES(4, true, 4p);
MAKE_PASSES(12, false, 12);
#undef MAKE_PASSES

static const NAME(passes) * NAME(passes_of)(const pli_mg_level *level)
{
    bool patched = level->patches.full_count > 0;
    switch (level->size) {
    case 1: return patched ? &NAME(passes_1p) : &NAME(passes_1);
    case 3: return &NAME(passes_3);
    case 4: return patched ? &NAME(passes_4p) : &NAME(passes_4);
    default: return &NAME(passes_12);
    }
}

// ---- smoothing

static void NAME(run_rows)(const pli_context *context, const pli_mg_level *level, pli_range_fn body)
{
    int64_t grain = ROW_GRAIN / level->rows;
    pli_parallel_for(context, level->node_count, grain, body, (void *)(uintptr_t)level);
}

static void NAME(run_jacobi)(const pli_context *context, pli_mg_level *level, bool from_zero)
{
    NAME(run_rows)(context, level, NAME(passes_of)(level)->jacobi[from_zero]);
    void *next = level->r;
    level->r = level->x;
    level->x = next;
}

static void NAME(run_gauss_seidel)(pli_mg_level *level, int start)
{
    const NAME(passes) *passes = NAME(passes_of)(level);
    pli_sweep_order_run(level->order, false, passes->forward[start], level);
    pli_sweep_order_run(level->order, true, passes->backward, level);
}

static void NAME(smooth)(const pli_context *context, pli_mg_level *level, bool from_zero)
{
    for (int32_t k = 0; k < level->smoother.sweeps; ++k) {
        if (level->smoother.kind == PLI_SMOOTHER_JACOBI) {
            NAME(run_jacobi)(context, level, from_zero && k == 0);
        } else {
            int first = from_zero ? NAME(FROM_ZERO) : NAME(FROM_ANY);
            NAME(run_gauss_seidel)(level, k == 0 ? first : NAME(FROM_KEPT));
        }
    }
}

static void NAME(pre_smooth)(const pli_context *context, pli_mg_level *level)
{
    NAME(smooth)(context, level, true);
}

static void NAME(post_smooth)(const pli_context *context, pli_mg_level *level)
{
    NAME(smooth)(context, level, false);
}

static void NAME(residual)(const pli_context *context, pli_mg_level *level)
{
    const NAME(passes) *passes = NAME(passes_of)(level);
    bool swept = level->smoother.kind == PLI_SMOOTHER_GAUSS_SEIDEL;
    NAME(run_rows)(context, level, swept ? passes->difference : passes->defect);
}

// ---- transfers

typedef struct NAME(transfer_job) {
    const pli_mg_level *fine;
    const pli_mg_level *coarse;
} NAME(transfer_job);

// r of a finer place without its held coordinates
PLI_INLINE V4 NAME(free_residual)(const pli_mg_level *fine, int64_t place)
{
    V4 r = NAME(load4)((const REAL *)fine->r + 4 * place);
    return fine->freedom == NULL ? r : r * NAME(load4)((const REAL *)fine->freedom + 4 * place);
}

// vertices, or nodes that translate, to a coarse place
PLI_INLINE void NAME(restrict_points)(const NAME(transfer_job) * job, int rows, int64_t place)
{
    const pli_mg_links *links = &job->fine->links;
    V4 sum[4] = {{0}};
    for (int64_t k = links->coarse_start[place]; k < links->coarse_start[place + 1]; ++k) {
        const REAL *data = (const REAL *)links->coarse_data + 4 * k;
        V4 r = NAME(free_residual)(job->fine, links->child[k]);
        if (rows == 1) {
            sum[0] += data[3] * r;
        } else {
            for (int row = 0; row < 4; ++row) sum[row] += data[row] * r;
        }
    }
    for (int row = 0; row < rows; ++row) {
        NAME(store4)((REAL *)job->coarse->b + 4 * (rows * place + row), sum[row]);
    }
}

// affine nodes to a coarse place
PLI_INLINE void NAME(restrict_frames)(const NAME(transfer_job) * job, int64_t place)
{
    const pli_mg_links *links = &job->fine->links;
    V4 sum[4] = {{0}};
    for (int64_t k = links->coarse_start[place]; k < links->coarse_start[place + 1]; ++k) {
        const REAL *data = (const REAL *)links->coarse_data + 4 * k;
        REAL sigma = ((const REAL *)links->coarse_sigma)[k];
        const REAL *r = (const REAL *)job->fine->r + 16 * (int64_t)links->child[k];
        V4 last = NAME(load4)(r + 12);
        for (int row = 0; row < 3; ++row) {
            sum[row] += sigma * NAME(load4)(r + 4 * row) + data[row] * last;
        }
        sum[3] += data[3] * last;
    }
    for (int row = 0; row < 4; ++row) {
        NAME(store4)((REAL *)job->coarse->b + 16 * place + 4 * row, sum[row]);
    }
}

static void NAME(restrict_range)(void *user, int64_t begin, int64_t end)
{
    const NAME(transfer_job) *job = user;
    for (int64_t place = begin; place < end; ++place) {
        if (job->fine->rows == 4) {
            NAME(restrict_frames)(job, place);
        } else if (job->coarse->rows == 4) {
            NAME(restrict_points)(job, 4, place);
        } else {
            NAME(restrict_points)(job, 1, place);
        }
    }
}

static void NAME(restrict_residual)(const pli_context *context, const pli_mg_level *fine,
                                    const pli_mg_level *coarse)
{
    NAME(transfer_job) job = {fine, coarse};
    pli_parallel_for(context, coarse->node_count, COARSE_GRAIN, NAME(restrict_range), &job);
}

PLI_INLINE void NAME(prolong_point)(const NAME(transfer_job) * job, int rows, int64_t place)
{
    const pli_mg_links *links = &job->fine->links;
    V4 sum = {0};
    for (int64_t k = links->fine_start[place]; k < links->fine_start[place + 1]; ++k) {
        const REAL *data = (const REAL *)links->fine_data + 4 * k;
        const REAL *q = (const REAL *)job->coarse->x + 4 * rows * (int64_t)links->parent[k];
        if (rows == 1) {
            sum += data[3] * NAME(load4)(q);
        } else {
            for (int row = 0; row < 4; ++row) sum += data[row] * NAME(load4)(q + 4 * row);
        }
    }
    if (job->fine->freedom != NULL) {
        sum *= NAME(load4)((const REAL *)job->fine->freedom + 4 * place);
    }
    REAL *x = (REAL *)job->fine->x + 4 * place;
    NAME(store4)(x, NAME(load4)(x) + sum);
}

PLI_INLINE void NAME(prolong_frame)(const NAME(transfer_job) * job, int64_t place)
{
    const pli_mg_links *links = &job->fine->links;
    REAL *x = (REAL *)job->fine->x + 16 * place;
    for (int64_t k = links->fine_start[place]; k < links->fine_start[place + 1]; ++k) {
        const REAL *data = (const REAL *)links->fine_data + 4 * k;
        REAL sigma = ((const REAL *)links->fine_sigma)[k];
        const REAL *q = (const REAL *)job->coarse->x + 16 * (int64_t)links->parent[k];
        V4 last = data[3] * NAME(load4)(q + 12);
        for (int row = 0; row < 3; ++row) {
            V4 Q = NAME(load4)(q + 4 * row);
            last += data[row] * Q;
            NAME(store4)(x + 4 * row, NAME(load4)(x + 4 * row) + sigma * Q);
        }
        NAME(store4)(x + 12, NAME(load4)(x + 12) + last);
    }
}

static void NAME(prolong_range)(void *user, int64_t begin, int64_t end)
{
    const NAME(transfer_job) *job = user;
    for (int64_t place = begin; place < end; ++place) {
        if (job->fine->rows == 4) {
            NAME(prolong_frame)(job, place);
        } else if (job->coarse->rows == 4) {
            NAME(prolong_point)(job, 4, place);
        } else {
            NAME(prolong_point)(job, 1, place);
        }
    }
}

static void NAME(prolong)(const pli_context *context, const pli_mg_level *fine,
                          const pli_mg_level *coarse)
{
    NAME(transfer_job) job = {fine, coarse};
    pli_parallel_for(context, fine->node_count, ROW_GRAIN, NAME(prolong_range), &job);
}

// ---- in and out

typedef struct NAME(vector_job) {
    const pli_mg_level *level;
    const double *in;
    double *out;
    double scale;
} NAME(vector_job);

static void NAME(load_range)(void *user, int64_t begin, int64_t end)
{
    const NAME(vector_job) *job = user;
    REAL *b = job->level->b;
    for (int64_t place = begin; place < end; ++place) {
        const double *r = job->in + 3 * (int64_t)job->level->order->node_of_place[place];
        for (int c = 0; c < 3; ++c) b[4 * place + c] = (REAL)(job->scale * r[c]);
        b[4 * place + 3] = 0;
    }
}

static void NAME(load)(const pli_context *context, pli_mg_level *finest, const double *r,
                       double scale)
{
    NAME(vector_job) job = {finest, r, NULL, scale};
    pli_parallel_for(context, finest->node_count, ROW_GRAIN, NAME(load_range), &job);
}

static void NAME(store_range)(void *user, int64_t begin, int64_t end)
{
    const NAME(vector_job) *job = user;
    const REAL *x = job->level->x;
    for (int64_t place = begin; place < end; ++place) {
        double *z = job->out + 3 * (int64_t)job->level->order->node_of_place[place];
        for (int c = 0; c < 3; ++c) z[c] = job->scale * (double)x[4 * place + c];
    }
}

static void NAME(store)(const pli_context *context, const pli_mg_level *finest, double scale,
                        double *z)
{
    NAME(vector_job) job = {finest, NULL, z, scale};
    pli_parallel_for(context, finest->node_count, ROW_GRAIN, NAME(store_range), &job);
}

static void NAME(get_dense)(const pli_mg_level *level, double *b)
{
    for (int64_t place = 0; place < level->node_count; ++place) {
        const REAL *from = (const REAL *)level->b + 4 * level->rows * place;
        double *to = b + 3 * level->rows * (int64_t)level->order->node_of_place[place];
        for (int k = 0; k < level->rows; ++k) {
            for (int c = 0; c < 3; ++c) to[3 * k + c] = (double)from[4 * k + c];
        }
    }
}

static void NAME(set_dense)(const pli_mg_level *level, const double *x)
{
    for (int64_t place = 0; place < level->node_count; ++place) {
        const double *from = x + 3 * level->rows * (int64_t)level->order->node_of_place[place];
        REAL *to = (REAL *)level->x + 4 * level->rows * place;
        for (int k = 0; k < level->rows; ++k) {
            for (int c = 0; c < 3; ++c) to[4 * k + c] = (REAL)from[3 * k + c];
            to[4 * k + 3] = 0;
        }
    }
}

// ---- taking over matrices

static void NAME(take_block)(int32_t n, const double *natural, void *blocks, int64_t index)
{
    bool by_columns = n == 3 || n == 12;
    REAL *block = (REAL *)blocks + (int64_t)n * n * index;
    for (int32_t r = 0; r < n; ++r) {
        for (int32_t c = 0; c < n; ++c) {
            block[by_columns ? n * c + r : n * r + c] = (REAL)natural[n * r + c];
        }
    }
}

// Kernel blocks by columns are natural ones of the mirror place, so that nothing is transposed.
static void NAME(take_couplings_range)(void *user, int64_t begin, int64_t end)
{
    pli_mg_level *level = user;
    int64_t block = (int64_t)level->size * level->size;
    pli_mg_half *halves[2] = {&level->lower, &level->upper};
    for (int h = 0; h < 2; ++h) {
        const pli_mg_half *half = halves[h];
        int64_t last = half->start[end];
        for (int64_t k = half->start[begin]; k < last; ++k) {
            const double *natural = level->natural.values + block * half->source[k];
            // mirror blocks stand in other rows: ask for them early
            if (k + TAKE_AHEAD < last) {
                const double *next = level->natural.values + block * half->source[k + TAKE_AHEAD];
                __builtin_prefetch(next);
                __builtin_prefetch(next + block - 1);
            }
            REAL *kernel = (REAL *)half->values + block * k;
            for (int64_t m = 0; m < block; ++m) kernel[m] = (REAL)natural[m];
        }
    }
}

static void NAME(take_couplings)(const pli_context *context, pli_mg_level *level)
{
    int64_t grain = ROW_GRAIN / (level->size * level->size) + 1;
    pli_parallel_for(context, level->node_count, grain, NAME(take_couplings_range), level);
}

static void NAME(take_numbers)(const double *numbers, int64_t count, void *reals, int64_t first)
{
    REAL *target = (REAL *)reals + first;
    for (int64_t k = 0; k < count; ++k) target[k] = (REAL)numbers[k];
}

// ---- Jacobi's damping

// x <- (x - r) / scale with r = (I - D^-1 A) x; returns the length of x before the division.
static double NAME(advance_power)(pli_mg_level *level, double scale)
{
    REAL *x = level->x;
    const REAL *r = level->r;
    double square = 0;
    for (int64_t k = 0; k < (int64_t)level->node_count * level->rows; ++k) {
        for (int c = 0; c < 3; ++c) {
            x[4 * k + c] = (REAL)(((double)x[4 * k + c] - (double)r[4 * k + c]) / scale);
            square += (double)x[4 * k + c] * (double)x[4 * k + c];
        }
    }
    return sqrt(square);
}

static double NAME(estimate_radius)(const pli_context *context, pli_mg_level *level)
{
    enum { STEPS = 6 }; // gives nine tenths of it, which the damping allows for
    int64_t count = 4 * (int64_t)level->node_count * level->rows;
    memset(level->b, 0, (size_t)count * sizeof(REAL));
    REAL *x = level->x;
    uint32_t state = 12345;
    for (int64_t k = 0; k < count; ++k) {
        state = 1664525 * state + 1013904223;
        x[k] = k % 4 == 3 ? 0 : (REAL)((double)(state >> 8) / (1 << 24) - 0.5);
    }
    level->damping = 1;
    double length = 1;
    double radius = 0;
    for (int step = 0; step < STEPS; ++step) {
        NAME(run_rows)(context, level, NAME(passes_of)(level)->jacobi[0]);
        double before = length;
        length = NAME(advance_power)(level, step == 0 ? 1 : before);
        if (step > 0) radius = length;
        if (!(length > 0)) return 0;
    }
    return radius;
}

const pli_mg_kernels TABLE = {.real_bytes = sizeof(REAL),
                              .take_couplings = NAME(take_couplings),
                              .take_block = NAME(take_block),
                              .take_numbers = NAME(take_numbers),
                              .load = NAME(load),
                              .store = NAME(store),
                              .pre_smooth = NAME(pre_smooth),
                              .post_smooth = NAME(post_smooth),
                              .residual = NAME(residual),
                              .restrict_residual = NAME(restrict_residual),
                              .prolong = NAME(prolong),
                              .get_dense = NAME(get_dense),
                              .set_dense = NAME(set_dense),
                              .estimate_radius = NAME(estimate_radius)};

#undef V4
