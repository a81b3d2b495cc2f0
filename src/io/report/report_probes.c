// SPDX-License-Identifier: Apache-2.0
#include "io/report/report_probes.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static int32_t count_probes(const pli_model *model)
{
    int32_t count = 0;
    while (pli_model_get_probe(model, count).name != NULL) ++count;
    return count;
}

static pli_status copy_probe(pli_context *context, const pli_model *model, int32_t index,
                             pli_probe_value *probe)
{
    *probe = pli_model_get_probe(model, index);
    probe->name = pli_string_copy(context, probe->name);
    return probe->name != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

pli_status pli_report_probes_init(pli_report_probes *p, pli_context *context,
                                  const pli_model *model, int32_t bucket_count)
{
    int32_t count = count_probes(model);
    *p = (pli_report_probes){0};
    if (count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(context, p->probes, count, "report"));
    for (; p->count < count; ++p->count) {
        PLI_TRY(copy_probe(context, model, p->count, &p->probes[p->count]));
        p->number_count += p->probes[p->count].components;
    }
    return PLI_MAKE(context, p->sums, (int64_t)bucket_count * p->number_count, "report");
}

void pli_report_probes_clear(pli_report_probes *p, pli_context *context)
{
    for (int32_t k = 0; k < p->count; ++k) {
        pli_release(context, (char *)(uintptr_t)p->probes[k].name);
    }
    PLI_RELEASE(context, p->sums, p->probes);
    *p = (pli_report_probes){0};
}

void pli_report_probes_open(pli_report_probes *p, int32_t bucket)
{
    if (p->count == 0) return;
    memset(p->sums + (int64_t)bucket * p->number_count, 0,
           (size_t)p->number_count * sizeof *p->sums);
}

void pli_report_probes_add(pli_report_probes *p, int32_t bucket, const pli_step_report *step)
{
    if (p->count == 0 || step->probe_count != p->count) return;
    double *sum = p->sums + (int64_t)bucket * p->number_count;
    for (int32_t k = 0; k < p->count; ++k) {
        const pli_probe_value *probe = &step->probes[k];
        for (int32_t i = 0; i < p->probes[k].components; ++i) {
            *sum++ += isfinite(probe->values[i]) ? probe->values[i] : 0;
        }
    }
}

void pli_report_probes_merge(pli_report_probes *p, int32_t pairs)
{
    for (int64_t pair = 0; p->count > 0 && pair < pairs; ++pair) {
        const double *from = p->sums + 2 * pair * p->number_count;
        double *to = p->sums + pair * p->number_count;
        for (int32_t i = 0; i < p->number_count; ++i) to[i] = from[i] + from[p->number_count + i];
    }
}

static void read_numbers(const pli_json *line, const pli_json_node *node, pli_probe_value *probe)
{
    if (node != NULL && probe->components > 1) node = pli_json_child(line, node);
    for (int32_t i = 0; i < probe->components; ++i) {
        bool is_number = node != NULL && node->kind == PLI_JSON_NUMBER;
        probe->values[i] = is_number ? node->number : NAN;
        if (node != NULL && probe->components > 1) node = pli_json_next(line, node);
    }
}

void pli_report_probes_read(pli_report_probes *p, const pli_json *line, pli_step_report *step)
{
    const pli_json_node *group = pli_json_get(line, &line->nodes[0], "probes");
    if (group == NULL) return;
    for (int32_t k = 0; k < p->count; ++k) {
        read_numbers(line, pli_json_get(line, group, p->probes[k].name), &p->probes[k]);
    }
    step->probe_count = p->count;
    step->probes = p->probes;
}

void pli_report_probes_append(pli_text *text, const pli_report_probes *p, int32_t bucket_count,
                              const int64_t *steps)
{
    int32_t number = 0;
    pli_text_append(text, "[");
    for (int32_t k = 0; k < p->count; ++k) {
        const pli_probe_value *probe = &p->probes[k];
        pli_text_append(text, k > 0 ? ",\n{\"name\":" : "{\"name\":");
        pli_json_append_string(text, probe->name);
        pli_text_append(text, ",\"unit\":");
        pli_json_append_string(text, probe->unit);
        for (int32_t i = 0; i < probe->components; ++i, ++number) {
            pli_text_append(text, i > 0 ? "},{\"part\":" : ",\"numbers\":[{\"part\":");
            pli_json_append_string(text, pli_probe_component(probe->components, i));
            pli_text_append(text, ",\"mean\":[");
            for (int32_t b = 0; b < bucket_count; ++b) {
                double sum = p->sums[(int64_t)b * p->number_count + number];
                if (b > 0) pli_text_append(text, ",");
                pli_json_append_rounded(text, sum / (double)steps[b]);
            }
            pli_text_append(text, "]");
        }
        pli_text_append(text, "}]}");
    }
    pli_text_append(text, "]");
}
