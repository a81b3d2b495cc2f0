// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of static objects, page by page.
#include "base/memory.h"
#include "base/parallel.h"
#include "mpm/grid/grid_contact.h"

#include <string.h>

enum { LEAST_SLOTS = 64 };

// a page that is being made known
typedef struct fresh_page {
    int64_t slot;
    uint32_t code;
    int32_t at[3];
    int32_t contact_count;
    int32_t float_count; // of normals
} fresh_page;

typedef struct fresh_job {
    const pli_grid_colliders *set;
    fresh_page *pages; // [count]
} fresh_job;

// ---- the table

static int64_t home_of(const pli_grid_colliders *set, uint32_t code)
{
    uint64_t mixed = code * 0x9e3779b97f4a7c15ULL;
    return (int64_t)(mixed >> 32) & (set->slot_count - 1);
}

// Where a page is or would be. The table is never full.
static int64_t slot_of(const pli_grid_colliders *set, uint32_t code)
{
    int64_t slot = home_of(set, code);
    while (set->slots[slot].is_used && set->slots[slot].code != code) {
        slot = (slot + 1) & (set->slot_count - 1);
    }
    return slot;
}

const pli_grid_slot *pli_grid_memory_find(const pli_grid_colliders *set, uint32_t code)
{
    if (set->known_count == 0) return NULL;
    const pli_grid_slot *slot = &set->slots[slot_of(set, code)];
    return slot->is_used ? slot : NULL;
}

// Room for count pages with at least half of the slots free.
static pli_status reserve_slots(pli_grid_colliders *set, int64_t count)
{
    int64_t wanted = set->slot_count > 0 ? set->slot_count : LEAST_SLOTS;
    while (wanted < 2 * count) wanted *= 2;
    if (wanted == set->slot_count) return PLI_OK;

    pli_grid_slot *slots = PLI_NEW(set->context, pli_grid_slot, wanted, "pages near colliders");
    if (slots == NULL) return PLI_ERROR_MEMORY;
    pli_grid_slot *old = set->slots;
    int64_t old_count = set->slot_count;
    set->slots = slots;
    set->slot_count = wanted;
    for (int64_t i = 0; i < old_count; ++i) {
        if (old[i].is_used) slots[slot_of(set, old[i].code)] = old[i];
    }
    pli_release(set->context, old);
    return PLI_OK;
}

void pli_grid_colliders_forget(pli_grid_colliders *set, uint32_t code)
{
    if (pli_grid_memory_find(set, code) == NULL) return;
    int64_t mask = set->slot_count - 1;
    int64_t hole = slot_of(set, code);
    pli_release(set->context, set->slots[hole].memory);

    // those that follow and whose home is not between the hole and them move up
    for (int64_t i = (hole + 1) & mask; set->slots[i].is_used; i = (i + 1) & mask) {
        int64_t home = home_of(set, set->slots[i].code);
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        set->slots[hole] = set->slots[i];
        hole = i;
    }
    set->slots[hole] = (pli_grid_slot){0};
    --set->known_count;
}

void pli_grid_memory_clear(pli_grid_colliders *set)
{
    for (int64_t i = 0; i < set->slot_count; ++i) pli_release(set->context, set->slots[i].memory);
    pli_release(set->context, set->slots);
    set->slots = NULL;
    set->slot_count = 0;
    set->known_count = 0;
}

// ---- contacts of a page

// The first normal of a contact, if it is that of all its nodes.
static bool get_flat_normal(const pli_grid_contact *contact, float normal[3])
{
    const float *row_normals = contact->normals;
    bool is_first = true;
    for (int32_t row = 0; row < PLI_PAGE_ROWS; ++row) {
        for (int32_t k = 0; k < PLI_BLOCK_Z; ++k) {
            if (!(contact->lanes[row] >> k & 1)) continue;
            for (int c = 0; c < 3; ++c) {
                float n = row_normals[PLI_BLOCK_Z * c + k];
                if (is_first) normal[c] = n;
                if (normal[c] != n) return false;
            }
            is_first = false;
        }
        if (contact->lanes[row] != 0) row_normals += PLI_ROW_NORMALS;
    }
    return true;
}

// Copies the normals of a contact in as few rows as they need; returns how many floats these are.
// NULL counts only.
static int32_t pack_normals(const pli_grid_contact *contact, float *packed)
{
    float flat[3];
    if (contact->normals == NULL) return 0;
    if (get_flat_normal(contact, flat)) {
        for (int32_t i = 0; i < PLI_ROW_NORMALS && packed != NULL; ++i) {
            packed[i] = flat[i / PLI_BLOCK_Z];
        }
        return PLI_ROW_NORMALS;
    }
    int32_t count = 0;
    for (int32_t row = 0; row < PLI_PAGE_ROWS; ++row) {
        if (contact->lanes[row] != 0) count += PLI_ROW_NORMALS;
    }
    if (packed != NULL) memcpy(packed, contact->normals, (size_t)count * sizeof(float));
    return count;
}

// Goes through the static bodies that touch a page; fills the memory unless it is NULL.
static void visit_contacts(const pli_grid_colliders *set, fresh_page *page, pli_grid_memory *memory)
{
    float normals[PLI_PAGE_ROWS * PLI_ROW_NORMALS];
    pli_grid_view view;
    pli_grid_view_init(&view, page->at, NULL);
    float *packed = memory != NULL ? (float *)(memory->contacts + page->contact_count) : NULL;
    int32_t count = 0, float_count = 0;
    for (int32_t i = 0; i < set->body_count; ++i) {
        pli_grid_contact contact;
        int32_t body = set->order[i];
        if (!set->bodies[body].def.is_static) continue;
        if (!pli_grid_contact_find(set, body, &view, normals, &contact)) continue;
        float *room = packed != NULL ? packed + float_count : NULL;
        int32_t floats = pack_normals(&contact, room);
        if (memory != NULL) {
            contact.normals = floats > 0 ? room : NULL;
            contact.stride = floats > PLI_ROW_NORMALS ? PLI_ROW_NORMALS : 0;
            memory->contacts[count] = contact;
            memory->count = count + 1;
        }
        float_count += floats;
        ++count;
    }
    page->contact_count = count;
    page->float_count = float_count;
}

static void count_contacts(void *user, int64_t begin, int64_t end)
{
    fresh_job *job = user;
    for (int64_t i = begin; i < end; ++i) visit_contacts(job->set, &job->pages[i], NULL);
}

static void fill_contacts(void *user, int64_t begin, int64_t end)
{
    fresh_job *job = user;
    for (int64_t i = begin; i < end; ++i) {
        pli_grid_memory *memory = job->set->slots[job->pages[i].slot].memory;
        if (memory != NULL) visit_contacts(job->set, &job->pages[i], memory);
    }
}

static pli_status allocate_contacts(pli_grid_colliders *set, int64_t count, const fresh_page *pages)
{
    for (int64_t i = 0; i < count; ++i) {
        const fresh_page *page = &pages[i];
        if (page->contact_count == 0) continue;
        size_t bytes = sizeof(pli_grid_memory) +
                       (size_t)page->contact_count * sizeof(pli_grid_contact) +
                       (size_t)page->float_count * sizeof(float);
        set->slots[page->slot].memory =
            pli_allocate(set->context, 1, bytes, "contacts of a page with colliders");
        if (set->slots[page->slot].memory == NULL) return PLI_ERROR_MEMORY;
    }
    return PLI_OK;
}

// ---- remembering

static pli_status check_pages(const pli_grid_colliders *set, int64_t count,
                              const pli_grid_page *pages)
{
    for (int64_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (pages[i].at[k] >= 0 && pages[i].at[k] < set->blocks[k]) continue;
            return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT,
                            "page %lld is block %d %d %d of a grid of %d x %d x %d blocks",
                            (long long)i, pages[i].at[0], pages[i].at[1], pages[i].at[2],
                            set->blocks[0], set->blocks[1], set->blocks[2]);
        }
    }
    return PLI_OK;
}

// Enters the pages that are not known, without contacts; returns how many.
static int64_t enter_pages(pli_grid_colliders *set, int64_t count, const pli_grid_page *pages,
                           fresh_page *fresh)
{
    int64_t fresh_count = 0;
    for (int64_t i = 0; i < count; ++i) {
        int64_t slot = slot_of(set, pages[i].code);
        if (set->slots[slot].is_used) continue;
        set->slots[slot] = (pli_grid_slot){.is_used = true, .code = pages[i].code};
        ++set->known_count;
        fresh_page *page = &fresh[fresh_count++];
        *page = (fresh_page){.slot = slot, .code = pages[i].code};
        memcpy(page->at, pages[i].at, sizeof page->at);
    }
    return fresh_count;
}

pli_status pli_grid_colliders_remember(pli_grid_colliders *set, int64_t count,
                                       const pli_grid_page *pages)
{
    enum { PAGE_GRAIN = 16 };
    PLI_TRY(check_pages(set, count, pages));
    int64_t unknown = 0;
    for (int64_t i = 0; i < count; ++i) unknown += pli_grid_memory_find(set, pages[i].code) == NULL;
    if (unknown == 0) return PLI_OK;
    PLI_TRY(reserve_slots(set, set->known_count + unknown));
    fresh_page *fresh = PLI_NEW(set->context, fresh_page, unknown, "new pages near colliders");
    if (fresh == NULL) return PLI_ERROR_MEMORY;

    // contacts are counted, given room, and then found once more to be kept
    int64_t fresh_count = enter_pages(set, count, pages, fresh);
    fresh_job job = {set, fresh};
    pli_parallel_for(set->context, fresh_count, PAGE_GRAIN, count_contacts, &job);
    pli_status status = allocate_contacts(set, fresh_count, fresh);
    if (status == PLI_OK) {
        pli_parallel_for(set->context, fresh_count, PAGE_GRAIN, fill_contacts, &job);
    } else {
        for (int64_t i = 0; i < fresh_count; ++i) pli_grid_colliders_forget(set, fresh[i].code);
    }
    pli_release(set->context, fresh);
    return status;
}

bool pli_grid_colliders_knows(const pli_grid_colliders *set, uint32_t code)
{
    return pli_grid_memory_find(set, code) != NULL;
}
