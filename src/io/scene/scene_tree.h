// SPDX-License-Identifier: Apache-2.0
//
// A scene text as a tree of nodes that know where they stand, before anything in it has a type.
//
// Reading a scene goes through four stages, one file each:
//
//     text -> tree              scene_yaml.c    YAML and JSON, by libyaml's events
//     tree + tree -> tree       scene_merge.c   includes and --set, guided by the field table
//     tree -> scene             scene_fill.c    types, ranges, positions, by the field table
//     scene -> scene + meshes   scene_mesh.c    the mesh files that it names
//
// scene_load.c drives them. Scalars stay text until the field table types them, so that no, 1e5 and
// 0x10 hold no surprises.
//
// All nodes and texts of one load live in one tree and die with it. Their number is limited, so
// that a small file cannot expand into a large one; so is their depth, so that recursion is safe.
#ifndef PLI_IO_SCENE_SCENE_TREE_H
#define PLI_IO_SCENE_SCENE_TREE_H

#include "base/arena.h"
#include "pliant/scene_reader.h"
#include "pliant/sim.h"

enum {
    PLI_TREE_NODES = 1 << 20,     // in all texts of one load together
    PLI_TREE_DEPTH = 64,          // of lists and maps within each other
    PLI_TREE_ERROR_CAPACITY = 960 // of a message, with what may have been meant
};

// Where nodes come from: a file, or an option of the command line.
typedef struct pli_source {
    const char *name;   // as in messages
    const char *folder; // of the file, relative to that of the scene; "" for the same
    bool is_option;     // nodes have no line: the name says it all
    const char *kept;   // name in the scene's memory, once something was noted
} pli_source;

typedef enum pli_node_kind { PLI_NODE_SCALAR, PLI_NODE_LIST, PLI_NODE_MAP } pli_node_kind;

typedef struct pli_node {
    struct pli_node *next;  // in the same list or map
    struct pli_node *first; // of the items of a list or map
    struct pli_node *last;
    const char *key;  // of an item of a map
    const char *text; // of a scalar
    pli_source *source;
    int32_t count;      // of items
    int32_t key_line;   // position of the key, counted from 1
    int32_t key_column; //
    int32_t line;       // position of the node itself
    int32_t column;
    uint8_t kind; // pli_node_kind
    bool quoted;  // a scalar in quotes is a text, not a number
} pli_node;

typedef struct pli_tree {
    pli_context *context;
    pli_arena *memory;
    int32_t node_count;
    pli_cancel_fn cancel; // asked while texts are read; NULL: never
    void *cancel_user;

    // the rest of the blocks that nodes and texts are cut from
    pli_node *free_nodes;
    int32_t free_node_count;
    char *free_bytes;
    int64_t free_byte_count;
} pli_tree;

// Whether nobody wants to stop. Errors: interrupted.
PLI_CHECKED pli_status pli_tree_go_on(const pli_tree *tree);

PLI_CHECKED pli_status pli_tree_create(pli_context *context, pli_tree *tree);
void pli_tree_clear(pli_tree *tree);

// The texts are copied. NULL when memory ran out.
pli_source *pli_tree_add_source(pli_tree *tree, const char *name, const char *folder);

// A copy of length bytes with a zero byte behind them; NULL when memory ran out.
const char *pli_tree_add_text(pli_tree *tree, const char *bytes, size_t length);

// An empty node. Errors: scene (too many), memory.
PLI_CHECKED pli_status pli_tree_add_node(pli_tree *tree, pli_node_kind kind, pli_source *source,
                                         pli_node **node);

// A copy of a node and everything in it; it is in no list or map and has no key. depth is that of
// the place where the copy will stand. Errors: scene (too many, too deep), memory.
PLI_CHECKED pli_status pli_tree_copy_node(pli_tree *tree, const pli_node *node, int32_t depth,
                                          pli_node **copy);

// Puts a node at the end of a list or map.
void pli_node_append(pli_node *parent, pli_node *child);

// The item of a map with this key, or NULL.
pli_node *pli_node_find(const pli_node *map, const char *key);

// Whether a scalar says nothing: empty, ~ or null, without quotes.
bool pli_node_is_nothing(const pli_node *node);

// The key of a struct that a node which is no map stands for, or NULL.
const char *pli_node_main_key(const pli_schema *schema, const pli_node *node);

// Makes a node say what another one says; its place in its list or map stays.
void pli_node_replace(pli_node *node, const pli_node *by);

// "a list", "a map" or "'text'", for messages. buffer has room for PLI_EXCERPT_CAPACITY + 2 bytes.
const char *pli_node_describe(const pli_node *node, char *buffer);

// "unknown key 'frames_'; allowed are ... (did you mean 'frames'?)", and what the word stands for
// elsewhere. text has room for PLI_TREE_ERROR_CAPACITY bytes and is returned.
const char *pli_tree_unknown_key(const pli_schema *schema, const char *key, char *text);

// "found 'spere'; allowed are ... (did you mean 'sphere'?)", for a name that is no variant.
const char *pli_tree_unknown_variant(const pli_field *field, const char *name, char *text);

// The index of a field's variant by its name or former name; -1: it has none of that name.
int32_t pli_tree_find_variant(const pli_field *field, const char *name);

// Positions of the node and of its key.
pli_position pli_node_position(const pli_node *node);
pli_position pli_node_key_position(const pli_node *node);

// ---- stages

// Reads a text into a tree. *root is NULL when it says nothing at all. Errors: scene, memory.
PLI_CHECKED pli_status pli_tree_read(pli_tree *tree, pli_source *source, const char *bytes,
                                     int64_t count, pli_node **root);

// Puts what `over` says on top of what `base` says: structs and maps of names are merged, as are
// variants of the same kind; all else is replaced. Nodes of over become part of base.
// Errors: scene, memory.
PLI_CHECKED pli_status pli_tree_merge(pli_tree *tree, const pli_schema *schema, pli_node *base,
                                      pli_node *over);

// Applies "PATH=VALUE" to the root, which is a map of the schema. Errors: scene, memory.
PLI_CHECKED pli_status pli_tree_set(pli_tree *tree, const pli_schema *schema, pli_node *root,
                                    const char *setting);

// Fills an empty scene from the root. Errors: scene, memory.
PLI_CHECKED pli_status pli_tree_fill(pli_tree *tree, const pli_node *root, pli_scene *scene);

// Reads every mesh file that a filled scene names; paths count from folder. Errors: scene (the path
// leads out of the folder), io, mesh, memory, interrupted.
PLI_CHECKED pli_status pli_scene_load_meshes(const pli_tree *tree, pli_scene *scene,
                                             const char *folder, bool allow_outside);

#endif
