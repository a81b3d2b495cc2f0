// SPDX-License-Identifier: Apache-2.0
//
// Incremental potential contact, one pair of primitives at a time: distances, barrier, friction,
// each with first and second derivatives. For programs that bring their own solver.
//
// A stencil is a pair of primitives that keep a distance: a point and a triangle, two edges, a
// point and an edge, two points, or a point and a half-space. Its potential is
//
//     B(x) = k w m(x) b(d(x), dhat),   b(d, dhat) = -(d - dhat)^2 ln(d / dhat) for d < dhat, else 0
//
// after Li, Ferguson, Schneider, Langlois, Zorin, Panozzo, Jiang and Kaufman, "Incremental
// Potential Contact" (2020), equation 6, with the distance d itself (the programs of that group put
// squared distances into the same formula). Units: d and dhat in m, b in m^2, the stiffness k in
// J/m^2 = N/m, B in J. So k is a spring constant per contact: at d = dhat/2 a contact has the
// stiffness 6.4 k and pushes with 1.2 k dhat. The weight w is a pure number, 1 as in the paper, or
// the area of the contact over the mean area, which makes pressures independent of the mesh.
//
// The factor m of two edges is 1 unless they are nearly parallel (section 5 of the paper's
// supplement): then d has jumping derivatives, and m takes them out. With c = |e1 x e2|^2,
//     m = (2 - c/eps) c/eps for c < eps = 1e-3 |e1|^2 |e2|^2 (lengths at rest), else 1.
//
// Friction is Coulomb's, smoothed over slips below eps_v h, with the normal force, the closest
// points and the tangent plane frozen at the positions of an earlier call ("lagged"):
//
//     D(x) = mu lambda f0(|u|),   u = T^T sum_i gamma_i (x_i - start_i)
//
// Guarantees: every energy is finite and not negative while primitives are apart, exactly 0 from
// dhat on, and +infinity where primitives touch or second derivatives overflow (gaps below some
// 1e-75 m; gradient and Hessian are then 0). It is twice continuously differentiable where d is,
// except that second derivatives jump at the mollifier's threshold. Forces of a barrier sum to zero
// and exert no net torque, except for the half-space, which is an outer body. Projected Hessians
// are positive semi-definite. Degenerate triangles and edges are legal.
//
// Points are gathered: x is [n][3] (m) with the n = 4, 4, 3, 2 or 1 points of the
// stencil, gradients are [3n], Hessians [3n][3n] row-major and symmetric to the last bit. Outputs
// that are pointers may be NULL. Plain functions without state: nothing is allocated, any thread
// may call them.
#ifndef PLIANT_CONTACT_H
#define PLIANT_CONTACT_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLI_CONTACT_POINTS = 4, PLI_CONTACT_DOFS = 12 };

typedef enum pli_contact_kind {
    PLI_CONTACT_POINT_TRIANGLE, // point, corners
    PLI_CONTACT_EDGE_EDGE,      // ends of the first edge, ends of the second
    PLI_CONTACT_POINT_EDGE,     // point, ends
    PLI_CONTACT_POINT_POINT,    // point, point
    PLI_CONTACT_POINT_PLANE     // point; the half-space is given in the stencil
} pli_contact_kind;

typedef struct pli_contact_stencil {
    pli_contact_kind kind;
    int32_t vertices[PLI_CONTACT_POINTS]; // for the caller's use; -1: none
    double weight;                        // w (-), positive
    double mollifier;                     // eps (m^4) of two edges; 0: not mollified
    double friction;                      // mu (-), not negative
    const double *plane; // borrowed [4]: unit normal n and offset, free space is n.x > offset (m)
} pli_contact_stencil;

// A stencil with weight 1, without mollifier, friction, vertices and plane.
PLI_API pli_contact_stencil pli_contact_stencil_default(pli_contact_kind kind);

// What all contacts of a scene share.
typedef struct pli_barrier_def {
    double dhat;      // distance at which contact begins (m), positive
    double stiffness; // k (N/m), positive
} pli_barrier_def;

// The closest points of a stencil.
typedef struct pli_contact_gap {
    double distance;                    // m, not negative; 0 behind a plane
    double squared;                     // distance^2 (m^2)
    double normal[3];                   // unit vector from the second primitive to the first
    double tangents[2][3];              // complete the normal to an orthonormal frame
    double weights[PLI_CONTACT_POINTS]; // distance normal = sum_i weights_i x_i; they sum to zero.
                                        // Plane: the weight of the point is 1
    // which parts are closest. Point and triangle: 0-2 corner, 3-5 edge from corner 0, 1, 2 to the
    // next, 6 inside. Edge: 0, 1 end, 2 inside; two edges: 3 (first) + (second). Otherwise 0
    int32_t feature;
} pli_contact_gap;

// Closest points, and the derivatives of the *squared* distance (m, -), as those of the closest
// features without end: squared distance and gradient are continuous where features change, save
// for parallel edges; the Hessian is not.
PLI_API void pli_contact_measure(const pli_contact_stencil *stencil, const double *x,
                                 pli_contact_gap *gap, double *gradient, double *hessian);

// eps of two edges from their ends at rest [4][3] (m).
PLI_API double pli_mollifier_threshold(const double *rest);

// k w m b (J), its gradient (N) and Hessian (N/m), made positive semi-definite when `projected`.
PLI_API double pli_contact_evaluate(const pli_contact_stencil *stencil,
                                    const pli_barrier_def *barrier, const double *x, bool projected,
                                    double *gradient, double *hessian);

// Friction of one stencil, frozen.
typedef struct pli_friction {
    int32_t point_count;
    double weights[PLI_CONTACT_POINTS]; // gamma_i, as in pli_contact_gap
    double tangents[2][3];              // columns of T, orthonormal
    double normal_force;                // lambda = -k w m b' (N), not negative
    double limit;                       // mu lambda (N)
} pli_friction;

// Freezes friction at the positions x. Beyond dhat, and where primitives touch, there is none.
PLI_API void pli_friction_freeze(const pli_contact_stencil *stencil, const pli_barrier_def *barrier,
                                 const double *x, pli_friction *friction);

// D (J), its gradient (N) and Hessian (N/m), which is positive semi-definite as it is. start [n][3]
// (m) is where the points stick: their positions when the step began, for an obstacle that moves
// with v plus h v. The force -gradient never points along the slip, and |T^T force| <= mu lambda.
PLI_API double pli_friction_evaluate(const pli_friction *friction, double eps, const double *x,
                                     const double *start, double *gradient, double *hessian);

#ifdef __cplusplus
}
#endif

#endif
