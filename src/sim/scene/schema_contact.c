// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/schema.h"

#define FRICTION                                                          \
    .key = "friction", .fallback = "0", .min = 0, .max = 1e3, .unit = "", \
    .doc = "Coulomb's coefficient of friction."

// ---- colliders

static const char *const collider_method_names[] = {[PLI_COLLIDER_AUTO] = "auto",
                                                    [PLI_COLLIDER_CONSTRAINT] = "constraint",
                                                    [PLI_COLLIDER_PENALTY] = "penalty",
                                                    [PLI_COLLIDER_POSTPROCESS] = "postprocess",
                                                    [PLI_COLLIDER_BARRIER] = "barrier",
                                                    [PLI_COLLIDER_QUADRATIC] = "quadratic",
                                                    NULL};

static const pli_field collider_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_collider_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The solid, where it is at the start."},
    {.key = "inside_out",
     PLI_BOOL(pli_collider_def, inside_out),
     .fallback = "false",
     .doc = "Whether the bodies are inside of the shape and everything else is solid."},
    {.key = "method",
     PLI_CHOICE(pli_collider_def, method, collider_method_names),
     .fallback = "auto",
     .doc = "How vertices are kept out: never inside (constraint), pushed out by springs that "
            "stiffen with depth (penalty) or do not (quadratic), moved out after the solve "
            "(postprocess), or kept at a distance (barrier); auto is barrier where the bodies' "
            "contact is, or penalty there for shapes without end and planes that move, quadratic "
            "with solvers that keep their matrix, else constraint, or penalty where the shape is "
            "sampled on a grid."},
    {.key = "stiffness",
     PLI_REAL(pli_collider_def, stiffness),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e18,
     .unit = "N/m^2 or N/m",
     .doc = "Penalty: stiffness k of k depth^3 of each vertex (N/m^2), by default 10 times Young's "
            "modulus of the stiffest material. Quadratic: k of k/2 depth^2 (N/m), by default 10 "
            "times the stiffness of the stiffest edge."},
    {FRICTION, PLI_REAL(pli_collider_def, friction)},
    {.key = "motion",
     PLI_STRUCT(pli_collider_def, motion, &pli_motion_schema),
     .doc = "How it moves, without stretching; by default not at all, and about the centre of its "
            "bounds; after: release takes it away."},
    {.key = "margin",
     PLI_REAL(pli_collider_def, margin),
     .fallback = "0",
     PLI_EXTENT_OR_NONE,
     .doc = "Distance that vertices keep from the surface, such as the thickness of a cloth, whose "
            "triangles would else cut into a round collider."},
    {.key = "boundary",
     .former = "hold",
     PLI_CHOICE(pli_collider_def, boundary, pli_boundary_names),
     .fallback = "separate",
     .doc = "Boundary condition of particles: they slide along it and may leave (separate), slide "
            "only (slip), or move with it (sticky)."},
    {.key = "spacing",
     PLI_REAL(pli_collider_def, spacing),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "m",
     .doc = "Barrier: length of the edges of the triangles that a curved surface is cut into; by "
            "default that of the bodies' edges, but 24 to 64 along its longest side. A sharp box "
            "has twelve triangles and a mesh its own."},
};
const pli_schema pli_collider_schema = {
    .name = "collider",
    .doc = "A solid that bodies collide with; it stands still or follows a script.",
    .size = sizeof(pli_collider_def),
    PLI_TABLE(collider_fields)};

// ---- contact

static const pli_field pair_fields[] = {
    {.key = "bodies",
     PLI_MEMBERS(PLI_FIELD_TEXTS, pli_contact_pair_def, bodies, body_count),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Names of two bodies, or of a body and a collider."},
    {.key = "collide",
     PLI_BOOL(pli_contact_pair_def, collide),
     .fallback = "true",
     .doc = "Whether the two collide at all."},
    {.key = "friction",
     PLI_REAL(pli_contact_pair_def, friction),
     .fallback = "-1",
     .min = -1,
     .max = 1e3,
     .unit = "",
     .doc = "Coulomb's coefficient of friction between the two; -1: as everywhere."},
};
const pli_schema pli_contact_pair_schema = {.name = "contact_pair",
                                            .doc = "What holds between two bodies in particular.",
                                            .size = sizeof(pli_contact_pair_def),
                                            PLI_TABLE(pair_fields)};

static const char *const contact_method_names[] = {[PLI_CONTACT_NONE] = "none",
                                                   [PLI_CONTACT_PENALTY] = "penalty",
                                                   [PLI_CONTACT_BARRIER] = "barrier",
                                                   [PLI_CONTACT_AUTO] = "auto",
                                                   NULL};

static const pli_field contact_fields[] = {
    {.key = "method",
     PLI_CHOICE(pli_contact_def, method, contact_method_names),
     .fallback = "auto",
     .doc = "Whether bodies pass through each other (none), stiff springs push vertices out of "
            "tetrahedra (penalty), or surfaces never touch at all (barrier). auto is barrier where "
            "there is more than one body, or cloth or a shell; with a solver or colliders that "
            "barriers do not go with it is penalty, for solids, or none, with a warning."},
    {.key = "self",
     PLI_BOOL(pli_contact_def, self),
     .fallback = "true",
     .doc = "Whether a body collides with itself, too."},
    {.key = "stiffness",
     PLI_REAL(pli_contact_def, stiffness),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e18,
     .unit = "N/m^2 or N/m",
     .doc = "Penalty: stiffness k of k depth^3 of each vertex (N/m^2), by default 10 times Young's "
            "modulus of the stiffest material. Barrier: stiffness k of a contact (N/m), by default "
            "chosen in every step from inertia and forces."},
    {FRICTION, PLI_REAL(pli_contact_def, friction)},
    {.key = "distance",
     PLI_REAL(pli_contact_def, distance),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "m",
     .doc = "Barrier: distance at which contact begins; by default 1e-3 of the diagonal of the "
            "scene, and at most 0.02 of that of the smallest body."},
    {.key = "friction_speed",
     PLI_REAL(pli_contact_def, friction_speed),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "m/s",
     .doc = "Barrier: speed below which friction is static; by default 1e-3 of the diagonal of the "
            "scene per second."},
    {.key = "friction_iterations",
     PLI_INTEGER(pli_contact_def, friction_iterations),
     .fallback = "1",
     .min = 0,
     .max = 1000000,
     .unit = "",
     .doc =
         "Barrier: solves per step, each with the normal forces of the one before; 0: until they "
         "no longer change."},
    {.key = "pairs",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_contact_def, pairs, pair_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_contact_pair_schema,
     .doc = "Barrier: what holds between two bodies in particular; later ones win."},
};
const pli_schema pli_contact_schema = {.name = "contact",
                                       .doc = "Contact between bodies, and self-contact.",
                                       .size = sizeof(pli_contact_def),
                                       .scalar_key = "method",
                                       PLI_TABLE(contact_fields)};
