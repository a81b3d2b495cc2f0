// SPDX-License-Identifier: Apache-2.0
#include "io/frame_surface.h"

#include <string.h>

// corners of the face opposite to each corner of a tetrahedron, outward for a positive volume
static const int32_t face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// Faces sorted into bins by their smallest point, so that twins share a bin.
typedef struct face_bins {
    int64_t *first; // [point_count + 1]  where each bin begins
    int32_t *face;  // [4 cell_count]     4 cell + corner
} face_bins;

static void face_points(const pli_frame_part *part, int64_t face, int32_t points[3])
{
    const int32_t *cell = part->cells + 4 * (face / 4);
    for (int k = 0; k < 3; ++k) points[k] = cell[face_corners[face % 4][k]];
}

// smallest, middle and largest point of a face
static void sorted_points(const pli_frame_part *part, int64_t face, int32_t points[3])
{
    face_points(part, face, points);
    for (int k = 0; k < 3; ++k) {
        int i = k == 1 ? 1 : 0;
        if (points[i] <= points[i + 1]) continue;
        int32_t swap = points[i];
        points[i] = points[i + 1];
        points[i + 1] = swap;
    }
}

static pli_status build_bins(const pli_frame_part *part, pli_arena *scratch, face_bins *bins)
{
    int64_t face_count = 4 * (int64_t)part->cell_count;
    int64_t bin_count = part->point_count;
    bins->first = pli_arena_take(scratch, bin_count + 1, sizeof *bins->first, "face bins");
    bins->face = pli_arena_ints(scratch, face_count, "faces");
    if (bins->first == NULL || bins->face == NULL) return PLI_ERROR_MEMORY;

    // count, then turn counts into the end of each bin, then fill from the end
    memset(bins->first, 0, (size_t)(bin_count + 1) * sizeof *bins->first);
    int32_t points[3];
    for (int64_t face = 0; face < face_count; ++face) {
        sorted_points(part, face, points);
        ++bins->first[points[0]];
    }
    for (int64_t bin = 0; bin < bin_count; ++bin) bins->first[bin + 1] += bins->first[bin];
    for (int64_t face = face_count - 1; face >= 0; --face) {
        sorted_points(part, face, points);
        bins->face[--bins->first[points[0]]] = (int32_t)face;
    }
    return PLI_OK;
}

// whether another face of the bin has the same points
static bool has_twin(const pli_frame_part *part, const face_bins *bins, int64_t bin, int32_t face)
{
    int32_t points[3];
    sorted_points(part, face, points);
    for (int64_t i = bins->first[bin]; i < bins->first[bin + 1]; ++i) {
        if (bins->face[i] == face) continue;
        int32_t other[3];
        sorted_points(part, bins->face[i], other);
        if (other[1] == points[1] && other[2] == points[2]) return true;
    }
    return false;
}

pli_status pli_frame_surface_build(const pli_frame_part *part, pli_arena *scratch,
                                   pli_frame_surface *surface)
{
    *surface = (pli_frame_surface){0};
    int64_t face_count = 4 * (int64_t)part->cell_count;
    surface->triangles = pli_arena_ints(scratch, 3 * face_count, "surface triangles");
    surface->cell = pli_arena_ints(scratch, face_count, "surface cells");
    if (surface->triangles == NULL || surface->cell == NULL) return PLI_ERROR_MEMORY;

    pli_arena_mark mark = pli_arena_begin(scratch);
    face_bins bins;
    pli_status status = build_bins(part, scratch, &bins);
    for (int64_t bin = 0; status == PLI_OK && bin < part->point_count; ++bin) {
        for (int64_t i = bins.first[bin]; i < bins.first[bin + 1]; ++i) {
            int32_t face = bins.face[i];
            if (has_twin(part, &bins, bin, face)) continue;
            int32_t triangle = surface->triangle_count++;
            face_points(part, face, surface->triangles + 3 * (int64_t)triangle);
            surface->cell[triangle] = face / 4;
        }
    }
    pli_arena_end(scratch, mark);
    return status;
}
