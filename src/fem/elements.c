// SPDX-License-Identifier: Apache-2.0
#include "fem/elements.h"

#include "base/memory.h"

enum { CHUNK_SIZE = 512 };

pli_status pli_elements_color(pli_elements *elements, int32_t size, int64_t count,
                              const int32_t *vertices)
{
    elements->cliques = (pli_clique_list){.size = size, .count = count, .vertices = vertices};
    return pli_chunk_coloring_create(elements->context, elements->vertex_count, &elements->cliques,
                                     CHUNK_SIZE, &elements->coloring);
}

void pli_elements_clear(pli_elements *elements)
{
    pli_release(elements->context, elements->slots);
    pli_chunk_coloring_destroy(elements->coloring);
    elements->slots = NULL;
    elements->coloring = NULL;
}

void pli_elements_scatter(const pli_elements *elements, pli_range_fn body, void *user)
{
    pli_chunk_coloring_run(elements->coloring, body, user);
}

static void scatter_or_gather(const pli_elements *elements, pli_range_fn body, pli_element_job *job)
{
    int32_t grain = elements->ops->gather_grain;
    if (grain > 0) {
        pli_parallel_for(elements->context, elements->group_count, grain, body, job);
    } else {
        pli_elements_scatter(elements, body, job);
    }
}

pli_sum pli_elements_energy(void *self, const double *x)
{
    const pli_elements *elements = self;
    pli_element_job job = {.self = self, .x = x};
    return pli_parallel_sum(elements->context, elements->cliques.count, elements->ops->grain,
                            elements->ops->sum_energy, &job);
}

void pli_elements_add_gradient(void *self, const double *x, double *g)
{
    const pli_elements *elements = self;
    pli_element_job job = {.self = self, .x = x, .g = g};
    scatter_or_gather(elements, elements->ops->add_gradient, &job);
}

void pli_elements_add_weighted_hessian(const pli_elements *elements, const double *x,
                                       bool projected, const double *weights, const int32_t *slots,
                                       pli_bcsr *H)
{
    pli_element_job job = {.self = elements,
                           .x = x,
                           .projected = projected,
                           .weights = weights,
                           .slots = slots,
                           .H = H};
    scatter_or_gather(elements, elements->ops->add_hessian, &job);
}

void pli_elements_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const pli_elements *elements = self;
    pli_elements_add_weighted_hessian(elements, x, projected, NULL, elements->slots, H);
}

const pli_clique_list *pli_elements_get_cliques(void *self)
{
    return &((const pli_elements *)self)->cliques;
}

pli_status pli_elements_bind(void *self, const pli_bcsr *H)
{
    pli_elements *elements = self;
    pli_release(elements->context, elements->slots);
    elements->slots = NULL;
    return pli_bcsr_slots(elements->context, H, &elements->cliques, &elements->slots);
}
