// SPDX-License-Identifier: Apache-2.0
#include "serve/access.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { TOKEN_BYTES = PLI_SERVE_TOKEN_CHARS / 2, SHORTEST_TOKEN = 16, NAME_CAPACITY = 272 };

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// ---- the token --------------------------------------------------------------------------------

static bool draw(uint8_t *bytes, size_t count)
{
    for (size_t got = 0; got < count;) {
        ssize_t more = getrandom(bytes + got, count - got, 0);
        if (more < 0 && errno != EINTR) return false;
        if (more > 0) got += (size_t)more;
    }
    return true;
}

static pli_status make_token(pli_access *access)
{
    uint8_t bytes[TOKEN_BYTES];
    if (!draw(bytes, sizeof bytes)) {
        return PLI_FAIL(access->context, PLI_ERROR_IO,
                        "server: the system gives no random numbers for a token");
    }
    for (int i = 0; i < TOKEN_BYTES; ++i) snprintf(access->token + 2 * i, 3, "%02x", bytes[i]);
    return PLI_OK;
}

pli_status pli_access_init(pli_access *access, pli_context *context, const char *token)
{
    *access = (pli_access){.context = context};
    if (token == NULL) return make_token(access);
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

// Looks at every character of the token, whatever was given.
static bool is_token(const pli_access *access, const char *given)
{
    size_t length = strlen(access->token);
    size_t there = strlen(given);
    volatile int differences = there != length;
    for (size_t i = 0; i < length; ++i) {
        differences |= access->token[i] ^ given[there > 0 ? i % there : 0];
    }
    return differences == 0;
}

bool pli_access_is_authorized(const pli_access *access, const pli_http_head *head)
{
    // "Bearer TOKEN"
    const char *bearer = head->fields[PLI_HTTP_AUTHORIZATION];
    if (bearer != NULL) {
        char scheme[8] = "";
        size_t length = strcspn(bearer, " ");
        if (length < sizeof scheme) memcpy(scheme, bearer, length);
        const char *given = bearer + length + strspn(bearer + length, " ");
        if (pli_http_is_same(scheme, "bearer") && is_token(access, given)) return true;
    }
    char value[PLI_ACCESS_TOKEN_CAPACITY];
    pli_http_request request = {.query = head->query};
    return pli_http_query(&request, "token", value, sizeof value) && is_token(access, value);
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
