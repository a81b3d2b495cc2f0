// SPDX-License-Identifier: Apache-2.0
#include "serve/listen.h"

#include "base/context.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128 };

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

static socklen_t size_of(const address *place)
{
    return place->any.sa_family == AF_INET ? sizeof place->v4 : sizeof place->v6;
}

static bool parse_address(const char *host, address *place)
{
    *place = (address){0};
    if (strcmp(host, "localhost") == 0) host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &place->v4.sin_addr) == 1) {
        place->any.sa_family = AF_INET;
        return true;
    }
    place->any.sa_family = AF_INET6;
    return inet_pton(AF_INET6, host, &place->v6.sin6_addr) == 1;
}

static bool is_loopback(const address *place)
{
    if (place->any.sa_family == AF_INET) {
        return ntohl(place->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    }
    const struct in6_addr *v6 = &place->v6.sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(v6) ||
           (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == IN_LOOPBACKNET);
}

static void set_port(address *place, int32_t port)
{
    if (place->any.sa_family == AF_INET) {
        place->v4.sin_port = htons((uint16_t)port);
    } else {
        place->v6.sin6_port = htons((uint16_t)port);
    }
}

// How a program on this machine reaches the address: all of them are reached by the local one.
static void write_name(const address *place, char name[PLI_LISTEN_NAME_CAPACITY])
{
    char text[INET6_ADDRSTRLEN] = "";
    if (place->any.sa_family == AF_INET) {
        bool is_all = place->v4.sin_addr.s_addr == htonl(INADDR_ANY);
        inet_ntop(AF_INET, &place->v4.sin_addr, text, sizeof text);
        snprintf(name, PLI_LISTEN_NAME_CAPACITY, "%s", is_all ? "127.0.0.1" : text);
    } else {
        bool is_all = memcmp(&place->v6.sin6_addr, &in6addr_any, sizeof in6addr_any) == 0;
        inet_ntop(AF_INET6, &place->v6.sin6_addr, text, sizeof text);
        snprintf(name, PLI_LISTEN_NAME_CAPACITY, "[%s]", is_all ? "::1" : text);
    }
}

// A listening socket on that port; -1 with errno.
static int open_port(address *place, int32_t port)
{
    int descriptor = socket(place->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    // connections that have ended do not keep the port
    int on = 1;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    set_port(place, port);
    if (bind(descriptor, &place->any, size_of(place)) == 0 && listen(descriptor, BACKLOG) == 0) {
        return descriptor;
    }
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

// Where the system put it.
static int32_t find_port(int descriptor)
{
    address place = {0};
    socklen_t size = sizeof place;
    if (getsockname(descriptor, &place.any, &size) != 0) return 0;
    return ntohs(place.any.sa_family == AF_INET ? place.v4.sin_port : place.v6.sin6_port);
}

static pli_status fail_listen(pli_context *context, const char *host, int32_t port, int error)
{
    char buffer[128];
    switch (error) {
    case EADDRINUSE:
        return PLI_FAIL(context, PLI_ERROR_IO,
                        "server: port %d of %s is taken by another program; choose another one, or "
                        "none to get one that is free",
                        port, host);
    case EACCES:
        return PLI_FAIL(context, PLI_ERROR_IO,
                        "server: port %d is not allowed to this user; those from 1024 are", port);
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
        return PLI_FAIL(context, PLI_ERROR_IO, "server: this machine has no address %s", host);
    default:
        return PLI_FAIL(context, PLI_ERROR_IO, "server: cannot listen on %s, port %d: %s", host,
                        port, strerror_r(error, buffer, sizeof buffer));
    }
}

pli_status pli_listen_check(pli_context *context, const char *host, bool allows_remote)
{
    address place;
    // what is no address is refused by pli_listen
    if (allows_remote || !parse_address(host, &place) || is_loopback(&place)) return PLI_OK;
    return PLI_FAIL(
        context, PLI_ERROR_ARGUMENT,
        "server: other machines reach %s, over a line that everyone on the way can read "
        "and change; 'ssh -L' from there to 127.0.0.1 here is safe, and --yes-remote "
        "(allows_remote) listens there all the same",
        host);
}

pli_status pli_listen(pli_context *context, const char *host, int32_t port, pli_listener *listener)
{
    *listener = (pli_listener){.descriptor = -1};
    address place;
    if (!parse_address(host, &place)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "server: '%.64s' is not an address, such as 127.0.0.1 or ::1", host);
    }
    if (port < 0 || port > 65535) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "server: port %d; ports are 1 to 65535", port);
    }
    int descriptor = open_port(&place, port != 0 ? port : PLI_LISTEN_PORT);
    if (descriptor < 0 && port == 0) descriptor = open_port(&place, 0);
    if (descriptor < 0) return fail_listen(context, host, port, errno);
    listener->descriptor = descriptor;
    listener->port = find_port(descriptor);
    listener->is_remote = !is_loopback(&place);
    write_name(&place, listener->name);
    return PLI_OK;
}

int pli_listener_accept(int listener)
{
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    // small messages go out at once
    int on = 1;
    if (descriptor >= 0) (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return descriptor;
}
