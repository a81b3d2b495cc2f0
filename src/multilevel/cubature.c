// SPDX-License-Identifier: Apache-2.0
#include "multilevel/cubature.h"

#include "multilevel/moments.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "geometry/mesh/sort.h"
#include "linear/direct/nnls.h"
#include "linear/matrix/vector.h"

#include <math.h>
#include <string.h>

enum {
    BATCH = 32,       // groups between two reports of progress
    MAX_DEGREE = 4,   // of polynomials
    CROWDED = 4,      // products for each element from which on all elements are taken
    SCRATCH = 1 << 20 // bytes that a worker begins with
};

static const double DUAL_TOLERANCE = 1e-14; // rounding alone
static const double ROUNDING = 1e-13;       // remainders that are only that, of the largest value

// Elements of one cluster and one kind of matter, and what became of them.
typedef struct group {
    int64_t begin; // in builder.order
    int32_t count;
    int32_t part;
    int32_t rank; // among the groups of the cluster
    int32_t rounds;
    double residual;
    pli_status status;
} group;

typedef struct builder {
    pli_context *context;
    const pli_cubature_def *def;
    double *volumes; // [element_count]
    int32_t *order;  // [element_count]  elements by cluster, then by matter
    int32_t group_count;
    group *groups;   // [group_count]
    int64_t offset;  // first group of the batch
    double *weights; // [element_count]  0: not taken
} builder;

// One group while it is fitted. Points are its elements in increasing order.
typedef struct fit {
    const builder *builder;
    pli_arena *arena;
    pli_nnls *nnls;
    int32_t n;               // points
    const int32_t *elements; // [n]
    double *volumes;         // [n]
    double volume;           // sum
    pli_random random;
    uint64_t draw_base; // index of the group's first random number

    // the family whose integrals are to be met
    int32_t function_count;
    double *functions; // [function_count][n]
    int32_t moment_count;
    pli_product *products; // [moment_count]
    double *moments;       // [moment_count]  integrals over all points
    double moment_length;
    double *values; // [moment_count]  scratch

    // the orthonormal basis phi of what is independent in it
    int32_t rank;
    double *columns;  // [n][rank]  phi at a point; points that are drawn come first
    int32_t *points;  // [n]  which point a column belongs to
    double *target;   // [rank]  integrals over all points
    double *residual; // [rank]
    double tolerance; // of the fit in this basis, relative

    // the sample
    int32_t drawn;
    double *weights;  // [n]  of the columns
    double *chances;  // [n]  of the columns
    uint64_t *keys;   // [n]  scratch
    int32_t *ranking; // [n]  scratch
    int32_t *spare;   // [n]  scratch
    int32_t *start;   // [n]  columns that are passive
    int32_t start_count;
} fit;

pli_cubature_def pli_cubature_def_default(void)
{
    return (pli_cubature_def){
        .kind = PLI_CUBATURE_MODAL, .degree = 2, .tolerance = 1e-9, .share = 1};
}

// ---- functions at the points

static const int32_t *corners_of(const fit *f, int32_t point)
{
    const pli_simplices *mesh = &f->builder->def->mesh;
    return mesh->elements + (int64_t)mesh->corner_count * f->elements[point];
}

// Gives every handle with weight at a corner of the points a number, and returns how many there
// are. local [handle_count] is -1 at first.
static int32_t number_handles(const fit *f, int32_t *local)
{
    const pli_bases *bases = f->builder->def->bases;
    int32_t count = 0;
    for (int32_t point = 0; point < f->n; ++point) {
        for (int32_t k = 0; k < f->builder->def->mesh.corner_count; ++k) {
            int32_t vertex = corners_of(f, point)[k];
            for (int64_t e = bases->start[vertex]; e < bases->start[vertex + 1]; ++e) {
                bool is_new = bases->weight[e] != 0 && local[bases->handle[e]] < 0;
                if (is_new) local[bases->handle[e]] = count++;
            }
        }
    }
    return count;
}

// A basis function at a barycentre is the mean of its values at the corners.
static void add_corner(const fit *f, int32_t point, int32_t vertex, const int32_t *local)
{
    const pli_bases *bases = f->builder->def->bases;
    double share = 1.0 / f->builder->def->mesh.corner_count;
    for (int64_t e = bases->start[vertex]; e < bases->start[vertex + 1]; ++e) {
        if (bases->weight[e] == 0) continue;
        f->functions[(int64_t)local[bases->handle[e]] * f->n + point] += share * bases->weight[e];
    }
}

// A coordinate of an element's barycentre.
static double barycenter(const pli_simplices *mesh, int32_t element, int32_t axis)
{
    const int32_t *corners = mesh->elements + (int64_t)mesh->corner_count * element;
    double sum = 0;
    for (int32_t k = 0; k < mesh->corner_count; ++k) {
        sum += mesh->points[3 * (int64_t)corners[k] + axis];
    }
    return sum / mesh->corner_count;
}

// Barycentres from the middle of their bounds, over half the largest extent of these: -1 to 1.
static void compute_frame(const fit *f, double *frame)
{
    const pli_simplices *mesh = &f->builder->def->mesh;
    double middle[3];
    double half = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int32_t point = 0; point < f->n; ++point) {
            double at = barycenter(mesh, f->elements[point], axis);
            frame[(int64_t)axis * f->n + point] = at;
            low = fmin(low, at);
            high = fmax(high, at);
        }
        middle[axis] = 0.5 * (low + high);
        half = fmax(half, 0.5 * (high - low));
    }
    double scale = half > 0 ? 1 / half : 1;
    for (int32_t k = 0; k < 3 * f->n; ++k) frame[k] = scale * (frame[k] - middle[k / f->n]);
}

// Affine handles have four functions each: phi, and phi times the coordinates of a frame of the
// cluster. They come one after another; [function_count / 4][n] are there before.
static pli_status add_affine_functions(fit *f)
{
    int32_t count = f->function_count / 4;
    double *frame = pli_arena_doubles(f->arena, 3 * (int64_t)f->n, "coordinates of a cluster");
    if (frame == NULL) return PLI_ERROR_MEMORY;
    compute_frame(f, frame);
    for (int32_t i = 0; i < count; ++i) {
        const double *phi = f->functions + (int64_t)i * f->n;
        for (int32_t axis = 0; axis < 3; ++axis) {
            double *product = f->functions + (int64_t)(count + 3 * i + axis) * f->n;
            for (int32_t k = 0; k < f->n; ++k) product[k] = phi[k] * frame[axis * f->n + k];
        }
    }
    return PLI_OK;
}

static pli_status gather_bases(fit *f)
{
    int32_t handle_count = f->builder->def->bases->handle_count;
    int32_t *local = pli_arena_ints(f->arena, handle_count, "handles of a cluster");
    if (local == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < handle_count; ++k) local[k] = -1;
    bool affine = f->builder->def->affine;
    f->function_count = number_handles(f, local) * (affine ? 4 : 1);
    int64_t size = (int64_t)f->function_count * f->n;
    f->functions = pli_arena_doubles(f->arena, size, "bases of a cluster");
    if (f->functions == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < size; ++k) f->functions[k] = 0;
    for (int32_t point = 0; point < f->n; ++point) {
        for (int32_t k = 0; k < f->builder->def->mesh.corner_count; ++k) {
            add_corner(f, point, corners_of(f, point)[k], local);
        }
    }
    return affine ? add_affine_functions(f) : PLI_OK;
}

static pli_status gather_coordinates(fit *f)
{
    f->function_count = 3;
    f->functions = pli_arena_doubles(f->arena, 3 * (int64_t)f->n, "coordinates of a cluster");
    if (f->functions == NULL) return PLI_ERROR_MEMORY;
    compute_frame(f, f->functions);
    return PLI_OK;
}

// ---- moments

// The integrals of all products with these weights of the points, of which only `count` in `points`
// are looked at; NULL: all.
static void integrate(const fit *f, int32_t count, const int32_t *points, const double *weights,
                      double *moments)
{
    memset(moments, 0, (size_t)f->moment_count * sizeof *moments);
    for (int32_t k = 0; k < count; ++k) {
        if (weights[k] == 0) continue;
        const double *functions = f->functions + (points != NULL ? points[k] : k);
        pli_product_evaluate(f->moment_count, f->products, functions, f->n, f->values);
        for (int32_t i = 0; i < f->moment_count; ++i) moments[i] += weights[k] * f->values[i];
    }
}

static pli_status list_moments(fit *f, bool *crowded)
{
    int32_t degree = f->builder->def->degree;
    int64_t count = pli_product_count(f->function_count, degree);
    *crowded = count > INT32_MAX;
    if (*crowded) return PLI_OK;
    f->moment_count = (int32_t)count;
    f->products = pli_arena_take(f->arena, count, sizeof *f->products, "products of a cluster");
    f->moments = pli_arena_doubles(f->arena, count, "moments of a cluster");
    f->values = pli_arena_doubles(f->arena, count, "products at a point");
    if (f->products == NULL || f->moments == NULL || f->values == NULL) return PLI_ERROR_MEMORY;
    pli_product_list(f->function_count, degree, f->products);
    integrate(f, f->n, NULL, f->volumes, f->moments);
    f->moment_length = sqrt(pli_vector_dot_part(count, f->moments, f->moments));
    return PLI_OK;
}

// Largest |value| of the rows.
static double largest_value(int64_t count, const double *values)
{
    double largest = 0;
    for (int64_t k = 0; k < count; ++k) largest = fmax(largest, fabs(values[k]));
    return largest;
}

// What a product may be off everywhere so that all of them together miss a quarter of the tolerance
// at most: weights sum to V, so that w . g - integral of g is at most 2 V max |g|.
static double allowed_error(const fit *f)
{
    double allowed = 0.25 * f->builder->def->tolerance * f->moment_length;
    return allowed / (2 * f->volume * sqrt(f->moment_count));
}

static pli_status take_span(fit *f, int32_t row_count, pli_span *span)
{
    *span = (pli_span){
        .row_count = row_count,
        .point_count = f->n,
        .volumes = f->volumes,
        .rows = pli_arena_doubles(f->arena, (int64_t)row_count * f->n, "functions of a cluster"),
        .order = pli_arena_ints(f->arena, row_count, "order of functions"),
        .norms = pli_arena_doubles(f->arena, row_count, "lengths of functions"),
        .roots = pli_arena_doubles(f->arena, f->n, "roots of volumes")};
    bool taken =
        span->rows != NULL && span->order != NULL && span->norms != NULL && span->roots != NULL;
    return taken ? PLI_OK : PLI_ERROR_MEMORY;
}

// Functions that 1 and the others do not make up: products with the rest are sums of products with
// these. kept [function_count] are set.
static pli_status select_functions(fit *f, int32_t *kept, int32_t *kept_count)
{
    pli_arena_mark mark = pli_arena_begin(f->arena);
    pli_span span;
    pli_status status = take_span(f, f->function_count + 1, &span);
    if (status != PLI_OK) goto done;
    int64_t size = (int64_t)f->function_count * f->n;
    for (int32_t k = 0; k < f->n; ++k) span.rows[k] = 1;
    if (size > 0) memcpy(span.rows + f->n, f->functions, (size_t)size * sizeof(double));

    // an error g of a function makes one of degree g u^(degree - 1) in a product
    double largest = fmax(largest_value(size, f->functions), 1);
    double degree = fmax(f->builder->def->degree, 1);
    span.drop = allowed_error(f) / (degree * pow(largest, degree - 1));
    span.drop = fmax(span.drop, ROUNDING * largest);
    *kept_count = pli_span_build(&span) - 1;
    for (int32_t k = 0; k < *kept_count; ++k) kept[k] = span.order[k + 1] - 1;

done:
    pli_arena_end(f->arena, mark);
    return status;
}

// Products of the selected functions at all points; crowded: too many to be worth it.
static pli_status build_rows(fit *f, pli_span *span, bool *crowded)
{
    int32_t kept_count = 0;
    int32_t *kept = pli_arena_ints(f->arena, f->function_count, "functions that are kept");
    if (kept == NULL) return PLI_ERROR_MEMORY;
    PLI_TRY(select_functions(f, kept, &kept_count));
    int64_t count = pli_product_count(kept_count, f->builder->def->degree);
    *crowded = count > (int64_t)CROWDED * f->n;
    if (*crowded) return PLI_OK;

    double *functions = pli_arena_doubles(f->arena, (int64_t)kept_count * f->n, "kept functions");
    pli_product *products = pli_arena_take(f->arena, count, sizeof *products, "kept products");
    if (functions == NULL || products == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < kept_count; ++k) {
        memcpy(functions + (int64_t)k * f->n, f->functions + (int64_t)kept[k] * f->n,
               (size_t)f->n * sizeof(double));
    }
    PLI_TRY(take_span(f, (int32_t)count, span));
    pli_product_list(kept_count, f->builder->def->degree, products);
    pli_product_evaluate_all((int32_t)count, products, functions, f->n, span->rows);
    return PLI_OK;
}

// The relative residual in the basis that keeps all products under half the tolerance: with
// f_i = sum_a R_ia phi_a an error r of the moments of phi is R r of theirs, and the sum of R_ia^2
// is that of the integrals of f_i^2. The moments of phi have length sqrt(V): that of the constant.
static double basis_tolerance(const fit *f, const pli_span *span)
{
    double squares = 0;
    for (int64_t k = 0; k < span->row_count; ++k) {
        const double *row = span->rows + k * f->n;
        for (int32_t i = 0; i < f->n; ++i) squares += f->volumes[i] * row[i] * row[i];
    }
    return 0.5 * f->builder->def->tolerance * f->moment_length / sqrt(squares * f->volume);
}

// Columns of the fit, one for every point, and what they are to sum to.
static pli_status build_columns(fit *f, const pli_span *span)
{
    int64_t rank = f->rank;
    f->columns = pli_arena_doubles(f->arena, rank * f->n, "columns of the fit");
    f->points = pli_arena_ints(f->arena, f->n, "points of columns");
    f->target = pli_arena_doubles(f->arena, rank, "moments of the basis");
    f->residual = pli_arena_doubles(f->arena, rank, "residual of the basis");
    f->weights = pli_arena_doubles(f->arena, f->n, "weights of columns");
    f->chances = pli_arena_doubles(f->arena, f->n, "chances of columns");
    f->keys = pli_arena_take(f->arena, f->n, sizeof *f->keys, "keys of columns");
    f->ranking = pli_arena_ints(f->arena, f->n, "ranking of columns");
    f->spare = pli_arena_ints(f->arena, f->n, "sorting of columns");
    f->start = pli_arena_ints(f->arena, f->n, "passive columns");
    bool taken = f->columns != NULL && f->points != NULL && f->target != NULL &&
                 f->residual != NULL && f->weights != NULL && f->chances != NULL &&
                 f->keys != NULL && f->ranking != NULL && f->spare != NULL && f->start != NULL;
    if (!taken) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < rank; ++k) {
        const double *row = span->rows + k * f->n;
        f->target[k] = pli_vector_dot_part(f->n, row, f->volumes);
        for (int32_t i = 0; i < f->n; ++i) f->columns[i * rank + k] = row[i];
    }
    for (int32_t i = 0; i < f->n; ++i) f->points[i] = i;
    return PLI_OK;
}

// ---- the sample

static void swap_columns(fit *f, int32_t a, int32_t b)
{
    if (a == b) return;
    double *x = f->columns + (int64_t)a * f->rank;
    double *y = f->columns + (int64_t)b * f->rank;
    for (int32_t i = 0; i < f->rank; ++i) {
        double kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
    int32_t point = f->points[a];
    f->points[a] = f->points[b];
    f->points[b] = point;
}

// Draws `count` of the columns that are not in the sample, without putting back, with odds in
// proportion to their chances: the first to ring of clocks that ring at these rates.
static void draw_columns(fit *f, int32_t round, int32_t count)
{
    int32_t left = f->n - f->drawn;
    if (count > left) count = left;
    for (int32_t k = 0; k < left; ++k) {
        int32_t column = f->drawn + k;
        uint64_t index = f->draw_base + ((uint64_t)round << 32) + (uint64_t)f->points[column];
        double rings = -log1p(-pli_random_uniform(f->random, index)) / f->chances[column];
        // numbers that are not negative sort like their bits; without a chance it never rings
        if (!(rings >= 0)) rings = INFINITY;
        memcpy(&f->keys[k], &rings, sizeof rings);
    }
    pli_sort_order_in(left, f->keys, f->spare, f->ranking);
    // the first ones in the ranking join the sample, in the order in which they stand
    memset(f->spare, 0, (size_t)left * sizeof *f->spare);
    for (int32_t k = 0; k < count; ++k) f->spare[f->ranking[k]] = 1;
    for (int32_t k = 0, next = f->drawn; k < left; ++k) {
        if (f->spare[k] != 0) swap_columns(f, next++, f->drawn + k);
    }
    f->drawn += count;
}

// Chances (phi(x_k) . r)^2, r the residual of the fit.
static void compute_chances(fit *f)
{
    memcpy(f->residual, f->target, (size_t)f->rank * sizeof(double));
    for (int32_t k = 0; k < f->drawn; ++k) {
        const double *column = f->columns + (int64_t)k * f->rank;
        for (int32_t i = 0; i < f->rank; ++i) f->residual[i] -= f->weights[k] * column[i];
    }
    for (int32_t k = f->drawn; k < f->n; ++k) {
        double gain = pli_vector_dot_part(f->rank, f->columns + (int64_t)k * f->rank, f->residual);
        f->chances[k] = gain * gain;
    }
}

// Fits the weights of the sample, from what was passive in the last round.
static pli_status fit_weights(fit *f)
{
    pli_nnls_problem problem = {.row_count = f->rank,
                                .column_count = f->drawn,
                                .A = f->columns,
                                .b = f->target,
                                .residual_tolerance = f->tolerance,
                                .dual_tolerance = DUAL_TOLERANCE,
                                .start_count = f->start_count,
                                .start = f->start};
    pli_nnls_report report;
    PLI_TRY(pli_nnls_solve(f->nnls, &problem, f->weights, &report));
    f->start_count = report.passive_count;
    memcpy(f->start, pli_nnls_passive(f->nnls), (size_t)f->start_count * sizeof *f->start);
    return PLI_OK;
}

// |A w - b| / |b| over the products of all functions.
static double moment_residual(const fit *f, double *moments)
{
    integrate(f, f->drawn, f->points, f->weights, moments);
    double sum = 0;
    for (int32_t k = 0; k < f->moment_count; ++k) {
        double miss = moments[k] - f->moments[k];
        sum += miss * miss;
    }
    return sqrt(sum) / f->moment_length;
}

// Algorithm 3. all: no sample was good enough, or none is smaller than all elements.
static pli_status run_rounds(fit *f, group *g, bool *all)
{
    const pli_cubature_def *def = f->builder->def;
    int32_t initial = def->initial > 0 ? def->initial : f->rank;
    int32_t increment = def->increment > 0 ? def->increment : (initial + 1) / 2;
    double *moments = pli_arena_doubles(f->arena, f->moment_count, "moments of a sample");
    if (moments == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < f->n; ++k) f->chances[k] = 1;
    draw_columns(f, 0, initial);
    for (g->rounds = 1;; ++g->rounds) {
        PLI_TRY(fit_weights(f));
        g->residual = moment_residual(f, moments);
        if (g->residual <= def->tolerance) break;
        *all = f->drawn == f->n;
        if (*all) break;
        compute_chances(f);
        draw_columns(f, g->rounds, increment);
    }
    return PLI_OK;
}

// ---- a group

// Products, what is independent in them, and the columns of the fit.
static pli_status prepare_fit(fit *f, bool *all)
{
    PLI_TRY(list_moments(f, all));
    if (*all) return PLI_OK;
    pli_span span;
    PLI_TRY(build_rows(f, &span, all));
    if (*all) return PLI_OK;
    f->tolerance = basis_tolerance(f, &span);
    double largest = largest_value((int64_t)span.row_count * f->n, span.rows);
    span.drop = fmax(allowed_error(f), ROUNDING * largest);
    span.most = (int32_t)ceil(fmin(f->builder->def->share, 1) * f->n);
    f->rank = pli_span_build(&span);
    // as many conditions as elements: only the volumes meet them
    *all = f->rank >= span.most;
    return *all ? PLI_OK : build_columns(f, &span);
}

static pli_status fit_group(fit *f, group *g)
{
    const builder *b = f->builder;
    f->volumes = pli_arena_doubles(f->arena, f->n, "volumes of a cluster");
    if (f->volumes == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < f->n; ++k) {
        f->volumes[k] = b->volumes[f->elements[k]];
        f->volume += f->volumes[k];
    }
    bool modal = b->def->kind == PLI_CUBATURE_MODAL;
    PLI_TRY(modal ? gather_bases(f) : gather_coordinates(f));
    bool all = false;
    PLI_TRY(prepare_fit(f, &all));
    if (!all) {
        PLI_TRY(pli_nnls_create(b->context, f->rank, f->n, &f->nnls));
        PLI_TRY(run_rounds(f, g, &all));
    }
    if (all) g->residual = 0;
    for (int32_t k = 0; k < f->n && all; ++k) b->weights[f->elements[k]] = f->volumes[k];
    for (int32_t k = 0; k < f->drawn && !all; ++k) {
        b->weights[f->elements[f->points[k]]] = f->weights[k];
    }
    return PLI_OK;
}

static void fit_groups(void *user, int64_t begin, int64_t end)
{
    builder *b = user;
    for (int64_t k = begin; k < end; ++k) {
        group *g = &b->groups[b->offset + k];
        fit f = {.builder = b,
                 .n = g->count,
                 .elements = b->order + g->begin,
                 .random = {b->def->seed, (uint64_t)g->part},
                 .draw_base = (uint64_t)g->rank << 48};
        g->status = pli_arena_create(b->context, SCRATCH, &f.arena);
        if (g->status == PLI_OK) g->status = fit_group(&f, g);
        pli_nnls_destroy(f.nnls);
        pli_arena_destroy(f.arena);
    }
}

// ---- all groups

static pli_status check_numbers(pli_context *context, const pli_cubature_def *def)
{
    bool modal = def->kind == PLI_CUBATURE_MODAL;
    int32_t least = modal ? 1 : 0;
    int32_t most = modal ? 2 : MAX_DEGREE;
    if (def->degree < least || def->degree > most) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "degree is %d; %s cubature wants %d to %d",
                        (int)def->degree, modal ? "modal" : "polynomial", (int)least, (int)most);
    }
    if (!(def->tolerance > 0 && def->tolerance < 1)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "tolerance is %g; it is over 0 and under 1",
                        def->tolerance);
    }
    if (def->initial < 0 || def->increment < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "draws of %d and then %d elements; both are at least 0", (int)def->initial,
                        (int)def->increment);
    }
    if (def->mesh.corner_count != 3 && def->mesh.corner_count != 4) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "elements have %d corners; cubature wants triangles or tetrahedra",
                        (int)def->mesh.corner_count);
    }
    return PLI_OK;
}

static pli_status check_parts(pli_context *context, const pli_cubature_def *def)
{
    const pli_partition *partition = def->partition;
    if (partition == NULL || partition->element_count != def->mesh.element_count) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "the partition is not one of the mesh");
    }
    for (int32_t k = 0; k < partition->element_count; ++k) {
        int32_t part = partition->element_part[k];
        if (part >= 0 && part < partition->count) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "element %d is in cluster %d of %d", (int)k,
                        (int)part, (int)partition->count);
    }
    return PLI_OK;
}

static pli_status check_bases(pli_context *context, const pli_cubature_def *def)
{
    if (def->kind != PLI_CUBATURE_MODAL) return PLI_OK;
    const pli_bases *bases = def->bases;
    if (bases == NULL || bases->vertex_count != def->mesh.vertex_count) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "the bases are not those of the mesh");
    }
    for (int64_t k = 0; k < bases->start[bases->vertex_count]; ++k) {
        int32_t handle = bases->handle[k];
        bool fine = handle >= 0 && handle < bases->handle_count && isfinite(bases->weight[k]);
        if (fine) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a weight is %g for handle %d of %d; weights are finite", bases->weight[k],
                        (int)handle, (int)bases->handle_count);
    }
    return PLI_OK;
}

static pli_status measure_elements(builder *b)
{
    const pli_simplices *mesh = &b->def->mesh;
    b->volumes = PLI_NEW(b->context, double, mesh->element_count, "volumes of elements");
    if (b->volumes == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < mesh->element_count; ++k) {
        const int32_t *corners = mesh->elements + (int64_t)mesh->corner_count * k;
        for (int32_t c = 0; c < mesh->corner_count; ++c) {
            if (corners[c] >= 0 && corners[c] < mesh->vertex_count) continue;
            return PLI_FAIL(b->context, PLI_ERROR_ARGUMENT,
                            "element %d has vertex %d; the mesh has %d of them", (int)k,
                            (int)corners[c], (int)mesh->vertex_count);
        }
        double gradients[4][3];
        b->volumes[k] = pli_simplex_gradients(mesh, k, gradients);
        if (b->volumes[k] > 0 && isfinite(b->volumes[k])) continue;
        return PLI_FAIL(b->context, PLI_ERROR_MESH, "element %d has no volume or area", (int)k);
    }
    return PLI_OK;
}

// A number that sorts elements by cluster, then by matter.
static uint64_t group_key(const pli_cubature_def *def, int32_t element)
{
    uint32_t material = def->material_of != NULL ? (uint32_t)def->material_of[element] : 0;
    return (uint64_t)(uint32_t)def->partition->element_part[element] << 32 | material;
}

static pli_status sort_elements(builder *b)
{
    int32_t count = b->def->mesh.element_count;
    b->order = PLI_NEW(b->context, int32_t, count, "elements by cluster");
    uint64_t *keys = PLI_NEW(b->context, uint64_t, count, "keys of elements");
    pli_status status = PLI_ERROR_MEMORY;
    if (b->order == NULL || keys == NULL) goto done;
    for (int32_t k = 0; k < count; ++k) keys[k] = group_key(b->def, k);
    status = pli_sort_order(b->context, count, keys, b->order);

done:
    pli_release(b->context, keys);
    return status;
}

// Runs of equal keys in the order are groups. groups NULL: only counts them.
static int32_t cut_groups(const builder *b, group *groups)
{
    int32_t count = 0;
    uint64_t last = 0;
    int32_t rank = 0;
    for (int64_t k = 0; k < b->def->mesh.element_count; ++k) {
        uint64_t key = group_key(b->def, b->order[k]);
        if (count == 0 || key != last) {
            rank = count > 0 && key >> 32 == last >> 32 ? rank + 1 : 0;
            if (groups != NULL) {
                groups[count] = (group){.begin = k, .part = (int32_t)(key >> 32), .rank = rank};
            }
            ++count;
        }
        if (groups != NULL) ++groups[count - 1].count;
        last = key;
    }
    return count;
}

// Axis along which the barycentres of a group reach farthest, and where they begin there.
static int32_t longest_axis(const builder *b, const group *g, double *begin)
{
    int32_t longest = 0;
    double length = -1;
    for (int32_t axis = 0; axis < 3; ++axis) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int64_t k = g->begin; k < g->begin + g->count; ++k) {
            double at = barycenter(&b->def->mesh, b->order[k], axis);
            low = fmin(low, at);
            high = fmax(high, at);
        }
        if (!(high - low > length)) continue;
        length = high - low;
        longest = axis;
        *begin = low;
    }
    return longest;
}

// Cuts a group in two halves across its longest axis; both keep their elements in order. keys
// [count] and order [2 count] are scratch.
static void halve_group(builder *b, group *g, uint64_t *keys, int32_t *order, group *second)
{
    double low = 0;
    int32_t axis = longest_axis(b, g, &low);
    int32_t half = g->count / 2;
    int32_t *elements = b->order + g->begin;
    int32_t *scratch = order + g->count;
    for (int32_t k = 0; k < g->count; ++k) {
        // numbers that are not negative sort like their bits
        double above = fmax(barycenter(&b->def->mesh, elements[k], axis) - low, 0);
        memcpy(&keys[k], &above, sizeof above);
    }
    pli_sort_order_in(g->count, keys, scratch, order);
    for (int32_t k = 0; k < g->count; ++k) keys[order[k]] = k >= half;
    pli_sort_order_in(g->count, keys, scratch, order);
    for (int32_t k = 0; k < g->count; ++k) scratch[k] = elements[order[k]];
    memcpy(elements, scratch, (size_t)g->count * sizeof *elements);
    *second = (group){.begin = g->begin + half, .count = g->count - half, .part = g->part};
    g->count = half;
}

// Cuts groups until none is larger than allowed.
static pli_status split_groups(builder *b)
{
    int32_t most = b->def->group_size;
    if (most <= 0) return PLI_OK;
    int32_t n = b->def->mesh.element_count;
    uint64_t *keys = PLI_NEW(b->context, uint64_t, n, "keys of elements");
    int32_t *order = PLI_NEW(b->context, int32_t, 2 * (int64_t)n, "halves of clusters");
    pli_status status = keys != NULL && order != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < b->group_count && status == PLI_OK; ++k) {
        while (b->groups[k].count > most) {
            group *second = &b->groups[b->group_count++];
            halve_group(b, &b->groups[k], keys, order, second);
        }
    }
    // pieces of one cluster draw different numbers
    enum { RANKS = 1 << 15 };
    for (int32_t k = 0; k < b->group_count; ++k) b->groups[k].rank = k % RANKS;
    PLI_RELEASE(b->context, order, keys);
    return status;
}

static pli_status make_groups(builder *b)
{
    PLI_TRY(sort_elements(b));
    b->group_count = cut_groups(b, NULL);
    // halves have at least half of what is allowed
    int64_t room = b->group_count;
    int32_t size = b->def->group_size;
    if (size > 0) room += 2 * (int64_t)b->def->mesh.element_count / size + 1;
    b->groups = PLI_NEW(b->context, group, room, "groups of elements");
    b->weights = PLI_NEW(b->context, double, b->def->mesh.element_count, "weights of elements");
    if (b->groups == NULL || b->weights == NULL) return PLI_ERROR_MEMORY;
    (void)cut_groups(b, b->groups);
    return split_groups(b);
}

// Batches, so that progress is told by the calling thread.
static pli_status fit_all(builder *b)
{
    for (b->offset = 0; b->offset < b->group_count; b->offset += BATCH) {
        int64_t count = b->group_count - b->offset;
        if (count > BATCH) count = BATCH;
        pli_parallel_for(b->context, count, 1, fit_groups, b);
        for (int64_t k = 0; k < count; ++k) PLI_TRY(b->groups[b->offset + k].status);
        double fraction = (double)(b->offset + count) / b->group_count;
        if (b->def->progress != NULL) PLI_TRY(b->def->progress(b->def->user, fraction));
    }
    return PLI_OK;
}

static pli_status write_cubature(const builder *b, pli_cubature *cubature)
{
    for (int32_t k = 0; k < b->group_count; ++k) {
        cubature->residual = fmax(cubature->residual, b->groups[k].residual);
        if (b->groups[k].rounds > cubature->rounds) cubature->rounds = b->groups[k].rounds;
    }
    int32_t count = 0;
    for (int32_t k = 0; k < b->def->mesh.element_count; ++k) count += b->weights[k] > 0;
    cubature->elements = PLI_NEW(b->context, int32_t, count, "elements of the cubature");
    cubature->weights = PLI_NEW(b->context, double, count, "weights of the cubature");
    if (cubature->elements == NULL || cubature->weights == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < b->def->mesh.element_count; ++k) {
        if (!(b->weights[k] > 0)) continue;
        cubature->elements[cubature->count] = k;
        cubature->weights[cubature->count++] = b->weights[k];
    }
    return PLI_OK;
}

static pli_status build_cubature(builder *b, pli_cubature *cubature)
{
    PLI_TRY(check_numbers(b->context, b->def));
    PLI_TRY(check_parts(b->context, b->def));
    PLI_TRY(check_bases(b->context, b->def));
    PLI_TRY(measure_elements(b));
    PLI_TRY(make_groups(b));
    PLI_TRY(fit_all(b));
    return write_cubature(b, cubature);
}

pli_status pli_cubature_create(pli_context *context, const pli_cubature_def *def,
                               pli_cubature **cubature)
{
    *cubature = NULL;
    builder b = {.context = context, .def = def};
    pli_cubature *made = PLI_NEW(context, pli_cubature, 1, "cubature");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_status status = build_cubature(&b, made);
    PLI_RELEASE(context, b.weights, b.groups, b.order, b.volumes);
    if (status != PLI_OK) {
        pli_cubature_destroy(made);
        return status;
    }
    *cubature = made;
    return PLI_OK;
}

void pli_cubature_destroy(pli_cubature *cubature)
{
    if (cubature == NULL) return;
    PLI_RELEASE(cubature->context, cubature->weights, cubature->elements, cubature);
}
