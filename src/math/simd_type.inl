// SPDX-License-Identifier: Apache-2.0
//
// Helpers of math/simd.h that read the same for every vector type; included once per type with
// PLI_SIMD_NAME(name), _T, _MASK, _ELEMENT, _INTEGER (of the element's size), _SIGN, _LANES,
// _EXPONENT (bits of the exponent), _EXPONENT_ONE (its lowest bit) and _EXPONENT_BIAS defined.

PLI_INLINE PLI_SIMD_T PLI_SIMD_NAME(broadcast)(PLI_SIMD_ELEMENT s)
{
    return s - (PLI_SIMD_T){0};
}

PLI_INLINE PLI_SIMD_T PLI_SIMD_NAME(load)(const PLI_SIMD_ELEMENT *from)
{
    PLI_SIMD_T x;
    memcpy(&x, from, sizeof x);
    return x;
}

PLI_INLINE void PLI_SIMD_NAME(store)(PLI_SIMD_T x, PLI_SIMD_ELEMENT *to)
{
    memcpy(to, &x, sizeof x);
}

// Exact to rounding: the machine's estimate would differ from one make of processor to the next.
PLI_INLINE PLI_SIMD_T PLI_SIMD_NAME(rsqrt)(PLI_SIMD_T x)
{
    return (PLI_SIMD_ELEMENT)1 / PLI_SIMD_NAME(sqrt)(x);
}

PLI_INLINE PLI_SIMD_T PLI_SIMD_NAME(abs)(PLI_SIMD_T x)
{
    return (PLI_SIMD_T)((PLI_SIMD_MASK)x & ~PLI_SIMD_SIGN);
}

PLI_INLINE PLI_SIMD_T PLI_SIMD_NAME(copysign)(PLI_SIMD_T magnitude, PLI_SIMD_T sign)
{
    return (PLI_SIMD_T)(((PLI_SIMD_MASK)magnitude & ~PLI_SIMD_SIGN) |
                        ((PLI_SIMD_MASK)sign & PLI_SIMD_SIGN));
}

PLI_INLINE PLI_SIMD_T PLI_SIMD_NAME(flip_sign)(PLI_SIMD_T x, PLI_SIMD_T y)
{
    return (PLI_SIMD_T)((PLI_SIMD_MASK)x ^ ((PLI_SIMD_MASK)y & PLI_SIMD_SIGN));
}

PLI_INLINE bool PLI_SIMD_NAME(all)(PLI_SIMD_MASK mask)
{
    return !PLI_SIMD_NAME(any)(~mask);
}

PLI_INLINE PLI_SIMD_MASK PLI_SIMD_NAME(select_integer)(PLI_SIMD_MASK mask, PLI_SIMD_MASK x,
                                                       PLI_SIMD_MASK y)
{
    return (mask & x) | (~mask & y);
}

// Exponents are kept away from both ends, so that neither factor overflows or becomes zero.
PLI_INLINE void PLI_SIMD_NAME(scaling)(PLI_SIMD_T x, PLI_SIMD_T *scale, PLI_SIMD_T *back)
{
    const PLI_SIMD_INTEGER one = PLI_SIMD_EXPONENT_ONE;
    const PLI_SIMD_MASK least = one - (PLI_SIMD_MASK){0};
    const PLI_SIMD_MASK most = one * (2 * PLI_SIMD_EXPONENT_BIAS - 1) - (PLI_SIMD_MASK){0};
    PLI_SIMD_MASK bits = (PLI_SIMD_MASK)x & (PLI_SIMD_INTEGER)PLI_SIMD_EXPONENT;
    bits = PLI_SIMD_NAME(select_integer)((PLI_SIMD_MASK)(bits < least), least, bits);
    bits = PLI_SIMD_NAME(select_integer)((PLI_SIMD_MASK)(bits > most), most, bits);
    *back = (PLI_SIMD_T)bits;
    *scale = (PLI_SIMD_T)(most + one - bits);
}

#undef PLI_SIMD_NAME
#undef PLI_SIMD_T
#undef PLI_SIMD_MASK
#undef PLI_SIMD_ELEMENT
#undef PLI_SIMD_INTEGER
#undef PLI_SIMD_SIGN
#undef PLI_SIMD_EXPONENT
#undef PLI_SIMD_EXPONENT_ONE
#undef PLI_SIMD_EXPONENT_BIAS
