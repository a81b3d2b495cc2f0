// SPDX-License-Identifier: Apache-2.0
#include "multilevel/matter.h"

#include "multilevel/pieces.h"

#include "base/parallel.h"

#include <math.h>

enum { VERTEX_GRAIN = 1024 }; // vertices that are worth a block of a parallel loop

typedef struct choice_job {
    const double *stiffness;
    double ratio;
    const pli_incidence *around;
    const int32_t *element_piece;
    int32_t *piece;
} choice_job;

static double find_stiffest(const choice_job *job, int64_t vertex)
{
    double stiffest = 0;
    for (int64_t k = job->around->start[vertex]; k < job->around->start[vertex + 1]; ++k) {
        stiffest = fmax(stiffest, job->stiffness[job->around->elements[k]]);
    }
    return stiffest;
}

// Elements of a piece around a vertex that are not much softer than the stiffest.
static int32_t count_elements(const choice_job *job, int64_t vertex, int32_t piece, double least)
{
    int32_t count = 0;
    for (int64_t k = job->around->start[vertex]; k < job->around->start[vertex + 1]; ++k) {
        int32_t element = job->around->elements[k];
        count += job->element_piece[element] == piece && job->stiffness[element] >= least;
    }
    return count;
}

static void choose_pieces(void *user, int64_t begin, int64_t end)
{
    const choice_job *job = user;
    for (int64_t vertex = begin; vertex < end; ++vertex) {
        double least = find_stiffest(job, vertex) / job->ratio;
        int32_t chosen = -1;
        int32_t most = 0;
        for (int64_t k = job->around->start[vertex]; k < job->around->start[vertex + 1]; ++k) {
            int32_t piece = job->element_piece[job->around->elements[k]];
            if (piece == chosen) continue;
            int32_t count = count_elements(job, vertex, piece, least);
            if (count < most || (count == most && piece > chosen)) continue;
            chosen = piece;
            most = count;
        }
        job->piece[vertex] = chosen;
    }
}

pli_status pli_matter_compute_pieces(pli_context *context, const pli_simplices *mesh,
                                     const double *stiffness, double ratio, int32_t *piece)
{
    pli_pieces *pieces = NULL;
    pli_incidence around = {0};
    pli_status status = pli_pieces_create(context, mesh, stiffness, ratio, &pieces);
    if (status != PLI_OK) goto done;
    status = pli_incidence_build(context, mesh->vertex_count, mesh->corner_count,
                                 mesh->element_count, mesh->elements, &around);
    if (status != PLI_OK) goto done;
    choice_job job = {stiffness, ratio, &around, pieces->piece, piece};
    pli_parallel_for(context, mesh->vertex_count, VERTEX_GRAIN, choose_pieces, &job);

done:
    pli_incidence_clear(context, &around);
    pli_pieces_destroy(pieces);
    return status;
}
