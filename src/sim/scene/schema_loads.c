// SPDX-License-Identifier: Apache-2.0
//
// Loads and cavities.
#include "sim/scene/schema.h"

static const char *const ease_names[] = {
    [PLI_EASE_LINEAR] = "linear", [PLI_EASE_SMOOTH] = "smooth", NULL};

static const pli_field factor_fields[] = {
    {.key = "time",
     PLI_REAL(pli_factor_def, time),
     .flags = PLI_FIELD_REQUIRED,
     .fallback = "-1",
     .min = 0,
     .max = 1e9,
     .unit = "s",
     .doc = "When; later than the one before."},
    {.key = "factor",
     PLI_REAL(pli_factor_def, factor),
     .flags = PLI_FIELD_REQUIRED,
     .fallback = "1",
     .min = -1e9,
     .max = 1e9,
     .unit = "",
     .doc = "What the value is multiplied by at that time."},
};
const pli_schema pli_factor_schema = {.name = "factor",
                                      .doc = "A factor at a moment.",
                                      .size = sizeof(pli_factor_def),
                                      PLI_TABLE(factor_fields)};

#define FORCE_PER(unit_) .min = -1e15, .max = 1e15, .unit = (unit_)

static const pli_field load_fields[] = {
    {.key = "body",
     PLI_TEXT(pli_body_load_def, body),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Name of a body; by default every body."},
    {.key = "where",
     PLI_VARIANT(pli_body_load_def, where, pli_selection_variants),
     .fallback = "all",
     .doc = "Where it acts, in the body's initial placement: traction, pressure and force on the "
            "triangles of the surface whose vertices are all selected, others on vertices."},
    {.key = "traction",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_body_load_def, traction, traction_count),
     .flags = PLI_FIELD_OPTIONAL,
     FORCE_PER("N/m^2"),
     .doc = "Force per area at rest, three numbers; it keeps its direction (a dead load)."},
    {.key = "pressure",
     PLI_REAL(pli_body_load_def, pressure),
     .flags = PLI_FIELD_OPTIONAL,
     .fallback = "0",
     .min = -1e15,
     .max = 1e15,
     .unit = "Pa",
     .doc = "Pressure against the surface, which it follows as it moves; negative pulls."},
    {.key = "force",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_body_load_def, force, force_count),
     .flags = PLI_FIELD_OPTIONAL,
     FORCE_PER("N"),
     .doc = "Total force on all that is selected, three numbers: spread over the area, or by mass "
            "where no triangle of the surface is selected."},
    {.key = "point_force",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_body_load_def, point_force, point_force_count),
     .flags = PLI_FIELD_OPTIONAL,
     FORCE_PER("N"),
     .doc = "Force on each selected vertex, three numbers."},
    {.key = "acceleration",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_body_load_def, acceleration, acceleration_count),
     .flags = PLI_FIELD_OPTIONAL,
     FORCE_PER("m/s^2"),
     .doc = "Force per mass of each selected vertex, three numbers."},
    {.key = "over_time",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_body_load_def, over_time, over_time_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_factor_schema,
     .doc = "How the load changes, as factors at times; before the first and after the last it "
            "stays. By default it is constant."},
    {.key = "ease",
     PLI_CHOICE(pli_body_load_def, ease, ease_names),
     .fallback = "linear",
     .doc = "How to go from one factor to the next."},
};
const pli_schema pli_body_load_schema = {
    .name = "load",
    .doc = "A load: a Neumann boundary condition or a body force; exactly one of traction, "
           "pressure, force, point_force and acceleration.",
    .size = sizeof(pli_body_load_def),
    PLI_TABLE(load_fields)};

// ---- cavities

static const pli_field given_pressure_fields[] = {
    {.key = "value",
     PLI_REAL(pli_given_pressure_def, value),
     .fallback = "0",
     .min = -1e15,
     .max = 1e15,
     .unit = "Pa",
     .doc = "By how much the pressure inside exceeds that outside."},
};
static const pli_schema given_pressure_schema = {.name = "pressure",
                                                 .doc = "A given pressure, whatever the volume.",
                                                 .size = sizeof(pli_given_pressure_def),
                                                 .scalar_key = "value",
                                                 PLI_TABLE(given_pressure_fields)};

#define CONTENT_DENSITY(type)                                                                     \
    {                                                                                             \
        .key = "density", PLI_REAL(type, density), .fallback = "0", .min = 0, .max = 1e9,         \
        .unit = "kg/m^3",                                                                         \
        .doc = "Density at the start; its mass moves with the surface, by area. 0: without mass." \
    }

static const pli_field gas_fields[] = {
    {.key = "pressure",
     PLI_REAL(pli_gas_def, pressure),
     .fallback = "0",
     .min = -1e15,
     .max = 1e15,
     .unit = "Pa",
     .doc = "By how much the pressure inside exceeds that outside at the start."},
    {.key = "ambient",
     PLI_REAL(pli_gas_def, ambient),
     .fallback = "101325",
     .min = 0,
     .max = 1e15,
     .unit = "Pa",
     .doc = "Pressure outside."},
    {.key = "exponent",
     PLI_REAL(pli_gas_def, exponent),
     .fallback = "1.4",
     .min = 1,
     .max = 100,
     .unit = "",
     .doc = "Of the law p V^exponent = constant: 1 isothermal, 1.4 air without exchange of heat."},
    CONTENT_DENSITY(pli_gas_def),
};
const pli_schema pli_gas_schema = {.name = "gas",
                                   .doc = "A fixed amount of gas.",
                                   .size = sizeof(pli_gas_def),
                                   .scalar_key = "pressure",
                                   PLI_TABLE(gas_fields)};

static const pli_field liquid_fields[] = {
    {.key = "bulk",
     PLI_REAL(pli_liquid_def, bulk),
     .fallback = "1e8",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1e18,
     .unit = "Pa",
     .doc = "Bulk modulus: under a pressure p the volume is short by the share p / bulk. Water has "
            "2.2e9; a smaller one takes fewer iterations."},
    CONTENT_DENSITY(pli_liquid_def),
};
static const pli_schema liquid_schema = {.name = "liquid",
                                         .doc = "A fixed volume of liquid.",
                                         .size = sizeof(pli_liquid_def),
                                         PLI_TABLE(liquid_fields)};

static const pli_schema *const content_variants[] = {[PLI_CONTENT_PRESSURE] =
                                                         &given_pressure_schema,
                                                     [PLI_CONTENT_GAS] = &pli_gas_schema,
                                                     [PLI_CONTENT_LIQUID] = &liquid_schema,
                                                     NULL};

static const char *const surface_names[] = {
    [PLI_CAVITY_AUTO] = "auto", [PLI_CAVITY_INNER] = "inner", [PLI_CAVITY_OUTER] = "outer", NULL};

static const pli_field cavity_fields[] = {
    {.key = "body",
     PLI_TEXT(pli_cavity_def, body),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Name of the body whose surface encloses it."},
    {.key = "surface",
     PLI_CHOICE(pli_cavity_def, surface, surface_names),
     .fallback = "auto",
     .doc = "Which surface: that around a hole of a solid (inner), or that around a body (outer); "
            "by default the inner one of a solid, and the only one of a shell or a cloth."},
    {.key = "where",
     PLI_VARIANT(pli_cavity_def, where, pli_selection_variants),
     .fallback = "all",
     .doc = "Which of several closed surfaces: the one whose vertices are all selected."},
    {.key = "content",
     PLI_VARIANT(pli_cavity_def, content, content_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "What is in it."},
    {.key = "over_time",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_cavity_def, over_time, over_time_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_factor_schema,
     .doc = "How the pressure, the amount of gas or the volume of liquid changes, as factors at "
            "times; by default it is constant."},
    {.key = "ease",
     PLI_CHOICE(pli_cavity_def, ease, ease_names),
     .fallback = "linear",
     .doc = "How to go from one factor to the next."},
};
const pli_schema pli_cavity_schema = {
    .name = "cavity",
    .doc = "The volume that a closed surface encloses, and what is in it.",
    .size = sizeof(pli_cavity_def),
    PLI_TABLE(cavity_fields)};
