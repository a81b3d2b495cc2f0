// SPDX-License-Identifier: Apache-2.0
#include "multilevel/averaging.h"

#include "base/memory.h"

#include <math.h>

enum {
    ROW_GRAIN = 512, // rows that are worth a block of a parallel loop
    ROW_MOST = 64    // handles of a vertex; further ones are not listened to
};

// Weights of one vertex.
typedef struct row {
    int32_t count;
    int32_t handle[ROW_MOST];
    double weight[ROW_MOST];
} row;

typedef struct round_job {
    const pli_averaging_def *def;
    const pli_averaging *from;
    pli_averaging *to;
    bool is_last;
    bool fills; // else rows are counted
} round_job;

pli_averaging_def pli_averaging_def_default(void)
{
    return (pli_averaging_def){.rounds = 2, .share = 2.0 / 3, .drop = 0.1};
}

// ---- one row

// How much a vertex a listens to its neighbour b.
static double edge_stiffness(const pli_averaging_def *def, int64_t a, int64_t b)
{
    if (def->piece != NULL && def->piece[a] != def->piece[b]) {
        bool yields = def->stiffness != NULL && def->stiffness[b] > def->stiffness[a];
        if (!yields) return 0;
    }
    return def->stiffness != NULL ? fmin(def->stiffness[a], def->stiffness[b]) : 1;
}

// r += factor times the row of a vertex
static void add_row(const pli_averaging *from, int32_t vertex, double factor, row *r)
{
    for (int64_t k = from->start[vertex]; k < from->start[vertex + 1]; ++k) {
        int32_t at = 0;
        while (at < r->count && r->handle[at] != from->handle[k]) ++at;
        if (at == ROW_MOST) continue;
        if (at == r->count) {
            r->handle[at] = from->handle[k];
            r->weight[at] = 0;
            ++r->count;
        }
        r->weight[at] += factor * from->weight[k];
    }
}

// Leaves out small weights, but not that of the own handle, and scales to sum one.
static void trim_row(row *r, int32_t own, double drop)
{
    int32_t kept = 0;
    double sum = 0;
    for (int32_t k = 0; k < r->count; ++k) {
        if (!(r->weight[k] > drop) && r->handle[k] != own) continue;
        r->handle[kept] = r->handle[k];
        r->weight[kept] = r->weight[k];
        sum += r->weight[kept++];
    }
    for (int32_t k = 0; k < kept; ++k) r->weight[k] /= sum;
    r->count = kept;
}

static void average_row(const round_job *job, int32_t vertex, row *r)
{
    const pli_averaging_def *def = job->def;
    const pli_graph *graph = &def->graph;
    double sum = 0;
    for (int64_t k = graph->start[vertex]; k < graph->start[vertex + 1]; ++k) {
        int32_t other = graph->neighbor[k];
        bool counts = other != vertex && def->label[other] >= 0;
        if (counts) sum += edge_stiffness(def, vertex, other);
    }
    r->count = 0;
    add_row(job->from, vertex, sum > 0 ? 1 - def->share : 1, r);
    for (int64_t k = graph->start[vertex]; k < graph->start[vertex + 1]; ++k) {
        int32_t other = graph->neighbor[k];
        double stiffness = other != vertex ? edge_stiffness(def, vertex, other) : 0;
        if (stiffness > 0) add_row(job->from, other, def->share * stiffness / sum, r);
    }
    if (job->is_last) trim_row(r, def->label[vertex], def->drop);
}

// ---- rounds

static void run_rows(void *user, int64_t begin, int64_t end)
{
    const round_job *job = user;
    pli_averaging *to = job->to;
    for (int64_t vertex = begin; vertex < end; ++vertex) {
        row r = {.count = 0};
        if (job->def->label[vertex] >= 0) average_row(job, (int32_t)vertex, &r);
        if (!job->fills) to->start[vertex + 1] = r.count;
        for (int32_t k = 0; k < r.count && job->fills; ++k) {
            to->handle[to->start[vertex] + k] = r.handle[k];
            to->weight[to->start[vertex] + k] = r.weight[k];
        }
    }
}

static pli_status create_rows(pli_context *context, int32_t vertex_count, pli_averaging **rows)
{
    *rows = PLI_NEW(context, pli_averaging, 1, "weights");
    if (*rows == NULL) return PLI_ERROR_MEMORY;
    (*rows)->context = context;
    (*rows)->vertex_count = vertex_count;
    (*rows)->start = PLI_NEW(context, int64_t, (int64_t)vertex_count + 1, "weights");
    return (*rows)->start != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// Room for as many entries as are counted in start, which become offsets.
static pli_status reserve_entries(pli_averaging *rows)
{
    for (int32_t vertex = 0; vertex < rows->vertex_count; ++vertex) {
        rows->start[vertex + 1] += rows->start[vertex];
    }
    int64_t count = rows->start[rows->vertex_count];
    rows->handle = PLI_NEW(rows->context, int32_t, count, "weights");
    rows->weight = PLI_NEW(rows->context, double, count, "weights");
    return rows->handle != NULL && rows->weight != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// Every vertex follows the handle it belongs to.
static pli_status start_rows(const pli_averaging_def *def, pli_averaging *rows)
{
    for (int32_t vertex = 0; vertex < rows->vertex_count; ++vertex) {
        rows->start[vertex + 1] = def->label[vertex] >= 0;
    }
    PLI_TRY(reserve_entries(rows));
    for (int32_t vertex = 0; vertex < rows->vertex_count; ++vertex) {
        if (def->label[vertex] < 0) continue;
        rows->handle[rows->start[vertex]] = def->label[vertex];
        rows->weight[rows->start[vertex]] = 1;
    }
    return PLI_OK;
}

static pli_status run_round(round_job *job)
{
    const pli_context *context = job->to->context;
    job->fills = false;
    pli_parallel_for(context, job->to->vertex_count, ROW_GRAIN, run_rows, job);
    PLI_TRY(reserve_entries(job->to));
    job->fills = true;
    pli_parallel_for(context, job->to->vertex_count, ROW_GRAIN, run_rows, job);
    return PLI_OK;
}

pli_status pli_averaging_create(pli_context *context, const pli_averaging_def *def,
                                pli_averaging **averaging)
{
    *averaging = NULL;
    pli_averaging *rows = NULL;
    pli_averaging *next = NULL;
    pli_status status = create_rows(context, def->graph.node_count, &rows);
    if (status == PLI_OK) status = start_rows(def, rows);
    for (int32_t k = 0; k < def->rounds && status == PLI_OK; ++k) {
        status = create_rows(context, def->graph.node_count, &next);
        if (status != PLI_OK) break;
        round_job job = {.def = def, .from = rows, .to = next, .is_last = k + 1 == def->rounds};
        status = run_round(&job);
        pli_averaging_destroy(rows);
        rows = next;
        next = NULL;
    }
    pli_averaging_destroy(next);
    if (status != PLI_OK) {
        pli_averaging_destroy(rows);
        return status;
    }
    *averaging = rows;
    return PLI_OK;
}

void pli_averaging_destroy(pli_averaging *averaging)
{
    if (averaging == NULL) return;
    PLI_RELEASE(averaging->context, averaging->start, averaging->handle, averaging->weight,
                averaging);
}
