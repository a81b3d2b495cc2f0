// SPDX-License-Identifier: Apache-2.0
//
// On which side a point lies, decided exactly: the sign of a determinant of coordinates, for points
// as they are stored, without tolerance.
//
// Method: adaptive precision after Shewchuk 1997, "Adaptive precision floating-point arithmetic and
// fast robust geometric predicates". The determinant is first computed in plain arithmetic with a
// bound on its rounding error (section 4); nearly always that settles the sign. Where it does not,
// the determinant is computed without any error as an expansion: a sum of doubles that do not
// overlap, whose largest gives the sign (sections 2.3 to 2.5). If all differences of coordinates
// are exact, as among near neighbours, the expansion has at most 24 terms, otherwise 96.
//
// The sign is right for all coordinates that are zero or between 1e-92 and 1e92 in magnitude: then
// neither the products of three coordinates nor their last bits leave the range of a double (last
// bits are multiples of 2^(3 (-306 - 52)) = 2^-1074). Beyond, bits are lost: with coordinates that
// are smaller, a sign may come out as 0 or wrong where it hangs on them; with larger ones,
// infinities and NaN arise and the sign means nothing. Nothing else happens: no trap, no loop.
//
// Needs IEEE doubles, rounding to nearest, and a compiler that neither reassociates nor contracts:
// the build compiles predicates.c with -ffp-contract=off. fma is used where its single rounding is
// wanted, for the error of a product.
//
// Threads: pure functions.
#ifndef PLI_GEOMETRY_COLLISION_PREDICATES_H
#define PLI_GEOMETRY_COLLISION_PREDICATES_H

// Magnitudes of coordinates within which signs are right, zero besides.
#define PLI_PREDICATE_SMALLEST 1e-92
#define PLI_PREDICATE_LARGEST 1e92

// 1 when a, b, c turn left (counter-clockwise), -1 when right, 0 when they lie on one line.
int pli_orient2d(const double a[2], const double b[2], const double c[2]);

// Sign of det(b - a, c - a, d - a), six times the volume of the tetrahedron: 1 when d lies on the
// side that (b - a) x (c - a) points to, 0 when the four points lie in a plane.
int pli_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
