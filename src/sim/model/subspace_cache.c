// SPDX-License-Identifier: Apache-2.0
#include "sim/model/subspace_cache.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/sha256.h"

#include <math.h>
#include <string.h>

enum {
    ALGORITHM_VERSION = 2, // grows when the same input gives other parts
    FORMAT_VERSION = 2
};

// what stands before the parts
typedef struct head {
    uint64_t magic;
    uint64_t version;
    pli_cache_key key;
    uint64_t size; // of the parts (bytes)
    uint64_t hash;
} head;

enum { HEAD_SIZE = sizeof(head) };

#define MAGIC UINT64_C(0x706c695f72656475)

// ---- key

static void add_mesh(pli_sha256 *hash, const pli_reduction_source *source)
{
    const pli_simplices *mesh = &source->mesh;
    size_t vertices = (size_t)mesh->vertex_count;
    size_t elements = (size_t)mesh->element_count;
    pli_sha256_add(hash, mesh->points, 3 * vertices * sizeof(double));
    pli_sha256_add(hash, mesh->elements, 4 * elements * sizeof(int32_t));
    pli_sha256_add(hash, source->stiffness, elements * sizeof(double));
    pli_sha256_add(hash, source->model->material_of, elements * sizeof(int32_t));
    pli_sha256_add(hash, source->held, vertices);
    if (!source->wants_affine) return;
    pli_sha256_add(hash, source->body_of, vertices * sizeof(int32_t));
    pli_sha256_add(hash, source->model->mass, vertices * sizeof(double));
}

// With its closing zero, so that two texts are not taken for two others.
static void add_text(pli_sha256 *hash, const char *text)
{
    pli_sha256_add(hash, text, strlen(text) + 1);
}

pli_cache_key pli_reduction_key(const pli_reduction_source *source)
{
    const pli_subspace_def *def = source->def;
    const int64_t whole[] = {ALGORITHM_VERSION,
                             source->mesh.vertex_count,
                             source->mesh.element_count,
                             source->model->body_count,
                             (int64_t)source->model->seed,
                             source->wants_affine,
                             source->wants_cubature,
                             def->handles,
                             def->bases,
                             def->dirichlet,
                             def->prune_period,
                             def->rounds,
                             def->hessian,
                             def->degree,
                             def->cubature_initial,
                             def->cubature_increment};
    const double real[] = {def->jump, def->conform, def->oversampling, def->prune_ratio,
                           def->cubature_tolerance};
    pli_cache_key key;
    pli_sha256 hash;
    pli_sha256_init(&hash);
    add_text(&hash, "subspace");
    add_text(&hash, pli_version());
    add_text(&hash, pli_build_get()->text);
    pli_sha256_add(&hash, whole, sizeof whole);
    pli_sha256_add(&hash, real, sizeof real);
    add_mesh(&hash, source);
    pli_sha256_end(&hash, key.bytes);
    return key;
}

// ---- the order of the bytes

typedef enum stream_mode { STREAM_MEASURE, STREAM_WRITE, STREAM_READ } stream_mode;

// Bytes that are being measured, written or read. After a fault or a failure nothing moves.
typedef struct stream {
    pli_context *context;
    stream_mode mode;
    char *bytes;
    int64_t size;
    int64_t at;
    const char *fault; // what is wrong with bytes that are read; NULL: nothing so far
    pli_status status; // memory
} stream;

static bool is_sound(const stream *s)
{
    return s->fault == NULL && s->status == PLI_OK;
}

static void visit_bytes(stream *s, void *data, int64_t count)
{
    if (!is_sound(s)) return;
    if (s->mode != STREAM_MEASURE && count > s->size - s->at) {
        s->fault = "is cut short";
        return;
    }
    if (s->mode == STREAM_WRITE) memcpy(s->bytes + s->at, data, (size_t)count);
    if (s->mode == STREAM_READ) memcpy(data, s->bytes + s->at, (size_t)count);
    s->at += count;
}

static void visit_whole(stream *s, int32_t *value)
{
    visit_bytes(s, value, sizeof *value);
}

static void visit_real(stream *s, double *value)
{
    visit_bytes(s, value, sizeof *value);
}

// count items of an array. Reading makes it, never larger than the bytes that are left, and returns
// it; NULL after a fault or a failure.
static void *visit_array(stream *s, void *array, int64_t count, size_t item)
{
    if (!is_sound(s)) return array;
    if (s->mode == STREAM_READ) {
        if (count < 0 || count > (s->size - s->at) / (int64_t)item) {
            s->fault = "is cut short";
            return NULL;
        }
        array = pli_allocate(s->context, count, item, "cached subspace");
        if (array == NULL) {
            s->status = PLI_ERROR_MEMORY;
            return NULL;
        }
    }
    visit_bytes(s, array, count * (int64_t)item);
    return array;
}

// An object that may be missing: NULL. Reading makes it.
static void *visit_object(stream *s, void *object, size_t size)
{
    int32_t is_there = object != NULL;
    visit_whole(s, &is_there);
    if (is_sound(s) && is_there != 0 && is_there != 1) s->fault = "has a part that is not known";
    if (!is_sound(s) || is_there == 0) return NULL;
    if (s->mode != STREAM_READ) return object;
    object = pli_allocate(s->context, 1, size, "cached subspace");
    if (object == NULL) s->status = PLI_ERROR_MEMORY;
    return object;
}

static pli_partition *visit_partition(stream *s, pli_partition *p)
{
    p = visit_object(s, p, sizeof *p);
    if (p == NULL) return NULL;
    p->context = s->context;
    visit_whole(s, &p->vertex_count);
    visit_whole(s, &p->element_count);
    visit_whole(s, &p->count);
    visit_whole(s, &p->rounds);
    visit_whole(s, &p->pruned);
    visit_real(s, &p->hop_radius);
    visit_real(s, &p->cost);
    p->element_part = visit_array(s, p->element_part, p->element_count, sizeof *p->element_part);
    p->vertex_part = visit_array(s, p->vertex_part, p->vertex_count, sizeof *p->vertex_part);
    p->centers = visit_array(s, p->centers, p->count, sizeof *p->centers);
    p->volume = visit_array(s, p->volume, p->count, sizeof *p->volume);
    return p;
}

static pli_bases *visit_bases(stream *s, pli_bases *b)
{
    b = visit_object(s, b, sizeof *b);
    if (b == NULL) return NULL;
    b->context = s->context;
    int64_t entries = s->mode == STREAM_READ ? 0 : b->start[b->vertex_count];
    visit_whole(s, &b->vertex_count);
    visit_whole(s, &b->handle_count);
    visit_whole(s, &b->orphan_count);
    visit_bytes(s, &entries, sizeof entries);
    if (is_sound(s) && b->vertex_count < 0) s->fault = "has broken rows";
    b->start = visit_array(s, b->start, (int64_t)b->vertex_count + 1, sizeof *b->start);
    b->handle = visit_array(s, b->handle, entries, sizeof *b->handle);
    b->weight = visit_array(s, b->weight, entries, sizeof *b->weight);
    b->center = visit_array(s, b->center, 3 * (int64_t)b->handle_count, sizeof *b->center);
    b->size = visit_array(s, b->size, b->handle_count, sizeof *b->size);
    // rows have to end where the entries do
    if (is_sound(s) && b->start[b->vertex_count] != entries) s->fault = "has broken rows";
    return b;
}

static pli_cubature *visit_cubature(stream *s, pli_cubature *c)
{
    c = visit_object(s, c, sizeof *c);
    if (c == NULL) return NULL;
    c->context = s->context;
    visit_whole(s, &c->count);
    visit_whole(s, &c->rounds);
    visit_real(s, &c->residual);
    c->elements = visit_array(s, c->elements, c->count, sizeof *c->elements);
    c->weights = visit_array(s, c->weights, c->count, sizeof *c->weights);
    return c;
}

static void visit_reduction(stream *s, pli_reduction *reduction)
{
    reduction->partition = visit_partition(s, reduction->partition);
    reduction->bases = visit_bases(s, reduction->bases);
    reduction->affine = visit_bases(s, reduction->affine);
    reduction->cubature = visit_cubature(s, reduction->cubature);
}

// ---- checks of what was read

static bool are_finite(const double *values, int64_t count, double least)
{
    for (int64_t k = 0; k < count; ++k) {
        if (!isfinite(values[k]) || values[k] < least) return false;
    }
    return true;
}

static bool are_within(const int32_t *values, int64_t count, int32_t least, int32_t end)
{
    for (int64_t k = 0; k < count; ++k) {
        if (values[k] < least || values[k] >= end) return false;
    }
    return true;
}

static bool are_increasing(const int32_t *values, int64_t count)
{
    for (int64_t k = 1; k < count; ++k) {
        if (values[k] <= values[k - 1]) return false;
    }
    return true;
}

static bool is_good_partition(const pli_partition *p, const pli_simplices *mesh)
{
    return p != NULL && p->vertex_count == mesh->vertex_count &&
           p->element_count == mesh->element_count && p->count >= 1 &&
           p->count <= mesh->vertex_count &&
           are_within(p->element_part, p->element_count, 0, p->count) &&
           are_within(p->vertex_part, p->vertex_count, -1, p->count) &&
           are_within(p->centers, p->count, 0, p->vertex_count) &&
           are_finite(p->volume, p->count, 0) && are_finite(&p->hop_radius, 1, 0) &&
           are_finite(&p->cost, 1, 0);
}

static bool has_good_rows(const pli_bases *b)
{
    if (b->start[0] != 0) return false;
    for (int64_t vertex = 0; vertex < b->vertex_count; ++vertex) {
        int64_t first = b->start[vertex];
        int64_t end = b->start[vertex + 1];
        // before a row is read, it has to lie within the entries
        if (end < first || end > b->start[b->vertex_count]) return false;
        if (!are_within(b->handle + first, end - first, 0, b->handle_count)) return false;
        if (!are_increasing(b->handle + first, end - first)) return false;
    }
    return true;
}

static bool are_good_bases(const pli_bases *b, const pli_simplices *mesh, int32_t handle_count)
{
    return b != NULL && b->vertex_count == mesh->vertex_count && b->handle_count == handle_count &&
           has_good_rows(b) && are_finite(b->weight, b->start[b->vertex_count], -INFINITY) &&
           are_finite(b->center, 3 * (int64_t)b->handle_count, -INFINITY) &&
           are_finite(b->size, b->handle_count, 0);
}

static bool is_good_cubature(const pli_cubature *c, const pli_simplices *mesh)
{
    return c != NULL && c->count >= 0 &&
           are_within(c->elements, c->count, 0, mesh->element_count) &&
           are_increasing(c->elements, c->count) && are_finite(c->weights, c->count, 0) &&
           are_finite(&c->residual, 1, 0);
}

static bool is_good_reduction(const pli_reduction_source *source, const pli_reduction *r)
{
    const pli_simplices *mesh = &source->mesh;
    if (!is_good_partition(r->partition, mesh)) return false;
    if (!are_good_bases(r->bases, mesh, r->partition->count)) return false;
    int32_t bodies = source->model->body_count;
    bool affine =
        source->wants_affine ? are_good_bases(r->affine, mesh, bodies) : r->affine == NULL;
    return affine &&
           (source->wants_cubature ? is_good_cubature(r->cubature, mesh) : r->cubature == NULL);
}

// ---- bytes

// Of the parts, with the key, so that parts under another one's head are noticed.
static uint64_t hash_parts(const pli_cache_key *key, const char *bytes, int64_t size)
{
    uint64_t start = pli_hash_bytes(PLI_HASH_START, key->bytes, sizeof key->bytes);
    return pli_hash_bytes(start, bytes, (size_t)size);
}

pli_status pli_reduction_encode(pli_context *context, const pli_reduction *reduction,
                                const pli_cache_key *key, void **bytes, int64_t *size)
{
    *bytes = NULL;
    *size = 0;
    // neither measuring nor writing changes what is described
    pli_reduction parts = *reduction;
    stream s = {.context = context, .mode = STREAM_MEASURE};
    visit_reduction(&s, &parts);
    char *made = PLI_NEW(context, char, HEAD_SIZE + s.at, "subspace for the cache");
    if (made == NULL) return PLI_ERROR_MEMORY;

    s = (stream){.context = context, .mode = STREAM_WRITE, .bytes = made + HEAD_SIZE, .size = s.at};
    visit_reduction(&s, &parts);
    const head h = {MAGIC, FORMAT_VERSION, *key, (uint64_t)s.size,
                    hash_parts(key, s.bytes, s.size)};
    memcpy(made, &h, sizeof h);
    *bytes = made;
    *size = HEAD_SIZE + s.size;
    return PLI_OK;
}

// What is wrong with bytes as a whole; NULL: nothing.
static const char *find_fault(const pli_cache_key *key, const char *bytes, int64_t size)
{
    head h;
    if (size < HEAD_SIZE) return "is cut short";
    memcpy(&h, bytes, sizeof h);
    if (h.magic != MAGIC) return "is of another kind";
    if (h.version != FORMAT_VERSION) return "is of another version";
    if (memcmp(&h.key, key, sizeof *key) != 0) return "belongs to another scene";
    if (h.size != (uint64_t)(size - HEAD_SIZE)) return "is cut short or too long";
    return hash_parts(key, bytes + HEAD_SIZE, size - HEAD_SIZE) == h.hash ? NULL : "is damaged";
}

pli_status pli_reduction_decode(const pli_reduction_source *source, const pli_cache_key *key,
                                const void *bytes, int64_t size, pli_reduction *reduction,
                                const char **fault)
{
    *fault = find_fault(key, bytes, size);
    if (*fault != NULL) return PLI_OK;
    stream s = {.context = source->model->context,
                .mode = STREAM_READ,
                // reading does not write there
                .bytes = (char *)(uintptr_t)bytes + HEAD_SIZE,
                .size = size - HEAD_SIZE};
    visit_reduction(&s, reduction);
    if (is_sound(&s) && s.at != s.size) s.fault = "is too long";
    if (is_sound(&s) && !is_good_reduction(source, reduction)) s.fault = "does not fit the model";
    if (!is_sound(&s)) pli_reduction_clear(reduction);
    *fault = s.fault;
    return s.status;
}

// ---- the cache

pli_status pli_reduction_load(const pli_reduction_source *source, const pli_cache_key *key,
                              const pli_cache *cache, pli_reduction *reduction, bool *found)
{
    *found = false;
    const void *bytes = NULL;
    int64_t size = 0;
    if (cache->load == NULL || !cache->load(cache->user, key, &bytes, &size)) return PLI_OK;
    const char *fault = NULL;
    pli_status status = pli_reduction_decode(source, key, bytes, size, reduction, &fault);
    if (cache->release != NULL) cache->release(cache->user, bytes);
    if (fault != NULL) {
        PLI_LOG(source->model->context, PLI_LOG_WARNING,
                "subspace: what the cache has for %02x%02x%02x%02x... %s; it is recomputed",
                key->bytes[0], key->bytes[1], key->bytes[2], key->bytes[3], fault);
    }
    *found = status == PLI_OK && fault == NULL;
    return status;
}

void pli_reduction_store(const pli_reduction_source *source, const pli_cache_key *key,
                         const pli_cache *cache, const pli_reduction *reduction)
{
    if (cache->store == NULL) return;
    pli_context *context = source->model->context;
    void *bytes = NULL;
    int64_t size = 0;
    if (pli_reduction_encode(context, reduction, key, &bytes, &size) != PLI_OK) {
        PLI_LOG(context, PLI_LOG_WARNING, "subspace: no memory left to put it into the cache");
        return;
    }
    cache->store(cache->user, key, bytes, size);
    pli_release(context, bytes);
}
