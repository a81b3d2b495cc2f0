// SPDX-License-Identifier: Apache-2.0
//
// Transfers one particle and one node at a time, in double and plainly, on a dense grid.
#ifndef PLI_TESTS_TRANSFER_REFERENCE_H
#define PLI_TESTS_TRANSFER_REFERENCE_H

#include "mpm/grid/transfer.h"

// nodes [n_x][n_y][n_z], all of the paged grid's; mass and momentum [4], or velocity and nothing
void pli_transfer_scatter_reference(const pli_transfer *transfer, pli_particle_place place,
                                    double dt, double (*nodes)[4]);
void pli_transfer_gather_reference(const pli_transfer *transfer, pli_particle_place place,
                                   double dt, const double (*velocities)[4]);

#endif
