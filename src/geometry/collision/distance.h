// SPDX-License-Identifier: Apache-2.0
//
// Squared distances of points, edges and triangles, with first and second derivatives.
//
// Every distance here is that of a weighted sum of up to four points,
//
//     r = sum_i w_i x_i,   sum_i w_i = 0,   d = |r|^2,
//
// where the weights are free to slide: a point against a line has one direction of sliding, against
// a plane two, and two lines have two. The closest points are where r is perpendicular to all of
// them. Since the weights minimise d, they do not enter the first derivative, and enter the second
// through the implicit function theorem only (envelope theorem):
//
//     dd/dx_i        = 2 w_i r
//     d2d/dx_i dx_j  = 2 [ w_i w_j I - sum_s (c_si r + w_i u_s)(c_sj r + w_j u_s)^T ]
//
// with orthonormal directions u_s = sum_i c_si x_i and the slides c_s that make them. All of it
// lives in a space of at most five dimensions, spanned by (w, c_1, c_2) x r and w x (u_1, u_2), so
// an energy phi(d) is made positive semi-definite by the eigenvalues of a 5x5 matrix, not a 12x12.
//
// The closest feature is found first; its distance is then differentiated as that of points, lines
// and planes without end. d and its gradient are continuous where features change, the second
// derivative is not.
//
// Degenerate input is legal: an edge without length counts as a point, a triangle without area as
// its edges, parallel lines as an end of one and the other. Results are finite for finite input
// whose squares do not overflow. Plain functions without state; nothing is allocated.
#ifndef PLI_GEOMETRY_COLLISION_DISTANCE_H
#define PLI_GEOMETRY_COLLISION_DISTANCE_H

#include "math/vec3.h"

#include <stdbool.h>
#include <stdint.h>

enum { PLI_DISTANCE_POINTS = 4, PLI_DISTANCE_DOFS = 12 };

// One squared distance and what its derivatives are made of.
typedef struct pli_distance {
    int32_t point_count;   // 2, 3 or 4 points of the stencil, in the order of the call
    int32_t slide_count;   // directions in which the closest points may slide, 0, 1 or 2
    double value;          // d, squared distance (m^2)
    double length;         // |r| (m)
    double normal[3];      // r / |r|; any perpendicular direction where r is zero
    double tangents[2][3]; // u_s for s < slide_count, then what completes the frame
    double weights[PLI_DISTANCE_POINTS];   // w_i, exactly 0 for points that do not take part
    double slides[2][PLI_DISTANCE_POINTS]; // c_si (1/m)
} pli_distance;

// Which part of a triangle abc is closest to a point.
typedef enum pli_triangle_feature {
    PLI_TRIANGLE_VERTEX_0,
    PLI_TRIANGLE_VERTEX_1,
    PLI_TRIANGLE_VERTEX_2,
    PLI_TRIANGLE_EDGE_0, // from corner 0 to corner 1
    PLI_TRIANGLE_EDGE_1, // from corner 1 to corner 2
    PLI_TRIANGLE_EDGE_2, // from corner 2 to corner 0
    PLI_TRIANGLE_FACE
} pli_triangle_feature;

// Which part of an edge is closest. A pair of edges has the feature 3 (first edge) + (second edge),
// one of nine.
typedef enum pli_edge_feature {
    PLI_EDGE_VERTEX_0,
    PLI_EDGE_VERTEX_1,
    PLI_EDGE_INSIDE
} pli_edge_feature;

enum { PLI_EDGE_EDGE_FEATURES = 9, PLI_EDGE_EDGE_INSIDE = 3 * PLI_EDGE_INSIDE + PLI_EDGE_INSIDE };

// Closest features, with the barycentric weights of the closest points (not negative, sum 1,
// exactly 0 off the feature) and the squared distance (m^2). For edges the weights are those of a,
// b on the first edge and of c, d on the second.
pli_edge_feature pli_closest_point_edge(const double p[3], const double a[3], const double b[3],
                                        double weights[2], double *distance2);
pli_triangle_feature pli_closest_point_triangle(const double p[3], const double a[3],
                                                const double b[3], const double c[3],
                                                double weights[3], double *distance2);
int32_t pli_closest_edge_edge(const double a[3], const double b[3], const double c[3],
                              const double d[3], double weights[4], double *distance2);

// Distances of unbounded features. The first point or edge has positive weights, so that r points
// from the second to the first; stencils (p, q), (p, a, b, c), (a, b, c, d).
void pli_distance_point_point(const double p[3], const double q[3], pli_distance *distance);
void pli_distance_point_plane(const double p[3], const double a[3], const double b[3],
                              const double c[3], pli_distance *distance);
void pli_distance_line_line(const double a[3], const double b[3], const double c[3],
                            const double d[3], pli_distance *distance);

// Distance from a given feature, in the whole stencil: points off the feature have weight 0.
void pli_distance_point_edge_feature(pli_edge_feature feature, const double p[3], const double a[3],
                                     const double b[3], pli_distance *distance);
void pli_distance_point_triangle_feature(pli_triangle_feature feature, const double p[3],
                                         const double a[3], const double b[3], const double c[3],
                                         pli_distance *distance);
void pli_distance_edge_edge_feature(int32_t feature, const double a[3], const double b[3],
                                    const double c[3], const double d[3], pli_distance *distance);

// Distance from the closest feature, which is returned.
pli_edge_feature pli_distance_point_edge(const double p[3], const double a[3], const double b[3],
                                         pli_distance *distance);
pli_triangle_feature pli_distance_point_triangle(const double p[3], const double a[3],
                                                 const double b[3], const double c[3],
                                                 pli_distance *distance);
int32_t pli_distance_edge_edge(const double a[3], const double b[3], const double c[3],
                               const double d[3], pli_distance *distance);

// gradient [3 point_count] = scale dd/dx; with scale = phi'(d) the gradient of phi(d).
static inline void pli_distance_gradient(const pli_distance *distance, double scale,
                                         double *gradient)
{
    double factor = 2 * scale * distance->length;
    for (int32_t i = 0; i < distance->point_count; ++i) {
        pli_vec3_scale(factor * distance->weights[i], distance->normal, gradient + 3 * i);
    }
}

// The Hessian of phi(d), phi'' (dd/dx)(dd/dx)^T + phi' d2d/dx2, made positive semi-definite when
// `projected`. Symmetric to the last bit.
void pli_distance_compose_hessian(const pli_distance *distance, double phi1, double phi2,
                                  bool projected, double *hessian);

#endif
