// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/mesh_arrays.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>

static const pli_built_array *find(const pli_mesh_builder *builder, pli_span name, int32_t place)
{
    for (int32_t k = 0; k < builder->array_count; ++k) {
        const pli_built_array *array = &builder->arrays[k];
        if (array->place == place && pli_span_is(name, array->name)) return array;
    }
    return NULL;
}

pli_status pli_mesh_arrays_add(pli_mesh_builder *builder, pli_span name, int32_t place,
                               int64_t component_count, int64_t count, double **values)
{
    pli_context *context = builder->context;
    *values = NULL;
    // a name is a C string for everybody else
    if (name.length > 0) name.length = (int64_t)strnlen(name.text, (size_t)name.length);
    if (name.length == 0 || component_count < 1 || component_count > PLI_MESH_COMPONENTS) {
        return PLI_OK;
    }
    if (count == 0 || find(builder, name, place) != NULL) return PLI_OK;
    if (builder->array_count == builder->array_capacity) {
        int32_t capacity = 2 * builder->array_capacity + 4;
        PLI_TRY(PLI_RESIZE(context, builder->arrays, capacity, "arrays of a mesh"));
        builder->array_capacity = capacity;
    }
    pli_built_array *made = &builder->arrays[builder->array_count];
    *made = (pli_built_array){
        .place = place, .component_count = (int32_t)component_count, .count = count};
    made->name = PLI_NEW(context, char, name.length + 1, "name of an array");
    made->values = PLI_NEW(context, double, count *component_count, "array of a mesh");
    ++builder->array_count;
    if (made->name == NULL || made->values == NULL) return PLI_ERROR_MEMORY;
    memcpy(made->name, name.text, (size_t)name.length);
    for (int64_t k = 0; k < count * component_count; ++k) made->values[k] = NAN;
    *values = made->values;
    return PLI_OK;
}

pli_status pli_mesh_arrays_join(pli_mesh_builder *builder, const char *const names[3],
                                const char *name, double factor)
{
    const double *parts[3];
    int64_t count = 0;
    for (int k = 0; k < 3; ++k) {
        pli_span part = {names[k], (int64_t)strlen(names[k])};
        const pli_built_array *array = find(builder, part, PLI_MESH_POINTS);
        if (array == NULL || array->component_count != 1) return PLI_OK;
        parts[k] = array->values;
        count = array->count;
    }
    double *values = NULL;
    PLI_TRY(pli_mesh_arrays_add(builder, (pli_span){name, (int64_t)strlen(name)}, PLI_MESH_POINTS,
                                3, count, &values));
    for (int64_t k = 0; values != NULL && k < 3 * count; ++k) {
        values[k] = factor * parts[k % 3][k / 3];
    }
    return PLI_OK;
}

pli_status pli_mesh_arrays_scan(pli_scan *scan, pli_scalar type, double *value)
{
    pli_span word;
    if (scan->binary) return pli_scan_value(scan, "a value", type, value);
    PLI_TRY(pli_scan_word(scan, "a value", &word));
    *value = NAN;
    if (!pli_number_from_bytes(word.text, word.length, value)) *value = NAN;
    return PLI_OK;
}

// Those of one kind: where = 0 tetrahedra, 1 triangles.
static pli_status spread_one(pli_mesh_builder *builder, pli_span name, int64_t component_count,
                             int64_t cell_count, const int32_t *spans, const double *values,
                             int where)
{
    double *to = NULL;
    PLI_TRY(pli_mesh_arrays_add(builder, name, where == 0 ? PLI_MESH_TETS : PLI_MESH_TRIANGLES,
                                component_count, spans[2 * cell_count + where], &to));
    for (int64_t cell = 0; to != NULL && cell < cell_count; ++cell) {
        for (int64_t k = spans[2 * cell + where]; k < spans[2 * cell + 2 + where]; ++k) {
            memcpy(to + k * component_count, values + cell * component_count,
                   (size_t)component_count * sizeof *to);
        }
    }
    return PLI_OK;
}

pli_status pli_mesh_arrays_spread(pli_mesh_builder *builder, pli_span name, int64_t component_count,
                                  int64_t cell_count, const int32_t *spans, const double *values)
{
    PLI_TRY(spread_one(builder, name, component_count, cell_count, spans, values, 0));
    return spread_one(builder, name, component_count, cell_count, spans, values, 1);
}
