// SPDX-License-Identifier: Apache-2.0
//
// Figures of what bodies remember: viscoelastic branches and folds, against closed forms.
#ifndef PLI_TESTS_SOLID_LAWS_H
#define PLI_TESTS_SOLID_LAWS_H

#include "solid_run.h"

// A cube of a law with one branch (ratio 0.8, 0.5 s), or a second one (0.3, 4 s), is stretched
// within a step of 0.1 s and held for four: largest relative error of its stress, that of slow
// loads times 1 + sum of gain exp(-t / tau), where the second Piola-Kirchhoff stress grows linearly
// in the step.
PLI_CHECKED pli_status pli_solid_relaxation(pli_context *context, const char *law,
                                            int32_t branch_count, double *error);

// A bar of the standard linear solid (ratio 0.8, 0.5 s) under a load that comes in the first step
// of 1 ms and stays for 600: largest relative error of its strain.
PLI_CHECKED pli_status pli_solid_creep(pli_context *context, double *error);

// Two triangles are folded through `count` angles (rad), and let go: the angle that stays, whose
// sign is that of the angles. The scene is left to look at, and to clear.
PLI_CHECKED pli_status pli_solid_fold(pli_solid *s, pli_context *context, const double *angles,
                                      int count, const char *fold, double *rest);

// The same by the return map of one hinge: what is beyond a from rest moves rest by 1 - r of it,
// and a grows by r of it.
double pli_solid_fold_map(const double *angles, int count, double a, double r);

#endif
