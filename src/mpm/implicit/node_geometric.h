// SPDX-License-Identifier: Apache-2.0
//
// Geometric multigrid on the nodes of a grid: the baseline that node embedding is compared
// with (Wang et al. 2020, section 4.2, equation 7, and section 7.3).
//
// Every coarser level discretises the step again. Its grid has twice the spacing of the one below,
// particles take their weights and gradients directly from it, and its matrix is a sum over
// particles as on the finest level, with the tangents from there (node_quadrature.h). Vectors go
// between levels by the embedding of the multigrid, fine nodes being particles of the next coarser
// grid. Cycle, smoothing, coarsest solve, limits of levels and timers are those of
// node_multigrid.h; only the coarse matrices differ, and are not P^T A P. They have 5^3 blocks a
// row on all levels, where those of linear node embedding get fewer, and a level costs a pass over
// all particles.
//
// Which embedding. The quadratic B-spline, the one of particles, is the baseline of the paper. It
// moves coarse nodes at the rim of a body, which hardly any particle reaches and which hardly
// resist, by what finer nodes inside feel; the steps that come of it are too long, the more so the
// stiffer the body. Linear embedding reaches less far and does much better on the same matrices.
//
// Places. Coarse node I stands where node 2 (I - 1) of the level below does, with linear embedding
// node 2 I, so that level l has the spacing 2^l dx and its node 0 at origin - (2^(l+1) - 2) dx, or
// at the origin. Then particles must be 2^(l-1) dx or more from there along each axis.
//
// Nodes of a level are all that particles reach and all parents of nodes of the level below that
// move. With quadratic embedding there are parents around a body that no particle reaches, and with
// linear embedding nodes that particles reach and that are nobody's parents: the mismatch of
// unknowns that the paper speaks of. The former have no matter; their rows are those of the unit
// matrix without neighbours, they get no correction and have no parents themselves. The latter are
// unknowns like others, with a right-hand side of zero.
//
// Constraints. Nodes of the finest level obey their projectors T there. A sum over particles knows
// nothing of them, so that coarse nodes are held by where they stand: with the T of the node below
// that stands at the same place and has matter, or free if that is free. Where there is none below,
// beyond the matter, those directions are left in which some node below within two spacings may
// move: inside of a wall that holds all of them in one direction a coarse node does not move in it
// either. Matrices are T H T.
//
// Memory is kept from build to build; only growth allocates.
//
// Threads: parallel inside, the same bits for any number; one call at a time.
#ifndef PLI_MPM_IMPLICIT_NODE_GEOMETRIC_H
#define PLI_MPM_IMPLICIT_NODE_GEOMETRIC_H

#include "mpm/implicit/implicit.h"
#include "mpm/implicit/node_multigrid.h"

typedef struct pli_node_geometric pli_node_geometric;

// For the particles of a cloud, of any spline, and their tangents; both are borrowed. Errors:
// memory.
PLI_CHECKED pli_status pli_node_geometric_create(pli_context *context, const pli_cloud *fine,
                                                 const pli_implicit *implicit,
                                                 pli_node_geometric **geometric);
void pli_node_geometric_destroy(pli_node_geometric *geometric);

// Builds all levels of a multigrid for the particles that the cloud was built from and the tangents
// that were prepared last. h is the length of the step (s):
// coarse matrices have m/h^2 on the diagonal. The finest matrix is on the cloud's nodes and, like
// the constraints (NULL: none), as in pli_node_multigrid_build. The multigrid uses matrices of
// `geometric` until its next build. Errors: argument (particles that are not those of the cloud, no
// tangents, h not positive, sizes that do not fit), numeric (a particle too near to the origin),
// memory.
PLI_CHECKED pli_status pli_node_geometric_build(pli_node_geometric *geometric,
                                                const pli_cloud_source *source, double h,
                                                const pli_ell *finest,
                                                const pli_node_constraints *constraints,
                                                pli_node_multigrid *multigrid);

// Bytes of the coarse clouds, matrices and tables.
int64_t pli_node_geometric_memory(const pli_node_geometric *geometric);

// ---- for tests and instruments

// The particles on level l of the last build, from 1 on.
const pli_cloud *pli_node_geometric_cloud(const pli_node_geometric *geometric, int32_t level);

#endif
