// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/stencils.h"

#include "linear/matrix/bcsr_extra.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

enum {
    VERTICES = PLI_STENCIL_VERTICES,
    DOFS = PLI_STENCIL_DOFS,
    ROW_GRAIN = 32,       // rows per block
    STENCIL_GRAIN = 1024, // stencils per block of checks
    INSERTION_LIMIT = 32, // columns that are sorted by insertion
    COUNT_LIMIT = 1 << 29 // stencils, so that corners count with 32 bits
};

// A target is the slot of a block in the pattern, or NO_TARGET, or FIRST_PLACE - k for place k.
enum { NO_TARGET = -1, FIRST_PLACE = -2 };

void pli_stencils_init(pli_context *context, pli_stencils *stencils)
{
    *stencils = (pli_stencils){.context = context};
}

void pli_stencils_clear(pli_stencils *stencils)
{
    pli_context *context = stencils->context;
    PLI_RELEASE(context, stencils->vertices, stencils->rows, stencils->corner_start,
                stencils->corners, stencils->targets, stencils->row_of, stencils->columns,
                stencils->place_start, stencils->places, stencils->place_rows,
                stencils->place_row_start, stencils->block_of_place);
    pli_stencils_init(context, stencils);
}

// ---- room

// Makes an array hold count items, with some to spare when it has to grow.
static pli_status reserve(pli_context *context, void **array, int64_t count, size_t size)
{
    if (*array != NULL && pli_memory_size(*array) >= (size_t)count * size) return PLI_OK;
    void *larger = pli_allocate(context, count + count / 2, size, "contact stencils");
    if (larger == NULL) return PLI_ERROR_MEMORY;
    pli_release(context, *array);
    *array = larger;
    return PLI_OK;
}

static pli_status reserve_ints(pli_stencils *s, int32_t **array, int64_t count)
{
    void *memory = *array;
    PLI_TRY(reserve(s->context, &memory, count, sizeof **array));
    *array = memory;
    return PLI_OK;
}

static pli_status reserve_list(pli_stencils *s, int64_t count, int32_t row_count)
{
    int64_t corners = VERTICES * count;
    int64_t rows = corners < row_count ? corners : row_count;
    PLI_TRY(reserve_ints(s, &s->vertices, corners));
    PLI_TRY(reserve_ints(s, &s->rows, rows));
    PLI_TRY(reserve_ints(s, &s->corner_start, rows + 1));
    PLI_TRY(reserve_ints(s, &s->place_start, rows + 1));
    PLI_TRY(reserve_ints(s, &s->place_rows, rows));
    PLI_TRY(reserve_ints(s, &s->place_row_start, rows + 1));
    PLI_TRY(reserve_ints(s, &s->corners, corners));
    PLI_TRY(reserve_ints(s, &s->targets, VERTICES * corners));
    PLI_TRY(reserve_ints(s, &s->columns, VERTICES * corners));
    return reserve_ints(s, &s->row_of, (int64_t)row_count + 1);
}

static pli_status reserve_places(pli_stencils *s, int64_t count)
{
    void *memory = s->places;
    PLI_TRY(reserve(s->context, &memory, count, sizeof *s->places));
    s->places = memory;
    return reserve_ints(s, &s->block_of_place, count);
}

// ---- the list

typedef struct list_job {
    const int32_t *vertices;
    int32_t row_count;
} list_job;

static bool is_valid_stencil(const int32_t *vertices, int32_t row_count)
{
    for (int a = 0; a < VERTICES; ++a) {
        if (vertices[a] < -1 || vertices[a] >= row_count) return false;
        for (int b = 0; b < a; ++b) {
            if (vertices[a] == vertices[b] && vertices[a] >= 0) return false;
        }
    }
    return true;
}

static double find_invalid_range(void *user, int64_t begin, int64_t end)
{
    const list_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        if (!is_valid_stencil(job->vertices + VERTICES * k, job->row_count)) return 1;
    }
    return 0;
}

static pli_status check_list(pli_stencils *s, const pli_bcsr *matrix, int64_t count,
                             const int32_t *vertices)
{
    if (count > COUNT_LIMIT || matrix->block_count > INT32_MAX) {
        return PLI_FAIL(s->context, PLI_ERROR_UNSUPPORTED,
                        "%lld stencils for a matrix of %lld blocks; 2^29 and 2^31 are the limits",
                        (long long)count, (long long)matrix->block_count);
    }
    list_job job = {vertices, matrix->row_count};
    if (pli_parallel_max(s->context, count, STENCIL_GRAIN, find_invalid_range, &job) <= 0) {
        return PLI_OK;
    }
    return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                    "a stencil has a vertex twice or outside the %d rows of the matrix",
                    (int)matrix->row_count);
}

// Lists the rows that stencils touch and their corners there.
static void collect_corners(pli_stencils *s)
{
    int64_t corner_count = VERTICES * s->count;
    memset(s->row_of, 0, ((size_t)s->matrix_row_count + 1) * sizeof *s->row_of);
    for (int64_t k = 0; k < corner_count; ++k) {
        if (s->vertices[k] >= 0) ++s->row_of[s->vertices[k]];
    }
    // counts become the places where the corners of a row begin
    int32_t at = 0;
    s->row_count = 0;
    for (int32_t row = 0; row < s->matrix_row_count; ++row) {
        if (s->row_of[row] == 0) continue;
        s->rows[s->row_count] = row;
        s->corner_start[s->row_count++] = at;
        int32_t count = s->row_of[row];
        s->row_of[row] = at;
        at += count;
    }
    s->corner_start[s->row_count] = at;
    for (int32_t k = 0; k < corner_count; ++k) {
        if (s->vertices[k] >= 0) s->corners[s->row_of[s->vertices[k]]++] = k;
    }
}

// ---- the search

typedef struct search_job {
    pli_stencils *stencils;
    const pli_bcsr *matrix;
} search_job;

static int compare_ints(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sort_ints(int32_t count, int32_t *values)
{
    if (count > INSERTION_LIMIT) {
        qsort(values, (size_t)count, sizeof *values, compare_ints);
        return;
    }
    for (int32_t i = 1; i < count; ++i) {
        int32_t value = values[i];
        int32_t k = i;
        for (; k > 0 && values[k - 1] > value; --k) values[k] = values[k - 1];
        values[k] = value;
    }
}

// Sorts and drops what is there twice; returns how many are left.
static int32_t sort_unique(int32_t count, int32_t *values)
{
    sort_ints(count, values);
    int32_t left = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (k == 0 || values[k] != values[k - 1]) values[left++] = values[k];
    }
    return left;
}

// Slots in the pattern of the blocks of one row; columns it does not have are collected.
static int32_t search_row(const search_job *job, int32_t r, int32_t *columns)
{
    const pli_stencils *s = job->stencils;
    int32_t row = s->rows[r];
    int32_t missing = 0;
    for (int32_t k = s->corner_start[r]; k < s->corner_start[r + 1]; ++k) {
        const int32_t *vertices = s->vertices + s->corners[k] / VERTICES * VERTICES;
        int32_t *targets = s->targets + (int64_t)VERTICES * k;
        for (int b = 0; b < VERTICES; ++b) {
            targets[b] = NO_TARGET;
            if (vertices[b] < 0) continue;
            int64_t slot = vertices[b] == row ? job->matrix->diagonal[row]
                                              : pli_bcsr_find(job->matrix, row, vertices[b]);
            targets[b] = slot >= 0 ? (int32_t)slot : FIRST_PLACE;
            if (slot < 0) columns[missing++] = vertices[b];
        }
    }
    return sort_unique(missing, columns);
}

static void search_range(void *user, int64_t begin, int64_t end)
{
    const search_job *job = user;
    pli_stencils *s = job->stencils;
    for (int64_t r = begin; r < end; ++r) {
        int32_t *columns = s->columns + (int64_t)VERTICES * s->corner_start[r];
        s->place_start[r + 1] = search_row(job, (int32_t)r, columns);
    }
}

static int32_t find_int(int32_t count, const int32_t *values, int32_t wanted)
{
    int32_t low = 0;
    int32_t high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (values[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Writes the places of rows and points the blocks that go there to them.
static void place_range(void *user, int64_t begin, int64_t end)
{
    const search_job *job = user;
    pli_stencils *s = job->stencils;
    for (int64_t r = begin; r < end; ++r) {
        int32_t first = s->place_start[r];
        int32_t count = s->place_start[r + 1] - first;
        const int32_t *columns = s->columns + (int64_t)VERTICES * s->corner_start[r];
        for (int32_t k = 0; k < count; ++k) {
            s->places[first + k] = (pli_stencil_place){s->rows[r], columns[k]};
        }
        for (int64_t k = s->corner_start[r]; k < s->corner_start[r + 1]; ++k) {
            const int32_t *vertices = s->vertices + s->corners[k] / VERTICES * VERTICES;
            for (int b = 0; b < VERTICES; ++b) {
                if (s->targets[VERTICES * k + b] != FIRST_PLACE) continue;
                int32_t place = first + find_int(count, columns, vertices[b]);
                s->targets[VERTICES * k + b] = FIRST_PLACE - place;
            }
        }
    }
}

// The rows that have places, and a hash of all.
static void cut_places(pli_stencils *s)
{
    s->place_row_count = 0;
    for (int32_t r = 0; r < s->row_count; ++r) {
        if (s->place_start[r + 1] == s->place_start[r]) continue;
        s->place_rows[s->place_row_count] = s->rows[r];
        s->place_row_start[s->place_row_count++] = s->place_start[r];
    }
    s->place_row_start[s->place_row_count] = s->place_count;
    s->place_revision = PLI_HASH_START;
    for (int32_t k = 0; k < s->place_count; ++k) {
        s->place_revision =
            pli_bcsr_extra_hash(s->place_revision, s->places[k].row, s->places[k].column);
    }
}

static pli_status search(pli_stencils *s, pli_bcsr *matrix)
{
    search_job job = {s, matrix};
    collect_corners(s);
    s->place_start[0] = 0;
    pli_parallel_for(s->context, s->row_count, ROW_GRAIN, search_range, &job);
    int64_t total = 0;
    for (int32_t r = 0; r < s->row_count; ++r) {
        total += s->place_start[r + 1];
        s->place_start[r + 1] = (int32_t)total;
    }
    PLI_TRY(reserve_places(s, total));
    s->place_count = (int32_t)total;
    pli_parallel_for(s->context, s->row_count, ROW_GRAIN, place_range, &job);
    cut_places(s);
    return PLI_OK;
}

static bool is_built(const pli_stencils *s, const pli_bcsr *matrix, int64_t count,
                     const int32_t *vertices)
{
    return s->revision == matrix->revision && s->matrix_row_count == matrix->row_count &&
           s->count == count &&
           memcmp(s->vertices, vertices, VERTICES * (size_t)count * sizeof *vertices) == 0;
}

static pli_status build(pli_stencils *s, pli_bcsr *matrix, int64_t count, const int32_t *vertices)
{
    PLI_TRY(check_list(s, matrix, count, vertices));
    PLI_TRY(reserve_list(s, count, matrix->row_count));
    // none need not have a place
    if (count > 0) memcpy(s->vertices, vertices, VERTICES * (size_t)count * sizeof *vertices);
    s->matrix_row_count = matrix->row_count;
    s->count = count;
    PLI_TRY(search(s, matrix));
    s->revision = matrix->revision;
    return PLI_OK;
}

pli_status pli_stencils_build(pli_stencils *stencils, pli_bcsr *matrix, int64_t count,
                              const int32_t *vertices)
{
    pli_status status = PLI_OK;
    if (count == 0 || !is_built(stencils, matrix, count, vertices)) {
        stencils->revision = 0;
        status = build(stencils, matrix, count, vertices);
    }
    if (status == PLI_OK) {
        status =
            pli_bcsr_reserve_extra(matrix, matrix->extra.count + (int64_t)stencils->place_count);
    }
    if (status != PLI_OK) pli_stencils_clear(stencils);
    return status;
}

// ---- adding

// Finds the places among the extra blocks of the matrix, both of which are sorted; returns how many
// are not there.
static int32_t find_places(pli_stencils *s, const pli_bcsr_extra *extra)
{
    int32_t missing = 0;
    int32_t at = 0;
    for (int32_t k = 0; k < s->place_count; ++k) {
        const pli_stencil_place *place = s->places + k;
        while (at < extra->count &&
               (extra->blocks[at].row < place->row || (extra->blocks[at].row == place->row &&
                                                       extra->blocks[at].column < place->column))) {
            ++at;
        }
        bool found = at < extra->count && extra->blocks[at].row == place->row &&
                     extra->blocks[at].column == place->column;
        s->block_of_place[k] = found ? at : -1;
        missing += !found;
    }
    return missing;
}

// Makes sure that the matrix, which has extra blocks of others, has all places too; false when
// there is no room.
static bool merge_places(pli_stencils *s, pli_bcsr *matrix)
{
    pli_bcsr_close_extra(matrix);
    int32_t missing = find_places(s, &matrix->extra);
    if (missing == 0) return true;
    if (matrix->extra.count + missing > matrix->extra.capacity) return false;
    for (int32_t k = 0; k < s->place_count; ++k) {
        if (s->block_of_place[k] >= 0) continue;
        pli_bcsr_extra_append(matrix, s->places[k].row, s->places[k].column);
    }
    pli_bcsr_close_extra(matrix);
    (void)find_places(s, &matrix->extra);
    return true;
}

typedef struct add_job {
    const pli_stencils *stencils;
    const double *hessians;
    pli_bcsr *matrix;
    bool is_first; // the extra blocks are the places, and have to be written first
} add_job;

static double *target_values(const add_job *job, int32_t target)
{
    if (target >= 0) return job->matrix->values + 9 * (int64_t)target;
    int32_t place = FIRST_PLACE - target;
    int32_t block = job->is_first ? place : job->stencils->block_of_place[place];
    return job->matrix->extra.blocks[block].values;
}

// Adds the blocks of one corner: three rows of the stencil's matrix.
static void add_corner(const add_job *job, int64_t k)
{
    const int32_t *targets = job->stencils->targets + VERTICES * k;
    const double *rows = job->hessians + 3 * DOFS * (int64_t)job->stencils->corners[k];
    for (int b = 0; b < VERTICES; ++b) {
        if (targets[b] == NO_TARGET) continue;
        double *values = target_values(job, targets[b]);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) values[3 * i + j] += rows[DOFS * i + 3 * b + j];
        }
    }
}

static void add_range(void *user, int64_t begin, int64_t end)
{
    const add_job *job = user;
    const pli_stencils *s = job->stencils;
    if (job->is_first) {
        // zero blocks at the places of the rows
        for (int32_t k = s->place_start[begin]; k < s->place_start[end]; ++k) {
            job->matrix->extra.blocks[k] =
                (pli_extra_block){.row = s->places[k].row, .column = s->places[k].column};
        }
    }
    for (int64_t k = s->corner_start[begin]; k < s->corner_start[end]; ++k) add_corner(job, k);
}

bool pli_stencils_add(pli_stencils *stencils, const double *hessians, pli_bcsr *matrix)
{
    if (stencils->count == 0) return true;
    PLI_ASSERT(stencils->context, stencils->revision == matrix->revision);
    add_job job = {stencils, hessians, matrix, matrix->extra.count == 0};
    if (!job.is_first) {
        if (!merge_places(stencils, matrix)) return false;
    } else if (stencils->place_count > 0) {
        if (stencils->place_count > matrix->extra.capacity) return false;
        pli_bcsr_extra_set_rows(matrix, stencils->place_row_count, stencils->place_rows,
                                stencils->place_row_start, stencils->place_revision);
    }
    pli_parallel_for(stencils->context, stencils->row_count, ROW_GRAIN, add_range, &job);
    return true;
}
