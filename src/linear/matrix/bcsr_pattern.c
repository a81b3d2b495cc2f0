// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/bcsr_pattern.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum {
    BATCH_CAPACITY = 1 << 22, // table entries that are filled at once, 16 MiB
    ROW_GRAIN = 64,
    INSERTION_LIMIT = 32 // sorted by insertion up to this length, by heap beyond
};

// Elements of one list that meet in each vertex.
typedef struct incidence {
    const pli_clique_list *list;
    int64_t *start;   // [row_count + 1]
    int32_t *element; // [list->count * list->size]
} incidence;

typedef struct pattern_builder {
    pli_context *context;
    int32_t row_count;
    int32_t list_count;
    incidence *incidences; // [list_count]
    int64_t *row_start;    // [row_count + 1]  lengths of rows first, then their starts
    int32_t *column;       // [column_capacity]
    int64_t column_capacity;

    // the batch of rows [first_row, last_row)
    int32_t first_row;
    int32_t last_row;
    int64_t *table_start; // [row_count]  where the table of a row begins in tables
    int32_t *tables;      // [table_capacity]
    int64_t table_capacity;
} pattern_builder;

pli_status pli_clique_list_check(pli_context *context, int32_t vertex_count,
                                 const pli_clique_list *list)
{
    if (list->size < 1 || list->count < 0 || list->count > INT32_MAX / list->size) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "%lld elements of %d vertices: a list may have 2^31 corners at most",
                        (long long)list->count, (int)list->size);
    }
    for (int64_t corner = 0; corner < list->count * list->size; ++corner) {
        int32_t vertex = list->vertices[corner];
        if (vertex >= 0 && vertex < vertex_count) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "element %lld has vertex %d, allowed are 0 to %d",
                        (long long)(corner / list->size), (int)vertex, (int)vertex_count - 1);
    }
    return PLI_OK;
}

// Sorts the corners of a list by vertex (counting sort).
static pli_status incidence_init(pli_context *context, int32_t row_count,
                                 const pli_clique_list *list, incidence *made)
{
    PLI_TRY(pli_clique_list_check(context, row_count, list));
    int64_t corner_count = list->count * list->size;
    made->list = list;
    PLI_TRY(PLI_MAKE(context, made->start, (int64_t)row_count + 1, "elements of vertices"));
    PLI_TRY(PLI_MAKE(context, made->element, corner_count, "elements of vertices"));

    int64_t *start = made->start;
    for (int64_t corner = 0; corner < corner_count; ++corner) ++start[list->vertices[corner] + 1];
    for (int32_t row = 0; row < row_count; ++row) start[row + 1] += start[row];

    // filling moves each start to its end, which is the start of the next row
    for (int64_t corner = 0; corner < corner_count; ++corner) {
        made->element[start[list->vertices[corner]]++] = (int32_t)(corner / list->size);
    }
    memmove(start + 1, start, (size_t)row_count * sizeof *start);
    start[0] = 0;
    return PLI_OK;
}

// Entries of the hash table of a row: a power of two, at least twice the neighbours it can have.
static int64_t table_size(const pattern_builder *builder, int32_t row)
{
    int64_t candidates = 1;
    for (int32_t k = 0; k < builder->list_count; ++k) {
        const incidence *one = &builder->incidences[k];
        candidates += (one->start[row + 1] - one->start[row]) * one->list->size;
    }
    if (candidates > builder->row_count) candidates = builder->row_count;
    int64_t size = 4;
    while (size < 2 * candidates) size *= 2;
    return size;
}

static void table_insert(int32_t *table, int64_t size, int32_t vertex)
{
    // multiplicative hashing (Knuth) with linear probing; empty entries are -1
    int64_t place = (int64_t)(((uint32_t)vertex * 2654435769u) >> 7) & (size - 1);
    while (table[place] >= 0 && table[place] != vertex) place = (place + 1) & (size - 1);
    table[place] = vertex;
}

static void sort_by_insertion(int32_t *items, int64_t count)
{
    for (int64_t i = 1; i < count; ++i) {
        int32_t item = items[i];
        int64_t k = i;
        for (; k > 0 && items[k - 1] > item; --k) items[k] = items[k - 1];
        items[k] = item;
    }
}

static void sift_down(int32_t *heap, int64_t root, int64_t count)
{
    int32_t item = heap[root];
    for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child]) ++child;
        if (heap[child] <= item) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = item;
}

void pli_pattern_sort(int32_t *items, int64_t count)
{
    if (count <= INSERTION_LIMIT) {
        sort_by_insertion(items, count);
        return;
    }
    for (int64_t root = count / 2 - 1; root >= 0; --root) sift_down(items, root, count);
    for (int64_t last = count - 1; last > 0; --last) {
        int32_t largest = items[0];
        items[0] = items[last];
        items[last] = largest;
        sift_down(items, 0, last);
    }
}

// Puts the sorted neighbours of a row at the front of its table; returns their number.
static int64_t gather_row(const pattern_builder *builder, int32_t row, int32_t *table)
{
    int64_t size = table_size(builder, row);
    memset(table, 0xff, (size_t)size * sizeof *table);
    table_insert(table, size, row);
    for (int32_t k = 0; k < builder->list_count; ++k) {
        const incidence *one = &builder->incidences[k];
        int32_t corners = one->list->size;
        for (int64_t at = one->start[row]; at < one->start[row + 1]; ++at) {
            const int32_t *vertices = one->list->vertices + (int64_t)one->element[at] * corners;
            for (int32_t corner = 0; corner < corners; ++corner) {
                table_insert(table, size, vertices[corner]);
            }
        }
    }

    int64_t count = 0;
    for (int64_t place = 0; place < size; ++place) {
        if (table[place] >= 0) table[count++] = table[place];
    }
    pli_pattern_sort(table, count);
    return count;
}

static void gather_rows(void *user, int64_t begin, int64_t end)
{
    pattern_builder *builder = user;
    for (int64_t k = begin; k < end; ++k) {
        int32_t row = builder->first_row + (int32_t)k;
        int32_t *table = builder->tables + builder->table_start[row];
        builder->row_start[row + 1] = gather_row(builder, row, table);
    }
}

// Takes as many rows as fit the buffer, and at least one.
static void choose_batch(pattern_builder *builder)
{
    int64_t used = 0;
    int32_t row = builder->first_row;
    for (; row < builder->row_count; ++row) {
        int64_t size = table_size(builder, row);
        if (used + size > builder->table_capacity) break;
        builder->table_start[row] = used;
        used += size;
    }
    builder->last_row = row;
}

static pli_status reserve_columns(pattern_builder *builder, int64_t count)
{
    if (count <= builder->column_capacity) return PLI_OK;
    int64_t capacity = 2 * builder->column_capacity;
    if (capacity < count) capacity = count;
    PLI_TRY(PLI_RESIZE(builder->context, builder->column, capacity, "matrix columns"));
    builder->column_capacity = capacity;
    return PLI_OK;
}

static pli_status append_batch(pattern_builder *builder)
{
    int64_t *row_start = builder->row_start;
    for (int32_t row = builder->first_row; row < builder->last_row; ++row) {
        row_start[row + 1] += row_start[row];
    }
    PLI_TRY(reserve_columns(builder, row_start[builder->last_row]));
    for (int32_t row = builder->first_row; row < builder->last_row; ++row) {
        int64_t count = row_start[row + 1] - row_start[row];
        memcpy(builder->column + row_start[row], builder->tables + builder->table_start[row],
               (size_t)count * sizeof(int32_t));
    }
    return PLI_OK;
}

static pli_status builder_init(pattern_builder *builder, const pli_clique_list *lists)
{
    pli_context *context = builder->context;
    int64_t rows = builder->row_count;
    PLI_TRY(PLI_MAKE(context, builder->incidences, builder->list_count, "element lists"));
    PLI_TRY(PLI_MAKE(context, builder->row_start, rows + 1, "matrix rows"));
    PLI_TRY(PLI_MAKE(context, builder->table_start, rows, "pattern tables"));
    for (int32_t k = 0; k < builder->list_count; ++k) {
        PLI_TRY(incidence_init(context, builder->row_count, &lists[k], &builder->incidences[k]));
    }

    // one buffer for all batches: the usual size, or what all rows or the longest row need
    int64_t total = 0;
    int64_t longest = 0;
    for (int32_t row = 0; row < builder->row_count; ++row) {
        int64_t size = table_size(builder, row);
        total += size;
        if (size > longest) longest = size;
    }
    builder->table_capacity = total < BATCH_CAPACITY ? total : BATCH_CAPACITY;
    if (builder->table_capacity < longest) builder->table_capacity = longest;
    builder->tables = PLI_NEW(context, int32_t, builder->table_capacity, "pattern tables");
    return builder->tables != NULL ? reserve_columns(builder, 16 * rows) : PLI_ERROR_MEMORY;
}

static void builder_clear(pattern_builder *builder)
{
    pli_context *context = builder->context;
    for (int32_t k = 0; builder->incidences != NULL && k < builder->list_count; ++k) {
        PLI_RELEASE(context, builder->incidences[k].start, builder->incidences[k].element);
    }
    PLI_RELEASE(context, builder->incidences, builder->table_start, builder->tables,
                builder->row_start, builder->column);
}

// Hands the arrays over to the pattern, the columns cut to their length.
static pli_status take_pattern(pattern_builder *builder, pli_bcsr_pattern *pattern)
{
    int64_t block_count = builder->row_start[builder->row_count];
    int32_t *column = pli_reallocate(builder->context, builder->column, block_count, sizeof *column,
                                     "matrix columns");
    if (column == NULL) return PLI_ERROR_MEMORY;
    *pattern = (pli_bcsr_pattern){block_count, builder->row_start, column};
    builder->row_start = NULL;
    builder->column = NULL;
    return PLI_OK;
}

pli_status pli_bcsr_pattern_build(pli_context *context, int32_t row_count, int32_t list_count,
                                  const pli_clique_list *lists, pli_bcsr_pattern *pattern)
{
    *pattern = (pli_bcsr_pattern){0};
    if (row_count < 0 || list_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "a matrix with %d rows from %d element lists",
                        (int)row_count, (int)list_count);
    }
    pattern_builder builder = {
        .context = context, .row_count = row_count, .list_count = list_count};
    pli_status status = builder_init(&builder, lists);
    if (status != PLI_OK) goto done;

    while (builder.first_row < row_count) {
        choose_batch(&builder);
        pli_parallel_for(context, builder.last_row - builder.first_row, ROW_GRAIN, gather_rows,
                         &builder);
        status = append_batch(&builder);
        if (status != PLI_OK) goto done;
        builder.first_row = builder.last_row;
    }
    status = take_pattern(&builder, pattern);

done:
    builder_clear(&builder);
    return status;
}

uint64_t pli_pattern_hash(int32_t row_count, const int64_t *row_start, const int32_t *column)
{
    uint64_t hash =
        pli_hash_bytes(PLI_HASH_START, row_start, ((size_t)row_count + 1) * sizeof *row_start);
    return pli_hash_bytes(hash, column, (size_t)row_start[row_count] * sizeof *column);
}
