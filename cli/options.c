// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pli_cli_log_levels[] = {"default", "error", "warn", "info",
                                          "debug",   "trace", NULL};

// ---- options that several commands share

static const pli_cli_option scene_options[] = {
    {.name = "set",
     .value = "PATH=VALUE",
     .kind = PLI_CLI_TEXTS,
     .offset = offsetof(pli_cli_arguments, settings),
     .hint = PLI_CLI_HINT_KEY,
     .doc = "changes a value of the scene, checked as in the file, such as --set time.fps=60; may "
            "be given several times"},
    {.name = "solver",
     .value = "NAME",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, solver),
     .hint = PLI_CLI_HINT_SOLVER,
     .doc = "solver to use, see 'pliant solvers' (default: as the scene says)"},
    {.name = "frames",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, frames),
     .max = INT32_MAX,
     .doc = "frames to compute after the initial one (default: as the scene says)"},
    {.name = "end-time",
     .value = "TIME",
     .kind = PLI_CLI_DURATION,
     .offset = offsetof(pli_cli_arguments, end_time),
     .doc = "simulates up to the first frame at or after TIME, such as 2.5 or 2.5s, instead of a "
            "number of frames"},
    {.name = "seed",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, seed),
     .max = INT32_MAX,
     .doc = "seed of random numbers (default: as the scene says)"},
    {.name = "allow-outside",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, allow_outside),
     .doc = "lets the scene name files that lie outside its own folder"},
};

static const pli_cli_option talk_options[] = {
    {.name = "threads",
     .letter = 'j',
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, threads),
     .min = 1,
     .max = 256,
     .doc = "number of threads; results do not depend on it (default: OMP_NUM_THREADS, or as many "
            "as there are processors)"},
    {.name = "quiet",
     .letter = 'q',
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, quiet),
     .doc = "says nothing but warnings and errors"},
    {.name = "verbose",
     .letter = 'v',
     .kind = PLI_CLI_COUNT,
     .offset = offsetof(pli_cli_arguments, verbose),
     .doc = "says more; twice: every detail"},
    {.name = "log-level",
     .value = "LEVEL",
     .kind = PLI_CLI_CHOICE,
     .offset = offsetof(pli_cli_arguments, log_level),
     .choices = pli_cli_log_levels,
     .doc = "how much is said, and written to the log file"},
    {.name = "log-file",
     .value = "FILE",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, log_file),
     .hint = PLI_CLI_HINT_FILE,
     .doc = "also adds what is said to FILE, with times; FILE is new, or a log of pliant"},
};

static const pli_cli_option json_options[] = {
    {.name = "json",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, json),
     .doc = "writes JSON to standard output, for other programs"},
    {.name = "help",
     .letter = 'h',
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, help),
     .doc = "shows this text"},
};

const pli_cli_options pli_cli_scene_options = PLI_CLI_OPTIONS(scene_options);
const pli_cli_options pli_cli_talk_options = PLI_CLI_OPTIONS(talk_options);
const pli_cli_options pli_cli_json_options = PLI_CLI_OPTIONS(json_options);
// the first, and the last of them
const pli_cli_options pli_cli_threads_options = {talk_options, 1};
const pli_cli_options pli_cli_help_options = {json_options + 1, 1};

static bool is_own(const pli_cli_command *command, const char *name)
{
    for (int32_t i = 0; i < command->own.count; ++i) {
        if (strcmp(command->own.items[i].name, name) == 0) return true;
    }
    return false;
}

const pli_cli_option *pli_cli_get_option(const pli_cli_command *command, int32_t index)
{
    if (index < command->own.count) return &command->own.items[index];
    index -= command->own.count;
    for (int32_t group = 0; group < PLI_CLI_SHARED && command->shared[group] != NULL; ++group) {
        const pli_cli_options *shared = command->shared[group];
        for (int32_t i = 0; i < shared->count; ++i) {
            if (is_own(command, shared->items[i].name)) continue;
            if (index-- == 0) return &shared->items[i];
        }
    }
    return NULL;
}

bool pli_cli_get_choice(const pli_cli_option *option, int32_t index, pli_cli_choice *choice)
{
    *choice = (pli_cli_choice){0};
    if (option->list != NULL) return option->list(index, choice);
    if (option->choices != NULL) choice->name = option->choices[index];
    return choice->name != NULL;
}

// ---- nearest names

// Edits between two words, where swapping two neighbours counts as one (Damerau 1964, restricted to
// one edit per place).
static int32_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 47 };
    size_t rows = strlen(a);
    size_t columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST) return LONGEST;

    // three rows of the table of distances between beginnings of the two words
    int32_t table[3][LONGEST + 1];
    int32_t *before = table[0];
    int32_t *above = table[1];
    int32_t *row = table[2];
    for (size_t j = 0; j <= columns; ++j) row[j] = (int32_t)j;
    for (size_t i = 1; i <= rows; ++i) {
        int32_t *recycled = before;
        before = above;
        above = row;
        row = recycled;
        row[0] = (int32_t)i;
        for (size_t j = 1; j <= columns; ++j) {
            int32_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return row[columns];
}

const char *pli_cli_nearest(const char *word, const char *const *candidates)
{
    const char *nearest = NULL;
    // a third of the letters may be wrong, one at least
    int32_t limit = (int32_t)(strlen(word) / 3);
    int32_t smallest = (limit < 1 ? 1 : limit) + 1;
    for (const char *const *candidate = candidates; *candidate != NULL; ++candidate) {
        int32_t distance = edit_distance(word, *candidate);
        // the beginning of a name counts as near
        bool begins = strlen(word) >= 3 && strncmp(word, *candidate, strlen(word)) == 0;
        if (begins && distance >= smallest && nearest == NULL) nearest = *candidate;
        if (distance < smallest) {
            smallest = distance;
            nearest = *candidate;
        }
    }
    return nearest;
}

// ---- reading values

bool pli_cli_read_integer(const char *text, int32_t *value)
{
    char *end = NULL;
    errno = 0;
    long number = strtol(text, &end, 10);
    bool whole = end != text && *end == '\0' && errno == 0;
    if (!whole || number < INT32_MIN || number > INT32_MAX) return false;
    *value = (int32_t)number;
    return true;
}

bool pli_cli_read_real(const char *text, double *value)
{
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number)) return false;
    *value = number;
    return true;
}

static bool read_duration(const char *text, double *seconds)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};

    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || !isfinite(number) || number <= 0) return false;
    double unit = *end == '\0' ? 1 : 0;
    for (size_t index = 0; index < sizeof units / sizeof *units; ++index) {
        if (end[0] == units[index].letter && end[1] == '\0') unit = units[index].seconds;
    }
    *seconds = number * unit;
    return unit > 0;
}

// Cuts a text like 960x600 at a separator and hands both halves to copies.
static bool split_at(const char *text, char separator, char first[32], char second[32])
{
    const char *at = strchr(text, separator);
    if (at == NULL || at - text >= 32 || strlen(at + 1) >= 32) return false;
    memcpy(first, text, (size_t)(at - text));
    first[at - text] = '\0';
    snprintf(second, 32, "%s", at + 1);
    return true;
}

static bool within(const pli_cli_option *option, int32_t value)
{
    return value >= option->min && value <= option->max;
}

// ---- kinds of options: how each stores its value

static bool store_flag(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    (void)text;
    *(bool *)target = true;
    return true;
}

static bool store_count(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    (void)text;
    ++*(int32_t *)target;
    return true;
}

static bool store_text(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    *(const char **)target = text;
    return text[0] != '\0';
}

static bool store_texts(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    pli_cli_texts *texts = target;
    if (texts->count == PLI_CLI_MAX_TEXTS || text[0] == '\0') return false;
    texts->items[texts->count++] = text;
    return true;
}

static bool store_integer(const pli_cli_option *option, const char *text, void *target)
{
    pli_cli_integer *integer = target;
    integer->given = true;
    return pli_cli_read_integer(text, &integer->value) && within(option, integer->value);
}

static bool store_real(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    pli_cli_real *real = target;
    real->given = true;
    return pli_cli_read_real(text, &real->value);
}

static bool store_duration(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    return read_duration(text, target);
}

static bool store_size(const pli_cli_option *option, const char *text, void *target)
{
    pli_cli_size *size = target;
    char width[32];
    char height[32];
    return split_at(text, 'x', width, height) && pli_cli_read_integer(width, &size->width) &&
           pli_cli_read_integer(height, &size->height) && within(option, size->width) &&
           within(option, size->height);
}

static bool store_range(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    pli_cli_range *range = target;
    char low[32];
    char high[32];
    range->given = true;
    return split_at(text, ':', low, high) && pli_cli_read_real(low, &range->low) &&
           pli_cli_read_real(high, &range->high) && range->low < range->high;
}

static bool store_choice(const pli_cli_option *option, const char *text, void *target)
{
    pli_cli_choice choice;
    for (int32_t index = 0; pli_cli_get_choice(option, index, &choice); ++index) {
        if (strcmp(choice.name, text) != 0) continue;
        *(int32_t *)target = index;
        return true;
    }
    return false;
}

// A whole number counts frames, a time with its unit is one.
static bool store_interval(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    pli_cli_interval *interval = target;
    *interval = (pli_cli_interval){0};
    if (pli_cli_read_integer(text, &interval->count)) return interval->count > 0;
    size_t length = strlen(text);
    bool has_unit = length > 0 && strchr("smhd", text[length - 1]) != NULL;
    return has_unit && read_duration(text, &interval->seconds);
}

// A number is a length, one with an x behind it a factor; both are positive.
static bool store_length(const pli_cli_option *option, const char *text, void *target)
{
    (void)option;
    pli_cli_length *length = target;
    char factor[32];
    char rest[32];
    *length = (pli_cli_length){0};
    if (pli_cli_read_real(text, &length->metres)) return length->metres > 0;
    return split_at(text, 'x', factor, rest) && rest[0] == '\0' &&
           pli_cli_read_real(factor, &length->factor) && length->factor > 0;
}

static const struct {
    bool (*store)(const pli_cli_option *option, const char *text, void *target);
    const char *takes; // for messages; choices, or a range, are added
} kinds[] = {
    [PLI_CLI_FLAG] = {store_flag, ""},
    [PLI_CLI_COUNT] = {store_count, ""},
    [PLI_CLI_TEXT] = {store_text, "a text that is not empty"},
    [PLI_CLI_TEXTS] = {store_texts, "a text that is not empty, up to 64 times"},
    [PLI_CLI_INTEGER] = {store_integer, "a whole number"},
    [PLI_CLI_REAL] = {store_real, "a number"},
    [PLI_CLI_DURATION] = {store_duration, "a time such as 90s, 15m, 2h or 1d"},
    [PLI_CLI_SIZE] = {store_size, "WxH such as 960x600, each"},
    [PLI_CLI_RANGE] = {store_range, "LOW:HIGH, two numbers with LOW < HIGH"},
    [PLI_CLI_CHOICE] = {store_choice, ""},
    [PLI_CLI_INTERVAL] = {store_interval, "a number of frames such as 50, or a time such as 10m"},
    [PLI_CLI_LENGTH] = {store_length, "metres such as 0.01, or a factor such as 1.5x"},
};

// Stores a value (NULL for flags); false when it is not one that the option takes.
static bool store(const pli_cli_option *option, const char *text, pli_cli_arguments *arguments)
{
    return kinds[option->kind].store(option, text, (char *)arguments + option->offset);
}

// ---- messages

typedef struct parser {
    const pli_cli_command *command;
    pli_cli_arguments *arguments;
    char *message;
    size_t capacity;
} parser;

static bool fail(const parser *state, const char *format, ...) PLI_PRINTF(2, 3);

static bool fail(const parser *state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->message, state->capacity, format, arguments);
    va_end(arguments);
    return false;
}

static bool fail_unknown(const parser *state, const char *name)
{
    const char *names[64];
    int32_t count = 0;
    const pli_cli_option *option;
    while (count < 63 && (option = pli_cli_get_option(state->command, count)) != NULL) {
        names[count++] = option->name;
    }
    names[count] = NULL;
    const char *nearest = pli_cli_nearest(name, names);
    if (nearest != NULL) {
        return fail(state, "unknown option --%s; did you mean --%s?", name, nearest);
    }
    return fail(state, "unknown option --%s; 'pliant %s --help' lists the options", name,
                state->command->name);
}

// Says what an option takes, for messages.
static void describe(const pli_cli_option *option, char *text, size_t capacity)
{
    int used = snprintf(text, capacity, "%s", kinds[option->kind].takes);
    if (option->min < option->max) {
        snprintf(text + used, capacity - (size_t)used, " from %d to %d", (int)option->min,
                 (int)option->max);
    }
    pli_cli_choice choice;
    for (int32_t index = 0; pli_cli_get_choice(option, index, &choice); ++index) {
        used += snprintf(text + used, capacity - (size_t)used, "%s%s", index > 0 ? ", " : "",
                         choice.name);
        if ((size_t)used >= capacity) return;
    }
}

static bool fail_value(const parser *state, const pli_cli_option *option, const char *value)
{
    char wanted[256];
    describe(option, wanted, sizeof wanted);
    return fail(state, "--%s does not take '%s'; it takes %s", option->name, value, wanted);
}

// ---- parsing

// The option with a name, or with a letter; the other is NULL or 0.
static const pli_cli_option *find_option(const pli_cli_command *command, const char *name,
                                         char letter)
{
    const pli_cli_option *option;
    for (int32_t index = 0; (option = pli_cli_get_option(command, index)) != NULL; ++index) {
        bool found = name != NULL ? strcmp(option->name, name) == 0 : option->letter == letter;
        if (found) return option;
    }
    return NULL;
}

// Reads `--name`, `--name=value` or `--name value`; *next is the value that may follow, and is
// moved on when it was taken.
static bool read_long(const parser *state, const char *text, char *const **next)
{
    // the name, with dashes for underscores
    char name[64];
    size_t length = strcspn(text, "=");
    if (length >= sizeof name) return fail(state, "unknown option --%.40s...", text);
    for (size_t index = 0; index < length; ++index) {
        name[index] = (char)(text[index] == '_' ? '-' : text[index]);
    }
    name[length] = '\0';

    const pli_cli_option *option = find_option(state->command, name, 0);
    if (option == NULL) return fail_unknown(state, name);
    const char *value = text[length] == '=' ? text + length + 1 : NULL;
    if (option->value == NULL) {
        if (value != NULL) return fail(state, "--%s takes no value", name);
    } else if (value == NULL) {
        value = **next;
        if (value == NULL) return fail(state, "--%s needs a value: %s", name, option->value);
        ++*next;
    }
    if (!store(option, value, state->arguments)) return fail_value(state, option, value);
    return true;
}

// Reads a bundle of one-letter options; the first that takes a value takes the rest of the bundle,
// or the next argument.
static bool read_letters(const parser *state, const char *letters, char *const **next)
{
    for (const char *letter = letters; *letter != '\0'; ++letter) {
        const pli_cli_option *option = find_option(state->command, NULL, *letter);
        if (option == NULL) {
            return fail(state, "unknown option -%c; 'pliant %s --help' lists the options", *letter,
                        state->command->name);
        }
        if (option->value == NULL) {
            store(option, NULL, state->arguments);
            continue;
        }
        const char *value = letter[1] != '\0' ? letter + 1 : **next;
        if (value == NULL) return fail(state, "-%c needs a value: %s", *letter, option->value);
        if (letter[1] == '\0') ++*next;
        if (!store(option, value, state->arguments)) return fail_value(state, option, value);
        return true;
    }
    return true;
}

static bool check_operands(const parser *state)
{
    const pli_cli_command *command = state->command;
    pli_cli_arguments *arguments = state->arguments;
    if (arguments->operand_count < command->min_operands) {
        return fail(state, "%s is missing; usage: pliant %s %s [options]", command->operands,
                    command->name, command->operands);
    }
    if (command->choices == NULL || arguments->operand_count == 0) return true;
    for (int32_t index = 0; command->choices[index] != NULL; ++index) {
        if (strcmp(command->choices[index], arguments->operands[0]) == 0) return true;
    }
    const char *nearest = pli_cli_nearest(arguments->operands[0], command->choices);
    if (nearest != NULL) {
        return fail(state, "'%s' is not known; did you mean %s?", arguments->operands[0], nearest);
    }
    return fail(state, "'%s' is not known; usage: pliant %s %s", arguments->operands[0],
                command->name, command->operands);
}

bool pli_cli_parse(const pli_cli_command *command, int count, char *const *values,
                   pli_cli_arguments *arguments, char *message, size_t capacity)
{
    *arguments = (pli_cli_arguments){0};
    parser state = {command, arguments, message, capacity};
    const pli_cli_option *option;
    for (int32_t index = 0; (option = pli_cli_get_option(command, index)) != NULL; ++index) {
        if (option->fallback != NULL) store(option, option->fallback, arguments);
    }

    bool options_ended = false;
    char *const *end = values + count; // values[count] is NULL, as in main
    for (char *const *next = values; next < end;) {
        const char *word = *next++;
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && word[0] == '-' && word[1] == '-') {
            if (!read_long(&state, word + 2, &next)) return false;
        } else if (!options_ended && word[0] == '-' && word[1] != '\0') {
            if (!read_letters(&state, word + 1, &next)) return false;
        } else if (arguments->operand_count < command->max_operands) {
            arguments->operands[arguments->operand_count++] = word;
        } else {
            return fail(&state, "unexpected argument '%s'; 'pliant %s --help' shows the usage",
                        word, command->name);
        }
        // who asks for help gets it, whatever else stands there
        if (arguments->help) return true;
    }
    return check_operands(&state);
}

const pli_cli_command *pli_cli_find_command(const char *name)
{
    for (const pli_cli_command *const *command = pli_cli_commands; *command != NULL; ++command) {
        if (strcmp((*command)->name, name) == 0) return *command;
    }
    return NULL;
}
