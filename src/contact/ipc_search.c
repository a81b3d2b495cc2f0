// SPDX-License-Identifier: Apache-2.0
//
// Which pairs are in contact, and how far surfaces can move before they touch.
#include "contact/ipc_inside.h"

#include "base/memory.h"
#include "contact/stencil.h"
#include "geometry/collision/bounds.h"
#include "geometry/mesh/inversion.h"
#include "pliant/detect.h"

#include <math.h>
#include <string.h>

enum { PAIR_GRAIN = 256, POINT_GRAIN = 2048 };

// what is kept of every gap and every volume by a step
static const double kept = 0.1;

// ---- candidates

// positions to be compared with the way that candidates hold for
typedef struct way_job {
    const pli_ipc *ipc;
    const double *x;
    const double *d; // to be added to x, times t; NULL: none
    double t;
    double along; // the part of the way
} way_job;

// The coordinate of a point from where the way begins.
static double from_start(const way_job *job, int64_t point, int axis)
{
    int64_t i = 3 * (int64_t)job->ipc->points[point] + axis;
    double x = job->d != NULL ? job->x[i] + job->t * job->d[i] : job->x[i];
    return x - job->ipc->start_of_way[3 * point + axis];
}

static pli_sum sum_along(void *user, int64_t begin, int64_t end)
{
    const way_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t k = begin; k < end; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            pli_sum_add(&sum, from_start(job, k, axis) * job->ipc->way[3 * k + axis]);
        }
    }
    return sum;
}

// How far the points are from where they would be along the way, at most.
static double largest_deviation(void *user, int64_t begin, int64_t end)
{
    const way_job *job = user;
    double largest = 0;
    for (int64_t k = begin; k < end; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            double deviation = from_start(job, k, axis) - job->along * job->ipc->way[3 * k + axis];
            if (!isfinite(deviation)) return INFINITY;
            largest = pli_larger(largest, fabs(deviation));
        }
    }
    return largest;
}

// Whether all points are within the margin of where they are on the way at one and the same time.
static bool is_near_way(const pli_ipc *ipc, const double *x, const double *d, double t)
{
    way_job job = {.ipc = ipc, .x = x, .d = d, .t = t};
    if (ipc->way_square > 0) {
        pli_sum sum =
            pli_parallel_sum(ipc->context, ipc->point_count, POINT_GRAIN, sum_along, &job);
        job.along = fmin(fmax(pli_sum_value(sum) / ipc->way_square, 0), 1);
    }
    return pli_parallel_max(ipc->context, ipc->point_count, POINT_GRAIN, largest_deviation, &job) <=
           ipc->margin;
}

// Whether candidates hold from x to x + t d: at both ends, and so in between.
static bool is_covered(const pli_ipc *ipc, const double *x, const double *d, double t)
{
    if (!ipc->has_candidates) return false;
    if (ipc->point_count == 0) return true;
    return is_near_way(ipc, x, NULL, 0) && (d == NULL || is_near_way(ipc, x, d, t));
}

static double largest_motion(const pli_ipc *ipc, const double *d)
{
    double largest = 0;
    for (int32_t k = 0; d != NULL && k < ipc->point_count; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            largest = fmax(largest, fabs(d[3 * (int64_t)ipc->points[k] + axis]));
        }
    }
    return largest;
}

// The way from x to x + d; far gets x + d.
static void set_way(pli_ipc *ipc, const double *x, const double *d)
{
    pli_sum square = {0, 0};
    for (int64_t k = 0; k < ipc->point_count; ++k) {
        int64_t first = 3 * (int64_t)ipc->points[k];
        for (int axis = 0; axis < 3; ++axis) {
            double step = d != NULL ? d[first + axis] : 0;
            ipc->far[first + axis] = x[first + axis] + step;
            ipc->start_of_way[3 * k + axis] = x[first + axis];
            ipc->way[3 * k + axis] = step;
            pli_sum_add(&square, step * step);
        }
    }
    ipc->way_square = pli_sum_value(square);
}

pli_status pli_ipc_grow(pli_ipc *ipc, void **array, int64_t *room, int64_t count, size_t size)
{
    if (count <= *room) return PLI_OK;
    int64_t wanted = count + count / 2;
    PLI_TRY(pli_resize(ipc->context, array, wanted, size, "contacts"));
    *room = wanted;
    return PLI_OK;
}

// Room for as many contacts as candidates could become.
static pli_status reserve_contacts(pli_ipc *ipc)
{
    int64_t points = (int64_t)ipc->point_count * ipc->plane_count;
    ipc->candidate_count = ipc->pairs.point_triangle.count + ipc->pairs.edge_edge.count;
    PLI_TRY(pli_ipc_grow(ipc, (void **)&ipc->distance, &ipc->candidate_room, ipc->candidate_count,
                         sizeof *ipc->distance));
    return pli_ipc_grow(ipc, (void **)&ipc->contacts, &ipc->contact_room,
                        ipc->candidate_count + points, sizeof *ipc->contacts);
}

// Margin around the way: a quarter of it, so that the shorter steps that follow need no new search,
// but neither much less nor more than the distance of contact: too many pairs would be candidates.
static double choose_margin(const pli_ipc *ipc, const double *d)
{
    double dhat = ipc->barrier.dhat;
    return fmin(fmax(0.5 * dhat, 0.25 * largest_motion(ipc, d)), dhat);
}

// Makes sure that candidates hold on the way from x to x + t d, 0 <= t <= 1; d may be
// NULL. A search goes along all of d.
static pli_status cover(pli_ipc *ipc, const double *x, const double *d, double t)
{
    if (is_covered(ipc, x, d, t)) return PLI_OK;
    pli_ipc_begin(ipc, "contact search");
    ipc->margin = choose_margin(ipc, d);
    ipc->has_candidates = false;
    ipc->is_valid = false;
    set_way(ipc, x, d);
    pli_status status = pli_broad_phase_find_swept(
        ipc->broad, x, d != NULL ? ipc->far : x, ipc->barrier.dhat + 2 * ipc->margin, &ipc->pairs);
    if (status == PLI_OK) status = reserve_contacts(ipc);
    ipc->has_candidates = status == PLI_OK;
    if (status == PLI_ERROR_MEMORY) ipc->failure = status;
    pli_ipc_end(ipc);
    return status;
}

// ---- contacts

typedef struct distance_job {
    pli_ipc *ipc;
    const double *x;
    double reach; // beyond it distances need not be exact (m)
} distance_job;

static const double *at(const double *x, int32_t vertex)
{
    return x + 3 * (int64_t)vertex;
}

// Whether two sets of points are farther apart than reach along an axis.
static bool are_boxes_apart(const double *const *a, int count_a, const double *const *b,
                            int count_b, double reach)
{
    for (int axis = 0; axis < 3; ++axis) {
        double a_min = a[0][axis], a_max = a_min, b_min = b[0][axis], b_max = b_min;
        for (int i = 1; i < count_a; ++i) {
            a_min = a[i][axis] < a_min ? a[i][axis] : a_min;
            a_max = a[i][axis] > a_max ? a[i][axis] : a_max;
        }
        for (int i = 1; i < count_b; ++i) {
            b_min = b[i][axis] < b_min ? b[i][axis] : b_min;
            b_max = b[i][axis] > b_max ? b[i][axis] : b_max;
        }
        if (a_min > b_max + reach || b_min > a_max + reach) return true;
    }
    return false;
}

static double measure_point_triangle(const distance_job *job, const int32_t pair[2])
{
    const pli_ipc *ipc = job->ipc;
    const int32_t *corners = ipc->triangles + 3 * (int64_t)pair[1];
    const double *p[1] = {at(job->x, ipc->points[pair[0]])};
    const double *q[3] = {at(job->x, corners[0]), at(job->x, corners[1]), at(job->x, corners[2])};
    if (are_boxes_apart(p, 1, q, 3, job->reach)) return INFINITY;
    double weights[3], squared;
    (void)pli_closest_point_triangle(p[0], q[0], q[1], q[2], weights, &squared);
    return sqrt(squared);
}

static double measure_edge_edge(const distance_job *job, const int32_t pair[2])
{
    const int32_t *a = job->ipc->edges + 2 * (int64_t)pair[0];
    const int32_t *b = job->ipc->edges + 2 * (int64_t)pair[1];
    const double *p[2] = {at(job->x, a[0]), at(job->x, a[1])};
    const double *q[2] = {at(job->x, b[0]), at(job->x, b[1])};
    if (are_boxes_apart(p, 2, q, 2, job->reach)) return INFINITY;
    double weights[4], squared;
    (void)pli_closest_edge_edge(p[0], p[1], q[0], q[1], weights, &squared);
    return sqrt(squared);
}

static void measure_candidates(void *user, int64_t begin, int64_t end)
{
    const distance_job *job = user;
    const pli_broad_phase_pairs *pairs = &job->ipc->pairs;
    int64_t split = pairs->point_triangle.count;
    for (int64_t k = begin; k < end; ++k) {
        job->ipc->distance[k] = k < split
                                    ? measure_point_triangle(job, pairs->point_triangle.pairs[k])
                                    : measure_edge_edge(job, pairs->edge_edge.pairs[k - split]);
    }
}

static void append(pli_ipc *ipc, const pli_contact_stencil *stencil, double distance, int32_t first,
                   int32_t second)
{
    ipc->contacts[ipc->contact_count++] = (pli_ipc_contact){*stencil, {first, second}, distance};
}

static void append_point_triangle(pli_ipc *ipc, const int32_t pair[2], double distance)
{
    const int32_t *corners = ipc->triangles + 3 * (int64_t)pair[1];
    pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_POINT_TRIANGLE);
    stencil.vertices[0] = ipc->points[pair[0]];
    memcpy(stencil.vertices + 1, corners, 3 * sizeof *corners);
    append(ipc, &stencil, distance, ipc->body_of[stencil.vertices[0]], ipc->body_of[corners[0]]);
}

static void append_edge_edge(pli_ipc *ipc, const int32_t pair[2], double distance)
{
    pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_EDGE_EDGE);
    memcpy(stencil.vertices, ipc->edges + 2 * (int64_t)pair[0], 2 * sizeof(int32_t));
    memcpy(stencil.vertices + 2, ipc->edges + 2 * (int64_t)pair[1], 2 * sizeof(int32_t));
    double rest[PLI_CONTACT_DOFS];
    pli_contact_gather(&stencil, ipc->rest, rest);
    stencil.mollifier = pli_mollifier_threshold(rest);
    append(ipc, &stencil, distance, ipc->body_of[stencil.vertices[0]],
           ipc->body_of[stencil.vertices[2]]);
}

static double height_over(const double *plane, const double *x)
{
    return pli_vec3_dot(plane, x) - plane[3];
}

static bool meets_plane(const pli_ipc *ipc, int32_t vertex, int32_t plane)
{
    const pli_ipc_rules *rules = &ipc->rules;
    return rules->collides == NULL ||
           rules->collides(rules->user, ipc->body_of[vertex], ipc->body_count + plane);
}

static void append_planes(pli_ipc *ipc, const double *x)
{
    for (int32_t k = 0; k < ipc->plane_count; ++k) {
        const double *plane = ipc->planes + 4 * k;
        for (int32_t p = 0; p < ipc->point_count; ++p) {
            int32_t vertex = ipc->points[p];
            double height = height_over(plane, at(x, vertex));
            if (!(height < ipc->barrier.dhat) || !meets_plane(ipc, vertex, k)) continue;
            pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_POINT_PLANE);
            stencil.vertices[0] = vertex;
            stencil.plane = plane;
            append(ipc, &stencil, fmax(height, 0), ipc->body_of[vertex], ipc->body_count + k);
        }
    }
}

static void list_contacts(pli_ipc *ipc, const double *x)
{
    int64_t split = ipc->pairs.point_triangle.count;
    ipc->contact_count = 0;
    for (int64_t k = 0; k < ipc->candidate_count; ++k) {
        if (!(ipc->distance[k] < ipc->barrier.dhat)) continue;
        if (k < split) {
            append_point_triangle(ipc, ipc->pairs.point_triangle.pairs[k], ipc->distance[k]);
        } else {
            append_edge_edge(ipc, ipc->pairs.edge_edge.pairs[k - split], ipc->distance[k]);
        }
    }
    append_planes(ipc, x);
}

void pli_ipc_detect(pli_ipc *ipc, const double *x)
{
    size_t bytes = 3 * (size_t)ipc->vertex_count * sizeof *x;
    if (ipc->is_valid && memcmp(ipc->x, x, bytes) == 0) return;
    ipc->is_valid = false;
    ipc->contact_count = 0;
    ipc->status = cover(ipc, x, NULL, 0);
    if (ipc->status != PLI_OK) return;
    pli_ipc_begin(ipc, "contact");
    memcpy(ipc->x, x, bytes);
    distance_job job = {ipc, x, ipc->barrier.dhat};
    pli_parallel_for(ipc->context, ipc->candidate_count, PAIR_GRAIN, measure_candidates, &job);
    list_contacts(ipc, x);
    ipc->is_valid = true;
    pli_ipc_end(ipc);
}

// ---- the step filter

typedef struct step_job {
    const pli_ipc *ipc;
    const double *x;
    const double *d;
} step_job;

// -alpha, since largest values are what can be looked for in parallel
static double plane_steps(void *user, int64_t begin, int64_t end)
{
    const step_job *job = user;
    const pli_ipc *ipc = job->ipc;
    double alpha = 1;
    for (int64_t k = begin; k < end; ++k) {
        int32_t vertex = ipc->points[k];
        for (int32_t plane = 0; plane < ipc->plane_count; ++plane) {
            double height = height_over(ipc->planes + 4 * plane, at(job->x, vertex));
            double sinking = -pli_vec3_dot(ipc->planes + 4 * plane, at(job->d, vertex));
            if (!(sinking * alpha > (1 - kept) * height) || !meets_plane(ipc, vertex, plane)) {
                continue;
            }
            alpha = fmax((1 - kept) * height / sinking, 0);
        }
    }
    return -alpha;
}

void pli_ipc_begin_step(pli_ipc *ipc, const double *x, const double *d)
{
    ipc->has_candidates = false;
    ipc->is_valid = false;
    ipc->status = cover(ipc, x, d, 1);
}

double pli_ipc_max_step(pli_ipc *ipc, const double *x, const double *d)
{
    pli_context *context = ipc->context;
    pli_ipc_begin(ipc, "inversion");
    double alpha = pli_inversion_steps(context, ipc->tet_count, ipc->tets, x, d, kept);
    pli_ipc_end(ipc);
    if (ipc->point_count == 0) return alpha;
    pli_ipc_begin(ipc, "ccd");
    step_job job = {ipc, x, d};
    if (ipc->plane_count > 0) {
        alpha = fmin(alpha,
                     -pli_parallel_max(context, ipc->point_count, POINT_GRAIN, plane_steps, &job));
    }
    pli_ipc_end(ipc);

    // pairs count as far as the rest lets points go
    if (cover(ipc, x, d, alpha) != PLI_OK) return 0;
    if (!(alpha > 0)) return alpha;
    pli_ipc_begin(ipc, "ccd");
    for (int32_t k = 0; k < ipc->point_count; ++k) {
        int64_t first = 3 * (int64_t)ipc->points[k];
        pli_vec3_add(x + first, d + first, ipc->far + first);
    }
    pli_ccd_def def = pli_ccd_def_default();
    def.gap = kept;
    def.tolerance = 1e-3 * ipc->barrier.dhat;
    def.t_max = alpha;
    alpha = pli_safe_step(ipc->broad, &ipc->pairs, x, ipc->far, &def, NULL);
    pli_ipc_end(ipc);
    return alpha;
}
