// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/boundary.h"

#include <string.h>

// corners of the face opposite to each corner, counter-clockwise from outside
static const int face_corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// a face in the bucket of its smallest vertex
typedef struct face {
    int32_t middle;
    int32_t largest;
    int32_t id; // 4 tet + corner
} face;

typedef struct face_table {
    int64_t *start; // [vertex_count + 1] faces by their smallest vertex
    face *faces;    // [4 tet_count]
} face_table;

static void face_vertices(const pli_tets *tets, int32_t id, int32_t v[3])
{
    const int32_t *tet = tets->tets + 4 * (int64_t)(id / 4);
    for (int k = 0; k < 3; ++k) v[k] = tet[face_corner[id % 4][k]];
}

static void sort3(int32_t v[3])
{
    for (int pass = 0; pass < 3; ++pass) {
        int k = pass % 2;
        if (v[k] > v[k + 1]) {
            int32_t t = v[k];
            v[k] = v[k + 1];
            v[k + 1] = t;
        }
    }
}

// Counting sort of all faces by their smallest vertex.
static void bucket_faces(const pli_tets *tets, face_table *table)
{
    int32_t face_count = 4 * tets->tet_count;
    int32_t v[3];
    memset(table->start, 0, ((size_t)tets->vertex_count + 1) * sizeof *table->start);
    for (int32_t id = 0; id < face_count; ++id) {
        face_vertices(tets, id, v);
        sort3(v);
        ++table->start[v[0] + 1];
    }
    for (int32_t i = 0; i < tets->vertex_count; ++i) table->start[i + 1] += table->start[i];
    for (int32_t id = 0; id < face_count; ++id) {
        face_vertices(tets, id, v);
        sort3(v);
        table->faces[table->start[v[0]]++] = (face){v[1], v[2], id};
    }
    // every start has moved to the next one's place
    for (int32_t i = tets->vertex_count; i > 0; --i) table->start[i] = table->start[i - 1];
    table->start[0] = 0;
}

static bool face_before(const face *a, const face *b)
{
    if (a->middle != b->middle) return a->middle < b->middle;
    if (a->largest != b->largest) return a->largest < b->largest;
    return a->id < b->id;
}

// Buckets hold some twenty faces each: insertion sort.
static void sort_bucket(face *faces, int64_t count)
{
    for (int64_t i = 1; i < count; ++i) {
        face moving = faces[i];
        int64_t j = i;
        for (; j > 0 && face_before(&moving, &faces[j - 1]); --j) faces[j] = faces[j - 1];
        faces[j] = moving;
    }
}

static pli_status build_table(const pli_tets *tets, pli_arena *scratch, face_table *table)
{
    int64_t face_count = 4 * (int64_t)tets->tet_count;
    table->start = pli_arena_take(scratch, (int64_t)tets->vertex_count + 1, sizeof *table->start,
                                  "face buckets");
    table->faces = pli_arena_take(scratch, face_count, sizeof *table->faces, "faces");
    if (table->start == NULL || table->faces == NULL) return PLI_ERROR_MEMORY;
    bucket_faces(tets, table);
    for (int32_t v = 0; v < tets->vertex_count; ++v) {
        sort_bucket(table->faces + table->start[v], table->start[v + 1] - table->start[v]);
    }
    return PLI_OK;
}

// How many faces from this one on have its vertices.
static int64_t count_twins(const face *faces, int64_t count)
{
    int64_t twins = 1;
    while (twins < count && faces[twins].middle == faces[0].middle &&
           faces[twins].largest == faces[0].largest) {
        ++twins;
    }
    return twins;
}

// Whether two faces over the same vertices run around in the same direction.
static bool same_direction(const pli_tets *tets, int32_t id_a, int32_t id_b)
{
    int32_t a[3], b[3];
    face_vertices(tets, id_a, a);
    face_vertices(tets, id_b, b);
    int shift = b[0] == a[0] ? 0 : b[1] == a[0] ? 1 : 2;
    return b[(shift + 1) % 3] == a[1];
}

static void note_overlap(const face *twins, int32_t smallest, pli_boundary *boundary)
{
    if (boundary->has_overlap) return;
    boundary->has_overlap = true;
    for (int k = 0; k < 2; ++k) boundary->overlap_tets[k] = twins[k].id / 4;
    boundary->overlap_face[0] = smallest;
    boundary->overlap_face[1] = twins[0].middle;
    boundary->overlap_face[2] = twins[0].largest;
}

// Moves the faces without a twin to the front of the table; returns how many there are.
static int32_t keep_single_faces(const pli_tets *tets, face_table *table, pli_boundary *boundary)
{
    int32_t kept = 0;
    for (int32_t v = 0; v < tets->vertex_count; ++v) {
        for (int64_t i = table->start[v]; i < table->start[v + 1];) {
            const face *faces = table->faces + i;
            int64_t twins = count_twins(faces, table->start[v + 1] - i);
            if (twins > 2 || (twins == 2 && same_direction(tets, faces[0].id, faces[1].id))) {
                note_overlap(faces, v, boundary);
            }
            if (twins == 1) table->faces[kept++] = faces[0];
            i += twins;
        }
    }
    return kept;
}

pli_status pli_boundary_build(const pli_tets *tets, pli_arena *scratch, pli_boundary *boundary)
{
    *boundary = (pli_boundary){0};
    face_table table;
    PLI_TRY(build_table(tets, scratch, &table));
    int32_t count = keep_single_faces(tets, &table, boundary);
    boundary->triangles = pli_arena_ints(scratch, 3 * (int64_t)count, "boundary triangles");
    boundary->tet = pli_arena_ints(scratch, count, "boundary elements");
    if (boundary->triangles == NULL || boundary->tet == NULL) return PLI_ERROR_MEMORY;
    boundary->triangle_count = count;
    for (int32_t k = 0; k < count; ++k) {
        face_vertices(tets, table.faces[k].id, boundary->triangles + 3 * (int64_t)k);
        boundary->tet[k] = table.faces[k].id / 4;
    }
    return PLI_OK;
}
