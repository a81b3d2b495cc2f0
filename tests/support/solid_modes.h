// SPDX-License-Identifier: Apache-2.0
//
// Figures of natural vibrations: modes against swings in time, and those of a free body.
#ifndef PLI_TESTS_SOLID_MODES_H
#define PLI_TESTS_SOLID_MODES_H

#include "pliant/base.h"

// A beam of 1 x 0.1 x 0.1 m of 1 MPa, 1000 kg/m^3, nu 0, held at one end.
typedef struct pli_solid_beam {
    int32_t cells[3];
    const char *law;
    const char *axes; // that are held everywhere; "": none
    const char *element;
} pli_solid_beam;

// The lowest frequencies (Hz).
PLI_CHECKED pli_status pli_solid_beam_modes(pli_context *context, const pli_solid_beam *beam,
                                            int32_t count, double *frequencies);

// Struck in the shape of a mode, the beam swings: its frequency in time over that of the mode.
PLI_CHECKED pli_status pli_solid_struck_beam(pli_context *context, const pli_solid_beam *beam,
                                             int32_t mode, double *ratio);

// Of a free cube: the largest of the six lowest over the seventh.
PLI_CHECKED pli_status pli_solid_free_modes(pli_context *context, double *ratio);

#endif
