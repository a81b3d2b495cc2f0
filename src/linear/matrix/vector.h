// SPDX-License-Identifier: Apache-2.0
//
// Operations on long vectors of doubles: sums, scalar products, linear combinations.
//
// Every function is a parallel loop whose cut depends on the length alone, and every sum is formed
// in a fixed order: eight running sums inside a block, blocks combined with compensation. Results
// therefore have the same bits for any number of threads. Short vectors run on the calling thread.
//
// Vectors may be the same array where a comment says so, otherwise they must not overlap. Unknowns
// of a mesh are stored as [vertex_count][3]; count is then 3 vertex_count. Vectors with 64-byte
// alignment (everything from base/memory.h and base/arena.h) are the fast case, any other works.
#ifndef PLI_LINEAR_MATRIX_VECTOR_H
#define PLI_LINEAR_MATRIX_VECTOR_H

#include "base/parallel.h"

void pli_vector_fill(const pli_context *context, int64_t count, double value, double *x);
void pli_vector_copy(const pli_context *context, int64_t count, const double *from, double *to);

// x = s x
void pli_vector_scale(const pli_context *context, int64_t count, double s, double *x);

// y = y + a x
void pli_vector_axpy(const pli_context *context, int64_t count, double a, const double *x,
                     double *y);

// out = x - y; out may be x or y.
void pli_vector_subtract(const pli_context *context, int64_t count, const double *x,
                         const double *y, double *out);

// x . y; x and y may be the same array.
double pli_vector_dot(const pli_context *context, int64_t count, const double *x, const double *y);

// The same by the calling thread alone, for a part of a vector that is at hand.
double pli_vector_dot_part(int64_t count, const double *x, const double *y);

// x . z and y . z in one pass; any of them may be the same array.
typedef struct pli_dots {
    double first;
    double second;
} pli_dots;

pli_dots pli_vector_dots(const pli_context *context, int64_t count, const double *x,
                         const double *y, const double *z);

// y = y + a x, and then y . z, in one pass; z may be x.
double pli_vector_axpy_dot(const pli_context *context, int64_t count, double a, const double *x,
                           double *y, const double *z);

// |x|^2 and |x|, Euclidean.
double pli_vector_norm2(const pli_context *context, int64_t count, const double *x);
double pli_vector_norm(const pli_context *context, int64_t count, const double *x);

// Largest |x_i|; 0 for an empty vector, NaN when an entry is NaN.
double pli_vector_max_abs(const pli_context *context, int64_t count, const double *x);

#endif
