// SPDX-License-Identifier: Apache-2.0
#include "serving.h"

#include "browser.h"
#include "json.h"
#include "signals.h"

enum { TURN_MILLISECONDS = 200 }; // a signal is noticed within this time, whenever it comes

pli_page_def pli_cli_page_def(const pli_cli_arguments *arguments)
{
    pli_page_def def = pli_page_def_default();
    if (arguments->port.given) def.port = arguments->port.value;
    if (arguments->host != NULL) def.host = arguments->host;
    def.token = arguments->token;
    def.extra_hosts = arguments->allowed_hosts.items;
    def.extra_host_count = arguments->allowed_hosts.count;
    return def;
}

// The address on standard output, alone on its line, so that scripts can take it from there.
static void print_address(const pli_cli_session *session, const pli_page *page, const char *folder)
{
    if (session->arguments.json) {
        pli_cli_json json;
        pli_cli_json_init(&json, stdout);
        pli_cli_json_begin(&json, NULL, '{');
        pli_cli_json_text(&json, "address", pli_page_address(page));
        if (folder != NULL) pli_cli_json_text(&json, "folder", folder);
        pli_cli_json_end(&json, '}');
    } else {
        printf("%s\n", pli_page_address(page));
    }
    fflush(stdout);
}

pli_status pli_cli_serve(pli_cli_session *session, pli_page *page, const char *what,
                         const char *folder)
{
    print_address(session, page, folder);
    bool opened = !session->arguments.no_open && pli_cli_open_browser(pli_page_address(page));
    pli_cli_say(&session->console, "%s %s; Ctrl-C ends",
                opened ? "opening the browser on" : "open this address in a browser to look at",
                what);
    pli_status status = PLI_OK;
    while (status == PLI_OK && !pli_cli_stop_requested()) {
        status = pli_page_turn(page, TURN_MILLISECONDS);
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
     .doc = "address to listen on; with another one than this machine's own, everyone who "
            "knows the token can look, over an unencrypted line (default: 127.0.0.1)"},
    {.name = "token",
     .value = "TOKEN",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, token),
     .doc = "what a page has to know, 16 to 64 letters, digits, - and _ (default: random)"},
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
