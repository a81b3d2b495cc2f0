// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include "pliant/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
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

// Whether a file begins like a log: "[     0.123] info: ". Nothing at all is the beginning of any.
static bool begins_like_log(int descriptor)
{
    char start[16] = "";
    ssize_t got = pread(descriptor, start, sizeof start - 1, 0);
    if (got <= 0) return got == 0;
    double seconds = 0;
    int length = 0;
    return got >= 14 && sscanf(start, "[%10lf] %n", &seconds, &length) == 1 && length == 13;
}

// Opens a log for adding to it. Logs of pliant's are added to, and streams are written to; any
// other file that is there already may be a scene or somebody's work, and stays as it is.
static int open_for_adding(const char *path, bool *is_other)
{
    struct stat found;
    *is_other = false;
    // without O_NONBLOCK, opening a pipe waits for somebody to read it
    int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int descriptor = open(path, flags, 0666);
    bool is_stream = stat(path, &found) == 0 && !S_ISREG(found.st_mode);
    if (is_stream) {
        if (descriptor >= 0) close(descriptor);
        descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        // whoever reads slowly is waited for
        if (descriptor >= 0) fcntl(descriptor, F_SETFL, 0);
        return descriptor;
    }
    if (descriptor < 0 || begins_like_log(descriptor)) return descriptor;
    *is_other = true;
    close(descriptor);
    return -1;
}

static void begin_log(pli_cli_console *console)
{
    char now[32] = "";
    time_t seconds = time(NULL);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) != NULL) strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    setvbuf(console->file, NULL, _IOLBF, 0);
    fprintf(console->file, "[%10.3f] info: log of pliant %s, %s\n", 0.0, pli_version(), now);
}

static bool open_log(pli_cli_console *console, const char *path)
{
    bool is_other = false;
    int descriptor = open_for_adding(path, &is_other);
    if (descriptor >= 0) console->file = fdopen(descriptor, "a");
    if (console->file != NULL) {
        begin_log(console);
        return true;
    }
    if (is_other) {
        pli_cli_error(console,
                      "%s: is there already and is no log of pliant, so that it is not written to; "
                      "--log-file takes a new name or a log to add to",
                      path);
    } else {
        pli_cli_error(console, "%s: the log file cannot be written: %s", path, strerror(errno));
    }
    if (descriptor >= 0) close(descriptor);
    return false;
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

    return open_log(console, arguments->log_file);
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
