// SPDX-License-Identifier: Apache-2.0
#include "serve/live_site.h"

#include "base/memory.h"
#include "base/timers.h"
#include "io/file/json.h"
#include "serve/answer.h"
#include "serve/instance.h"

#include <inttypes.h>
#include <string.h>

enum {
    CLIENT_FIELDS = 8, // that one page may ask for
    IN_FLIGHT = 2,     // frames under way to a page
    SITE_HANDS = PLI_LIVE_HANDS
};

static const double state_interval = 0.1; // s between messages of the state

typedef struct site_client {
    int64_t number; // of the socket; 0: the place is free
    pli_live_watcher watcher;
    int64_t under_way[IN_FLIGHT]; // sequences that were not taken yet; 0: none
    char fields[CLIENT_FIELDS][PLI_LIVE_NAME];
    int32_t field_count;
} site_client;

// pages choose ids by themselves: here each has a number of its own
typedef struct site_hand {
    int64_t client;
    int64_t id;
    int64_t number;
} site_hand;

struct pli_live_site {
    pli_context *context;
    pli_live_site_def def;
    pli_server *server;
    char *title;
    char instance[PLI_INSTANCE_CAPACITY];
    site_client clients[PLI_SERVE_MAX_CLIENTS];
    site_hand hands[SITE_HANDS]; // [hand_count]
    int32_t hand_count;
    int64_t next_hand;
    int64_t settings; // number of changes that pages were told of
    double told_at;   // when the state was told last (s)
    pli_text state;   // as it was told last
    pli_text text;    // scratch
    pli_json json;    // scratch
};

// ---- clients

static site_client *find_client(pli_live_site *site, int64_t number)
{
    for (int32_t k = 0; k < PLI_SERVE_MAX_CLIENTS; ++k) {
        if (site->clients[k].number == number) return &site->clients[k];
    }
    return NULL;
}

static void send_text(pli_live_site *site, int64_t client, const pli_text *text)
{
    if (!text->failed) pli_server_send(site->server, client, text->bytes, text->length);
}

static void send_all(pli_live_site *site, const pli_text *text)
{
    for (int32_t k = 0; k < PLI_SERVE_MAX_CLIENTS; ++k) {
        if (site->clients[k].number != 0) send_text(site, site->clients[k].number, text);
    }
}

static void send_error(pli_live_site *site, int64_t client, const char *about, const char *words)
{
    pli_text *text = &site->text;
    pli_text_reset(text);
    pli_text_append(text, "{\"type\":\"error\"");
    pli_json_add_string(text, "about", about);
    pli_json_add_string(text, "text", words);
    pli_text_append(text, "}");
    send_text(site, client, text);
}

static void send_failure(pli_live_site *site, int64_t client, const char *about)
{
    char words[PLI_LIVE_TEXT];
    pli_context_message(site->context, words, sizeof words);
    send_error(site, client, about, words);
}

// ---- fields: pictures have those of all pages together

static bool is_listed(const char *const *names, int32_t count, const char *name)
{
    for (int32_t k = 0; k < count; ++k) {
        if (strcmp(names[k], name) == 0) return true;
    }
    return false;
}

static void join_fields(pli_live_site *site)
{
    const char *names[PLI_LIVE_FIELDS];
    int32_t count = 0;
    for (int32_t k = 0; k < PLI_SERVE_MAX_CLIENTS; ++k) {
        const site_client *client = &site->clients[k];
        if (client->number == 0) continue;
        for (int32_t i = 0; i < client->field_count && count < PLI_LIVE_FIELDS; ++i) {
            if (!is_listed(names, count, client->fields[i])) names[count++] = client->fields[i];
        }
    }
    pli_live_thread_set_fields(site->def.borrowed_thread, names, count);
}

static void hear_fields(pli_live_site *site, site_client *client)
{
    const pli_json_node *list = pli_json_get(&site->json, site->json.nodes, "names");
    bool right = list != NULL && list->kind == PLI_JSON_ARRAY;
    int32_t count = 0;
    const pli_json_node *item = right ? pli_json_child(&site->json, list) : NULL;
    for (; item != NULL && right; item = pli_json_next(&site->json, item)) {
        right = item->kind == PLI_JSON_STRING && strlen(item->text) < PLI_LIVE_NAME &&
                count < CLIENT_FIELDS;
        if (right) memcpy(client->fields[count++], item->text, strlen(item->text) + 1);
    }
    if (!right) {
        client->field_count = 0;
        send_error(site, client->number, "fields", "fields: names has to be a list of a few names");
    } else {
        client->field_count = count;
    }
    join_fields(site);
}

// ---- frames

static void hear_ack(pli_live_site *site, site_client *client)
{
    double sequence = pli_json_number(&site->json, site->json.nodes, "sequence", -1);
    for (int32_t k = 0; k < IN_FLIGHT; ++k) {
        if ((double)client->under_way[k] <= sequence) client->under_way[k] = 0;
    }
}

static pli_packet *next_packet(void *user, int64_t number)
{
    pli_live_site *site = user;
    site_client *client = find_client(site, number);
    if (client == NULL) return NULL;
    int32_t free_place = -1;
    for (int32_t k = 0; k < IN_FLIGHT; ++k) {
        if (client->under_way[k] == 0) free_place = k;
    }
    if (free_place < 0) return NULL;
    int64_t sequence = 0;
    pli_packet *packet =
        pli_live_thread_next(site->def.borrowed_thread, &client->watcher, &sequence);
    if (packet != NULL && sequence > 0) client->under_way[free_place] = sequence;
    return packet;
}

// ---- hands

static int32_t find_hand(const pli_live_site *site, int64_t client, int64_t id)
{
    for (int32_t k = 0; k < site->hand_count; ++k) {
        if (site->hands[k].client == client && site->hands[k].id == id) return k;
    }
    return -1;
}

// Gives the command the number of its hand; a drag of a hand that is not known makes one. Returns
// false when there is none.
static bool number_hand(pli_live_site *site, int64_t client, pli_live_command *command)
{
    int32_t index = find_hand(site, client, command->hand);
    if (index < 0) {
        if (command->kind != PLI_LIVE_DRAG || site->hand_count == SITE_HANDS) return false;
        index = site->hand_count++;
        site->hands[index] = (site_hand){client, command->hand, site->next_hand++};
    }
    command->hand = site->hands[index].number;
    if (command->kind == PLI_LIVE_RELEASE) site->hands[index] = site->hands[--site->hand_count];
    return true;
}

// Lets everything go that a page held.
static void release_hands(pli_live_site *site, int64_t client)
{
    for (int32_t k = site->hand_count - 1; k >= 0; --k) {
        if (site->hands[k].client != client) continue;
        pli_live_command command = {.kind = PLI_LIVE_RELEASE, .hand = site->hands[k].number};
        pli_live_thread_post(site->def.borrowed_thread, 0, &command);
        site->hands[k] = site->hands[--site->hand_count];
    }
}

static void hear_command(pli_live_site *site, site_client *client)
{
    pli_live_command command;
    const char *type = pli_json_text(&site->json, site->json.nodes, "type", "");
    if (pli_live_command_read(&site->json, &command) != PLI_OK) {
        send_failure(site, client->number, type);
        return;
    }
    bool by_hand = command.kind == PLI_LIVE_DRAG || command.kind == PLI_LIVE_RELEASE;
    if (by_hand && !number_hand(site, client->number, &command)) {
        send_error(site, client->number, type, "there is no such hand, or there are too many");
        return;
    }
    if (!pli_live_thread_post(site->def.borrowed_thread, client->number, &command)) {
        send_error(site, client->number, type, "too many commands are waiting; this one is lost");
    }
}

// ---- what is told

static const char *mode_name(pli_live_mode mode)
{
    switch (mode) {
    case PLI_LIVE_RUNNING: return "running";
    case PLI_LIVE_PAUSED: return "paused";
    case PLI_LIVE_PREPARING: return "preparing";
    case PLI_LIVE_FAILED: break;
    }
    return "failed";
}

static void append_pins(pli_text *text, const pli_live_status *status)
{
    int32_t hands = 0;
    bool first = true;
    pli_text_append(text, ",\"pins\":[");
    for (int32_t k = 0; k < status->hand_count; ++k) {
        const pli_live_hand *hand = &status->hands[k];
        hands += hand->id > 0;
        if (hand->id > 0) continue;
        pli_text_format(text, "%s{\"id\":%" PRId64 ",\"body\":", first ? "" : ",", hand->id);
        pli_json_append_string(text, hand->body);
        pli_text_format(text, ",\"vertex\":%d,\"place\":", (int)hand->vertex);
        pli_json_append_numbers(text, hand->target, 3);
        pli_text_append(text, "}");
        first = false;
    }
    pli_text_format(text, "],\"hands\":%d", (int)hands);
}

static void append_state(pli_live_site *site, const pli_live_status *status, pli_text *text)
{
    pli_text_format(text, "{\"type\":\"state\",\"mode\":\"%s\",\"text\":", mode_name(status->mode));
    pli_json_append_string(text, status->text);
    pli_text_format(text, ",\"step\":%" PRId64 ",\"iterations\":%d,\"stop\":\"%s\"", status->step,
                    (int)status->iterations, status->stop);
    pli_json_add_number(text, "time", status->time);
    pli_json_add_number(text, "residual", status->residual);
    pli_json_add_number(text, "tolerance", status->tolerance);
    pli_json_add_number(text, "milliseconds", 1e3 * status->step_seconds);
    pli_text_format(text, ",\"rate\":{\"steps\":%.1f,\"frames\":%.1f,\"realtime\":%.3f}",
                    status->steps_rate, status->frames_rate, status->realtime);
    pli_text_format(text, ",\"vertices\":%d,\"particles\":%" PRId64, (int)status->vertices,
                    status->particles);
    if (status->contacts >= 0) pli_text_format(text, ",\"contacts\":%d", (int)status->contacts);
    pli_json_add_string(text, "recording", status->recording);
    pli_text_format(text, ",\"pages\":%d", (int)pli_server_socket_count(site->server));
    append_pins(text, status);
    pli_text_append(text, "}");
}

static void send_settings(pli_live_site *site, int64_t client)
{
    pli_text *text = &site->text;
    pli_text_reset(text);
    pli_text_append(text, "{\"type\":\"settings\",\"items\":");
    pli_live_thread_append_settings(site->def.borrowed_thread, text);
    pli_text_append(text, "}");
    if (client != 0) send_text(site, client, text);
    if (client == 0) send_all(site, text);
}

// Tells the state if it is another one than was told last.
static void tell_state(pli_live_site *site, const pli_live_status *status)
{
    pli_text *text = &site->text;
    pli_text_reset(text);
    append_state(site, status, text);
    bool same = site->state.bytes != NULL && text->bytes != NULL &&
                strcmp(site->state.bytes, text->bytes) == 0;
    if (same) return;
    send_all(site, text);
    pli_text_reset(&site->state);
    pli_text_append_bytes(&site->state, text->bytes, text->length);
}

void pli_live_site_turn(pli_live_site *site)
{
    pli_live_answer answer;
    while (pli_live_thread_next_answer(site->def.borrowed_thread, &answer)) {
        if (answer.client != 0) {
            send_error(site, answer.client, pli_live_kind_name(answer.about), answer.text);
        }
    }
    double now = pli_clock_seconds();
    if (now - site->told_at < state_interval) return;
    site->told_at = now;
    pli_live_status status;
    pli_live_thread_get_status(site->def.borrowed_thread, &status);
    if (status.settings != site->settings) send_settings(site, 0);
    site->settings = status.settings;
    tell_state(site, &status);
}

// ---- sockets

static void join(void *user, int64_t number)
{
    pli_live_site *site = user;
    site_client *client = find_client(site, 0);
    if (client == NULL) return;
    *client = (site_client){.number = number};
    send_settings(site, number);
    pli_live_status status;
    pli_live_thread_get_status(site->def.borrowed_thread, &status);
    pli_text_reset(&site->text);
    append_state(site, &status, &site->text);
    send_text(site, number, &site->text);
}

static void leave(void *user, int64_t number)
{
    pli_live_site *site = user;
    site_client *client = find_client(site, number);
    if (client == NULL) return;
    release_hands(site, number);
    pli_live_watcher_clear(&client->watcher, site->context);
    *client = (site_client){0};
    join_fields(site);
}

static void hear(void *user, int64_t number, const char *text, int64_t size)
{
    pli_live_site *site = user;
    site_client *client = find_client(site, number);
    if (client == NULL) return;
    if (pli_json_parse(&site->json, text, size) != PLI_OK) {
        send_failure(site, number, "");
        return;
    }
    const char *type = pli_json_text(&site->json, site->json.nodes, "type", "");
    if (strcmp(type, "ack") == 0) {
        hear_ack(site, client);
    } else if (strcmp(type, "fields") == 0) {
        hear_fields(site, client);
    } else {
        hear_command(site, client);
    }
}

// ---- requests

static void respond_session(pli_live_site *site, pli_http_response *response)
{
    pli_text *text = &site->text;
    pli_text_reset(text);
    pli_text_append(text, "{\"protocol\":1,\"mode\":\"live\"");
    pli_json_add_string(text, "title", site->title);
    pli_json_add_string(text, "scene", site->title);
    pli_json_add_string(text, "version", pli_version());
    pli_json_add_string(text, "instance", site->instance);
    pli_json_add_string(text, "up", site->def.up);
    const char *contact = site->def.borrowed_contact;
    pli_json_add_string(text, "contact", contact != NULL ? contact : "");
    pli_text_format(text, ",\"report\":false,\"drags\":%s,\"max_message\":%d}",
                    site->def.drags ? "true" : "false", PLI_SERVE_MAX_MESSAGE);
    pli_answer_json(site->context, response, text);
}

static void respond(void *user, const pli_http_request *request, pli_http_response *response)
{
    pli_live_site *site = user;
    bool page = strcmp(request->path, "/") == 0;
    bool session = strcmp(request->path, "/api/session") == 0;
    if (strcmp(request->method, "POST") == 0) {
        pli_answer_words(site->context, response, 405, "nothing is changed by requests");
    } else if (page) {
        pli_answer_page(site->context, response);
    } else if (session && request->authorized) {
        respond_session(site, response);
    } else if (session) {
        pli_answer_words(site->context, response, 403,
                         "this browser was not let in; open an address that pliant printed");
    }
}

const pli_site_ops pli_live_site_ops = {.respond = respond,
                                        .socket_path = "/api/socket",
                                        .join = join,
                                        .hear = hear,
                                        .leave = leave,
                                        .next = next_packet};

// ---- beginning and end

pli_status pli_live_site_create(pli_context *context, const pli_live_site_def *def,
                                pli_live_site **site)
{
    *site = NULL;
    pli_live_site *made = PLI_NEW(context, pli_live_site, 1, "live page");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->next_hand = 1;
    made->json.context = context;
    pli_text_init(&made->state, context);
    pli_text_init(&made->text, context);
    pli_instance_make(0, made->instance);
    made->title = pli_string_copy(context, def->title);
    if (made->title == NULL) {
        pli_live_site_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    *site = made;
    return PLI_OK;
}

void pli_live_site_destroy(pli_live_site *site)
{
    if (site == NULL) return;
    pli_context *context = site->context;
    for (int32_t k = 0; k < PLI_SERVE_MAX_CLIENTS; ++k) {
        pli_live_watcher_clear(&site->clients[k].watcher, context);
    }
    pli_json_clear(&site->json);
    pli_text_clear(&site->text);
    pli_text_clear(&site->state);
    pli_release(context, site->title);
    pli_release(context, site);
}

void pli_live_site_attach(pli_live_site *site, pli_server *borrowed_server)
{
    site->server = borrowed_server;
}

void pli_live_site_close(pli_live_site *site, const char *why)
{
    pli_text_reset(&site->text);
    pli_text_append(&site->text, "{\"type\":\"bye\"");
    pli_json_add_string(&site->text, "text", why);
    pli_text_append(&site->text, "}");
    send_all(site, &site->text);
}
