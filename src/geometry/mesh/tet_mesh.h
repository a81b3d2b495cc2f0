// SPDX-License-Identifier: Apache-2.0
//
// Tetrahedral meshes: the solids of the finite-element side.
//
// A mesh owns its arrays and is never half valid: creating one checks every index and every
// element, and refuses what a solver could not survive (element without volume, turned inside out,
// repeated corner), naming the first offenders. Vertices that no element uses are dropped.
// Positive volume means: corners 1, 2, 3 run counter-clockwise seen from corner 0's opposite side,
// that is det[x1-x0, x2-x0, x3-x0] > 0.
//
// Memory speed of every later loop depends on how vertices and elements are numbered.
// pli_tet_mesh_reorder sorts vertices along a Hilbert curve (Hilbert 1891; Skilling 2004 for the
// bit tricks) and elements by their smallest vertices, so that neighbours in space are neighbours
// in memory; the outcome depends only on the mesh.
//
// Threads: functions that take a const mesh only read.
#ifndef PLI_GEOMETRY_MESH_TET_MESH_H
#define PLI_GEOMETRY_MESH_TET_MESH_H

#include "base/context.h"
#include "geometry/collision/bounds.h"
#include "geometry/mesh/mesh_check.h"

typedef struct pli_tet_mesh {
    pli_context *context;
    int32_t vertex_count;
    int32_t tet_count;
    double *points;         // [vertex_count][3] position (m)
    int32_t *tets;          // [tet_count][4] corners, positive volume
    int32_t *tet_group;     // [tet_count] group of each element, -1: none; NULL: no groups at all
    int32_t *vertex_origin; // [vertex_count] number of the vertex in the input it was made from
    int32_t *mid;           // [tet_count][6] nodes on the edges of quadratic elements, which are
                            // vertices, too: 01, 12, 02, 03, 13, 23; NULL: elements are linear
} pli_tet_mesh;

// Tetrahedra over plain arrays: how meshes, models and results look to what works on all of them.
typedef struct pli_tets {
    int32_t vertex_count;
    const double *points; // [vertex_count][3] (m)
    int32_t tet_count;
    const int32_t *tets; // [tet_count][4]
} pli_tets;

static inline pli_tets pli_tet_mesh_view(const pli_tet_mesh *mesh)
{
    return (pli_tets){mesh->vertex_count, mesh->points, mesh->tet_count, mesh->tets};
}

typedef struct pli_tet_mesh_def {
    int32_t vertex_count;
    const double *points; // [vertex_count][3] (m)
    int32_t tet_count;
    const int32_t *tets;      // [tet_count][4]
    const int32_t *tet_group; // [tet_count] or NULL
    bool turn_inverted;       // turn elements of negative volume around instead of refusing them
    const int32_t *mid;       // [tet_count][6] nodes on edges, or NULL
} pli_tet_mesh_def;

typedef struct pli_tet_mesh_report {
    int32_t unused_vertices;     // dropped
    int32_t coincident_vertices; // at the place of an earlier vertex; kept
    int32_t turned_tets;         // had negative volume and were turned around
    pli_offenders slivers;       // tetrahedra almost without volume; kept
    pli_offenders refused;       // those for which it failed, if it did for single ones
} pli_tet_mesh_report;

// Checks and copies a mesh. report may be NULL: then dropped and coincident vertices are logged.
// Errors: argument, mesh, memory.
pli_status pli_tet_mesh_create(pli_context *context, const pli_tet_mesh_def *def,
                               pli_tet_mesh_report *report, pli_tet_mesh **mesh);
void pli_tet_mesh_destroy(pli_tet_mesh *mesh);

// x <- A x + b for every vertex; a mirroring A turns the elements around so that they stay
// positive. Errors: argument when A is singular or not finite.
pli_status pli_tet_mesh_transform(pli_tet_mesh *mesh, const double A[9], const double b[3]);

pli_bounds pli_tet_mesh_bounds(const pli_tet_mesh *mesh);

// Signed volume of one tetrahedron, det[x1-x0, x2-x0, x3-x0] / 6.
double pli_tet_volume(const double x0[3], const double x1[3], const double x2[3],
                      const double x3[3]);

// The same for corners given by index into points [][3].
static inline double pli_tet_volume_at(const double *points, const int32_t tet[4])
{
    return pli_tet_volume(points + 3 * (int64_t)tet[0], points + 3 * (int64_t)tet[1],
                          points + 3 * (int64_t)tet[2], points + 3 * (int64_t)tet[3]);
}

static inline void pli_tet_centroid(const double *points, const int32_t tet[4], double centroid[3])
{
    pli_vec3_set(0, 0, 0, centroid);
    for (int k = 0; k < 4; ++k) {
        pli_vec3_add_scaled(centroid, 0.25, points + 3 * (int64_t)tet[k], centroid);
    }
}

// Turns a tetrahedron around: its volume changes sign.
static inline void pli_tet_turn(int32_t tet[4])
{
    int32_t swapped = tet[2];
    tet[2] = tet[3];
    tet[3] = swapped;
}

// The same for one with nodes on its edges.
static inline void pli_tet_turn_mid(int32_t mid[6])
{
    static const int from[6] = {0, 4, 3, 2, 1, 5};
    int32_t old[6];
    for (int k = 0; k < 6; ++k) old[k] = mid[k];
    for (int k = 0; k < 6; ++k) mid[k] = old[from[k]];
}

// volumes [tet_count] (m^3); returns their sum.
double pli_tet_mesh_volume(const pli_tet_mesh *mesh);

// Lumping: adds a quarter of what an element of this density holds to the sum of each of its
// corners, sums [vertex_count]; density in units of the sum per m^3. Returns the quarter.
static inline double pli_tet_lump(const double *points, const int32_t tet[4], double density,
                                  double *sums)
{
    double quarter = 0.25 * density * pli_tet_volume_at(points, tet);
    for (int k = 0; k < 4; ++k) sums[tet[k]] += quarter;
    return quarter;
}

// Area of the surface of the polyhedron that the elements around each vertex form,
// areas [vertex_count] (m^2); the length scale of the characteristic norm (Wang et al. 2020).
// Errors: memory.
pli_status pli_tets_ring_areas(pli_context *context, const pli_tets *tets, double *areas);

// Linear tetrahedra that share their nodes with quadratic ones, eight of an element one after
// another: what contact, coarse spaces and pictures take for the mesh. A curved side is four
// triangles.
enum { PLI_TET_PARTS = 8 };

// Those of one element, parts [8][4].
void pli_tet_split(const int32_t corners[4], const int32_t mid[6], int32_t *parts);

// Gives every edge a node in its middle, behind the vertices that there are; a mesh that has such
// nodes stays as it is. Errors: unsupported (more vertices than can be counted), memory.
PLI_CHECKED pli_status pli_tet_mesh_raise(pli_tet_mesh *mesh);

// Renumbers vertices and elements for locality.
pli_status pli_tet_mesh_reorder(pli_tet_mesh *mesh);

#endif
