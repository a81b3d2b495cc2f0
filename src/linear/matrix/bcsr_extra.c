// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/bcsr_extra.h"

#include "linear/matrix/block_kernel.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"

enum {
    CAPACITY_LIMIT = 1 << 30, // the table of twice as many entries still counts with 32 bits
    ROW_GRAIN = 512,          // rows of a product per block
    BLOCK_GRAIN = 2048,       // blocks per block of other loops
    DIGIT_BITS = 11,          // of the radix sort
    DIGIT_COUNT = 1 << DIGIT_BITS
};

// ---- the table of places

// Where the search for a place begins: the top bits of a multiple of the golden ratio (Knuth 1973,
// section 6.4), which spreads neighbouring rows and columns.
static int64_t table_entry(const pli_bcsr_extra *extra, int32_t row, int32_t column)
{
    uint64_t key = (uint64_t)(uint32_t)row << 32 | (uint32_t)column;
    key ^= key >> 32;
    return (int64_t)((key * 0x9E3779B97F4A7C15ULL) >> (64 - extra->table_bits));
}

// The table's entry for a place: that of its block, or the free one where it would go. There always
// is one, as the table is twice as large as it ever gets full.
static int32_t *find_entry(const pli_bcsr_extra *extra, int32_t row, int32_t column)
{
    int64_t last = ((int64_t)1 << extra->table_bits) - 1;
    int64_t entry = table_entry(extra, row, column);
    for (;; entry = (entry + 1) & last) {
        int32_t *found = extra->table + entry;
        if (*found == 0) return found;
        const pli_extra_block *block = extra->blocks + *found - 1;
        if (block->row == row && block->column == column) return found;
    }
}

// Enters all blocks again.
static void fill_table(pli_bcsr_extra *extra)
{
    if (extra->table_is_current) return;
    memset(extra->table, 0, ((size_t)1 << extra->table_bits) * sizeof *extra->table);
    extra->table_is_current = true;
    for (int32_t k = 0; k < extra->count; ++k) {
        *find_entry(extra, extra->blocks[k].row, extra->blocks[k].column) = k + 1;
    }
}

// ---- room

static pli_status grow_table(pli_context *context, pli_bcsr_extra *extra, int64_t capacity)
{
    int32_t bits = 1;
    while ((int64_t)1 << bits < 2 * capacity) ++bits;
    int32_t *table = PLI_NEW(context, int32_t, (int64_t)1 << bits, "extra blocks");
    if (table == NULL) return PLI_ERROR_MEMORY;
    pli_release(context, extra->table);
    extra->table = table;
    extra->table_bits = bits;
    extra->table_is_current = false;
    return PLI_OK;
}

pli_status pli_bcsr_reserve_extra(pli_bcsr *matrix, int64_t count)
{
    pli_context *context = matrix->context;
    pli_bcsr_extra *extra = &matrix->extra;
    if (count <= extra->capacity) return PLI_OK;
    if (count > CAPACITY_LIMIT) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "room for %lld extra blocks; 2^30 is the limit", (long long)count);
    }
    int64_t capacity = extra->capacity + extra->capacity / 2;
    if (capacity > CAPACITY_LIMIT) capacity = CAPACITY_LIMIT;
    if (capacity < count) capacity = count;

    // larger arrays do no harm when another one can't be had
    PLI_TRY(PLI_RESIZE(context, extra->blocks, capacity, "extra blocks"));
    PLI_TRY(PLI_RESIZE(context, extra->rows, capacity, "extra blocks"));
    PLI_TRY(PLI_RESIZE(context, extra->row_start, capacity + 1, "extra blocks"));
    PLI_TRY(PLI_RESIZE(context, extra->order, 2 * capacity, "extra blocks"));
    PLI_TRY(grow_table(context, extra, capacity));
    extra->capacity = capacity;
    return PLI_OK;
}

void pli_bcsr_extra_forget(pli_bcsr *matrix)
{
    pli_bcsr_extra *extra = &matrix->extra;
    if (extra->count == 0) return;
    extra->table_is_current = false;
    extra->count = 0;
    extra->row_count = 0;
    extra->revision = 0;
    extra->open = false;
}

void pli_bcsr_extra_clear(pli_bcsr *matrix)
{
    pli_context *context = matrix->context;
    pli_bcsr_extra *extra = &matrix->extra;
    PLI_RELEASE(context, extra->blocks, extra->rows, extra->row_start, extra->order, extra->table);
    *extra = (pli_bcsr_extra){0};
}

int64_t pli_bcsr_extra_memory_bytes(const pli_bcsr *matrix)
{
    const pli_bcsr_extra *extra = &matrix->extra;
    return (int64_t)(pli_memory_size(extra->blocks) + pli_memory_size(extra->rows) +
                     pli_memory_size(extra->row_start) + pli_memory_size(extra->order) +
                     pli_memory_size(extra->table));
}

// ---- adding

// The values at a place beside the pattern, zero when they are new; NULL when there is no room.
static double *extra_values(pli_bcsr_extra *extra, int32_t row, int32_t column)
{
    if (extra->capacity == 0) return NULL;
    fill_table(extra);
    int32_t *entry = find_entry(extra, row, column);
    if (*entry > 0) return extra->blocks[*entry - 1].values;
    if (extra->count == extra->capacity) return NULL;
    pli_extra_block *block = extra->blocks + extra->count++;
    *block = (pli_extra_block){.row = row, .column = column};
    *entry = (int32_t)extra->count;
    extra->open = true;
    return block->values;
}

bool pli_bcsr_add_block(pli_bcsr *matrix, int32_t row, int32_t column, const double block[9])
{
    PLI_ASSERT(matrix->context, row >= 0 && row < matrix->row_count);
    PLI_ASSERT(matrix->context, column >= 0 && column < matrix->row_count);
    int64_t slot = row == column ? matrix->diagonal[row] : pli_bcsr_find(matrix, row, column);
    double *values =
        slot >= 0 ? matrix->values + 9 * slot : extra_values(&matrix->extra, row, column);
    if (values == NULL) return false;
    for (int k = 0; k < 9; ++k) values[k] += block[k];
    return true;
}

void pli_bcsr_extra_append(pli_bcsr *matrix, int32_t row, int32_t column)
{
    pli_bcsr_extra *extra = &matrix->extra;
    PLI_ASSERT(matrix->context, extra->count < extra->capacity);
    extra->blocks[extra->count++] = (pli_extra_block){.row = row, .column = column};
    extra->open = true;
    extra->table_is_current = false;
}

void pli_bcsr_extra_set_rows(pli_bcsr *matrix, int32_t row_count, const int32_t *rows,
                             const int32_t *row_start, uint64_t revision)
{
    pli_bcsr_extra *extra = &matrix->extra;
    PLI_ASSERT(matrix->context, extra->count == 0 && row_start[row_count] <= extra->capacity);
    memcpy(extra->rows, rows, (size_t)row_count * sizeof *rows);
    memcpy(extra->row_start, row_start, ((size_t)row_count + 1) * sizeof *row_start);
    extra->row_count = row_count;
    extra->count = row_start[row_count];
    extra->revision = revision;
    extra->open = false;
    extra->table_is_current = false;
}

// ---- closing

// One stable pass of the radix sort: `to` takes over the blocks of `from` by a digit of their
// column or row.
static void sort_by_digit(const pli_bcsr_extra *extra, bool by_row, int shift, const int32_t *from,
                          int32_t *to)
{
    int32_t start[DIGIT_COUNT + 1] = {0};
    for (int64_t k = 0; k < extra->count; ++k) {
        const pli_extra_block *block = extra->blocks + k;
        ++start[((by_row ? block->row : block->column) >> shift) % DIGIT_COUNT + 1];
    }
    for (int digit = 0; digit < DIGIT_COUNT; ++digit) start[digit + 1] += start[digit];
    for (int64_t k = 0; k < extra->count; ++k) {
        const pli_extra_block *block = extra->blocks + from[k];
        to[start[((by_row ? block->row : block->column) >> shift) % DIGIT_COUNT]++] = from[k];
    }
}

// The order of the blocks by row and column. Lifetime: until the next sort.
static int32_t *sort_order(const pli_bcsr *matrix)
{
    const pli_bcsr_extra *extra = &matrix->extra;
    int32_t *order = extra->order;
    int32_t *other = extra->order + extra->capacity;
    int64_t last = (int64_t)matrix->row_count - 1;
    for (int32_t k = 0; k < extra->count; ++k) order[k] = k;
    for (int by_row = 0; by_row <= 1; ++by_row) {
        for (int shift = 0; last >> shift > 0; shift += DIGIT_BITS) {
            sort_by_digit(extra, by_row != 0, shift, order, other);
            int32_t *swap = order;
            order = other;
            other = swap;
        }
    }
    return order;
}

// Moves block order[k] to place k, cycle by cycle; order becomes the identity.
static void permute_blocks(pli_bcsr_extra *extra, int32_t *order)
{
    for (int32_t first = 0; first < extra->count; ++first) {
        if (order[first] == first) continue;
        pli_extra_block held = extra->blocks[first];
        int32_t place = first;
        while (order[place] != first) {
            int32_t next = order[place];
            extra->blocks[place] = extra->blocks[next];
            order[place] = place;
            place = next;
        }
        extra->blocks[place] = held;
        order[place] = place;
    }
}

static bool is_sorted(const pli_bcsr_extra *extra)
{
    for (int64_t k = 1; k < extra->count; ++k) {
        const pli_extra_block *block = extra->blocks + k;
        if (block->row < block[-1].row) return false;
        if (block->row == block[-1].row && block->column < block[-1].column) return false;
    }
    return true;
}

// Cuts the sorted blocks into rows and hashes their places.
static void cut_rows(pli_bcsr_extra *extra)
{
    extra->row_count = 0;
    extra->revision = PLI_HASH_START;
    for (int32_t k = 0; k < extra->count; ++k) {
        const pli_extra_block *block = extra->blocks + k;
        extra->revision = pli_bcsr_extra_hash(extra->revision, block->row, block->column);
        if (k > 0 && block->row == block[-1].row) continue;
        extra->rows[extra->row_count] = block->row;
        extra->row_start[extra->row_count++] = k;
    }
    extra->row_start[extra->row_count] = (int32_t)extra->count;
}

void pli_bcsr_close_extra(pli_bcsr *matrix)
{
    pli_bcsr_extra *extra = &matrix->extra;
    if (!extra->open) return;
    if (!is_sorted(extra)) {
        permute_blocks(extra, sort_order(matrix));
        extra->table_is_current = false;
    }
    cut_rows(extra);
    extra->open = false;
}

int64_t pli_bcsr_extra_begin(const pli_bcsr *matrix, int64_t row)
{
    const pli_bcsr_extra *extra = &matrix->extra;
    int32_t k = pli_bcsr_extra_first_row(matrix, row);
    return k < extra->row_count ? extra->row_start[k] : extra->count;
}

int32_t pli_bcsr_extra_first_row(const pli_bcsr *matrix, int64_t row)
{
    const pli_bcsr_extra *extra = &matrix->extra;
    PLI_ASSERT(matrix->context, !extra->open);
    int32_t low = 0;
    int32_t high = extra->row_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (extra->rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

pli_extra_block *pli_bcsr_extra_find(const pli_bcsr *matrix, int32_t row, int32_t column)
{
    const pli_bcsr_extra *extra = &matrix->extra;
    if (extra->count == 0) return NULL;
    int32_t k = pli_bcsr_extra_first_row(matrix, row);
    if (k == extra->row_count || extra->rows[k] != row) return NULL;
    int32_t low = extra->row_start[k];
    int32_t high = extra->row_start[k + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (extra->blocks[middle].column < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < extra->row_start[k + 1] && extra->blocks[low].column == column;
    return found ? extra->blocks + low : NULL;
}

// ---- the operations of a matrix

typedef struct extra_job {
    const pli_bcsr *matrix;
    double scale;
    const double *x;
    double *y;
    const uint8_t *mask;
} extra_job;

static void multiply_range(void *user, int64_t begin, int64_t end)
{
    const extra_job *job = user;
    const pli_bcsr_extra *extra = &job->matrix->extra;
    for (int64_t k = begin; k < end; ++k) {
        pli_block_sum sum = {0};
        for (int64_t slot = extra->row_start[k]; slot < extra->row_start[k + 1]; ++slot) {
            const pli_extra_block *block = extra->blocks + slot;
            pli_block_sum_add(&sum, block->values, job->x + 3 * (int64_t)block->column);
        }
        double Ex[3];
        double *y = job->y + 3 * (int64_t)extra->rows[k];
        pli_block_sum_get(&sum, Ex);
        for (int i = 0; i < 3; ++i) y[i] += job->scale * Ex[i];
    }
}

void pli_bcsr_extra_multiply_add(const pli_bcsr *matrix, double scale, const double *x, double *y)
{
    PLI_ASSERT(matrix->context, !matrix->extra.open);
    if (matrix->extra.row_count == 0) return;
    extra_job job = {.matrix = matrix, .scale = scale, .x = x, .y = y};
    pli_parallel_for(matrix->context, matrix->extra.row_count, ROW_GRAIN, multiply_range, &job);
}

void pli_bcsr_extra_multiply_add_rows(const pli_bcsr *matrix, const double *x, double *y,
                                      int64_t begin, int64_t end)
{
    if (matrix->extra.row_count == 0) return;
    extra_job job = {.matrix = matrix, .scale = 1, .x = x, .y = y};
    multiply_range(&job, pli_bcsr_extra_first_row(matrix, begin),
                   pli_bcsr_extra_first_row(matrix, end));
}

static void fix_range(void *user, int64_t begin, int64_t end)
{
    const extra_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        pli_extra_block *block = job->matrix->extra.blocks + k;
        pli_block_zero_rows(job->mask[block->row], block->values);
        pli_block_zero_columns(job->mask[block->column], block->values);
    }
}

void pli_bcsr_extra_fix_dofs(pli_bcsr *matrix, const uint8_t *mask)
{
    pli_bcsr_close_extra(matrix);
    extra_job job = {.matrix = matrix, .mask = mask};
    pli_parallel_for(matrix->context, matrix->extra.count, BLOCK_GRAIN, fix_range, &job);
}
