// SPDX-License-Identifier: Apache-2.0
#include "serve/access.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { SHORTEST_TOKEN = 16, NAME_CAPACITY = 272, SECRET_BYTES = PLI_SERVE_SECRET_CHARS / 2 };

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// ---- secrets ----------------------------------------------------------------------------------

static bool draw(uint8_t *bytes, size_t count)
{
    for (size_t got = 0; got < count;) {
        ssize_t more = getrandom(bytes + got, count - got, 0);
        if (more < 0 && errno != EINTR) return false;
        if (more > 0) got += (size_t)more;
    }
    return true;
}

static bool draw_secret(char text[PLI_ACCESS_SECRET_CAPACITY])
{
    uint8_t bytes[SECRET_BYTES];
    text[0] = '\0';
    if (!draw(bytes, sizeof bytes)) return false;
    for (int i = 0; i < SECRET_BYTES; ++i) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

// Looks at every character of the secret, whatever was given. There is none: nothing fits.
static bool is_secret(const char *secret, const char *given, size_t there)
{
    size_t length = strlen(secret);
    volatile int differences = there != length || length == 0;
    for (size_t i = 0; i < length; ++i) {
        differences |= secret[i] ^ (there > 0 ? given[i % there] : 0);
    }
    return differences == 0;
}

// ---- the token of scripts ---------------------------------------------------------------------

pli_status pli_access_init(pli_access *access, pli_context *context, const char *token)
{
    *access = (pli_access){.context = context};
    if (token == NULL) return PLI_OK;
    size_t length = strlen(token);
    if (length < SHORTEST_TOKEN || length >= sizeof access->token ||
        strspn(token, LETTERS) != length) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "server: a token is %d to %d letters, digits, - and _", SHORTEST_TOKEN,
                        PLI_ACCESS_TOKEN_CAPACITY - 1);
    }
    memcpy(access->token, token, length + 1);
    return PLI_OK;
}

// "Bearer TOKEN"
static bool has_token(const pli_access *access, const pli_http_head *head)
{
    const char *bearer = head->fields[PLI_HTTP_AUTHORIZATION];
    if (bearer == NULL) return false;
    char scheme[8] = "";
    size_t length = strcspn(bearer, " ");
    if (length < sizeof scheme) memcpy(scheme, bearer, length);
    const char *given = bearer + length + strspn(bearer + length, " ");
    return pli_http_is_same(scheme, "bearer") && is_secret(access->token, given, strlen(given));
}

// ---- the sessions of browsers -----------------------------------------------------------------

static void write_cookie_name(const pli_access *access, char name[32])
{
    snprintf(name, 32, "pliant-%d=", (int)access->port);
}

static bool is_session(const pli_access *access, const char *given, size_t length, pli_peer *peer)
{
    for (int32_t i = 0; i < PLI_ACCESS_SESSIONS; ++i) {
        const pli_access_session *session = &access->sessions[i];
        if (!is_secret(session->secret, given, length)) continue;
        return session->owner == pli_peer_owner(peer) || pli_peer_is_own(peer);
    }
    return false;
}

// "a=b; pliant-8686=SECRET"; other servers on this machine can add cookies of the same name.
static bool has_session(const pli_access *access, const pli_http_head *head, pli_peer *peer)
{
    char name[32];
    write_cookie_name(access, name);
    const char *at = head->fields[PLI_HTTP_COOKIE];
    while (at != NULL && *at != '\0') {
        at += strspn(at, "; ");
        size_t length = strcspn(at, ";");
        bool is_named = strncmp(at, name, strlen(name)) == 0;
        const char *value = at + strlen(name);
        if (is_named && is_session(access, value, strcspn(value, "; "), peer)) return true;
        at += length;
    }
    return false;
}

// Browsers send cookies with whatever a page of the same site asks for, and all ports of a machine
// are one site: they say whose page it is, and where something changes, its origin, which was
// checked.
static bool comes_from_own_page(const pli_http_head *head)
{
    const char *site = head->fields[PLI_HTTP_FETCH_SITE];
    bool is_own =
        site == NULL || pli_http_is_same(site, "same-origin") || pli_http_is_same(site, "none");
    bool changes = head->method != NULL && strcmp(head->method, "POST") == 0;
    return is_own && (!changes || head->fields[PLI_HTTP_ORIGIN] != NULL);
}

bool pli_access_is_authorized(const pli_access *access, const pli_http_head *head, pli_peer *peer)
{
    return has_token(access, head) ||
           (comes_from_own_page(head) && has_session(access, head, peer));
}

pli_status pli_access_make_code(pli_access *access, pli_server_reader reader, double now,
                                const char **code)
{
    pli_access_code *made = &access->codes[reader];
    *code = made->text;
    bool for_person = reader == PLI_SERVER_FOR_PERSON;
    made->until = now + (for_person ? PLI_SERVE_PERSON_SECONDS : PLI_SERVE_BROWSER_SECONDS);
    if (draw_secret(made->text)) return PLI_OK;
    return PLI_FAIL(access->context, PLI_ERROR_IO,
                    "server: the system gives no random numbers for an address");
}

// True once for the right code; a browser's is left alone by whom it is not meant for.
static bool take_code(pli_access *access, const char *given, double now, pli_peer *peer)
{
    for (int reader = 0; reader < PLI_SERVE_READERS; ++reader) {
        pli_access_code *code = &access->codes[reader];
        if (!is_secret(code->text, given, strlen(given))) continue;
        if (reader == PLI_SERVER_FOR_BROWSER && !pli_peer_is_own(peer)) return false;
        code->text[0] = '\0';
        return now <= code->until;
    }
    return false;
}

bool pli_access_open(pli_access *access, const char *code, double now, pli_peer *peer,
                     char cookie[PLI_ACCESS_COOKIE_CAPACITY])
{
    cookie[0] = '\0';
    if (!take_code(access, code, now, peer)) return false;
    pli_access_session *session = &access->sessions[access->session_count++ % PLI_ACCESS_SESSIONS];
    session->owner = pli_peer_owner(peer);
    if (!draw_secret(session->secret)) return false;
    char name[32];
    write_cookie_name(access, name);
    snprintf(cookie, PLI_ACCESS_COOKIE_CAPACITY, "%s%s; Path=/; HttpOnly; SameSite=Strict", name,
             session->secret);
    return true;
}

// ---- names ------------------------------------------------------------------------------------

void pli_access_clear(pli_access *access)
{
    for (int32_t i = 0; i < access->name_count; ++i) pli_release(access->context, access->names[i]);
    pli_release(access->context, access->names);
    access->names = NULL;
    access->name_count = 0;
}

// "name:port"; an address with colons gets its brackets. A port of 0 is left out.
static pli_status add_name(pli_access *access, const char *name, int32_t port)
{
    char text[NAME_CAPACITY];
    bool is_bare = strchr(name, ':') != NULL && name[0] != '[';
    char suffix[16] = "";
    if (port != 0) snprintf(suffix, sizeof suffix, ":%d", port);
    snprintf(text, sizeof text, is_bare ? "[%s]%s" : "%s%s", name, suffix);
    char *copy = pli_string_copy(access->context, text);
    if (copy == NULL) return PLI_ERROR_MEMORY;
    access->names[access->name_count++] = copy;
    return PLI_OK;
}

static pli_status check_name(pli_access *access, const char *name)
{
    size_t length = strlen(name);
    if (length > 0 && length < 254 && strspn(name, LETTERS ".:[]") == length) return PLI_OK;
    return PLI_FAIL(access->context, PLI_ERROR_ARGUMENT,
                    "server: '%.64s' is not the name of a host, such as 'desk.example.org'", name);
}

static pli_status allow(pli_access *access, const char *name, int32_t port)
{
    PLI_TRY(check_name(access, name));
    // browsers leave out the port that http has anyway
    if (port == 80) PLI_TRY(add_name(access, name, 0));
    return add_name(access, name, port);
}

pli_status pli_access_allow(pli_access *access, const char *listened,
                            const pli_server_options *options, int32_t port)
{
    access->port = port;
    const char *const local[] = {"127.0.0.1", "localhost", "[::1]", listened};
    enum { LOCAL = sizeof local / sizeof local[0] };
    int64_t most = 2 * (LOCAL + (int64_t)options->extra_host_count);
    access->names = PLI_NEW(access->context, char *, most, "names of the server");
    if (access->names == NULL) return PLI_ERROR_MEMORY;
    for (int i = 0; i < LOCAL; ++i) PLI_TRY(allow(access, local[i], port));
    for (int32_t i = 0; i < options->extra_host_count; ++i) {
        PLI_TRY(allow(access, options->extra_hosts[i], port));
    }
    return PLI_OK;
}

static bool is_ours(const pli_access *access, const char *name)
{
    for (int32_t i = 0; i < access->name_count; ++i) {
        if (pli_http_is_same(name, access->names[i])) return true;
    }
    return false;
}

int32_t pli_access_check(const pli_access *access, const pli_http_head *head)
{
    const char *host = head->fields[PLI_HTTP_HOST];
    const char *origin = head->fields[PLI_HTTP_ORIGIN];
    if (host == NULL || !is_ours(access, host)) return 403;
    if (origin == NULL) return 0;
    bool is_http = strncmp(origin, "http://", 7) == 0;
    return is_http && is_ours(access, origin + 7) ? 0 : 403;
}
