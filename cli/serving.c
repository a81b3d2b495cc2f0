// SPDX-License-Identifier: Apache-2.0
#include "serving.h"

#include "browser.h"
#include "json.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TURN_MILLISECONDS = 200 }; // a signal is noticed within this time, whenever it comes

// ---- the token's file

// Reads the first bytes of a file that nobody else can read; what is wrong with it, or NULL.
static const char *read_secret(const char *path, char *text, size_t capacity)
{
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return strerror(errno);
    struct stat about;
    const char *fault = NULL;
    ssize_t got = 0;
    if (fstat(descriptor, &about) != 0) {
        fault = strerror(errno);
    } else if (!S_ISREG(about.st_mode)) {
        fault = "is no regular file";
    } else if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        fault = "can be read or written by others; 'chmod 600' keeps them out";
    } else if ((got = read(descriptor, text, capacity - 1)) < 0) {
        fault = strerror(errno);
    }
    close(descriptor);
    text[got > 0 ? got : 0] = '\0';
    return fault;
}

int pli_cli_page_init(pli_cli_session *session, pli_cli_page *page)
{
    const pli_cli_arguments *arguments = &session->arguments;
    *page = (pli_cli_page){0};
    if (arguments->port.given) page->def.port = arguments->port.value;
    if (arguments->host != NULL) page->def.host = arguments->host;
    page->def.allows_remote = arguments->yes_remote;
    page->def.extra_hosts = arguments->allowed_hosts.items;
    page->def.extra_host_count = arguments->allowed_hosts.count;
    if (arguments->token_file == NULL) return PLI_CLI_DONE;
    const char *fault = read_secret(arguments->token_file, page->token, sizeof page->token);
    if (fault != NULL) {
        pli_cli_error(&session->console, "%s: %s", arguments->token_file, fault);
        return PLI_CLI_USAGE;
    }
    page->token[strcspn(page->token, "\r\n")] = '\0';
    page->def.token = page->token;
    return PLI_CLI_DONE;
}

// ---- addresses

// The address on standard output, alone on its line, so that scripts can take it from there.
static pli_status print_address(const pli_cli_session *session, pli_page *page, const char *folder)
{
    const char *address = NULL;
    pli_status status = pli_page_make_address(page, PLI_PAGE_FOR_PERSON, &address);
    if (status != PLI_OK) return status;
    if (session->arguments.json) {
        pli_cli_json json;
        pli_cli_json_init(&json, stdout);
        pli_cli_json_begin(&json, NULL, '{');
        pli_cli_json_text(&json, "address", address);
        pli_cli_json_text(&json, "server", pli_page_get_info(page).address);
        if (folder != NULL) pli_cli_json_text(&json, "folder", folder);
        pli_cli_json_end(&json, '}');
    } else {
        printf("%s\n", address);
    }
    fflush(stdout);
    return PLI_OK;
}

// Starts the browser with an address of its own: everybody on this machine can read that one.
static bool open_browser(const pli_cli_session *session, pli_page *page)
{
    const char *address = NULL;
    return !session->arguments.no_open &&
           pli_page_make_address(page, PLI_PAGE_FOR_BROWSER, &address) == PLI_OK &&
           pli_cli_open_browser(address);
}

// Whether somebody has pressed Enter. Only a program in the foreground may read its terminal.
static bool is_asked(bool *listens)
{
    if (!*listens || tcgetpgrp(STDIN_FILENO) != getpgrp()) return false;
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&ready, 1, 0) != 1) return false;
    char line[256];
    ssize_t got = read(STDIN_FILENO, line, sizeof line);
    *listens = got > 0 || (got < 0 && errno == EINTR);
    return got > 0;
}

static void say_what_to_do(pli_cli_session *session, const pli_page *page, const char *what,
                           bool opened, bool listens)
{
    pli_cli_console *console = &session->console;
    if (pli_page_get_info(page).is_remote) {
        pli_cli_warn(console, "other machines can reach this page, over a line that everyone on "
                              "the way can read and change");
    }
    if (opened) {
        pli_cli_say(console, "opening the browser on %s", what);
    } else {
        pli_cli_say(console, "open this address in a browser to look at %s", what);
    }
    pli_cli_say(console, "the address works once, within ten minutes; %s",
                listens ? "Enter gives a new one, Ctrl-C ends"
                        : "pliant started again gives a new one; Ctrl-C ends");
}

pli_status pli_cli_serve(pli_cli_session *session, pli_page *page, const char *what,
                         const char *folder)
{
    bool listens = isatty(STDIN_FILENO) == 1;
    pli_status status = print_address(session, page, folder);
    if (status != PLI_OK) return status;
    say_what_to_do(session, page, what, open_browser(session, page), listens);
    while (status == PLI_OK && !pli_cli_stop_requested()) {
        status = pli_page_turn(page, TURN_MILLISECONDS);
        if (status == PLI_OK && is_asked(&listens)) status = print_address(session, page, folder);
    }
    return status;
}

static const pli_cli_option options[] = {
    {.name = "port",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, port),
     .max = 65535,
     .doc = "port to listen on (default: 8686, or where that is taken, any)"},
    {.name = "host",
     .value = "ADDRESS",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, host),
     .doc = "address to listen on; one that other machines reach wants --yes-remote, too "
            "(default: 127.0.0.1)"},
    {.name = "yes-remote",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, yes_remote),
     .doc = "--host may be an address that other machines reach: the line is not encrypted, and "
            "who reads it can do what the page can"},
    {.name = "token-file",
     .value = "FILE",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, token_file),
     .hint = PLI_CLI_HINT_FILE,
     .doc = "file that only its owner can read, with the token that scripts show: 16 to 64 "
            "letters, digits, - and _ (default: there is none)"},
    {.name = "allow-host",
     .value = "NAME",
     .kind = PLI_CLI_TEXTS,
     .offset = offsetof(pli_cli_arguments, allowed_hosts),
     .doc = "another name that browsers may call this machine by, such as that of a tunnel; may be "
            "given several times"},
    {.name = "no-open",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, no_open),
     .doc = "prints the address and opens no browser"},
};

const pli_cli_options pli_cli_page_options = PLI_CLI_OPTIONS(options);
