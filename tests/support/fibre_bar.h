// SPDX-License-Identifier: Apache-2.0
//
// Bars of flesh with fibres, pulled along and across them, and what the closed form has for them.
#ifndef PLI_TESTS_FIBRE_BAR_H
#define PLI_TESTS_FIBRE_BAR_H

// Inputs of the law "fibres" by their places.
enum {
    PLI_FIBRE_YOUNG,
    PLI_FIBRE_POISSON,
    PLI_FIBRE_DIRECTION,
    PLI_FIBRE_K1 = 5,
    PLI_FIBRE_K2,
    PLI_FIBRE_DISPERSION,
    PLI_FIBRE_SHARE,
    PLI_FIBRE_TOE,
    PLI_FIBRE_ACTIVE,
    PLI_FIBRE_ACTIVATION,
    PLI_FIBRE_OPTIMUM,
    PLI_FIBRE_WIDTH,
    PLI_FIBRE_INPUTS
};

// Flesh of 30 kPa with fibres along an axis that is turned.
static const double pli_fibre_flesh[PLI_FIBRE_INPUTS] = {3e4, 0.45, 1,    -2,  2, 2e4, 3,
                                                         0,   0,    0.02, 3e5, 0, 1.1, 0.6};

// First Piola-Kirchhoff stress of stretches along the fibres and two axes across, in that frame
// (Pa).
void pli_fibre_pull(const double *inputs, const double s[3], double P[9]);

// What the fibres add along them at a stretch (Pa).
double pli_fibre_tension(const double *inputs, double stretch);

// A bar that is stretched along axis `along` of that frame, its sides free: the stress that the law
// has, and along the bar that of the closed form.
void pli_fibre_bar(const double *inputs, int along, double stretch, double P[9], double *expected);

#endif
