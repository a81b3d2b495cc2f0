// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/scene.h"

#include "base/context.h"

#include <string.h>

// ---- copying

static pli_status copy_text(pli_scene *scene, const char **text)
{
    const char *from = *text != NULL ? *text : "";
    size_t length = strlen(from);
    char *copy = pli_scene_take(scene, length + 1);
    if (copy == NULL) return PLI_ERROR_MEMORY;
    memcpy(copy, from, length);
    *text = copy;
    return PLI_OK;
}

// Replaces a borrowed array by a copy; an array of nothing becomes NULL. slot is the address of a
// pointer, whose type does not matter here.
static pli_status copy_array(pli_scene *scene, void *slot, int64_t count, size_t size)
{
    const void *from = NULL;
    void *copy = NULL;
    memcpy(&from, slot, sizeof from);
    if (from != NULL && count > 0) {
        copy = pli_scene_take(scene, (size_t)count * size);
        if (copy == NULL) return PLI_ERROR_MEMORY;
        memcpy(copy, from, (size_t)count * size);
    }
    memcpy(slot, &copy, sizeof copy);
    return PLI_OK;
}

static pli_status copy_texts(pli_scene *scene, const char *const **texts, int32_t count)
{
    PLI_TRY(copy_array(scene, texts, count, sizeof **texts));
    for (int32_t i = 0; i < count; ++i) PLI_TRY(copy_text(scene, (const char **)&(*texts)[i]));
    return PLI_OK;
}

static pli_status copy_mesh_arrays(pli_scene *scene, pli_mesh_data *mesh)
{
    PLI_TRY(copy_array(scene, &mesh->arrays, mesh->array_count, sizeof *mesh->arrays));
    for (int32_t i = 0; i < mesh->array_count; ++i) {
        pli_mesh_array *array = (pli_mesh_array *)(uintptr_t)&mesh->arrays[i];
        int64_t count = (int64_t)pli_mesh_place_count(mesh, array->place) * array->component_count;
        PLI_TRY(copy_text(scene, &array->name));
        PLI_TRY(copy_array(scene, &array->values, count, sizeof *array->values));
    }
    return PLI_OK;
}

static pli_status copy_mesh(pli_scene *scene, const pli_mesh_data **mesh)
{
    if (*mesh == NULL) return PLI_OK;
    pli_mesh_data *copy = pli_scene_take(scene, sizeof *copy);
    if (copy == NULL) return PLI_ERROR_MEMORY;
    *copy = **mesh;
    *mesh = copy;
    PLI_TRY(copy_array(scene, &copy->points, copy->point_count, 3 * sizeof(double)));
    PLI_TRY(copy_array(scene, &copy->tets, copy->tet_count, 4 * sizeof(int32_t)));
    PLI_TRY(copy_array(scene, &copy->triangles, copy->triangle_count, 3 * sizeof(int32_t)));
    PLI_TRY(copy_texts(scene, &copy->group_names, copy->group_count));
    PLI_TRY(copy_array(scene, &copy->tet_groups, copy->tet_count, sizeof(int32_t)));
    PLI_TRY(copy_array(scene, &copy->tet_mids, copy->tet_count, 6 * sizeof(int32_t)));
    PLI_TRY(copy_array(scene, &copy->set_groups, copy->set_count, sizeof(int32_t)));
    PLI_TRY(copy_array(scene, &copy->set_points, copy->set_count, sizeof(int32_t)));
    PLI_TRY(copy_array(scene, &copy->triangle_groups, copy->triangle_count, sizeof(int32_t)));
    PLI_TRY(copy_array(scene, &copy->tet_lines, copy->tet_count, sizeof(int32_t)));
    PLI_TRY(copy_array(scene, &copy->triangle_lines, copy->triangle_count, sizeof(int32_t)));
    PLI_TRY(copy_text(scene, &copy->tet_file));
    PLI_TRY(copy_text(scene, &copy->triangle_file));
    return copy_mesh_arrays(scene, copy);
}

const pli_mesh_data *pli_scene_take_mesh(pli_scene *scene, const pli_mesh_data *mesh)
{
    return copy_mesh(scene, &mesh) == PLI_OK ? mesh : NULL;
}

static pli_status copy_links(pli_scene *scene, const pli_schema *schema, void *holder);

static pli_status copy_variant(pli_scene *scene, const pli_field *field, pli_variant *variant)
{
    const pli_schema *schema = pli_field_variant(field, variant);
    if (schema == NULL || variant->data == NULL) return PLI_OK;
    PLI_TRY(copy_array(scene, &variant->data, 1, schema->size));
    return copy_links(scene, schema, (void *)(uintptr_t)variant->data);
}

// Copies what an item points to; the item itself is the scene's already.
static pli_status copy_item(pli_scene *scene, const pli_field *field, pli_item_kind kind,
                            void *item)
{
    if (kind == PLI_ITEM_TEXT) return copy_text(scene, item);
    if (kind == PLI_ITEM_MESH) return copy_mesh(scene, item);
    if (kind == PLI_ITEM_VARIANT) return copy_variant(scene, field, item);
    if (kind != PLI_ITEM_STRUCT) return PLI_OK;
    bool has_name = field->kind == PLI_FIELD_NAMED || field->kind == PLI_FIELD_PAINTED;
    if (has_name) PLI_TRY(copy_text(scene, item));
    return copy_links(scene, field->schema, item);
}

// Replaces everything that a struct in the scene's memory points to by copies.
static pli_status copy_links(pli_scene *scene, const pli_schema *schema, void *holder)
{
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        char *member = (char *)holder + field->offset;
        pli_items items = pli_field_get_items(field, holder);
        if (items.fixed == 0) {
            PLI_TRY(copy_array(scene, member, items.count, items.stride));
            items = pli_field_get_items(field, holder);
        }
        for (int32_t k = 0; k < items.count; ++k) {
            char *item = (char *)(uintptr_t)items.first + (size_t)k * items.stride;
            PLI_TRY(copy_item(scene, field, items.kind, item));
        }
    }
    return PLI_OK;
}

pli_status pli_scene_copy(pli_scene *scene, const pli_schema *schema, const void *def, void *target)
{
    memcpy(target, def, schema->size);
    return copy_links(scene, schema, target);
}

// ---- whether a def can be copied

static pli_status refuse(const pli_scene *scene, const pli_visit *visit, const char *what)
{
    return pli_scene_fail(scene, PLI_ERROR_SCENE, visit, "%s", what);
}

static bool has_bad_count(const pli_mesh_data *mesh)
{
    return mesh->point_count < 0 || mesh->tet_count < 0 || mesh->triangle_count < 0 ||
           mesh->group_count < 0 || mesh->array_count < 0;
}

static bool lacks_array(const pli_mesh_data *mesh)
{
    return (mesh->point_count > 0 && mesh->points == NULL) ||
           (mesh->tet_count > 0 && mesh->tets == NULL) ||
           (mesh->triangle_count > 0 && mesh->triangles == NULL) ||
           (mesh->group_count > 0 && mesh->group_names == NULL) ||
           (mesh->array_count > 0 && mesh->arrays == NULL);
}

static pli_status check_mesh_links(const pli_scene *scene, const pli_visit *visit,
                                   const pli_mesh_data *mesh)
{
    if (mesh == NULL) return PLI_OK;
    if (has_bad_count(mesh)) return refuse(scene, visit, "a count of the mesh is negative");
    if (lacks_array(mesh)) return refuse(scene, visit, "an array of the mesh is missing");
    for (int32_t i = 0; i < mesh->group_count; ++i) {
        if (mesh->group_names[i] == NULL) {
            return refuse(scene, visit, "a group of the mesh has no name");
        }
    }
    for (int32_t i = 0; i < mesh->array_count; ++i) {
        const pli_mesh_array *array = &mesh->arrays[i];
        bool is_whole = array->name != NULL && array->component_count > 0 && array->place >= 0 &&
                        array->place <= PLI_MESH_TRIANGLES;
        bool has_values = array->values != NULL || pli_mesh_place_count(mesh, array->place) == 0;
        if (!is_whole || !has_values) {
            return refuse(scene, visit,
                          "an array of values on the mesh lacks its name, values, "
                          "place or number of components");
        }
    }
    return PLI_OK;
}

static pli_status check_variant_link(const pli_scene *scene, const pli_visit *visit,
                                     const pli_variant *variant)
{
    if (variant->kind == -1 || pli_field_variant(visit->field, variant) != NULL) return PLI_OK;
    char range[PLI_FIELD_ERROR_CAPACITY];
    return pli_scene_fail(scene, PLI_ERROR_SCENE, visit, "kind is %d; allowed: %s", variant->kind,
                          pli_field_range(visit->field, range));
}

static pli_status check_links(void *user, const pli_visit *visit)
{
    const pli_scene *scene = user;
    if (visit->field == NULL) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    if (items.count < 0) return refuse(scene, visit, "the number of items is negative");
    if (items.count > 0 && items.first == NULL) {
        return pli_scene_fail(scene, PLI_ERROR_SCENE, visit, "has %d items, but the array is NULL",
                              items.count);
    }
    if (items.kind == PLI_ITEM_MESH) {
        return check_mesh_links(scene, visit, *(const pli_mesh_data *const *)items.first);
    }
    for (int32_t i = 0; items.kind == PLI_ITEM_VARIANT && i < items.count; ++i) {
        PLI_TRY(check_variant_link(scene, visit, (const pli_variant *)items.first + i));
    }
    return PLI_OK;
}

pli_status pli_scene_check_links(const pli_scene *scene, const pli_schema *schema, const void *def)
{
    return pli_schema_walk(pli_scene_context(scene), schema, def, check_links, (void *)scene);
}
