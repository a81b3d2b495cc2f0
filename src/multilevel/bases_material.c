// SPDX-License-Identifier: Apache-2.0
//
// The functions of the material-aware kind, handle by handle.
#include "multilevel/bases_inside.h"

#include "linear/direct/cholesky.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"

enum { ROUND = 32 }; // handles between two calls of progress

// ---- places of the handles

static bool is_in_cluster(const pli_bases_build *build, int32_t vertex, int32_t part)
{
    const pli_incidence *around = &build->around;
    for (int64_t k = around->start[vertex]; k < around->start[vertex + 1]; ++k) {
        if (build->def->partition->element_part[around->elements[k]] == part) return true;
    }
    return false;
}

static pli_status check_places(const pli_bases_build *build)
{
    for (int32_t part = 0; part < build->handle_count; ++part) {
        if (is_in_cluster(build, build->places[part], part)) continue;
        return PLI_FAIL(build->context, PLI_ERROR_ARGUMENT,
                        "vertex %d, the centre of cluster %d, belongs to none of its elements",
                        (int)build->places[part], (int)part);
    }
    return PLI_OK;
}

// The free vertex of a cluster nearest to its centre that is no other's centre; -1: there is none.
static int32_t find_free_place(const pli_bases_build *build, int32_t part, const uint8_t *is_center)
{
    const pli_bases_def *def = build->def;
    const double *center = def->mesh.points + 3 * (int64_t)def->partition->centers[part];
    double best = INFINITY;
    int32_t place = -1;
    for (int32_t vertex = 0; vertex < def->mesh.vertex_count; ++vertex) {
        if (def->partition->vertex_part[vertex] != part) continue;
        if (build->fixed[vertex] || is_center[vertex]) continue;
        if (!is_in_cluster(build, vertex, part)) continue;
        double distance = pli_vec3_distance(def->mesh.points + 3 * (int64_t)vertex, center);
        if (!(distance < best)) continue;
        best = distance;
        place = vertex;
    }
    return place;
}

// Handles whose centre is fixed move to another vertex.
static pli_status move_places(pli_bases_build *build)
{
    uint8_t *is_center =
        PLI_NEW(build->context, uint8_t, build->def->mesh.vertex_count, "places of handles");
    if (is_center == NULL) return PLI_ERROR_MEMORY;
    for (int32_t part = 0; part < build->handle_count; ++part) is_center[build->places[part]] = 1;
    for (int32_t part = 0; part < build->handle_count; ++part) {
        if (!build->fixed[build->places[part]]) continue;
        build->places[part] = find_free_place(build, part, is_center);
    }
    pli_release(build->context, is_center);
    return PLI_OK;
}

// ---- functions

typedef struct handle_loop {
    pli_bases_build *build;
    int32_t first;        // handle of the round
    bool hosted;          // several threads are at work
    pli_status *statuses; // [handle_count]
    pli_status told;      // what progress was answered
} handle_loop;

static void solve_range(void *user, int64_t begin, int64_t end)
{
    const handle_loop *loop = user;
    for (int64_t k = loop->first + begin; k < loop->first + end; ++k) {
        loop->statuses[k] = pli_bases_solve_subdomain(loop->build, (int32_t)k, loop->hosted,
                                                      &loop->build->columns[k]);
    }
}

static void solve_rounds(void *user)
{
    handle_loop *loop = user;
    int32_t count = loop->build->handle_count;
    for (loop->first = 0; loop->first < count && loop->told == PLI_OK; loop->first += ROUND) {
        int32_t size = count - loop->first < ROUND ? count - loop->first : ROUND;
        pli_parallel_for(loop->build->context, size, 1, solve_range, loop);
        loop->told = pli_bases_tell(loop->build, (double)(loop->first + size) / count);
    }
}

static pli_status solve_handles(pli_bases_build *build)
{
    handle_loop loop = {.build = build,
                        .hosted = pli_context_thread_count(build->context) > 1,
                        .statuses =
                            PLI_NEW(build->context, pli_status, build->handle_count, "handles")};
    if (loop.statuses == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_cholesky_host(build->context, solve_rounds, &loop);
    if (status == PLI_OK) status = loop.told;
    for (int32_t k = build->handle_count - 1; k >= 0; --k) {
        if (loop.statuses[k] != PLI_OK) status = loop.statuses[k];
    }
    pli_release(build->context, loop.statuses);
    return status;
}

static bool has_fixed(const pli_bases_build *build)
{
    for (int32_t vertex = 0; vertex < build->def->mesh.vertex_count; ++vertex) {
        if (build->fixed[vertex]) return true;
    }
    return false;
}

pli_status pli_bases_build_material(pli_bases_build *build)
{
    const pli_bases_def *def = build->def;
    if (def->dirichlet_aware) build->fixed = def->fixed;
    if (build->fixed != NULL && !has_fixed(build)) build->fixed = NULL;
    PLI_TRY(pli_incidence_build(build->context, def->mesh.vertex_count, def->mesh.corner_count,
                                def->mesh.element_count, def->mesh.elements, &build->around));
    PLI_TRY(pli_incidence_build(build->context, build->handle_count, 1, def->mesh.element_count,
                                def->partition->element_part, &build->members));
    PLI_TRY(check_places(build));
    if (build->fixed != NULL) {
        PLI_TRY(move_places(build));
        PLI_TRY(pli_bases_solve_subdomain(build, -1, false, &build->held));
    }
    return solve_handles(build);
}
