// SPDX-License-Identifier: Apache-2.0
//
// Taking shapes apart into a union. With - for inside out:
//     A u B          A, B
//     -(A n B)       -A, -B
//     -(A - B)       -A, B
//     -box           the half-spaces beyond its six faces
//     -(-A)          A
//     M A            the parts of A, each moved
// All sharp combinations are one case: outer * min_i (sign_i child_i) is a union of parts when
// outer, turned by the negations above it, is positive.
#include "geometry/shapes/shape_node.h"

typedef struct part_writer {
    pli_shape_set *set;
    int32_t capacity;
    int32_t count;
    const pli_shape **parts;
} part_writer;

static pli_status add_part(part_writer *out, const pli_shape *part)
{
    if (out->count >= out->capacity) {
        return PLI_FAIL(pli_shape_set_context(out->set), PLI_ERROR_ARGUMENT,
                        "a shape has more than %d parts, which is all there is room for",
                        out->capacity);
    }
    out->parts[out->count++] = part;
    return PLI_OK;
}

// The shape itself, or inside out.
static pli_status add_whole(part_writer *out, const pli_shape *shape, bool negated)
{
    const pli_shape *part = shape;
    if (negated) PLI_TRY(pli_shape_negation(out->set, shape, &part));
    return add_part(out, part);
}

// What lies beyond each face of a box.
static pli_status add_half_spaces(part_writer *out, const pli_bounds *box)
{
    for (int side = 0; side < 6; ++side) {
        int axis = side / 2;
        bool is_max = side % 2 == 1;
        double normal[3] = {0, 0, 0};
        normal[axis] = is_max ? -1 : 1;
        const pli_shape *part = NULL;
        PLI_TRY(pli_shape_plane(out->set, is_max ? box->max : box->min, normal, &part));
        PLI_TRY(add_part(out, part));
    }
    return PLI_OK;
}

static pli_status split(part_writer *out, const pli_shape *shape, bool negated);

// s min_i (sign_i child_i): a union when s is positive, or when there is only one child.
static pli_status split_combination(part_writer *out, const pli_shape *shape, double s,
                                    const double *signs)
{
    if (shape->child_count == 1) return split(out, shape->children[0], s * signs[0] < 0);
    for (int32_t i = 0; i < shape->child_count; ++i) {
        PLI_TRY(split(out, shape->children[i], signs[i] < 0));
    }
    return PLI_OK;
}

// Parts of what is moved, moved; a source of one part stays as it is.
static pli_status split_transform(part_writer *out, const pli_shape *shape, bool negated,
                                  const pli_shape_placement *placement)
{
    int32_t begin = out->count;
    PLI_TRY(split(out, shape->children[0], negated));
    if (out->count == begin + 1) {
        out->count = begin;
        return add_whole(out, shape, negated);
    }
    for (int32_t i = begin; i < out->count; ++i) {
        PLI_TRY(pli_shape_transform(out->set, out->parts[i], placement, &out->parts[i]));
    }
    return PLI_OK;
}

// Adds the parts of the shape, or of the shape inside out. The depth of shapes bounds the
// recursion.
static pli_status split(part_writer *out, const pli_shape *shape, bool negated)
{
    double outer;
    const double *signs;
    if (pli_shape_get_sharp(shape, &outer, &signs)) {
        double s = negated ? -outer : outer;
        bool is_union = s > 0 || shape->child_count == 1;
        return is_union ? split_combination(out, shape, s, signs) : add_whole(out, shape, negated);
    }
    if (pli_shape_is_negation(shape)) return split(out, shape->children[0], !negated);
    if (negated && pli_shape_is_sharp_box(shape)) return add_half_spaces(out, &shape->bounds);
    const pli_shape_placement *placement = pli_shape_get_placement(shape);
    if (placement != NULL) return split_transform(out, shape, negated, placement);
    return add_whole(out, shape, negated);
}

pli_status pli_shape_parts(pli_shape_set *set, const pli_shape *shape, int32_t capacity,
                           const pli_shape **parts, int32_t *count)
{
    *count = 0;
    if (shape == NULL) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT, "nothing to take apart");
    }
    part_writer out = {set, capacity, 0, parts};
    PLI_TRY(split(&out, shape, false));
    // what can't be taken apart is handed back itself
    if (out.count == 1) parts[0] = shape;
    *count = out.count;
    return PLI_OK;
}
