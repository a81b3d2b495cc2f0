// SPDX-License-Identifier: Apache-2.0
//
// Contact for a solver of your own: barrier, friction, and steps that touch nothing. The solver
// here moves one marble on a slope of 20 degrees: it sticks or slides as Coulomb says.
//
//     cc contact_toolkit.c $(pkg-config --cflags --libs pliant) -lm -o contact_toolkit
#include <pliant/contact.h>
#include <pliant/detect.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double mass = 0.01, h = 0.005;                         // kg, s
static const double pull[3] = {9.81 * 0.34202, -9.81 * 0.93969, 0}; // m/s^2: sine and cosine of 20
static const double eps = 1e-3 * 0.005; // m: friction is static below 1 mm/s
static const pli_barrier_def barrier = {.dhat = 1e-3, .stiffness = 1e3}; // m, N/m

// Energy of a step, m/(2 h^2) |x - y|^2 + barrier + friction, and the marble's derivatives: the
// gradient and the diagonal of the Hessian, which is enough for a level triangle.
static double evaluate(const pli_contact_stencil *stencil, const pli_friction *friction,
                       const double *x, const double *start, const double y[3], double g[3],
                       double H[3])
{
    double gb[12], Hb[144], gf[12], Hf[144];
    double e = pli_contact_evaluate(stencil, &barrier, x, true, gb, Hb) +
               pli_friction_evaluate(friction, eps, x, start, gf, Hf);
    for (int i = 0; i < 3; ++i) {
        e += 0.5 * mass / (h * h) * (x[i] - y[i]) * (x[i] - y[i]);
        g[i] = mass / (h * h) * (x[i] - y[i]) + gb[i] + gf[i];
        H[i] = mass / (h * h) + Hb[13 * i] + Hf[13 * i];
    }
    return e;
}

// One implicit step of the marble, the first of the vertices x [4][3], with velocity v (m/s).
static pli_status advance(pli_broad_phase *broad, const pli_contact_stencil *stencil, double *x,
                          double v[3])
{
    double start[12], y[3], g[3], H[3], trial[12];
    pli_friction friction;
    pli_ccd_def ccd = pli_ccd_def_default(); // keeps a tenth of each gap
    memcpy(trial, memcpy(start, x, sizeof start), sizeof trial);
    pli_friction_freeze(stencil, &barrier, start, &friction);
    for (int i = 0; i < 3; ++i) y[i] = x[i] + h * v[i] + h * h * pull[i];
    for (int iteration = 0; iteration < 100; ++iteration) {
        double before = evaluate(stencil, &friction, x, start, y, g, H), slope[3], curve[3];
        for (int i = 0; i < 3; ++i) trial[i] = x[i] - g[i] / H[i];
        if (fabs(g[0] / H[0]) + fabs(g[1] / H[1]) + fabs(g[2] / H[2]) < 1e-6 * h) break;

        // as far as nothing touches, then back until the energy falls
        pli_broad_phase_pairs pairs;
        pli_status status = pli_broad_phase_find_swept(broad, x, trial, 0, &pairs);
        if (status != PLI_OK) return status;
        double step = pli_safe_step(broad, &pairs, x, trial, &ccd, NULL);
        for (int halvings = 0; halvings < 40; ++halvings, step /= 2) {
            for (int i = 0; i < 3; ++i) trial[i] = x[i] - step * g[i] / H[i];
            if (evaluate(stencil, &friction, trial, start, y, slope, curve) <= before) break;
        }
        memcpy(x, trial, sizeof trial);
    }
    for (int i = 0; i < 3; ++i) v[i] = (x[i] - start[i]) / h;
    return PLI_OK;
}

int main(void)
{
    static const int32_t points[1] = {0}, triangles[3] = {1, 2, 3}; // vertex 0 is the marble
    const pli_broad_phase_def def = {.vertex_count = 4,
                                     .point_count = 1,
                                     .points = points,
                                     .triangle_count = 1,
                                     .triangles = triangles};
    pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_POINT_TRIANGLE);
    pli_context *context = NULL;
    pli_broad_phase *broad = NULL;
    pli_status status = pli_context_create(NULL, &context);
    bool right = true;
    if (status == PLI_OK) status = pli_broad_phase_create(context, &def, &broad);
    for (double mu = 0; status == PLI_OK && mu < 0.6; mu += 0.1) {
        double x[12] = {0, 1e-3, 0, -9, 0, -9, 0, 0, 9, 9, 0, -9}, v[3] = {0, 0, 0}, least = 1;
        stencil.friction = mu;
        for (int k = 0; status == PLI_OK && k < 200; ++k) {
            pli_contact_gap gap;
            status = advance(broad, &stencil, x, v);
            pli_contact_measure(&stencil, x, &gap, NULL, NULL);
            least = fmin(least, gap.distance);
        }
        // pressure is lagged by a step while the marble lands, and what sticks creeps by 1 mm/s
        double expected = fmax(0, pull[0] + mu * pull[1]);
        printf("mu %.1f: %.3f m/s after a second, Coulomb %.3f; gap %.2g m\n", mu, v[0], expected,
               least);
        right = right && least > 0 && fabs(v[0] - expected) < 0.02;
    }
    pli_broad_phase_destroy(broad);
    pli_context_destroy(context);
    return status == PLI_OK && right ? EXIT_SUCCESS : EXIT_FAILURE;
}
