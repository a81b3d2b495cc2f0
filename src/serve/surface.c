// SPDX-License-Identifier: Apache-2.0
#include "serve/surface.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/frames/frame_part.h"

enum { SPARE = 16 }; // surfaces that are kept besides those of a frame

// ---- one surface

static void clear(pli_surface *surface)
{
    pli_context *context = surface->skin.context;
    if (context == NULL) return;
    pli_release(context, surface->first);
    pli_release(context, surface->around);
    pli_skin_clear(&surface->skin);
    *surface = (pli_surface){.used = -1};
}

// Sorts the cells behind triangles by the points of the triangles.
static pli_status gather_around(pli_surface *surface)
{
    const pli_skin *skin = &surface->skin;
    int64_t corners = 3 * (int64_t)skin->triangle_count;
    surface->first = PLI_NEW(skin->context, int32_t, (int64_t)skin->point_count + 1, "surface");
    surface->around = PLI_NEW(skin->context, int32_t, corners, "surface");
    if (surface->first == NULL || surface->around == NULL) return PLI_ERROR_MEMORY;

    // counts, then the ends of each point's cells, which filling backwards turns into the
    // beginnings
    int32_t *first = surface->first;
    for (int64_t i = 0; i < corners; ++i) ++first[skin->triangles[i]];
    for (int32_t i = 0; i < skin->point_count; ++i) first[i + 1] += first[i];
    for (int64_t i = corners - 1; i >= 0; --i) {
        surface->around[--first[skin->triangles[i]]] = skin->cell_ids[i / 3];
    }
    return PLI_OK;
}

static uint64_t hash_surface(const pli_skin *skin)
{
    const int32_t numbers[3] = {(int32_t)skin->kind, skin->point_count, skin->triangle_count};
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, numbers, sizeof numbers);
    hash = pli_hash_wide(hash, skin->point_ids, 4 * (size_t)skin->point_count);
    hash = pli_hash_wide(hash, skin->triangles, 12 * (size_t)skin->triangle_count);
    return hash != 0 ? hash : 1;
}

static pli_status check_corners(pli_context *context, const pli_frame_part *part)
{
    int64_t corners = (int64_t)part->cell_count * pli_part_corners(part->kind);
    for (int64_t i = 0; i < corners; ++i) {
        if (part->cells[i] >= 0 && part->cells[i] < part->point_count) continue;
        return PLI_FAIL(context, PLI_ERROR_MESH, "body '%s': a cell refers to point %d of %d",
                        part->name, part->cells[i], part->point_count);
    }
    return PLI_OK;
}

static pli_status make(pli_surface *surface, pli_context *context, const pli_frame_part *part)
{
    PLI_TRY(check_corners(context, part));
    pli_status status = pli_skin_init(&surface->skin, context, part);
    if (status == PLI_OK) status = gather_around(surface);
    if (status != PLI_OK) {
        clear(surface);
        return status;
    }
    surface->name = hash_surface(&surface->skin);
    return PLI_OK;
}

// ---- the store

void pli_surface_store_init(pli_surface_store *store, pli_context *context)
{
    *store = (pli_surface_store){.context = context};
}

void pli_surface_store_clear(pli_surface_store *store)
{
    if (store->context == NULL) return;
    for (int32_t i = 0; i < store->count; ++i) clear(&store->items[i]);
    pli_release(store->context, store->items);
    pli_surface_store_init(store, store->context);
}

pli_status pli_surface_store_begin(pli_surface_store *store, int32_t part_count)
{
    ++store->round;
    int64_t wanted = (int64_t)part_count + SPARE;
    if (wanted <= store->capacity) return PLI_OK;
    if (wanted > INT32_MAX) wanted = INT32_MAX;
    pli_surface *items =
        pli_reallocate(store->context, store->items, wanted, sizeof *items, "surfaces");
    if (items == NULL) return PLI_ERROR_MEMORY;
    store->items = items;
    store->capacity = (int32_t)wanted;
    return PLI_OK;
}

// A place for a new surface: an unused one, or that of the one which was not used for longest.
static int32_t make_room(pli_surface_store *store)
{
    if (store->count < store->capacity) {
        store->items[store->count] = (pli_surface){.used = -1};
        return store->count++;
    }
    int32_t oldest = 0;
    for (int32_t i = 1; i < store->count; ++i) {
        if (store->items[i].used < store->items[oldest].used) oldest = i;
    }
    clear(&store->items[oldest]);
    return oldest;
}

static bool fits(const pli_surface_store *store, int32_t place, const pli_frame_part *part,
                 uint64_t hash)
{
    const pli_surface *surface = &store->items[place];
    return surface->name != 0 && pli_skin_matches(&surface->skin, part, hash);
}

pli_status pli_surface_store_find(pli_surface_store *store, const pli_frame_part *part,
                                  int32_t hint, int32_t *place)
{
    *place = -1;
    uint64_t hash = pli_skin_hash(part);
    if (hint >= 0 && hint < store->count && fits(store, hint, part, hash)) *place = hint;
    for (int32_t i = 0; *place < 0 && i < store->count; ++i) {
        if (fits(store, i, part, hash)) *place = i;
    }
    if (*place < 0) {
        int32_t room = make_room(store);
        PLI_TRY(make(&store->items[room], store->context, part));
        *place = room;
    }
    store->items[*place].used = store->round;
    return PLI_OK;
}
