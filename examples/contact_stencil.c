// SPDX-License-Identifier: Apache-2.0
//
// Contact without a simulation: a point comes down on a triangle, and one edge on another. Prints
// energies and forces, and compares gradients with differences of energies.
//
//     contact_stencil
#include "pliant/contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const pli_barrier_def barrier = {.dhat = 1e-2, .stiffness = 1e4};

enum { DOFS = PLI_CONTACT_DOFS };

// Largest difference between the gradient and central differences of the energy, over the largest
// entry of the gradient.
static double check_gradient(const pli_contact_stencil *stencil, const double *x)
{
    double gradient[DOFS];
    double moved[DOFS];
    double worst = 0, largest = 0;
    pli_contact_gap gap;
    pli_contact_measure(stencil, x, &gap, NULL, NULL);
    pli_contact_evaluate(stencil, &barrier, x, false, gradient, NULL);

    // a step that is short against the gap
    double h = 1e-5 * gap.distance;
    int32_t dofs = 3 * pli_contact_point_count(stencil->kind);
    for (int32_t k = 0; k < dofs; ++k) {
        for (int32_t i = 0; i < dofs; ++i) moved[i] = x[i];
        moved[k] = x[k] + h;
        double right = pli_contact_evaluate(stencil, &barrier, moved, false, NULL, NULL);
        moved[k] = x[k] - h;
        double left = pli_contact_evaluate(stencil, &barrier, moved, false, NULL, NULL);
        worst = fmax(worst, fabs((right - left) / (2 * h) - gradient[k]));
        largest = fmax(largest, fabs(gradient[k]));
    }
    return largest > 0 ? worst / largest : worst;
}

// One line: gap, energy, force on the first point, and whether the gradient is right.
static double print_line(const pli_contact_stencil *stencil, const double *x)
{
    double gradient[DOFS];
    pli_contact_gap gap;
    pli_contact_measure(stencil, x, &gap, NULL, NULL);
    double energy = pli_contact_evaluate(stencil, &barrier, x, false, gradient, NULL);
    double error = check_gradient(stencil, x);
    printf("%12.3g %8d %14.6g %14.6g %12.1e\n", gap.distance, gap.feature, energy, 0 - gradient[2],
           error);
    return error;
}

static void print_head(const char *what)
{
    printf("\n%s\n%12s %8s %14s %14s %12s\n", what, "gap (m)", "feature", "energy (J)", "force (N)",
           "error");
}

static const double gaps[] = {1.1e-2, 9e-3, 5e-3, 1e-3, 1e-4};
enum { GAPS = sizeof gaps / sizeof *gaps };

static double show_point_triangle(void)
{
    double worst = 0;
    pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_POINT_TRIANGLE);
    print_head("a point over the inside of a triangle");
    for (int k = 0; k < GAPS; ++k) {
        const double x[DOFS] = {0.03, 0.03, gaps[k], 0, 0, 0, 0.1, 0, 0, 0, 0.1, 0};
        worst = fmax(worst, print_line(&stencil, x));
    }
    return worst;
}

static double show_edges(double turn, const char *what)
{
    double worst = 0;
    pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_EDGE_EDGE);
    print_head(what);
    for (int k = 0; k < GAPS; ++k) {
        const double x[DOFS] = {-0.05, -turn, gaps[k], 0.05, turn, gaps[k],
                                -0.04, 0,     0,       0.06, 0,    0};
        // these edges are as long now as they were at rest
        stencil.mollifier = pli_mollifier_threshold(x);
        worst = fmax(worst, print_line(&stencil, x));
    }
    return worst;
}

// A point that is pushed along a floor: it sticks, then slides at mu times the normal force.
static void show_friction(void)
{
    const double floor_plane[4] = {0, 0, 1, 0};
    const double start[3] = {0, 0, 5e-3};
    const double eps = 1e-5; // eps_v h: 1 mm/s, steps of 10 ms
    pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_POINT_PLANE);
    pli_friction friction;
    stencil.plane = floor_plane;
    stencil.friction = 0.5;
    pli_friction_freeze(&stencil, &barrier, start, &friction);

    printf("\na point on a floor, pressed by %.4g N, mu = %g\n", friction.normal_force,
           stencil.friction);
    printf("%12s %14s\n", "slip (m)", "friction (N)");
    for (double slip = 0; slip <= 2e-5; slip += 2.5e-6) {
        const double x[3] = {slip, 0, 5e-3};
        double gradient[3];
        pli_friction_evaluate(&friction, eps, x, start, gradient, NULL);
        printf("%12.3g %14.6g\n", slip, 0 - gradient[0]);
    }
}

int main(void)
{
    double worst = show_point_triangle();
    worst = fmax(worst, show_edges(0.05, "two edges that cross"));
    worst = fmax(worst, show_edges(1e-3, "two edges that are nearly parallel"));
    show_friction();

    // differences with steps of 1e-5 gaps are good to about 1e-9
    printf("\ngradients agree with differences to %.1e\n", worst);
    return worst < 1e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
}
