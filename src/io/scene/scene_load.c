// SPDX-License-Identifier: Apache-2.0
#include "pliant/io.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/scene/scene_tree.h"

#include <string.h>
#include <sys/stat.h>

enum {
    LARGEST_FILE = 16 << 20, // bytes, and of all files together
    MOST_INCLUDES = 256,     // files that one scene may include in all
    DEEPEST_INCLUDE = 16     // files that include each other
};

// A file that is being read, for telling that it includes itself.
typedef struct file_identity {
    dev_t device;
    ino_t number;
} file_identity;

typedef struct loader {
    pli_context *context;
    const pli_load_def *def;
    pli_tree tree;
    char *folder; // of the scene
    int32_t include_count;
    int64_t bytes_left; // that may still be read
    int32_t depth;
    file_identity open[DEEPEST_INCLUDE + 1]; // the scene and the includes that lead here
} loader;

static pli_status read_text(loader *l, pli_source *source, const char *bytes, int64_t count,
                            pli_node **root);

// The folder of a file, "" instead of "."; NULL when memory ran out.
static char *folder_of(pli_context *context, const char *path)
{
    char *folder = pli_path_folder(context, path);
    if (folder != NULL && strcmp(folder, ".") == 0) folder[0] = '\0';
    return folder;
}

// Puts the place of an include before the message of what failed there.
static pli_status fail_include(const loader *l, pli_status status, const pli_node *node)
{
    if (status == PLI_ERROR_MEMORY) return status;
    char message[1024];
    pli_context_message(l->context, message, sizeof message);
    pli_position position = pli_node_position(node);
    return pli_position_fail(l->context, status, &position, "include", "%s", message);
}

static file_identity identify(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return (file_identity){0};
    return (file_identity){status.st_dev, status.st_ino};
}

// Whether a file is one of those that are being read; what does not exist is none.
static bool is_open(const loader *l, file_identity file)
{
    for (int32_t i = 0; i < l->depth; ++i) {
        if (file.number == 0) return false;
        if (l->open[i].device == file.device && l->open[i].number == file.number) return true;
    }
    return false;
}

static pli_status enter_file(loader *l, const char *path)
{
    file_identity identity = identify(path);
    if (is_open(l, identity)) {
        return PLI_FAIL(l->context, PLI_ERROR_SCENE, "%s: includes itself", path);
    }
    if (l->depth > DEEPEST_INCLUDE) {
        return PLI_FAIL(l->context, PLI_ERROR_SCENE, "%s: more than %d files include each other",
                        path, DEEPEST_INCLUDE);
    }
    if (++l->include_count > MOST_INCLUDES) {
        return PLI_FAIL(l->context, PLI_ERROR_SCENE, "%s: more than %d files are included", path,
                        MOST_INCLUDES);
    }
    l->open[l->depth++] = identity;
    return PLI_OK;
}

// Reading takes time and memory by the byte, however often the same ones are included.
static pli_status take_bytes(loader *l, const char *path, int64_t count)
{
    l->bytes_left -= count;
    if (l->bytes_left >= 0) return PLI_OK;
    return PLI_FAIL(l->context, PLI_ERROR_SCENE,
                    "%s: has %lld bytes, which makes more than %d with what was read before it; a "
                    "file counts as often as it is included",
                    path, (long long)count, LARGEST_FILE);
}

// Reads the file at `real`, which is `name` relative to the folder of the scene.
static pli_status read_file(loader *l, const char *real, const char *name, pli_node **root)
{
    char *bytes = NULL;
    char *folder = NULL;
    int64_t count = 0;
    pli_source *source = NULL;
    pli_status status = pli_file_read(l->context, real, LARGEST_FILE, &bytes, &count);
    if (status == PLI_OK) status = take_bytes(l, real, count);
    if (status != PLI_OK) goto done;
    folder = folder_of(l->context, name);
    const char *shown = strncmp(real, "./", 2) == 0 ? real + 2 : real;
    if (folder != NULL) source = pli_tree_add_source(&l->tree, shown, folder);
    status = source != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status != PLI_OK) goto done;
    status = read_text(l, source, bytes, count, root);

done:
    PLI_RELEASE(l->context, folder, bytes);
    return status;
}

// Reads one included file and puts it on top of base.
static pli_status include_file(loader *l, const pli_node *node, pli_node *base)
{
    char *name = pli_path_join(l->context, node->source->folder, node->text);
    if (name == NULL) return PLI_ERROR_MEMORY;
    char *real = NULL;
    pli_node *root = NULL;
    bool allow = l->def->allow_outside;
    pli_status status = pli_path_resolve(l->context, l->folder, name, allow, &real);
    if (status == PLI_OK) status = enter_file(l, real);
    if (status != PLI_OK) {
        status = fail_include(l, status, node);
        goto done;
    }
    status = read_file(l, real, name, &root);
    --l->depth;
    bool is_too_much = status == PLI_ERROR_SCENE && l->bytes_left < 0;
    if (status == PLI_ERROR_IO || is_too_much) status = fail_include(l, status, node);
    if (status == PLI_OK) status = pli_tree_merge(&l->tree, pli_scene_schema(), base, root);

done:
    PLI_RELEASE(l->context, real, name);
    return status;
}

static pli_status refuse_include(const loader *l, const pli_node *node)
{
    pli_position position = pli_node_position(node);
    return pli_position_fail(l->context, PLI_ERROR_SCENE, &position, "include",
                             "expected the name of a file or a list of them");
}

static pli_status include_files(loader *l, const pli_node *list, pli_node *base)
{
    bool is_name = list->kind == PLI_NODE_SCALAR && !pli_node_is_nothing(list);
    if (is_name) return include_file(l, list, base);
    if (list->kind != PLI_NODE_LIST) return refuse_include(l, list);
    for (const pli_node *item = list->first; item != NULL; item = item->next) {
        if (item->kind != PLI_NODE_SCALAR || item->text[0] == '\0') return refuse_include(l, item);
        PLI_TRY(include_file(l, item, base));
    }
    return PLI_OK;
}

// Takes the item out of the map.
static void remove_item(pli_node *map, const pli_node *item)
{
    pli_node *items = map->first;
    map->first = NULL;
    map->last = NULL;
    map->count = 0;
    for (pli_node *next = NULL; items != NULL; items = next) {
        next = items->next;
        if (items != item) pli_node_append(map, items);
    }
}

// Reads a text and what it includes. The root is always a map.
static pli_status read_text(loader *l, pli_source *source, const char *bytes, int64_t count,
                            pli_node **root)
{
    *root = NULL;
    pli_node *own = NULL;
    PLI_TRY(pli_tree_read(&l->tree, source, bytes, count, &own));
    bool says_nothing = own == NULL || pli_node_is_nothing(own);
    if (says_nothing) PLI_TRY(pli_tree_add_node(&l->tree, PLI_NODE_MAP, source, &own));
    if (own->line == 0) own->line = own->column = 1;
    if (own->kind != PLI_NODE_MAP) {
        pli_position position = pli_node_position(own);
        return pli_position_fail(l->context, PLI_ERROR_SCENE, &position, "",
                                 "expected a map of keys, such as bodies: {...}");
    }
    *root = own;
    pli_node *list = pli_node_find(own, "include");
    if (list == NULL) return PLI_OK;

    // what is included lies below what the file itself says
    remove_item(own, list);
    pli_node *base = NULL;
    PLI_TRY(pli_tree_add_node(&l->tree, PLI_NODE_MAP, source, &base));
    base->line = own->line;
    base->column = own->column;
    PLI_TRY(include_files(l, list, base));
    PLI_TRY(pli_tree_merge(&l->tree, pli_scene_schema(), base, own));
    *root = base;
    return PLI_OK;
}

static pli_status build_scene(loader *l, const char *text, int64_t count, const char *name,
                              pli_scene *scene)
{
    pli_source *source = pli_tree_add_source(&l->tree, name, "");
    if (source == NULL) return PLI_ERROR_MEMORY;
    pli_node *root = NULL;
    l->open[l->depth++] = identify(name);
    PLI_TRY(read_text(l, source, text, count, &root));
    for (int32_t i = 0; i < l->def->set_count; ++i) {
        PLI_TRY(pli_tree_set(&l->tree, pli_scene_schema(), root, l->def->sets[i]));
    }
    PLI_TRY(pli_tree_fill(&l->tree, root, scene));
    PLI_TRY(pli_tree_go_on(&l->tree));
    PLI_TRY(pli_scene_load_meshes(&l->tree, scene, l->folder, l->def->allow_outside));
    PLI_TRY(pli_tree_go_on(&l->tree));
    return pli_scene_validate(scene);
}

pli_status pli_scene_parse(pli_context *context, const char *text, int64_t count, const char *name,
                           const pli_load_def *def, pli_scene **scene)
{
    *scene = NULL;
    static const pli_load_def nothing = {0};
    if (name == NULL) name = "scene";
    if (text == NULL) text = "";
    if (count < 0 || count > LARGEST_FILE) {
        return PLI_FAIL(context, PLI_ERROR_SCENE, "%s: has %lld bytes; at most %d can be read",
                        name, (long long)count, LARGEST_FILE);
    }
    loader l = {.context = context,
                .def = def != NULL ? def : &nothing,
                .bytes_left = LARGEST_FILE - count};
    pli_scene *made = NULL;
    pli_status status = pli_tree_create(context, &l.tree);
    if (status != PLI_OK) return status;
    l.tree.cancel = l.def->cancel;
    l.tree.cancel_user = l.def->cancel_user;
    l.folder = pli_path_folder(context, name);
    status = l.folder != NULL ? pli_scene_create_empty(context, name, &made) : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = build_scene(&l, text, count, name, made);
    pli_release(context, l.folder);
    pli_tree_clear(&l.tree);
    if (status != PLI_OK) {
        pli_scene_destroy(made);
        return status;
    }
    *scene = made;
    return PLI_OK;
}

pli_status pli_scene_load(pli_context *context, const char *path, const pli_load_def *def,
                          pli_scene **scene)
{
    *scene = NULL;
    char *bytes = NULL;
    int64_t count = 0;
    pli_status status = pli_file_read(context, path, LARGEST_FILE, &bytes, &count);
    if (status == PLI_OK) status = pli_scene_parse(context, bytes, count, path, def, scene);
    pli_release(context, bytes);
    return status;
}
