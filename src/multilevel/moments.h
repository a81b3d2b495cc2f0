// SPDX-License-Identifier: Apache-2.0
//
// Families of functions on the points of a cluster, for cubature.h: products of a few functions,
// and an orthonormal basis of what they span.
//
// Functions are rows of values, one per point. A product is its parent times one more function, so
// that a family of degree 2 is the list 1, u_0, u_1, .., u_0 u_0, u_0 u_1, ..; each takes one
// multiplication.
//
// Products of functions that sum to one depend on each other, and products of smooth ones nearly
// do. pli_span_build finds what is independent by Gram-Schmidt with pivoting in the scalar product
// <f, g> = sum_e |e| f(x_e) g(x_e): the function with the largest remainder becomes the next of the
// basis, until remainders are nowhere larger than `drop`. Whatever weights of the same sum do to
// the basis they do to all functions then, up to that. Rounding costs a little orthogonality where
// remainders have become small, which is a matter of conditioning alone; nothing is repeated.
#ifndef PLI_MULTILEVEL_MOMENTS_H
#define PLI_MULTILEVEL_MOMENTS_H

#include <stdint.h>

typedef struct pli_product {
    int32_t parent;   // product with one factor less; -1: this is the constant 1
    int32_t function; // the last factor, whose number is not smaller than the others'
} pli_product;

// Number of products of 0 to `degree` of so many functions.
int64_t pli_product_count(int32_t function_count, int32_t degree);

// Lists them by degree, the constant first; products [pli_product_count].
void pli_product_list(int32_t function_count, int32_t degree, pli_product *products);

// Values of all products at one point; functions: value of function i at [stride * i].
void pli_product_evaluate(int32_t product_count, const pli_product *products,
                          const double *functions, int64_t stride, double *values);

// Values at all points: rows [product_count][point_count]; functions [..][point_count].
void pli_product_evaluate_all(int32_t product_count, const pli_product *products,
                              const double *functions, int32_t point_count, double *rows);

typedef struct pli_span {
    int32_t row_count;
    int32_t point_count;
    const double *volumes; // [point_count] > 0
    double drop;           // largest value of a remainder that may be left out
    int32_t most;          // rank at which to give up; 0: none
    double *rows;          // [row_count][point_count]  functions; the basis in the end
    int32_t *order;        // [row_count]  set: number of the function in a row
    double *norms;         // [row_count]  scratch
    double *roots;         // [point_count]  scratch
} pli_span;

// Replaces the first rows by an orthonormal basis of all and returns its size, the rank, or `most`
// when it is at least that; what is in
// the rows behind it is of no use. The first row comes first in the basis.
int32_t pli_span_build(pli_span *span);

#endif
