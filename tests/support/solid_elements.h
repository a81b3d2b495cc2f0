// SPDX-License-Identifier: Apache-2.0
//
// Figures of elements: scenes with closed forms, and how far from them each kind of element ends.
// `element` is what scenes say.
#ifndef PLI_TESTS_SOLID_ELEMENTS_H
#define PLI_TESTS_SOLID_ELEMENTS_H

#include "pliant/base.h"

// Cook's membrane (Cook 1974): a tapered slab in plane strain, 48 mm long, clamped at its left end
// of 44 mm and pushed upwards by 0.1 MPa on its right end of 16 mm; n crossed cells a side, stable
// Neo-Hookean of 250 MPa. How far its upper corner rises (m).
PLI_CHECKED pli_status pli_solid_cook(pli_context *context, const char *element, int32_t n,
                                      double poisson, double *tip);

// A cantilever of 1 x 0.1 x 0.1 m with a load at its end, cells through its thickness: deflection
// over that of Timoshenko's beam.
PLI_CHECKED pli_status pli_solid_cantilever(pli_context *context, const char *element,
                                            int32_t through, double *ratio);

// What a thick cylinder from 1 m to 2 m in plane strain does under a pressure inside (Lame).
typedef struct pli_solid_lame {
    double displacement; // largest error, relative
    double hoop;         // error of the hoop stress of the layer at the inner face, relative
    // root mean squares of the error of hoop stress, over its largest
    double hoop_vertices; // of vertices between the faces, averaged over the elements around them
    double hoop_elements;
} pli_solid_lame;

PLI_CHECKED pli_status pli_solid_cylinder(pli_context *context, const char *element, double poisson,
                                          int32_t rings, pli_solid_lame *errors);

// A cube of n cells a side whose surface and insides are pushed so that a displacement of sines is
// the solution: the error in displacement, L2 (m).
PLI_CHECKED pli_status pli_solid_manufactured(pli_context *context, const char *element, int32_t n,
                                              double *error);

#endif
