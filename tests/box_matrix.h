// SPDX-License-Identifier: Apache-2.0
//
// A box of cells, each cut into five tetrahedra, and the matrix of linear elasticity on it: the
// problem that tests and benchmarks of linear solvers share.
//
//     K_ab = V ( lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I ),   g_a = grad N_a
#ifndef PLI_TESTS_BOX_MATRIX_H
#define PLI_TESTS_BOX_MATRIX_H

#include "base/memory.h"
#include "linear/matrix/bcsr.h"
#include "linear/matrix/coloring.h"
#include "math/mat3.h"

#include <math.h>
#include <stdlib.h>

typedef struct box_mesh {
    int32_t cells[3];
    int32_t vertex_count;
    int64_t tet_count;
    double *x;     // [vertex_count][3]  position (m)
    int32_t *tets; // [tet_count][4]
} box_mesh;

static inline void box_mesh_clear(box_mesh *mesh)
{
    free(mesh->x);
    free(mesh->tets);
    *mesh = (box_mesh){0};
}

static inline int32_t box_vertex(const box_mesh *mesh, int32_t i, int32_t j, int32_t k)
{
    return i + (mesh->cells[0] + 1) * (j + (mesh->cells[1] + 1) * k);
}

// Five tetrahedra of the cell (i, j, k); neighbours are mirror images so that faces match.
static inline void box_cut_cell(const box_mesh *mesh, int32_t i, int32_t j, int32_t k,
                                int32_t *tets)
{
    static const int corners[5][4] = {
        {0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}};
    int mirror = (i + j + k) & 1;
    for (int t = 0; t < 5; ++t) {
        for (int a = 0; a < 4; ++a) {
            int corner = corners[t][a] ^ mirror;
            tets[4 * t + a] =
                box_vertex(mesh, i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
        }
    }
}

// A box of nx x ny x nz unit cells; false when memory is missing.
static inline bool box_mesh_init(box_mesh *mesh, int32_t nx, int32_t ny, int32_t nz)
{
    *mesh = (box_mesh){.cells = {nx, ny, nz}};
    mesh->vertex_count = (nx + 1) * (ny + 1) * (nz + 1);
    mesh->tet_count = 5 * (int64_t)nx * ny * nz;
    mesh->x = malloc(3 * (size_t)mesh->vertex_count * sizeof *mesh->x);
    mesh->tets = malloc(4 * (size_t)mesh->tet_count * sizeof *mesh->tets);
    if (mesh->x == NULL || mesh->tets == NULL) {
        box_mesh_clear(mesh);
        return false;
    }
    for (int32_t k = 0; k <= nz; ++k) {
        for (int32_t j = 0; j <= ny; ++j) {
            for (int32_t i = 0; i <= nx; ++i) {
                pli_vec3_set(i, j, k, mesh->x + 3 * (int64_t)box_vertex(mesh, i, j, k));
            }
        }
    }
    int32_t *tets = mesh->tets;
    for (int32_t cell = 0; cell < nx * ny * nz; ++cell, tets += 20) {
        box_cut_cell(mesh, cell % nx, cell / nx % ny, cell / (nx * ny), tets);
    }
    return true;
}

static inline pli_clique_list box_cliques(const box_mesh *mesh)
{
    return (pli_clique_list){4, mesh->tet_count, mesh->tets};
}

// Gradients of the four shape functions of a tetrahedron; returns its volume.
static inline double box_shape_gradients(const box_mesh *mesh, const int32_t tet[4],
                                         double gradient[4][3])
{
    // rows of E are the edges from vertex 0; columns of E^-1 are the gradients of 1, 2, 3
    double E[9];
    double inverse[9];
    const double *x0 = mesh->x + 3 * (int64_t)tet[0];
    for (int a = 0; a < 3; ++a) {
        pli_vec3_subtract(mesh->x + 3 * (int64_t)tet[a + 1], x0, E + 3 * a);
    }
    double volume = fabs(pli_mat3_inverse(E, inverse)) / 6;
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 3; ++a) gradient[a + 1][i] = inverse[3 * i + a];
        gradient[0][i] = -(gradient[1][i] + gradient[2][i] + gradient[3][i]);
    }
    return volume;
}

typedef struct box_assembly {
    const box_mesh *mesh;
    pli_bcsr *matrix;
    const int32_t *slots; // [tet_count][16]
    double lambda;        // Lame's parameters
    double mu;
    double contrast;         // every other layer of 4 cells along x is this much stiffer
    const double *stiffness; // [tet_count]  factor of its own for every tetrahedron; NULL: none
} box_assembly;

static inline void box_add_elements(void *user, int64_t begin, int64_t end)
{
    const box_assembly *assembly = user;
    for (int64_t tet = begin; tet < end; ++tet) {
        double g[4][3];
        double V = box_shape_gradients(assembly->mesh, assembly->mesh->tets + 4 * tet, g);
        int32_t layer = (int32_t)(tet / 5 % assembly->mesh->cells[0]) / 4;
        if (layer % 2 == 1) V *= assembly->contrast;
        if (assembly->stiffness != NULL) V *= assembly->stiffness[tet];
        for (int ab = 0; ab < 16; ++ab) {
            double *block = assembly->matrix->values + 9 * (int64_t)assembly->slots[16 * tet + ab];
            const double *ga = g[ab / 4];
            const double *gb = g[ab % 4];
            double shear = V * assembly->mu * pli_vec3_dot(ga, gb);
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    block[3 * i + j] += V * assembly->lambda * ga[i] * gb[j] +
                                        V * assembly->mu * gb[i] * ga[j] + (i == j ? shear : 0);
                }
            }
        }
    }
}

// Matrix of the matter that the assembly tells, plus mass on the diagonal.
static inline pli_status box_matrix_assemble(pli_context *context, box_assembly assembly,
                                             double mass, pli_bcsr **matrix)
{
    const box_mesh *mesh = assembly.mesh;
    pli_clique_list list = box_cliques(mesh);
    int32_t *slots = NULL;
    pli_chunk_coloring *coloring = NULL;
    double *weight = NULL;
    pli_status status = pli_bcsr_create(context, mesh->vertex_count, 1, &list, matrix);
    if (status != PLI_OK) goto done;
    status = pli_bcsr_slots(context, *matrix, &list, &slots);
    if (status != PLI_OK) goto done;
    status = pli_chunk_coloring_create(context, mesh->vertex_count, &list, 0, &coloring);
    if (status != PLI_OK) goto done;
    status = PLI_ERROR_MEMORY;
    weight = PLI_NEW(context, double, mesh->vertex_count, "mass");
    if (weight == NULL) goto done;

    assembly.matrix = *matrix;
    assembly.slots = slots;
    pli_chunk_coloring_run(coloring, box_add_elements, &assembly);
    for (int32_t vertex = 0; vertex < mesh->vertex_count; ++vertex) weight[vertex] = mass;
    pli_bcsr_add_to_diagonal(*matrix, weight);
    status = PLI_OK;

done:
    pli_release(context, weight);
    pli_chunk_coloring_destroy(coloring);
    pli_release(context, slots);
    if (status != PLI_OK) {
        pli_bcsr_destroy(*matrix);
        *matrix = NULL;
    }
    return status;
}

// The stiffness of a box with lambda = mu = 1, plus mass on the diagonal.
static inline pli_status box_matrix_create(pli_context *context, const box_mesh *mesh, double mass,
                                           double contrast, pli_bcsr **matrix)
{
    box_assembly assembly = {.mesh = mesh, .lambda = 1, .mu = 1, .contrast = contrast};
    return box_matrix_assemble(context, assembly, mass, matrix);
}

#endif
