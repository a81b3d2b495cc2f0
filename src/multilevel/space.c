// SPDX-License-Identifier: Apache-2.0
#include "multilevel/space.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum { VERTEX_GRAIN = 512, PIECE_LENGTH = 512 };

// ---- creation

static pli_status allocate(pli_space *s)
{
    int64_t links = s->bases->start[s->bases->vertex_count];
    int32_t handles = s->bases->handle_count;
    s->start = PLI_NEW(s->context, int64_t, handles + 1, "handles");
    s->vertex = PLI_NEW(s->context, int32_t, links, "handles");
    s->weight = PLI_NEW(s->context, double, links, "handles");
    s->piece_start = PLI_NEW(s->context, int32_t, handles + 1, "handles");
    bool complete =
        s->start != NULL && s->vertex != NULL && s->weight != NULL && s->piece_start != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// The links from the side of the handles; vertices come in increasing order.
static void transpose_links(pli_space *s)
{
    const pli_bases *b = s->bases;
    int64_t links = b->start[b->vertex_count];
    for (int64_t at = 0; at < links; ++at) ++s->start[b->handle[at] + 1];
    for (int32_t i = 0; i < b->handle_count; ++i) s->start[i + 1] += s->start[i];
    for (int32_t vertex = 0; vertex < b->vertex_count; ++vertex) {
        for (int64_t at = b->start[vertex]; at < b->start[vertex + 1]; ++at) {
            int64_t place = s->start[b->handle[at]]++;
            s->vertex[place] = vertex;
            s->weight[place] = b->weight[at];
        }
    }
    // filling has moved every start to the next one's place
    memmove(s->start + 1, s->start, (size_t)b->handle_count * sizeof *s->start);
    s->start[0] = 0;
}

static pli_status cut_pieces(pli_space *s)
{
    int32_t handles = s->bases->handle_count;
    for (int32_t i = 0; i < handles; ++i) {
        int64_t length = s->start[i + 1] - s->start[i];
        int64_t pieces = (length + PIECE_LENGTH - 1) / PIECE_LENGTH;
        s->piece_start[i + 1] = s->piece_start[i] + (int32_t)pieces;
    }
    s->piece_count = s->piece_start[handles];
    s->pieces = PLI_NEW(s->context, pli_space_piece, s->piece_count, "handles");
    s->partial = PLI_NEW(s->context, double, PLI_HANDLE_DOFS *(int64_t)s->piece_count, "handles");
    if (s->pieces == NULL || s->partial == NULL) return PLI_ERROR_MEMORY;
    for (int32_t i = 0; i < handles; ++i) {
        int64_t begin = s->start[i];
        for (int32_t k = s->piece_start[i]; k < s->piece_start[i + 1]; ++k) {
            int64_t end =
                begin + PIECE_LENGTH < s->start[i + 1] ? begin + PIECE_LENGTH : s->start[i + 1];
            s->pieces[k] = (pli_space_piece){i, begin, end};
            begin = end;
        }
    }
    return PLI_OK;
}

pli_status pli_space_create(pli_context *context, const pli_bases *bases, const double *points,
                            const uint8_t *fixed, pli_space **space)
{
    *space = NULL;
    pli_space *made = PLI_NEW(context, pli_space, 1, "coarse space");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (pli_space){.context = context, .bases = bases, .points = points, .fixed = fixed};
    pli_status status = allocate(made);
    if (status == PLI_OK) {
        transpose_links(made);
        status = cut_pieces(made);
    }
    if (status != PLI_OK) {
        pli_space_destroy(made);
        return status;
    }
    *space = made;
    return PLI_OK;
}

void pli_space_destroy(pli_space *space)
{
    if (space == NULL) return;
    pli_context *context = space->context;
    PLI_RELEASE(context, space->partial, space->piece_start, space->pieces, space->weight,
                space->vertex, space->start, space);
}

int64_t pli_space_size(const pli_space *space)
{
    return PLI_HANDLE_DOFS * (int64_t)space->bases->handle_count;
}

// ---- products

typedef struct lift_job {
    const pli_space *space;
    const double *q;
    double *w;
} lift_job;

static void lift_vertices(void *user, int64_t begin, int64_t end)
{
    const lift_job *job = user;
    const pli_space *space = job->space;
    const pli_bases *b = space->bases;
    for (int64_t vertex = begin; vertex < end; ++vertex) {
        double sum[3] = {0, 0, 0};
        for (int64_t at = b->start[vertex]; at < b->start[vertex + 1]; ++at) {
            double place[PLI_HANDLE_ROWS];
            pli_space_place(space, (int32_t)vertex, b->handle[at], b->weight[at], place);
            const double *Q = job->q + PLI_HANDLE_DOFS * (int64_t)b->handle[at];
            for (int c = 0; c < 3; ++c) {
                sum[c] += place[0] * Q[c] + place[1] * Q[3 + c] + place[2] * Q[6 + c] +
                          place[3] * Q[9 + c];
            }
        }
        uint8_t mask = space->fixed != NULL ? space->fixed[vertex] : 0;
        for (int c = 0; c < 3; ++c) job->w[3 * vertex + c] = mask & (1u << c) ? 0 : sum[c];
    }
}

void pli_space_lift(const pli_space *space, const double *q, double *w)
{
    lift_job job = {space, q, w};
    pli_parallel_for(space->context, space->bases->vertex_count, VERTEX_GRAIN, lift_vertices, &job);
}

typedef struct restrict_job {
    const pli_space *space;
    const double *y;
} restrict_job;

static void restrict_pieces(void *user, int64_t begin, int64_t end)
{
    const restrict_job *job = user;
    const pli_space *space = job->space;
    for (int64_t k = begin; k < end; ++k) {
        pli_space_piece piece = space->pieces[k];
        double sum[PLI_HANDLE_DOFS] = {0};
        for (int64_t at = piece.begin; at < piece.end; ++at) {
            int32_t vertex = space->vertex[at];
            uint8_t mask = space->fixed != NULL ? space->fixed[vertex] : 0;
            double y[3], place[PLI_HANDLE_ROWS];
            for (int c = 0; c < 3; ++c) {
                y[c] = mask & (1u << c) ? 0 : job->y[3 * (int64_t)vertex + c];
            }
            pli_space_place(space, vertex, piece.handle, space->weight[at], place);
            for (int row = 0; row < PLI_HANDLE_ROWS; ++row) {
                for (int c = 0; c < 3; ++c) sum[3 * row + c] += place[row] * y[c];
            }
        }
        memcpy(space->partial + PLI_HANDLE_DOFS * k, sum, sizeof sum);
    }
}

void pli_space_restrict(pli_space *space, const double *y, double *z)
{
    restrict_job job = {space, y};
    pli_parallel_for(space->context, space->piece_count, 1, restrict_pieces, &job);
    memset(z, 0, (size_t)pli_space_size(space) * sizeof *z);
    for (int64_t k = 0; k < space->piece_count; ++k) {
        double *sum = z + PLI_HANDLE_DOFS * (int64_t)space->pieces[k].handle;
        const double *part = space->partial + PLI_HANDLE_DOFS * k;
        for (int i = 0; i < PLI_HANDLE_DOFS; ++i) sum[i] += part[i];
    }
}
