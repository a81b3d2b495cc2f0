// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LINE_CAPACITY = 2048 };

double pli_cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- what the terminal and the environment allow

// Whether a variable of the kind NO_COLOR is set; empty and 0 count as not set.
static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static bool is_smart_terminal(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind != NULL && strcmp(kind, "dumb") != 0;
}

int32_t pli_cli_columns(int descriptor)
{
    int32_t columns = 0;
    const char *wanted = getenv("COLUMNS");
    struct winsize window;
    if (wanted == NULL || !pli_cli_read_integer(wanted, &columns)) {
        bool known = ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
        columns = known ? (int32_t)window.ws_col : 80;
    }
    return columns < 40 ? 40 : columns;
}

static pli_log_level level_of_name(int32_t index)
{
    static const pli_log_level levels[] = {PLI_LOG_INFO, PLI_LOG_ERROR, PLI_LOG_WARNING,
                                           PLI_LOG_INFO, PLI_LOG_DEBUG, PLI_LOG_TRACE};
    return levels[index];
}

// The level asked for by --log-level, or else by PLIANT_LOG; -1 when nobody asks.
static int32_t asked_level(const pli_cli_arguments *arguments)
{
    if (arguments->log_level > 0) return (int32_t)level_of_name(arguments->log_level);
    const char *name = getenv("PLIANT_LOG");
    for (int32_t index = 1; name != NULL && pli_cli_log_levels[index] != NULL; ++index) {
        if (strcmp(pli_cli_log_levels[index], name) == 0) return (int32_t)level_of_name(index);
    }
    return -1;
}

bool pli_cli_console_init(pli_cli_console *console, const pli_cli_arguments *arguments)
{
    *console = (pli_cli_console){.start = pli_cli_seconds()};
    pthread_mutex_init(&console->lock, NULL);
    console->live = is_smart_terminal() && !arguments->quiet;
    console->color = is_set("CLICOLOR_FORCE") || (is_smart_terminal() && !is_set("NO_COLOR"));

    // -q and -v move what is said to people; --log-level decides for both when given
    int32_t asked = asked_level(arguments);
    int32_t level = arguments->quiet ? PLI_LOG_WARNING : PLI_LOG_INFO + arguments->verbose;
    if (level > PLI_LOG_TRACE) level = PLI_LOG_TRACE;
    console->level = (pli_log_level)(asked >= 0 && !arguments->quiet ? asked : level);
    console->file_level = (pli_log_level)(asked >= 0 ? asked : PLI_LOG_INFO);
    if (arguments->log_file == NULL) return true;

    console->file = fopen(arguments->log_file, "we");
    if (console->file == NULL) {
        pli_cli_error(console, "%s: the log file cannot be written: %s", arguments->log_file,
                      strerror(errno));
        return false;
    }
    setvbuf(console->file, NULL, _IOLBF, 0);
    return true;
}

void pli_cli_console_clear(pli_cli_console *console)
{
    pli_cli_set_status(console, "");
    if (console->file != NULL) fclose(console->file);
    console->file = NULL;
    pthread_mutex_destroy(&console->lock);
}

pli_log_level pli_cli_console_level(const pli_cli_console *console)
{
    bool file_is_louder = console->file != NULL && console->file_level > console->level;
    return file_is_louder ? console->file_level : console->level;
}

// ---- lines

typedef struct line_style {
    const char *name;  // in the log file
    const char *label; // before the text
    const char *color; // of the label
} line_style;

static const line_style styles[] = {
    [PLI_LOG_ERROR] = {"error", "error: ", "\033[1;31m"},
    [PLI_LOG_WARNING] = {"warning", "warning: ", "\033[1;35m"},
    [PLI_LOG_INFO] = {"info", "", ""},
    [PLI_LOG_DEBUG] = {"debug", "debug: ", "\033[2m"},
    [PLI_LOG_TRACE] = {"trace", "trace: ", "\033[2m"},
};

static void draw_status(const pli_cli_console *console)
{
    if (console->status[0] != '\0') fprintf(stderr, "\r%s\033[K", console->status);
}

static void remove_status(const pli_cli_console *console)
{
    if (console->status[0] != '\0') fputs("\r\033[K", stderr);
}

// Writes a line to whoever listens at its level; label is what stands before the text.
static void write_line(pli_cli_console *console, pli_log_level level, const char *label,
                       const char *text)
{
    pthread_mutex_lock(&console->lock);
    if (console->file != NULL && level <= console->file_level) {
        fprintf(console->file, "[%10.3f] %s: %s\n", pli_cli_seconds() - console->start,
                styles[level].name, text);
    }
    if (level <= console->level) {
        remove_status(console);
        const char *paint = console->color ? styles[level].color : "";
        fprintf(stderr, "%s%s%s%s\n", paint, label, paint[0] != '\0' ? "\033[0m" : "", text);
        draw_status(console);
        fflush(stderr);
    }
    pthread_mutex_unlock(&console->lock);
}

void pli_cli_console_log(void *user, pli_log_level level, const char *text)
{
    write_line(user, level, styles[level].label, text);
}

static void write_format(pli_cli_console *console, pli_log_level level, const char *label,
                         const char *format, va_list arguments)
{
    char line[LINE_CAPACITY];
    vsnprintf(line, sizeof line, format, arguments);
    write_line(console, level, label, line);
}

void pli_cli_say(pli_cli_console *console, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_format(console, PLI_LOG_INFO, "", format, arguments);
    va_end(arguments);
}

void pli_cli_warn(pli_cli_console *console, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_format(console, PLI_LOG_WARNING, styles[PLI_LOG_WARNING].label, format, arguments);
    va_end(arguments);
}

void pli_cli_error(pli_cli_console *console, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_format(console, PLI_LOG_ERROR, "pliant: ", format, arguments);
    va_end(arguments);
}

// Whether a message begins like `file:12:3: `.
static bool has_position(const char *message)
{
    const char *colon = strchr(message, ':');
    while (colon != NULL) {
        char *end = NULL;
        long line = strtol(colon + 1, &end, 10);
        if (end > colon + 1 && line > 0 && *end == ':') {
            const char *column = end + 1;
            if (strtol(column, &end, 10) > 0 && end > column && *end == ':') return true;
        }
        colon = strchr(colon + 1, ':');
    }
    return false;
}

static int exit_of_status(pli_status status)
{
    switch (status) {
    case PLI_OK: return PLI_CLI_DONE;
    case PLI_ERROR_MEMORY:
    case PLI_ERROR_NUMERIC: return PLI_CLI_FAILED;
    case PLI_ERROR_ARGUMENT:
    case PLI_ERROR_SCENE:
    case PLI_ERROR_MESH:
    case PLI_ERROR_UNSUPPORTED: return PLI_CLI_USAGE;
    case PLI_ERROR_IO: return PLI_CLI_IO;
    case PLI_ERROR_INTERRUPTED: return PLI_CLI_INTERRUPTED;
    }
    return PLI_CLI_FAILED;
}

int pli_cli_fail(pli_cli_console *console, const pli_context *context, pli_status status)
{
    char message[1024] = "";
    if (context != NULL) pli_context_message(context, message, sizeof message);
    if (message[0] == '\0') snprintf(message, sizeof message, "%s", pli_status_text(status));

    // editors jump to file:line:column, so nothing may stand before it
    write_line(console, PLI_LOG_ERROR, has_position(message) ? "" : "pliant: ", message);
    if (context != NULL && console->level >= PLI_LOG_DEBUG) {
        char origin[160];
        pli_context_origin(context, origin, sizeof origin);
        pli_cli_say(console, "(%s, raised at %s)", pli_status_text(status), origin);
    }
    return exit_of_status(status);
}

void pli_cli_set_status(pli_cli_console *console, const char *text)
{
    if (!console->live) return;
    pthread_mutex_lock(&console->lock);
    if (text[0] == '\0') remove_status(console);
    size_t room = (size_t)pli_cli_columns(STDERR_FILENO);
    if (room > sizeof console->status) room = sizeof console->status;
    snprintf(console->status, room, "%s", text);
    draw_status(console);
    fflush(stderr);
    pthread_mutex_unlock(&console->lock);
}

int pli_cli_finish_output(int code)
{
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout) != 0;
    if (!failed) return code;
    // whoever closed the pipe has seen enough and wants to hear no more
    if (errno != EPIPE) {
        fprintf(stderr, "pliant: standard output cannot be written: %s\n",
                errno != 0 ? strerror(errno) : "an earlier write failed");
    }
    return code == PLI_CLI_DONE ? PLI_CLI_IO : code;
}
