// SPDX-License-Identifier: Apache-2.0
#include "fem/shell.h"

#include "base/memory.h"
#include "geometry/mesh/hinges.h"

#include <string.h>

// D of a triangle times its area, which is the volume over the thickness.
static double weigh_rigidity(const pli_shell *shell, const pli_shell_term_def *def,
                             int32_t triangle, double *area)
{
    const pli_membrane_def *m = &def->membrane;
    *area = shell->membrane->volume[triangle] / m->thickness[triangle];
    return *area * def->bending[triangle] *
           pli_plate_rigidity(m->young[triangle], m->poisson[triangle], m->thickness[triangle]);
}

// Mean by area of the rigidities of a hinge's triangles.
static double hinge_rigidity(const pli_shell *shell, const pli_shell_term_def *def,
                             const int32_t triangles[2])
{
    double areas[2];
    double sum = weigh_rigidity(shell, def, triangles[0], &areas[0]) +
                 weigh_rigidity(shell, def, triangles[1], &areas[1]);
    return sum / (areas[0] + areas[1]);
}

// What bends, on the way.
typedef struct bending {
    pli_hinge_list list;
    uint8_t *uses;      // [triangle_count][3] hinges at the side across from a corner
    int32_t *neighbors; // [triangle_count][3] corner (3 triangle + 0, 1, 2) of the plate across
                        // from a corner; -1: none
    int32_t *vertices;  // [triangle_count][12] of plates
    double *rigidity;   // of hinges, then of plates
    double *poisson;    // [triangle_count] of plates
    double *yield;      // of hinges, then their hardening
} bending;

static pli_status allocate(pli_shell *shell, const pli_shell_term_def *def, bending *b)
{
    pli_context *context = shell->context;
    int64_t count = def->membrane.triangle_count;
    PLI_TRY(PLI_MAKE(context, b->uses, 3 * count, "hinges"));
    PLI_TRY(PLI_MAKE(context, b->neighbors, 3 * count, "plates"));
    PLI_TRY(PLI_MAKE(context, b->vertices, PLI_PLATE_VERTICES * count, "plates"));
    PLI_TRY(PLI_MAKE(context, b->poisson, count, "plates"));
    PLI_TRY(PLI_MAKE(context, shell->plate_triangles, count, "plates"));
    PLI_TRY(PLI_MAKE(context, shell->hinge_rows, b->list.count, "hinges"));
    PLI_TRY(PLI_MAKE(context, b->yield, 2 * (int64_t)b->list.count, "folds"));
    int64_t most = b->list.count > count ? b->list.count : count;
    return PLI_MAKE(context, b->rigidity, most, "rigidity");
}

// The corner of one of a hinge's triangles that is across from the edge.
static int64_t find_corner(const pli_shell_term_def *def, const pli_hinge_list *list, int32_t hinge,
                           int side)
{
    int64_t triangle = list->triangles[2 * (int64_t)hinge + side];
    int32_t opposite = list->vertices[4 * (int64_t)hinge + 2 + side];
    int64_t at = 3 * triangle;
    while (def->membrane.triangles[at] != opposite) ++at;
    return at;
}

static bool is_inside_plate(const pli_shell_term_def *def, const bending *b, int32_t hinge)
{
    if (def->is_plate == NULL) return false;
    for (int side = 0; side < 2; ++side) {
        int64_t at = find_corner(def, &b->list, hinge, side);
        if (!def->is_plate[at / 3] || b->uses[at] != 1) return false;
    }
    return true;
}

// Finds the neighbours of plates; the hinges between them leave the list.
static void join_plates(pli_shell *shell, const pli_shell_term_def *def, bending *b)
{
    const pli_membrane_def *m = &def->membrane;
    pli_hinge_list *list = &b->list;
    int32_t kept = 0;
    for (int32_t k = 0; k < list->count; ++k) {
        for (int side = 0; side < 2; ++side) ++b->uses[find_corner(def, list, k, side)];
    }
    for (int64_t at = 0; at < 3 * (int64_t)m->triangle_count; ++at) b->neighbors[at] = -1;
    for (int32_t k = 0; k < list->count; ++k) {
        if (is_inside_plate(def, b, k)) {
            int64_t at = find_corner(def, list, k, 0), other = find_corner(def, list, k, 1);
            b->neighbors[at] = (int32_t)other;
            b->neighbors[other] = (int32_t)at;
            continue;
        }
        memmove(list->vertices + 4 * (int64_t)kept, list->vertices + 4 * (int64_t)k,
                4 * sizeof *list->vertices);
        memmove(list->triangles + 2 * (int64_t)kept, list->triangles + 2 * (int64_t)k,
                2 * sizeof *list->triangles);
        shell->hinge_rows[kept] = k;
        ++kept;
    }
    list->count = kept;
}

// The corner of the triangle behind the side of a neighbour that is across from one of its
// vertices; -1: there is none.
static int32_t look_behind(const pli_shell_term_def *def, const bending *b, int32_t triangle,
                           int32_t vertex)
{
    const int32_t *triangles = def->membrane.triangles;
    int64_t at = 3 * (int64_t)triangle;
    while (triangles[at] != vertex) ++at;
    return b->neighbors[at] >= 0 ? triangles[b->neighbors[at]] : -1;
}

// Vertices of the element of a triangle, as plate.h wants them.
static void list_element(const pli_shell_term_def *def, const bending *b, int32_t triangle,
                         int32_t *vertices)
{
    const int32_t *corners = def->membrane.triangles + 3 * (int64_t)triangle;
    for (int k = 0; k < 3; ++k) {
        int32_t neighbor = b->neighbors[3 * (int64_t)triangle + k];
        vertices[k] = corners[k];
        vertices[3 + k] = vertices[6 + 2 * k] = vertices[7 + 2 * k] = -1;
        if (neighbor < 0) continue;
        vertices[3 + k] = def->membrane.triangles[neighbor];
        vertices[6 + 2 * k] = look_behind(def, b, neighbor / 3, corners[(k + 2) % 3]);
        vertices[7 + 2 * k] = look_behind(def, b, neighbor / 3, corners[(k + 1) % 3]);
    }
}

static pli_status create_hinges(pli_shell *shell, const pli_shell_term_def *def, bending *b)
{
    pli_hinge_list *list = &b->list;
    for (int32_t k = 0; k < list->count; ++k) {
        b->rigidity[k] = hinge_rigidity(shell, def, list->triangles + 2 * (int64_t)k);
        if (def->yield == NULL) continue;
        b->yield[k] = def->yield[list->triangles[2 * (int64_t)k]];
        b->yield[list->count + k] = def->hardening[list->triangles[2 * (int64_t)k]];
    }
    pli_hinges_def hinges = {.vertex_count = def->membrane.vertex_count,
                             .hinge_count = list->count,
                             .rest = def->membrane.rest,
                             .vertices = list->vertices,
                             .rigidity = b->rigidity,
                             .yield = def->yield != NULL ? b->yield : NULL,
                             .hardening = b->yield + list->count};
    PLI_TRY(pli_hinges_create(shell->context, &hinges, &shell->hinges));
    shell->hinge_triangles = list->triangles;
    list->triangles = NULL;
    return PLI_OK;
}

static pli_status create_plates(pli_shell *shell, const pli_shell_term_def *def, bending *b)
{
    const pli_membrane_def *m = &def->membrane;
    int32_t count = 0;
    for (int32_t k = 0; k < m->triangle_count && def->is_plate != NULL; ++k) {
        double area;
        if (!def->is_plate[k]) continue;
        list_element(def, b, k, b->vertices + PLI_PLATE_VERTICES * (int64_t)count);
        b->rigidity[count] = weigh_rigidity(shell, def, k, &area) / area;
        b->poisson[count] = m->poisson[k];
        shell->plate_triangles[count++] = k;
    }
    if (count == 0) return PLI_OK;
    pli_plates_def plates = {.vertex_count = m->vertex_count,
                             .plate_count = count,
                             .rest = m->rest,
                             .vertices = b->vertices,
                             .rigidity = b->rigidity,
                             .poisson = b->poisson};
    return pli_plates_create(shell->context, &plates, &shell->plates);
}

static pli_status create_bending(pli_shell *shell, const pli_shell_term_def *def)
{
    const pli_membrane_def *m = &def->membrane;
    pli_context *context = shell->context;
    bending b = {0};
    PLI_TRY(pli_hinge_list_build(context, m->triangle_count, m->triangles, &b.list));
    pli_status status = allocate(shell, def, &b);
    if (status == PLI_OK) {
        join_plates(shell, def, &b);
        status = create_hinges(shell, def, &b);
    }
    if (status == PLI_OK) status = create_plates(shell, def, &b);
    PLI_RELEASE(context, b.yield, b.poisson, b.rigidity, b.vertices, b.neighbors, b.uses);
    pli_hinge_list_clear(context, &b.list);
    return status;
}

pli_status pli_shell_create(pli_context *context, const pli_shell_term_def *def, pli_shell **shell)
{
    *shell = NULL;
    pli_shell *made = PLI_NEW(context, pli_shell, 1, "shell");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_status status = pli_membrane_create(context, &def->membrane, &made->membrane);
    if (status == PLI_OK) status = create_bending(made, def);
    if (status != PLI_OK) {
        pli_shell_destroy(made);
        return status;
    }
    *shell = made;
    return PLI_OK;
}

void pli_shell_destroy(pli_shell *shell)
{
    if (shell == NULL) return;
    PLI_RELEASE(shell->context, shell->hinge_rows, shell->plate_triangles, shell->hinge_triangles);
    pli_plates_destroy(shell->plates);
    pli_hinges_destroy(shell->hinges);
    pli_membrane_destroy(shell->membrane);
    pli_release(shell->context, shell);
}

void pli_shell_add(pli_shell *shell, pli_objective *objective)
{
    pli_objective_add(objective, &pli_membrane_term, shell->membrane);
    pli_objective_add(objective, &pli_hinges_term, shell->hinges);
    if (shell->plates != NULL) pli_objective_add(objective, &pli_plates_term, shell->plates);
}

pli_sum pli_shell_energy(pli_shell *shell, const double *x)
{
    pli_sum sum = pli_membrane_term.energy(shell->membrane, x);
    pli_sum_merge(&sum, pli_hinges_term.energy(shell->hinges, x));
    if (shell->plates != NULL) pli_sum_merge(&sum, pli_plates_term.energy(shell->plates, x));
    return sum;
}
