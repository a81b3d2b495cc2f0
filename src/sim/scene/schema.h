// SPDX-License-Identifier: Apache-2.0
//
// The one table of fields behind scenes: which keys there are, what they mean, what they default
// to.
//
// Every def struct of pliant/scene.h has a pli_schema; together they form a tree whose root is
// pli_scene_schema. The tables stand in schema_shapes.c, schema_bodies.c, schema_props.c,
// schema_matter.c, schema_loads.c, schema_contact.c, schema_measure.c and schema_run.c; what is
// done with a single value (reading, printing, checking) in schema_value.c; walking in
// schema_walk.c. Nothing else knows the fields of a scene: the reader, the writer, the deep copy,
// the checks, the hash and the documentation all follow the tables.
//
// Rules of the tables, which a test checks: keys are unique within a struct, defaults lie in the
// range of their field unless it is optional or required, lists have no default, numbers have a
// unit
// ("" for a pure number), and a struct has at most 64 fields. What a file must say defaults, where
// possible, to a value that is out of range, so that a def made in C is refused as well.
#ifndef PLI_SIM_SCENE_SCHEMA_H
#define PLI_SIM_SCENE_SCHEMA_H

#include "base/schema_rows.h"
#include "pliant/scene.h"

// ---- pieces of the table that refer to each other across files

extern const pli_schema *const pli_shape_variants[];     // by pli_shape_kind
extern const pli_schema *const pli_selection_variants[]; // by pli_selection_kind
extern const pli_schema pli_material_schema;
extern const pli_schema pli_parameter_schema;
extern const pli_schema pli_paint_schema;
extern const pli_schema pli_body_schema;
extern const pli_schema pli_constraint_schema;
extern const pli_schema pli_attachment_schema;
extern const pli_schema pli_body_load_schema;
extern const pli_schema pli_cavity_schema;
extern const pli_schema pli_factor_schema;
extern const pli_schema pli_gas_schema;
extern const pli_schema pli_collider_schema;
extern const pli_schema pli_contact_schema;
extern const pli_schema pli_contact_pair_schema;
extern const pli_schema pli_particles_schema;
extern const pli_schema pli_stretch_schema;
extern const pli_schema pli_domain_schema;
extern const pli_schema pli_emitter_schema;
extern const pli_schema pli_steps_schema;
extern const pli_schema pli_grid_schema;
extern const char *const pli_element_names[]; // by pli_element_kind
extern const char *const pli_boundary_names[];
extern const char *const pli_plasticity_names[]; // by pli_plasticity_choice
extern const char *const pli_precision_names[];  // of pli_precision_kind // by pli_boundary_kind

// for the rules of scene_rules.c
extern const pli_schema pli_height_field_schema;
extern const pli_schema pli_cylinder_schema;
extern const pli_schema pli_cone_schema;
extern const pli_schema pli_repetition_schema;
extern const pli_schema pli_recipe_schema;
extern const pli_schema pli_mesh_shape_schema;
extern const pli_schema pli_sampled_schema;
extern const pli_schema pli_own_shape_schema;
extern const pli_schema pli_select_box_schema;
extern const pli_schema pli_motion_schema;
extern const pli_schema pli_implicit_grid_schema;
extern const pli_schema pli_arch_schema;
extern const pli_schema pli_card_house_schema;
extern const pli_schema pli_spikes_schema;
extern const pli_schema pli_rod_schema;
extern const pli_schema pli_ring_schema;
extern const pli_schema pli_file_schema;
extern const pli_schema pli_sheet_schema;
extern const pli_schema pli_scroll_schema;
extern const pli_schema pli_start_collapsed_schema;
extern const pli_schema pli_solver_schema;
extern const pli_schema pli_multigrid_schema;
extern const pli_schema pli_subspace_schema;
extern const pli_schema pli_output_schema;
extern const pli_schema pli_probe_schema;
extern const pli_schema pli_plot_schema;

// ---- initialisers of table rows, beside those of base/schema_rows.h

// lengths that something extends over, from a nanometre to a million kilometres
#define PLI_EXTENT .min = 1e-9, .max = 1e9, .unit = "m"
// the same, or nothing
#define PLI_EXTENT_OR_NONE .min = 0, .max = 1e9, .unit = "m"
#define PLI_COORDINATE .min = -1e9, .max = 1e9, .unit = "m"
#define PLI_DEGREES .min = -1e9, .max = 1e9, .unit = "deg"

#define PLI_DIRECTION .flags = PLI_FIELD_NONZERO, .min = -1e9, .max = 1e9, .unit = ""

// of an input that a file names without saying what it is: beyond what it may be
#define PLI_NO_VALUE "1e308"
// the numbers of a struct that are painted
#define PLI_PAINTED(type)                                                               \
    {                                                                                   \
        .key = "painted", PLI_MEMBERS(PLI_FIELD_PAINTED, type, painted, painted_count), \
        .flags = PLI_FIELD_OPTIONAL, .schema = &pli_paint_schema,                       \
        .doc = "Numbers that are painted or keyed."                                     \
    }

#define PLI_ORIGIN_DEFAULT "[0, 0, 0]"
#define PLI_AXIS_DEFAULT "[0, 1, 0]"

// a row that many structs have, but for the member: {PLI_CENTER, PLI_VECTOR(type, center)}
#define PLI_CENTER .key = "center", .fallback = PLI_ORIGIN_DEFAULT, PLI_COORDINATE, .doc = "Centre."

// ---- single values

// Whether an item of a field is allowed; if not, error says why. Structs, variants and meshes are
// always allowed here.
bool pli_field_check(const pli_field *field, const void *item,
                     char error[PLI_FIELD_ERROR_CAPACITY]);

#endif
