// SPDX-License-Identifier: Apache-2.0
#include "fem/elastic_patch.h"

#include "base/memory.h"
#include "geometry/mesh/incidence.h"

#include <string.h>

// ---- which tetrahedra

typedef struct growing {
    const int32_t *tets;     // [tet_count][4]
    const int32_t *class_of; // [tet_count]
    pli_incidence at;        // tetrahedra of vertices
    int32_t *patch_of;       // [tet_count] -1: none yet
    int32_t *size_of;        // [patches]
} growing;

static int shared_vertices(const int32_t a[4], const int32_t b[4])
{
    int count = 0;
    for (int k = 0; k < 16; ++k) count += a[k / 4] == b[k % 4];
    return count;
}

// Calls found for every tetrahedron of the same class that shares a face with one.
typedef void (*neighbor_fn)(void *user, int32_t tet);

static void for_each_neighbor(const growing *g, int32_t tet, neighbor_fn found, void *user)
{
    const int32_t *own = g->tets + 4 * (int64_t)tet;
    // two corners of every face are among the first three, so their lists have all neighbours
    for (int k = 0; k < 2; ++k) {
        for (int64_t i = g->at.start[own[k]]; i < g->at.start[own[k] + 1]; ++i) {
            int32_t other = g->at.elements[i];
            const int32_t *corners = g->tets + 4 * (int64_t)other;
            if (other == tet || g->class_of[other] != g->class_of[tet]) continue;
            if (shared_vertices(own, corners) != 3) continue;
            // those of the first corner were told already
            bool told = false;
            for (int c = 0; c < 4 && k == 1; ++c) told = told || corners[c] == own[0];
            if (!told) found(user, other);
        }
    }
}

// The patch that is being grown, and the best tetrahedron to add.
typedef struct front {
    const growing *g;
    int32_t tets[PLI_PATCH_TETS];
    int32_t count;
    int32_t best;
    int32_t best_score;
} front;

// Vertices that it has with the patch, then faces.
static void consider(void *user, int32_t tet)
{
    front *f = user;
    if (f->g->patch_of[tet] >= 0) return;
    const int32_t *corners = f->g->tets + 4 * (int64_t)tet;
    int32_t known = 0, faces = 0;
    for (int k = 0; k < 4; ++k) {
        bool is_known = false;
        for (int32_t i = 0; i < 4 * f->count && !is_known; ++i) {
            is_known = f->g->tets[4 * (int64_t)f->tets[i / 4] + i % 4] == corners[k];
        }
        known += is_known;
    }
    for (int32_t i = 0; i < f->count; ++i) {
        faces += shared_vertices(f->g->tets + 4 * (int64_t)f->tets[i], corners) == 3;
    }
    int32_t score = 8 * known + faces;
    if (score < f->best_score || (score == f->best_score && tet >= f->best)) return;
    f->best = tet;
    f->best_score = score;
}

static int32_t grow(growing *g, int32_t first, int32_t patch)
{
    front f = {.g = g, .tets = {first}, .count = 1};
    g->patch_of[first] = patch;
    while (f.count < PLI_PATCH_TETS) {
        f.best = INT32_MAX;
        f.best_score = -1;
        for (int32_t k = 0; k < f.count; ++k) for_each_neighbor(g, f.tets[k], consider, &f);
        if (f.best_score < 0) break;
        g->patch_of[f.best] = patch;
        f.tets[f.count++] = f.best;
    }
    return f.count;
}

// The smallest patch beside a tetrahedron that has room.
typedef struct home {
    const growing *g;
    int32_t own;
    int32_t patch;
} home;

static void consider_home(void *user, int32_t tet)
{
    home *h = user;
    int32_t patch = h->g->patch_of[tet];
    if (patch == h->own || h->g->size_of[patch] >= PLI_PATCH_TETS_MAX) return;
    if (h->patch < 0 || h->g->size_of[patch] < h->g->size_of[h->patch] ||
        (h->g->size_of[patch] == h->g->size_of[h->patch] && patch < h->patch)) {
        h->patch = patch;
    }
}

// Tetrahedra of patches of less than half the size join their neighbours, where these have room.
static void join_small(growing *g, int32_t tet_count)
{
    for (int32_t tet = 0; tet < tet_count; ++tet) {
        int32_t own = g->patch_of[tet];
        if (2 * g->size_of[own] >= PLI_PATCH_TETS) continue;
        home h = {g, own, -1};
        for_each_neighbor(g, tet, consider_home, &h);
        if (h.patch < 0) continue;
        --g->size_of[own];
        ++g->size_of[h.patch];
        g->patch_of[tet] = h.patch;
    }
}

// Numbers that are in use, by first tetrahedron; size_of is overwritten.
static int32_t renumber(growing *g, int32_t tet_count, int32_t patch_count)
{
    int32_t next = 0;
    for (int32_t k = 0; k < patch_count; ++k) g->size_of[k] = -1;
    for (int32_t tet = 0; tet < tet_count; ++tet) {
        int32_t *number = &g->size_of[g->patch_of[tet]];
        if (*number < 0) *number = next++;
        g->patch_of[tet] = *number;
    }
    return next;
}

pli_status pli_patches_grow(pli_context *context, int32_t vertex_count, int32_t tet_count,
                            const int32_t *tets, const int32_t *class_of, int32_t *patch_of,
                            int32_t *count)
{
    growing g = {.tets = tets, .class_of = class_of, .patch_of = patch_of};
    PLI_TRY(PLI_MAKE(context, g.size_of, tet_count, "patches"));
    pli_status status = pli_incidence_build(context, vertex_count, 4, tet_count, tets, &g.at);
    if (status != PLI_OK) {
        pli_release(context, g.size_of);
        return status;
    }
    int32_t made = 0;
    for (int32_t tet = 0; tet < tet_count; ++tet) patch_of[tet] = -1;
    for (int32_t tet = 0; tet < tet_count; ++tet) {
        if (patch_of[tet] >= 0) continue;
        g.size_of[made] = grow(&g, tet, made);
        ++made;
    }
    join_small(&g, tet_count);
    *count = renumber(&g, tet_count, made);
    pli_incidence_clear(context, &g.at);
    pli_release(context, g.size_of);
    return PLI_OK;
}

// ---- what a term needs of them

enum { VERTICES_MAX = 4 * PLI_PATCH_TETS_MAX };

// Lists the vertices of a patch, and where the corners of its tetrahedra are among them.
static int32_t list_vertices(pli_patches *p, int32_t patch, const int32_t *tets,
                             int32_t list[VERTICES_MAX])
{
    int32_t count = 0;
    for (int64_t at = 4 * (int64_t)p->begin[patch]; at < 4 * (int64_t)p->begin[patch + 1]; ++at) {
        int32_t k = 0;
        while (k < count && list[k] != tets[at]) ++k;
        if (k == count) list[count++] = tets[at];
        p->place[at] = (int8_t)k;
    }
    return count;
}

static pli_status allocate(pli_context *context, int32_t tet_count, pli_patches *p)
{
    PLI_TRY(PLI_MAKE(context, p->begin, p->count + 1, "patches"));
    PLI_TRY(PLI_MAKE(context, p->of_tet, tet_count, "patches"));
    PLI_TRY(PLI_MAKE(context, p->place, 4 * (int64_t)tet_count, "patches"));
    PLI_TRY(PLI_MAKE(context, p->vertex_count, p->count, "patches"));
    PLI_TRY(PLI_MAKE(context, p->share, tet_count, "patches"));
    PLI_TRY(PLI_MAKE(context, p->volume, p->count, "patches"));
    PLI_TRY(PLI_MAKE(context, p->J, tet_count, "patches"));
    PLI_TRY(PLI_MAKE(context, p->m, tet_count, "patches"));
    PLI_TRY(PLI_MAKE(context, p->mean, p->count, "patches"));
    PLI_TRY(PLI_MAKE(context, p->pressure, p->count, "patches"));
    return PLI_MAKE(context, p->kappa, p->count, "patches");
}

static pli_status fill(pli_context *context, int32_t tet_count, const int32_t *tets,
                       const int32_t *patch_of, pli_patches *p)
{
    PLI_TRY(allocate(context, tet_count, p));
    memcpy(p->of_tet, patch_of, (size_t)tet_count * sizeof *p->of_tet);
    for (int32_t tet = 0; tet < tet_count; ++tet) p->begin[patch_of[tet] + 1] = tet + 1;
    int32_t list[VERTICES_MAX], size = 4;
    for (int32_t k = 0; k < p->count; ++k) {
        int32_t count = list_vertices(p, k, tets, list);
        p->vertex_count[k] = (int8_t)count;
        size = count > size ? count : size;
    }
    int64_t places = (int64_t)size * p->count;
    PLI_TRY(PLI_MAKE(context, p->vertices, places, "patches"));
    PLI_TRY(PLI_MAKE(context, p->b, 3 * places, "patches"));
    PLI_TRY(PLI_MAKE(context, p->c, 3 * places, "patches"));
    for (int32_t k = 0; k < p->count; ++k) {
        int32_t count = list_vertices(p, k, tets, list);
        for (int32_t i = 0; i < size; ++i) {
            p->vertices[(int64_t)size * k + i] = list[i < count ? i : count - 1];
        }
    }
    p->cliques = (pli_clique_list){.size = size, .count = p->count, .vertices = p->vertices};
    return PLI_OK;
}

pli_status pli_patches_create(pli_context *context, int32_t tet_count, const int32_t *tets,
                              const int32_t *patch_of, int32_t count, pli_patches **patches)
{
    *patches = NULL;
    pli_patches *made = PLI_NEW(context, pli_patches, 1, "patches");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->count = count;
    pli_status status = fill(context, tet_count, tets, patch_of, made);
    if (status != PLI_OK) {
        pli_patches_destroy(context, made);
        return status;
    }
    *patches = made;
    return PLI_OK;
}

void pli_patches_destroy(pli_context *context, pli_patches *p)
{
    if (p == NULL) return;
    PLI_RELEASE(context, p->kappa, p->c, p->b, p->pressure, p->mean, p->m, p->J, p->volume,
                p->share, p->vertex_count, p->vertices, p->place, p->of_tet, p->begin, p);
}

void pli_patches_add_coupling(const pli_patches *patches, int32_t patch, const int32_t *slots,
                              double *values)
{
    int64_t size = patches->cliques.size;
    int32_t count = patches->vertex_count[patch];
    const double *b = patches->b + 3 * size * patch, *c = patches->c + 3 * size * patch;
    double kappa = patches->kappa[patch];
    for (int32_t p = 0; p < count; ++p) {
        for (int32_t q = 0; q < count; ++q) {
            double *block = values + 9 * (int64_t)slots[(patch * size + p) * size + q];
            for (int k = 0; k < 9; ++k) {
                int i = 3 * p + k / 3, j = 3 * q + k % 3;
                block[k] += c[i] * b[j] + b[i] * c[j] + kappa * b[i] * b[j];
            }
        }
    }
}
