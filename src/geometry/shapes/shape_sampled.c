// SPDX-License-Identifier: Apache-2.0
//
// Distance sampled on a regular grid, interpolated by linear or cubic stencils along each axis.
// Outside of the grid: the value at the nearest grid point c(x) plus the distance |x - c(x)|.
#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/collision/tri_query.h"
#include "geometry/shapes/shape_node.h"
#include "geometry/shapes/stencil.h"

enum { PADDING = 3 }; // cells around the bounds

// The largest part of a mesh's boundary that holes may leave open. Scans have holes below their
// feet and the like; more than this is a sheet, a strip or a heap of triangles.
static const double most_leaking = 0.1;

typedef struct sampled_data {
    double origin[3];
    double spacing;   // m
    int32_t count[3]; // samples along x, y, z
    bool cubic;
    double values[]; // [count z][count y][count x] (m)
} sampled_data;

static int64_t sample_index(const sampled_data *data, int32_t i, int32_t j, int32_t k)
{
    return i + (int64_t)data->count[0] * (j + (int64_t)data->count[1] * k);
}

// One row of samples interpolated along x, with derivatives in grid spacings.
static pli_jet2 interpolate_row(const sampled_data *data, const pli_stencil *s, int32_t j,
                                int32_t k)
{
    const double *row = data->values + sample_index(data, 0, j, k);
    pli_jet2 out = {0};
    for (int i = 0; i < s->count; ++i) {
        double value = row[s->sample[i]];
        out.f += s->weight[i] * value;
        out.fa += s->slope[i] * value;
        out.faa += s->curvature[i] * value;
    }
    return out;
}

// Position in spacings from the first sample.
static void make_stencils(const sampled_data *data, const double x[3], pli_stencil s[3])
{
    for (int k = 0; k < 3; ++k) {
        double u = (x[k] - data->origin[k]) / data->spacing;
        s[k] = pli_stencil_at(u, data->count[k], data->cubic);
    }
}

// The interpolant at a point of the grid's box.
static void interpolate(const sampled_data *data, const double x[3], pli_jet *jet)
{
    pli_stencil s[3];
    make_stencils(data, x, s);
    *jet = pli_jet_constant(0);
    double *g = jet->gradient;
    double *H = jet->hessian;
    for (int k = 0; k < s[2].count; ++k) {
        for (int j = 0; j < s[1].count; ++j) {
            pli_jet2 row = interpolate_row(data, &s[0], s[1].sample[j], s[2].sample[k]);
            double wy = s[1].weight[j], dy = s[1].slope[j];
            double wz = s[2].weight[k], dz = s[2].slope[k];
            jet->value += wy * wz * row.f;
            g[0] += wy * wz * row.fa;
            g[1] += dy * wz * row.f;
            g[2] += wy * dz * row.f;
            H[0] += wy * wz * row.faa;
            H[1] += dy * wz * row.fa;
            H[2] += wy * dz * row.fa;
            H[4] += s[1].curvature[j] * wz * row.f;
            H[5] += dy * dz * row.f;
            H[8] += wy * s[2].curvature[k] * row.f;
        }
    }
    H[3] = H[1];
    H[6] = H[2];
    H[7] = H[5];
    pli_vec3_scale(1 / data->spacing, g, g);
    for (int k = 0; k < 9; ++k) H[k] /= data->spacing * data->spacing;
}

static double interpolate_value(const sampled_data *data, const double x[3])
{
    pli_stencil s[3];
    make_stencils(data, x, s);
    double sum = 0;
    for (int k = 0; k < s[2].count; ++k) {
        for (int j = 0; j < s[1].count; ++j) {
            const double *row =
                data->values + sample_index(data, 0, s[1].sample[j], s[2].sample[k]);
            double along = 0;
            for (int i = 0; i < s[0].count; ++i) along += s[0].weight[i] * row[s[0].sample[i]];
            sum += s[1].weight[j] * s[2].weight[k] * along;
        }
    }
    return sum;
}

// The nearest point of the grid's box.
static void clamp_to_grid(const sampled_data *data, const double x[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        double last = data->origin[k] + data->spacing * (data->count[k] - 1);
        out[k] = pli_smaller(pli_larger(x[k], data->origin[k]), last);
    }
}

static void sampled_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const sampled_data *data = shape->data;
    for (int32_t i = 0; i < n; ++i) {
        const double *x = points + 3 * (int64_t)i;
        double c[3];
        clamp_to_grid(data, x, c);
        values[i] = interpolate_value(data, c) + pli_vec3_distance(x, c);
    }
}

static void sampled_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const sampled_data *data = shape->data;
    double c[3], d[3];
    clamp_to_grid(data, x, c);
    interpolate(data, c, jet);
    pli_vec3_subtract(x, c, d);
    double distance = pli_vec3_normalize(d, d);
    if (distance == 0) return;

    // clamped coordinates do not change the interpolant; the distance to the box adds its own
    bool clamped[3];
    for (int k = 0; k < 3; ++k) {
        clamped[k] = x[k] != c[k];
        if (clamped[k]) jet->gradient[k] = 0;
    }
    for (int k = 0; k < 9; ++k) {
        if (clamped[k / 3] || clamped[k % 3]) jet->hessian[k] = 0;
    }
    for (int k = 0; k < 3; ++k) {
        if (clamped[k]) jet->hessian[4 * k] += 1 / distance;
    }
    jet->value += distance;
    pli_vec3_add(jet->gradient, d, jet->gradient);
    pli_jet_add_outer(jet->hessian, -1 / distance, d, d);
}

static const pli_shape_ops sampled_ops = {"sampled distance", sampled_values, sampled_jet};

// The largest difference along one axis over the four edges of a cell.
static double cell_difference(const sampled_data *data, const double *corner, int axis)
{
    const int64_t stride[3] = {1, data->count[0], (int64_t)data->count[0] * data->count[1]};
    int64_t u = stride[(axis + 1) % 3];
    int64_t v = stride[(axis + 2) % 3];
    double largest = 0;
    for (int edge = 0; edge < 4; ++edge) {
        const double *at = corner + (edge & 1) * u + (edge >> 1) * v;
        largest = pli_larger(largest, fabs(at[stride[axis]] - at[0]));
    }
    return largest;
}

// Differences along the edges of a cell bound the slope of the linear interpolant. The cubic one
// overshoots: its weights add up to 3/2 in magnitude along and 5/4 across each direction.
static double slope_bound(const sampled_data *data)
{
    double largest = 0;
    for (int32_t k = 0; k + 1 < data->count[2]; ++k) {
        for (int32_t j = 0; j + 1 < data->count[1]; ++j) {
            for (int32_t i = 0; i + 1 < data->count[0]; ++i) {
                const double *corner = data->values + sample_index(data, i, j, k);
                double step[3];
                for (int axis = 0; axis < 3; ++axis) {
                    step[axis] = cell_difference(data, corner, axis);
                }
                largest = pli_larger(largest, pli_vec3_norm(step));
            }
        }
    }
    double inside = largest / data->spacing * (data->cubic ? 1.5 * 1.25 * 1.25 : 1);
    return hypot(inside, 1);
}

// A node over the padded bounds with its samples still to be filled.
static pli_status create_grid(pli_shape_set *set, const pli_bounds *bounds, int32_t resolution,
                              pli_shape_interpolation interpolation, pli_shape **out)
{
    pli_context *context = pli_shape_set_context(set);
    if (!pli_bounds_is_finite(bounds) || pli_bounds_is_empty(bounds)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "only a bounded shape can be sampled; intersect it with a box first");
    }
    if (resolution < 4 || resolution > 2048) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "resolution is %d, allowed is 4 to 2048",
                        resolution);
    }
    sampled_data head = {.spacing = pli_bounds_longest(bounds) / resolution,
                         .cubic = interpolation == PLI_SHAPE_CUBIC};
    PLI_TRY(pli_shape_check_positive(set, "size of a sampled shape", head.spacing));
    int64_t total = 1;
    for (int k = 0; k < 3; ++k) {
        double extent = bounds->max[k] - bounds->min[k];
        int32_t cells = (int32_t)ceil(extent / head.spacing - 1e-9) + 2 * PADDING;
        head.count[k] = cells + 1;
        head.origin[k] = 0.5 * (bounds->min[k] + bounds->max[k] - cells * head.spacing);
        total *= head.count[k];
    }
    pli_shape_new description = {.ops = &sampled_ops,
                                 .data_bytes = sizeof head + (size_t)total * sizeof(double)};
    PLI_TRY(pli_shape_node_create(set, &description, out));
    *(sampled_data *)(*out)->data = head;
    (*out)->bounds = pli_bounds_expand(*bounds, head.spacing);
    (*out)->is_exact = false;
    (*out)->is_analytic = false;
    (*out)->is_far = false;
    return PLI_OK;
}

static void sample_position(const sampled_data *data, int64_t index, double x[3])
{
    const int64_t nx = data->count[0];
    const int64_t ny = data->count[1];
    const int64_t at[3] = {index % nx, index / nx % ny, index / (nx * ny)};
    for (int k = 0; k < 3; ++k) x[k] = data->origin[k] + data->spacing * (double)at[k];
}

// what workers share while they fill a grid
typedef struct fill_job {
    sampled_data *data;
    const pli_shape *source;
    const pli_tri_query *query;
    uint8_t *votes; // [samples] of the three axes: inside
    int axis;
} fill_job;

static int64_t sample_count(const sampled_data *data)
{
    return (int64_t)data->count[0] * data->count[1] * data->count[2];
}

static void fill_from_shape(void *user, int64_t begin, int64_t end)
{
    fill_job *job = user;
    double points[3 * PLI_SHAPE_CHUNK];
    for (int64_t first = begin; first < end; first += PLI_SHAPE_CHUNK) {
        int64_t n = end - first < PLI_SHAPE_CHUNK ? end - first : PLI_SHAPE_CHUNK;
        for (int64_t i = 0; i < n; ++i) sample_position(job->data, first + i, points + 3 * i);
        pli_shape_values(job->source, n, points, job->data->values + first);
    }
}

pli_status pli_shape_sampled(pli_shape_set *set, const pli_shape *source, int32_t resolution,
                             pli_shape_interpolation interpolation, const pli_shape **shape)
{
    *shape = NULL;
    pli_shape *node = NULL;
    PLI_TRY(create_grid(set, &source->bounds, resolution, interpolation, &node));
    fill_job job = {.data = node->data, .source = source};
    pli_parallel_for(pli_shape_set_context(set), sample_count(job.data), 1024, fill_from_shape,
                     &job);
    node->lipschitz = slope_bound(job.data);
    *shape = node;
    return PLI_OK;
}

// Distances, each searched within what the one before it allows: a step changes the distance by no
// more than its own length.
static void fill_distances(void *user, int64_t begin, int64_t end)
{
    fill_job *job = user;
    double last[3] = {0, 0, 0};
    double reach = INFINITY;
    for (int64_t i = begin; i < end; ++i) {
        double x[3];
        sample_position(job->data, i, x);
        double limit = reach + 1.001 * pli_vec3_distance(x, last);
        double distance = pli_tri_query_nearest(job->query, x, limit).distance;
        job->data->values[i] = job->votes[i] >= 2 ? -distance : distance;
        pli_vec3_copy(x, last);
        reach = distance;
    }
}

// Votes of rows along one axis. Rows are moved by a tiny part of a cell, off the round coordinates
// where vertices of modelled meshes like to lie.
static void vote_rows(void *user, int64_t begin, int64_t end)
{
    fill_job *job = user;
    const sampled_data *data = job->data;
    int u = (job->axis + 1) % 3;
    int v = (job->axis + 2) % 3;
    const int64_t stride[3] = {1, data->count[0], (int64_t)data->count[0] * data->count[1]};
    for (int64_t r = begin; r < end; ++r) {
        int64_t i = r % data->count[u];
        int64_t j = r / data->count[u];
        pli_tri_row row = {.axis = job->axis,
                           .start = data->origin[job->axis],
                           .step = data->spacing,
                           .count = data->count[job->axis],
                           .stride = stride[job->axis]};
        row.base[u] = data->origin[u] + data->spacing * ((double)i + 1.7e-6);
        row.base[v] = data->origin[v] + data->spacing * ((double)j + 2.3e-6);
        row.base[job->axis] = row.start;
        pli_tri_query_vote_row(job->query, &row, job->votes + i * stride[u] + j * stride[v]);
    }
}

static bool encloses_anything(const fill_job *job)
{
    for (int64_t i = 0; i < sample_count(job->data); ++i) {
        if (job->votes[i] >= 2) return true;
    }
    return false;
}

// The part of the boundary between inside and outside that is not surface. Two neighbours on either
// side of a surface are together no farther from it than they are from each other, and than rows
// are moved when they vote.
static double leaking_part(const sampled_data *data)
{
    const int64_t stride[3] = {1, data->count[0], (int64_t)data->count[0] * data->count[1]};
    int64_t changes = 0;
    int64_t leaks = 0;
    for (int64_t i = 0; i < sample_count(data); ++i) {
        for (int k = 0; k < 3; ++k) {
            if (i / stride[k] % data->count[k] + 1 == data->count[k]) continue;
            double here = data->values[i];
            double there = data->values[i + stride[k]];
            if ((here < 0) == (there < 0)) continue;
            ++changes;
            leaks += fabs(here - there) > 1.001 * data->spacing;
        }
    }
    return changes > 0 ? (double)leaks / (double)changes : 0;
}

pli_status pli_shape_sampled_mesh(pli_shape_set *set, const pli_tri_mesh *mesh, int32_t resolution,
                                  pli_shape_interpolation interpolation, const pli_shape **shape)
{
    *shape = NULL;
    pli_context *context = pli_shape_set_context(set);
    pli_bounds bounds = pli_tri_mesh_bounds(mesh);
    pli_shape *node = NULL;
    PLI_TRY(create_grid(set, &bounds, resolution, interpolation, &node));

    fill_job job = {.data = node->data};
    pli_tri_query *query = NULL;
    pli_status status = pli_tri_query_create(mesh, &query);
    if (status != PLI_OK) goto done;
    job.query = query;
    job.votes = PLI_NEW(context, uint8_t, sample_count(job.data), "inside votes");
    status = job.votes != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status != PLI_OK) goto done;

    for (job.axis = 0; job.axis < 3; ++job.axis) {
        int64_t rows = sample_count(job.data) / job.data->count[job.axis];
        pli_parallel_for(context, rows, 16, vote_rows, &job);
    }
    if (!encloses_anything(&job)) {
        status = PLI_FAIL(context, PLI_ERROR_MESH,
                          "the surface encloses nothing at resolution %d; it must be closed",
                          resolution);
        goto done;
    }
    pli_parallel_for(context, sample_count(job.data), 256, fill_distances, &job);
    double leaking = leaking_part(job.data);
    if (leaking > most_leaking) {
        status = PLI_FAIL(context, PLI_ERROR_MESH,
                          "the surface has holes: %.0f %% of what bounds its inside is no surface, "
                          "allowed are %.0f %%; it must be closed",
                          100 * leaking, 100 * most_leaking);
        goto done;
    }
    node->lipschitz = slope_bound(job.data);
    *shape = node;

done:
    pli_release(context, job.votes);
    pli_tri_query_destroy(query);
    return status;
}
