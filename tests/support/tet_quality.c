// SPDX-License-Identifier: Apache-2.0
#include "support/tet_quality.h"

// Outward area vectors of the four faces (length: area), by opposite corner.
static void face_areas(const double *x[4], double n[4][3])
{
    static const int corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int f = 0; f < 4; ++f) {
        double u[3], v[3];
        pli_vec3_subtract(x[corner[f][1]], x[corner[f][0]], u);
        pli_vec3_subtract(x[corner[f][2]], x[corner[f][0]], v);
        pli_vec3_cross(u, v, n[f]);
        pli_vec3_scale(0.5, n[f], n[f]);
    }
}

// extreme cosines of dihedral angles: the angle falls as the cosine grows
typedef struct cosine_range {
    double min;
    double max;
} cosine_range;

static void add_dihedrals(double n[4][3], const double area[4], cosine_range *range)
{
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            double cosine = -pli_vec3_dot(n[i], n[j]) / (area[i] * area[j]);
            range->min = fmin(range->min, cosine);
            range->max = fmax(range->max, cosine);
        }
    }
}

// Lengths of the edges; returns the longest.
static double add_edges(const double *x[4], pli_tet_quality *quality)
{
    double longest = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            double length = pli_vec3_distance(x[i], x[j]);
            quality->min_edge = fmin(quality->min_edge, length);
            longest = fmax(longest, length);
        }
    }
    quality->max_edge = fmax(quality->max_edge, longest);
    return longest;
}

static void add_tet(const pli_tet_mesh *mesh, int32_t t, pli_tet_quality *quality,
                    cosine_range *range)
{
    const double *x[4];
    double n[4][3], area[4];
    for (int k = 0; k < 4; ++k) x[k] = mesh->points + 3 * (int64_t)mesh->tets[4 * (int64_t)t + k];
    face_areas(x, n);
    for (int k = 0; k < 4; ++k) area[k] = pli_vec3_norm(n[k]);
    add_dihedrals(n, area, range);

    // inradius = 3 V / sum of areas
    double volume = pli_tet_volume(x[0], x[1], x[2], x[3]);
    double inradius = 3 * volume / (area[0] + area[1] + area[2] + area[3]);
    double aspect = add_edges(x, quality) / (2 * sqrt(6.0) * inradius);
    quality->min_volume = fmin(quality->min_volume, volume);
    quality->total_volume += volume;
    quality->mean_aspect += aspect / mesh->tet_count;
    if (aspect > quality->max_aspect) {
        quality->max_aspect = aspect;
        quality->worst_tet = t;
    }
}

static double angle_of(double cosine)
{
    const double degrees = 57.29577951308232;
    return degrees * acos(fmin(fmax(cosine, -1), 1));
}

pli_tet_quality pli_tet_mesh_quality(const pli_tet_mesh *mesh)
{
    pli_tet_quality quality = {.min_volume = INFINITY, .min_edge = INFINITY, .worst_tet = -1};
    if (mesh->tet_count == 0) return (pli_tet_quality){.worst_tet = -1};
    cosine_range range = {1, -1};
    for (int32_t t = 0; t < mesh->tet_count; ++t) add_tet(mesh, t, &quality, &range);
    quality.min_dihedral = angle_of(range.max);
    quality.max_dihedral = angle_of(range.min);
    quality.mean_volume = quality.total_volume / mesh->tet_count;
    return quality;
}
