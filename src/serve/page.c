// SPDX-License-Identifier: Apache-2.0
#include "pliant/serve.h"

#include "base/context.h"
#include "base/memory.h"
#include "serve/listen.h"
#include "serve/live_site.h"
#include "serve/server.h"
#include "serve/view_site.h"

#include <stdatomic.h>

// What a page shows, and how to end it.
typedef struct page_site {
    const pli_site_ops *ops;
    void *user; // NULL: there is none
    void (*destroy)(void *user);
    int32_t (*watchers)(const pli_page *page);
    void (*turn)(void *user); // with every turn; NULL: nothing is to be done
} page_site;

struct pli_page {
    pli_context *context;
    page_site site;
    pli_live_thread *live; // NULL: nothing is simulated
    pli_server *server;
    pli_server *_Atomic server_of_thread; // the same, once the thread may wake it
};

static const char *host_of(const pli_page_def *def)
{
    return def->host != NULL ? def->host : "127.0.0.1";
}

// Listens for a page whose site is there.
static pli_status open_page(pli_page *page, const pli_page_def *def)
{
    pli_server_options options = {.host = host_of(def),
                                  .port = def->port,
                                  .allows_remote = def->allows_remote,
                                  .token = def->token,
                                  .extra_hosts = def->extra_hosts,
                                  .extra_host_count = def->extra_host_count};
    return pli_server_create(page->context, &options, page->site.ops, page->site.user,
                             &page->server);
}

static void destroy_view(void *user)
{
    pli_view_site_destroy(user);
}

static int32_t view_watchers(const pli_page *page)
{
    return pli_view_site_watchers(page->site.user);
}

pli_status pli_page_create_view(pli_context *context, const pli_page_def *def, const char *folder,
                                pli_page **page)
{
    *page = NULL;
    if (folder == NULL) return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "a page needs a folder");
    pli_page *made = PLI_NEW(context, pli_page, 1, "page");
    if (made == NULL) return PLI_ERROR_MEMORY;
    pli_view_site *site = NULL;
    made->context = context;
    pli_status status = pli_view_site_create(context, folder, &site);
    made->site = (page_site){&pli_view_site_ops, site, destroy_view, view_watchers, NULL};
    if (status == PLI_OK) status = open_page(made, def);
    if (status != PLI_OK) {
        pli_page_destroy(made);
        return status;
    }
    *page = made;
    return PLI_OK;
}

// ---- live

static void destroy_live(void *user)
{
    pli_live_site_destroy(user);
}

static int32_t live_watchers(const pli_page *page)
{
    return pli_server_socket_count(page->server);
}

static void turn_live(void *user)
{
    pli_live_site_turn(user);
}

// The thread may have news before there is a server to tell.
static void wake_server(void *user)
{
    pli_page *page = user;
    pli_server *server = atomic_load(&page->server_of_thread);
    if (server != NULL) pli_server_wake(server);
}

static bool has_vertices(const pli_scene_def *scene)
{
    for (int32_t k = 0; k < scene->body_count; ++k) {
        bool particles = scene->bodies[k].geometry.kind == PLI_GEOMETRY_PARTICLES;
        if (!particles && scene->bodies[k].kind != PLI_BODY_OBSTACLE) return true;
    }
    return false;
}

static pli_status start_live(pli_page *page, const pli_live_def *live)
{
    pli_live_thread_def def = {
        .live = {.scene = live->scene, .folder = live->folder, .logs = live->folder != NULL},
        .paused = live->paused,
        .unpaced = live->unpaced,
        .wake = wake_server,
        .wake_user = page};
    PLI_TRY(pli_live_thread_create(page->context, &def, &page->live));
    const pli_scene_def *scene = pli_scene_get(live->scene);
    pli_live_site_def site_def = {.borrowed_thread = page->live,
                                  .title = pli_scene_get_info(live->scene).name,
                                  .up = scene->up == PLI_UP_Z ? "z" : "y",
                                  .drags = has_vertices(scene),
                                  .borrowed_contact = pli_scene_get_info(live->scene).contact};
    pli_live_site *site = NULL;
    PLI_TRY(pli_live_site_create(page->context, &site_def, &site));
    page->site = (page_site){&pli_live_site_ops, site, destroy_live, live_watchers, turn_live};
    return PLI_OK;
}

pli_status pli_page_create_live(pli_context *context, const pli_page_def *def,
                                const pli_live_def *live, pli_page **page)
{
    *page = NULL;
    if (live->scene == NULL) return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "a page needs a scene");
    pli_page *made = PLI_NEW(context, pli_page, 1, "page");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    // what is refused anyway is refused before anything is computed
    pli_status status = pli_listen_check(context, host_of(def), def->allows_remote);
    if (status == PLI_OK) status = start_live(made, live);
    if (status == PLI_OK) status = open_page(made, def);
    if (status != PLI_OK) {
        // the thread has words of its own when it ends
        char message[1024];
        pli_context_message(context, message, sizeof message);
        pli_page_destroy(made);
        return PLI_FAIL(context, status, "%s", message);
    }
    pli_live_site_attach(made->site.user, made->server);
    atomic_store(&made->server_of_thread, made->server);
    *page = made;
    return PLI_OK;
}

// ---- every page

void pli_page_destroy(pli_page *page)
{
    if (page == NULL) return;
    // pages learn that this is the end, and not a line that broke
    if (page->live != NULL && page->server != NULL) {
        pli_live_site_close(page->site.user, "The program has ended.");
        (void)!pli_server_turn(page->server, 0);
    }
    // the thread wakes the server until it has ended
    pli_live_thread_destroy(page->live);
    pli_server_destroy(page->server);
    if (page->site.destroy != NULL) page->site.destroy(page->site.user);
    pli_release(page->context, page);
}

pli_page_info pli_page_get_info(const pli_page *page)
{
    return (pli_page_info){.address = pli_server_address(page->server),
                           .is_remote = pli_server_is_remote(page->server),
                           .watchers = page->site.watchers(page)};
}

pli_status pli_page_make_address(pli_page *page, pli_page_reader reader, const char **address)
{
    bool for_browser = reader == PLI_PAGE_FOR_BROWSER;
    return pli_server_make_address(
        page->server, for_browser ? PLI_SERVER_FOR_BROWSER : PLI_SERVER_FOR_PERSON, address);
}

pli_status pli_page_turn(pli_page *page, int32_t milliseconds)
{
    PLI_TRY(pli_server_turn(page->server, milliseconds));
    if (page->site.turn != NULL) page->site.turn(page->site.user);
    return PLI_OK;
}

void pli_page_wake(pli_page *page)
{
    pli_server_wake(page->server);
}
