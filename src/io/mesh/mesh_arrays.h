// SPDX-License-Identifier: Apache-2.0
//
// Values by name on the points and cells of a mesh, as readers find them.
//
// The first array of a name and place counts; others, such as later time steps, are not kept. What
// a file leaves out, or writes as something that is no number, is not-a-number: whoever uses an
// array says where values are missing.
#ifndef PLI_IO_MESH_MESH_ARRAYS_H
#define PLI_IO_MESH_MESH_ARRAYS_H

#include "io/mesh/mesh_builder.h"
#include "pliant/scene.h"

enum { PLI_MESH_COMPONENTS = 9 }; // of a value, at most

// Adds an array of `count` values. *values [count][component_count] is NULL when nothing is kept:
// the name is empty or known already, or there are no or too many components. Errors: memory.
PLI_CHECKED pli_status pli_mesh_arrays_add(pli_mesh_builder *builder, pli_span name, int32_t place,
                                           int64_t component_count, int64_t count, double **values);

// Joins three arrays of one component on points, times a factor, if there are all of them.
PLI_CHECKED pli_status pli_mesh_arrays_join(pli_mesh_builder *builder, const char *const names[3],
                                            const char *name, double factor);

// The next value, of this type in a binary block; in a text a word that is no number is
// not-a-number.
PLI_CHECKED pli_status pli_mesh_arrays_scan(pli_scan *scan, pli_scalar type, double *value);

// An array of values of cells of the file as two, of tetrahedra and triangles. Cell k of the file
// became those from spans[2 k] to spans[2 k + 2], and from spans[2 k + 1] to spans[2 k + 3].
PLI_CHECKED pli_status pli_mesh_arrays_spread(pli_mesh_builder *builder, pli_span name,
                                              int64_t component_count, int64_t cell_count,
                                              const int32_t *spans, const double *values);

#endif
