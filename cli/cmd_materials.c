// SPDX-License-Identifier: Apache-2.0
#include "listing.h"

#include "pliant/extend.h"

#include <string.h>

enum { MAX_ENTRIES = 256, MAX_PARAMETERS = 32 };

static int32_t get_entries(pli_cli_entry entries[MAX_ENTRIES])
{
    int32_t count = 0;
    const pli_material_ops *law;
    for (int32_t k = 0; (law = pli_material_get(k)) != NULL && count < MAX_ENTRIES; ++k) {
        entries[count++] = (pli_cli_entry){law->name, "law", law->doc, NULL};
    }
    const pli_material_preset *preset;
    for (int32_t k = 0; (preset = pli_material_preset_get(k)) != NULL && count < MAX_ENTRIES; ++k) {
        entries[count++] = (pli_cli_entry){preset->name, "preset", preset->doc, NULL};
    }
    return count;
}

static void print_law(const pli_cli_entry *entry, const pli_material_ops *law, bool as_json)
{
    pli_cli_parameter parameters[MAX_PARAMETERS];
    int32_t count = 0;
    while (count < law->input_count && count < MAX_PARAMETERS) {
        const pli_material_input *input = &law->inputs[count];
        pli_cli_parameter *parameter = &parameters[count++];
        bool is_direction = input->components > 0;
        *parameter = (pli_cli_parameter){
            .key = input->key, .kind = "number", .unit = input->unit, .doc = input->doc};
        if (is_direction) {
            snprintf(parameter->kind, sizeof parameter->kind, "direction");
            const double *d = input->direction;
            snprintf(parameter->fallback, sizeof parameter->fallback, "[%g, %g, %g]", d[0], d[1],
                     d[2]);
            continue;
        }
        snprintf(parameter->fallback, sizeof parameter->fallback, "%g", input->fallback);
        pli_cli_bounds bounds = {input->min, input->max, input->exclusive, input->exclusive};
        pli_cli_format_bounds(&bounds, parameter->range, sizeof parameter->range);
    }
    const char *note = (law->flags & PLI_LAW_INVERTIBLE) != 0
                           ? "Finite for every deformation, inverted ones too. Parameters, in a "
                             "material of the scene, besides its density:"
                           : "Resists inversion without bound, so a body has to start uninverted. "
                             "Parameters, in a material of the scene, besides its density:";
    pli_cli_print_page(entry, note, parameters, count, as_json);
}

// The further inputs of a preset's law, of which it has numbers; returns how many.
static int32_t list_numbers(const pli_material_preset *preset,
                            pli_cli_parameter parameters[MAX_PARAMETERS])
{
    const pli_material_ops *law = pli_material_find(NULL, preset->law);
    int32_t count = 0;
    for (int32_t i = 0; i < law->input_count; ++i) {
        const pli_material_input *input = &law->inputs[i];
        for (int32_t k = 0; k < preset->number_count && count < MAX_PARAMETERS; ++k) {
            if (strcmp(preset->numbers[k].key, input->key) != 0) continue;
            pli_cli_parameter *parameter = &parameters[count++];
            *parameter = (pli_cli_parameter){
                .key = input->key, .kind = "number", .unit = input->unit, .doc = input->doc};
            snprintf(parameter->fallback, sizeof parameter->fallback, "%g",
                     preset->numbers[k].value[0]);
        }
    }
    return count;
}

static void print_preset(const pli_cli_entry *entry, const pli_material_preset *preset,
                         bool as_json)
{
    const struct {
        const char *key;
        const char *unit;
        double value;
        const double *range;
        const char *doc;
    } values[] = {
        {"density", "kg/m^3", preset->density, preset->density_range, "Mass per volume at rest."},
        {"young", "Pa", preset->young, preset->young_range, "Stiffness against stretching."},
        {"poisson", "", preset->poisson, preset->poisson_range,
         "How much the sides give way; 0.5 would keep the volume."},
        {"yield", "Pa", preset->yield, preset->yield_range,
         "Stress from which on it stays deformed."},
        {"bulk", "Pa", preset->bulk, NULL, "Scale of the pressure of a fluid."},
        {"exponent", "", preset->exponent, NULL, "How steeply that pressure grows."},
    };
    enum { VALUE_COUNT = sizeof values / sizeof *values };

    pli_cli_parameter parameters[VALUE_COUNT + MAX_PARAMETERS];
    int32_t count = 0;
    for (int32_t index = 0; index < VALUE_COUNT; ++index) {
        const double *range = values[index].range;
        if (values[index].value == 0 && (range == NULL || range[1] == 0)) continue;
        pli_cli_parameter *parameter = &parameters[count++];
        *parameter = (pli_cli_parameter){.key = values[index].key,
                                         .kind = "number",
                                         .unit = values[index].unit,
                                         .doc = values[index].doc};
        snprintf(parameter->fallback, sizeof parameter->fallback, "%g", values[index].value);
        if (range == NULL) continue;
        snprintf(parameter->range, sizeof parameter->range, "in handbooks %g to %g", range[0],
                 range[1]);
    }
    count += list_numbers(preset, parameters + count);
    char yields[96] = "";
    if (preset->yield_kind != NULL) {
        snprintf(yields, sizeof yields, " Particles of it yield: %s.", preset->yield_kind);
    }
    char note[256];
    snprintf(note, sizeof note,
             "Numbers for the law %s; 'pliant materials %s' tells what else can be set.%s",
             preset->law, preset->law, yields);
    pli_cli_print_page(entry, note, parameters, count, as_json);
}

static int run_materials(pli_cli_session *session)
{
    pli_cli_entry entries[MAX_ENTRIES];
    int32_t count = get_entries(entries);
    bool as_json = session->arguments.json;
    if (session->arguments.operand_count == 0) {
        pli_cli_print_entries(entries, count, as_json);
        return PLI_CLI_DONE;
    }
    const char *name = session->arguments.operands[0];
    const pli_cli_entry *entry = pli_cli_find_entry(session, "material", entries, count, name);
    if (entry == NULL) return PLI_CLI_USAGE;
    const pli_material_ops *law = pli_material_find(session->context, name);
    if (law != NULL) {
        print_law(entry, law, as_json);
    } else {
        print_preset(entry, pli_material_preset_find(name), as_json);
    }
    return PLI_CLI_DONE;
}

const pli_cli_command pli_cli_command_materials = {
    .name = "materials",
    .operands = "[NAME]",
    .max_operands = 1,
    .hint = PLI_CLI_HINT_MATERIAL,
    .summary = "lists material laws and presets, or the parameters of one",
    .about =
        "Lists the laws (how stress follows from deformation) and the presets (laws with numbers "
        "of real stuff), one line each, the name first. With a name: every parameter, its unit, "
        "default and range.",
    .examples = "  pliant materials\n  pliant materials rubber\n",
    .shared = {&pli_cli_json_options},
    .run = run_materials,
};
