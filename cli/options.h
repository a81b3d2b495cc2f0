// SPDX-License-Identifier: Apache-2.0
//
// The option table and its parser.
//
// A command is a row: its name, what it takes, and its options. The same rows drive parsing,
// --help, the man page and the completions of three shells, so they cannot disagree.
//
// Rules: options may stand anywhere among the operands; `--` ends them; `--name value` and
// `--name=value` are the same, `-j4` and `-j 4` too, flags of one letter can be bundled. An
// underscore in a name counts as a dash. What is not known is refused with the nearest known name.
#ifndef PLI_CLI_OPTIONS_H
#define PLI_CLI_OPTIONS_H

#include "pliant/base.h"

enum { PLI_CLI_MAX_OPERANDS = 16, PLI_CLI_MAX_TEXTS = 64 };

// What an option stores, and where its offset has to point.
typedef enum pli_cli_kind {
    PLI_CLI_FLAG,     // bool: given
    PLI_CLI_COUNT,    // int32_t: how often it was given
    PLI_CLI_TEXT,     // const char *
    PLI_CLI_TEXTS,    // pli_cli_texts: may be given several times
    PLI_CLI_INTEGER,  // pli_cli_integer, between min and max
    PLI_CLI_REAL,     // pli_cli_real, any finite number
    PLI_CLI_DURATION, // double, seconds: 90, 90s, 15m, 2h, 1d
    PLI_CLI_SIZE,     // pli_cli_size: 960x600, both between min and max
    PLI_CLI_RANGE,    // pli_cli_range: 0:1e5
    PLI_CLI_CHOICE,   // int32_t: index into choices
    PLI_CLI_INTERVAL, // pli_cli_interval: 50, or a duration with its unit
    PLI_CLI_LENGTH    // pli_cli_length: 0.01, or a factor such as 1.5x
} pli_cli_kind;

// What a shell may offer as a value.
typedef enum pli_cli_hint {
    PLI_CLI_HINT_NONE,
    PLI_CLI_HINT_FILE,
    PLI_CLI_HINT_FOLDER,
    PLI_CLI_HINT_SCENE, // files and the names of shipped scenes
    PLI_CLI_HINT_SCENE_NAME,
    PLI_CLI_HINT_SOLVER,
    PLI_CLI_HINT_MATERIAL,
    PLI_CLI_HINT_KEY, // PATH= of a scene
    PLI_CLI_HINT_COMMAND,
    PLI_CLI_HINT_BENCH
} pli_cli_hint;

typedef struct pli_cli_texts {
    const char *items[PLI_CLI_MAX_TEXTS];
    int32_t count;
} pli_cli_texts;

typedef struct pli_cli_integer {
    bool given;
    int32_t value;
} pli_cli_integer;

typedef struct pli_cli_real {
    bool given;
    double value;
} pli_cli_real;

typedef struct pli_cli_size {
    int32_t width;
    int32_t height;
} pli_cli_size;

typedef struct pli_cli_interval {
    int32_t count;  // of frames; 0: not given as a count
    double seconds; // 0: not given as a time
} pli_cli_interval;

typedef struct pli_cli_length {
    double metres; // 0: not given as a length
    double factor; // of what it would be; 0: not given as a factor
} pli_cli_length;

typedef struct pli_cli_range {
    bool given;
    double low;
    double high;
} pli_cli_range;

// Everything that any command can be told.
typedef struct pli_cli_arguments {
    const char *operands[PLI_CLI_MAX_OPERANDS];
    int32_t operand_count;

    // every command
    bool help;
    bool json; // summary for machines on standard output

    // every command that works with the library
    bool quiet;
    int32_t verbose;
    int32_t log_level; // index into pli_cli_log_levels; 0: not given
    const char *log_file;
    pli_cli_integer threads;

    // scenes
    pli_cli_texts settings; // PATH=VALUE
    const char *solver;
    pli_cli_integer seed;
    double end_time;    // s; 0: not given
    bool allow_outside; // files beyond the scene's folder may be read

    // check
    bool comments;
    const char *frames_or_folder; // --frames: a number beside a scene, a run's folder without one
    bool with_colliders;
    bool stop_at_first;

    // run
    const char *output;
    pli_cli_integer frames;
    pli_cli_integer steps;
    bool resume;
    bool force;
    bool dry_run;
    double max_wall; // s; 0: no limit
    pli_cli_interval checkpoint_every;

    // render
    pli_cli_size size; // 0x0: not given
    const char *color;
    pli_cli_range color_range;
    pli_cli_real azimuth;
    pli_cli_real elevation;
    pli_cli_real orbit;
    pli_cli_length radius; // of particles
    pli_cli_integer samples;
    pli_cli_integer every;
    pli_cli_integer frame;
    pli_cli_real rate;
    int32_t up;        // 0: not given, otherwise pli_up_axis + 1
    int32_t colliders; // 0: not given, otherwise pli_collider_look + 1
    const char *view;  // file
    bool edges;
    bool dark;

    // live
    bool paused;
    bool unpaced;
    const char *replay; // a log

    // export
    pli_cli_integer first;
    pli_cli_integer last;
    pli_cli_integer max_targets;

    // modes
    pli_cli_integer count;
    int32_t mode_state;     // rest, loaded
    pli_cli_integer at;     // frame
    const char *checkpoint; // a run's folder

    // view
    pli_cli_integer port;
    const char *host;
    bool yes_remote; // host may be one that other machines reach
    const char *token_file;
    pli_cli_texts allowed_hosts;
    bool no_open;

    // export, schema, help, bench
    int32_t format; // index into the choices of the command
    bool man;
    int32_t bench_size;
    const char *bench_json;
} pli_cli_arguments;

typedef struct pli_cli_choice {
    const char *name;
    const char *doc; // NULL: the name says it
} pli_cli_choice;

// Sets the index-th choice; false after the last.
typedef bool (*pli_cli_list_fn)(int32_t index, pli_cli_choice *choice);

typedef struct pli_cli_option {
    const char *name;  // "output"
    char letter;       // 'o', or 0
    const char *value; // what stands for the value in help, "DIR"; NULL for flags
    pli_cli_kind kind;
    size_t offset;              // into pli_cli_arguments
    const char *fallback;       // default that is stored and shown, or NULL: nothing
    const char *const *choices; // NULL-terminated, for PLI_CLI_CHOICE
    pli_cli_list_fn list;       // for choices that the library lists, instead of choices
    int32_t min;                // for PLI_CLI_INTEGER and PLI_CLI_SIZE
    int32_t max;
    pli_cli_hint hint;
    const char *doc; // without a full stop; says the default in words where fallback cannot
} pli_cli_option;

typedef struct pli_cli_options {
    const pli_cli_option *items;
    int32_t count;
} pli_cli_options;

// Initialiser of a list from an array.
#define PLI_CLI_OPTIONS(array)                   \
    {                                            \
        (array), sizeof(array) / sizeof *(array) \
    }

enum { PLI_CLI_SHARED = 4 };

struct pli_cli_session;

typedef struct pli_cli_command {
    const char *name;
    const char *operands; // as shown, "SCENE" or "[NAME]"
    int32_t min_operands;
    int32_t max_operands;
    pli_cli_hint hint;          // of the operands
    const char *const *choices; // of the first operand, NULL-terminated, or NULL
    bool computes;              // runs parallel loops: wants a sleeping thread pool
    const char *summary;        // one line for lists, without a full stop
    const char *about;          // what it does, in full sentences; a blank line parts paragraphs
    const char *examples;       // lines to copy, or NULL
    pli_cli_options own;
    const pli_cli_options *shared[PLI_CLI_SHARED]; // with other commands; NULL: none
    int (*run)(struct pli_cli_session *session);   // returns the exit code
} pli_cli_command;

// The commands, in the order of the lists. main.c has the table.
extern const pli_cli_command *const pli_cli_commands[]; // NULL-terminated

// Options that several commands share.
extern const pli_cli_options pli_cli_scene_options;   // what can be changed in a scene
extern const pli_cli_options pli_cli_talk_options;    // threads, and how much is said
extern const pli_cli_options pli_cli_threads_options; // threads alone
extern const pli_cli_options pli_cli_json_options;    // --json and --help
extern const pli_cli_options pli_cli_help_options;    // --help alone

// Names of log levels; the first stands for "not given".
extern const char *const pli_cli_log_levels[];

// The option at an index from 0 on, own ones first; NULL after the last. An own option stands in
// for a shared one of the same name.
const pli_cli_option *pli_cli_get_option(const pli_cli_command *command, int32_t index);

// The index-th choice of an option; false after the last, and for options without choices.
bool pli_cli_get_choice(const pli_cli_option *option, int32_t index, pli_cli_choice *choice);

const pli_cli_command *pli_cli_find_command(const char *name);

// Reads the values after the command's name. On failure returns false with the reason in message.
bool pli_cli_parse(const pli_cli_command *command, int count, char *const *values,
                   pli_cli_arguments *arguments, char *message, size_t capacity);

// The candidate nearest to a word (letters swapped, missing, added or wrong), or NULL when none is
// near. candidates ends with NULL.
const char *pli_cli_nearest(const char *word, const char *const *candidates);

// Reads a number in the C locale's notation; the whole text has to be one.
bool pli_cli_read_integer(const char *text, int32_t *value);
bool pli_cli_read_real(const char *text, double *value);

#endif
