// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/schema.h"

static const pli_field probe_fields[] = {
    {.key = "body",
     PLI_TEXT(pli_probe_def, body),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Name of a body; by default every body."},
    {.key = "vertex",
     PLI_INTEGER(pli_probe_def, vertex),
     .flags = PLI_FIELD_OPTIONAL,
     .fallback = "-1",
     .min = 0,
     .max = INT32_MAX,
     .unit = "",
     .doc = "One vertex, by its number in the body, counted from 0."},
    {.key = "at",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_probe_def, at, at_count),
     .flags = PLI_FIELD_OPTIONAL,
     PLI_COORDINATE,
     .doc = "A place in the body's initial placement: the material that is nearest to it, which "
            "is followed as it moves."},
    {.key = "where",
     PLI_VARIANT(pli_probe_def, where, pli_selection_variants),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Average over these vertices by mass, and over the elements there by volume; by "
            "default the whole body, unless a vertex or a place is given."},
    {.key = "of",
     PLI_MEMBERS(PLI_FIELD_TEXTS, pli_probe_def, of, of_count),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "What is measured there; by default position, displacement and velocity."},
    {.key = "distance",
     PLI_MEMBERS(PLI_FIELD_TEXTS, pli_probe_def, distance, distance_count),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "The distance between the positions of two other probes, by their names."},
    {.key = "contact",
     PLI_MEMBERS(PLI_FIELD_TEXTS, pli_probe_def, contact, contact_count),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Force and moment about the origin that the second of two bodies, or a collider, "
            "exerts on the first, by their names; of contact by barriers."},
};
const pli_schema pli_probe_schema = {.name = "probe",
                                     .doc = "What is measured at every step, beside the reactions "
                                            "of constraints, attachments and colliders.",
                                     .size = sizeof(pli_probe_def),
                                     PLI_TABLE(probe_fields)};

static const pli_field plot_fields[] = {
    {.key = "x",
     PLI_TEXT(pli_plot_def, x),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "A number that is measured, such as tip.displacement.y: across."},
    {.key = "y",
     PLI_TEXT(pli_plot_def, y),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "A number that is measured, such as support.force.y: upwards."},
};
const pli_schema pli_plot_schema = {.name = "plot",
                                    .doc = "Two measured numbers against each other.",
                                    .size = sizeof(pli_plot_def),
                                    PLI_TABLE(plot_fields)};
