// SPDX-License-Identifier: Apache-2.0
#include "multilevel/metric.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double INTERFACE = 2; // ratio of stiffness that tells two kinds of matter

typedef struct builder {
    pli_context *context;
    const pli_simplices *mesh;
    const double *stiffness; // [element_count], NULL: all the same
    double jump;
    const pli_pieces *pieces;
    double *metric;         // [element_count]
    uint8_t *is_interface;  // [pieces' vertex_count]
    pli_pieces *components; // of the mesh, whatever their matter
    double *softest;        // [component]
    double *measure;        // [component]
    int32_t *vertices;      // [component]
} builder;

static pli_status allocate(builder *b)
{
    PLI_TRY(pli_pieces_create(b->context, b->mesh, NULL, 0, &b->components));
    int32_t count = b->components->piece_count;
    b->metric = PLI_NEW(b->context, double, b->mesh->element_count, "metric");
    b->is_interface = PLI_NEW(b->context, uint8_t, b->pieces->mesh.vertex_count, "interfaces");
    b->softest = PLI_NEW(b->context, double, count, "components");
    b->measure = PLI_NEW(b->context, double, count, "components");
    b->vertices = PLI_NEW(b->context, int32_t, count, "components");
    bool complete = b->metric != NULL && b->is_interface != NULL && b->softest != NULL &&
                    b->measure != NULL && b->vertices != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// ---- interfaces

// Marks the vertices of faces, inside a piece, between kinds of matter.
static void mark_interfaces(builder *b)
{
    const pli_simplices *mesh = &b->pieces->mesh;
    int32_t size = mesh->corner_count;
    for (int64_t k = 0; k < (int64_t)size * mesh->element_count; ++k) {
        int64_t element = k / size;
        int32_t other = b->pieces->neighbor[k];
        // both sides look at the face; the stiffer one marks it
        if (other < 0 || b->stiffness[element] < INTERFACE * b->stiffness[other]) continue;
        for (int64_t c = 0; c < size; ++c) {
            if (c != k % size) b->is_interface[mesh->elements[size * element + c]] = 1;
        }
    }
}

static void soften_interfaces(builder *b)
{
    const pli_simplices *mesh = &b->pieces->mesh;
    int32_t size = mesh->corner_count;
    mark_interfaces(b);
    for (int32_t c = 0; c < b->components->piece_count; ++c) b->softest[c] = INFINITY;
    for (int32_t k = 0; k < b->mesh->element_count; ++k) {
        double *softest = &b->softest[b->components->piece[k]];
        *softest = fmin(*softest, b->stiffness[k]);
    }
    for (int64_t k = 0; k < (int64_t)size * mesh->element_count; ++k) {
        int64_t element = k / size;
        if (!b->is_interface[mesh->elements[k]]) continue;
        b->metric[element] = b->jump * b->softest[b->components->piece[element]];
    }
}

// ---- components

static void measure_components(builder *b)
{
    double dimension = b->mesh->corner_count - 1;
    for (int32_t k = 0; k < b->mesh->element_count; ++k) {
        double gradients[4][3];
        double volume = pli_simplex_gradients(b->mesh, k, gradients);
        b->measure[b->components->piece[k]] +=
            volume * pow(b->metric[k], -dimension / (dimension + 2));
    }
    for (int32_t v = 0; v < b->components->mesh.vertex_count; ++v) {
        ++b->vertices[b->components->vertex_piece[v]];
    }
}

static void scale_components(builder *b)
{
    if (b->components->piece_count == 1) return;
    double dimension = b->mesh->corner_count - 1;
    measure_components(b);
    for (int32_t k = 0; k < b->mesh->element_count; ++k) {
        int32_t c = b->components->piece[k];
        b->metric[k] *= pow(b->measure[c] / b->vertices[c], (dimension + 2) / dimension);
    }
}

// ---- both

static pli_status build(builder *b)
{
    PLI_TRY(allocate(b));
    for (int32_t k = 0; k < b->mesh->element_count; ++k) {
        b->metric[k] = b->stiffness != NULL ? b->stiffness[k] : 1;
    }
    if (b->stiffness != NULL && b->jump > 0) soften_interfaces(b);
    scale_components(b);
    return PLI_OK;
}

pli_status pli_metric_build(pli_context *context, const pli_simplices *mesh,
                            const double *stiffness, double jump, const pli_pieces *pieces,
                            double **metric)
{
    builder b = {
        .context = context, .mesh = mesh, .stiffness = stiffness, .jump = jump, .pieces = pieces};
    pli_status status = build(&b);
    if (status != PLI_OK) {
        pli_release(context, b.metric);
        b.metric = NULL;
    }
    PLI_RELEASE(context, b.is_interface, b.softest, b.measure, b.vertices);
    pli_pieces_destroy(b.components);
    *metric = b.metric;
    return status;
}
