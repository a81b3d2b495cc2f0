// SPDX-License-Identifier: Apache-2.0
#include "serve/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    END_CAPACITY = 48, // bytes of an end of a connection as text
    LINE_CAPACITY = 512,
    TRIES = 3 // reading the list while connections come and go may pass one over
};

typedef union end {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} end;

static bool is_v4(const end *place)
{
    return place->any.sa_family == AF_INET ||
           (place->any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&place->v6.sin6_addr));
}

// An IPv4 address as the list has it: the word as it lies in memory.
static uint32_t v4_word(const end *place)
{
    if (place->any.sa_family == AF_INET) return place->v4.sin_addr.s_addr;
    uint32_t word = 0;
    memcpy(&word, place->v6.sin6_addr.s6_addr + 12, sizeof word);
    return word;
}

// "0100007F:21EE" in the list of IPv4, four words in that of IPv6, where IPv4 is mapped.
static void write_end(const end *place, bool in_v6, char text[END_CAPACITY])
{
    uint32_t words[4] = {0, 0, htonl(0xffff), 0};
    bool mapped = is_v4(place);
    unsigned port =
        ntohs(place->any.sa_family == AF_INET ? place->v4.sin_port : place->v6.sin6_port);
    if (mapped) {
        words[3] = v4_word(place);
    } else {
        memcpy(words, place->v6.sin6_addr.s6_addr, sizeof words);
    }
    if (in_v6) {
        snprintf(text, END_CAPACITY, "%08X%08X%08X%08X:%04X", words[0], words[1], words[2],
                 words[3], port);
    } else {
        snprintf(text, END_CAPACITY, "%08X:%04X", words[3], port);
    }
}

// The user of the connection from one end to the other in a list, or PLI_PEER_UNKNOWN.
static int64_t find_in(const char *list, const char *from, const char *to)
{
    FILE *file = fopen(list, "re");
    if (file == NULL) return PLI_PEER_UNKNOWN;
    int64_t owner = PLI_PEER_UNKNOWN;
    char line[LINE_CAPACITY];
    while (owner == PLI_PEER_UNKNOWN && fgets(line, sizeof line, file) != NULL) {
        char local[END_CAPACITY];
        char remote[END_CAPACITY];
        char user[16];
        // sl local remote state queues timer retransmissions uid
        int parts = sscanf(line, " %*s %47s %47s %*s %*s %*s %*s %15s", local, remote, user);
        if (parts == 3 && strcmp(local, from) == 0 && strcmp(remote, to) == 0) {
            owner = (int64_t)strtoul(user, NULL, 10);
        }
    }
    fclose(file);
    return owner;
}

static int64_t find_owner(const end *here, const end *there)
{
    char from[END_CAPACITY];
    char to[END_CAPACITY];
    int64_t owner = PLI_PEER_UNKNOWN;
    if (is_v4(here)) {
        write_end(there, false, from);
        write_end(here, false, to);
        owner = find_in("/proc/net/tcp", from, to);
    }
    if (owner != PLI_PEER_UNKNOWN) return owner;
    write_end(there, true, from);
    write_end(here, true, to);
    return find_in("/proc/net/tcp6", from, to);
}

// Whether both ends are on this machine for certain.
static bool is_same_place(const end *here, const end *there)
{
    char a[END_CAPACITY];
    char b[END_CAPACITY];
    write_end(here, true, a);
    write_end(there, true, b);
    return memcmp(a, b, 32) == 0;
}

int64_t pli_peer_owner(pli_peer *peer)
{
    if (peer->is_known) return peer->owner;
    peer->is_known = true;
    peer->owner = PLI_PEER_UNKNOWN;
    end here = {0};
    end there = {0};
    socklen_t here_size = sizeof here;
    socklen_t there_size = sizeof there;
    bool has_ends = peer->descriptor >= 0 &&
                    getsockname(peer->descriptor, &here.any, &here_size) == 0 &&
                    getpeername(peer->descriptor, &there.any, &there_size) == 0;
    bool is_internet = here.any.sa_family == AF_INET || here.any.sa_family == AF_INET6;
    if (!has_ends || !is_internet) return peer->owner;
    int tries = is_same_place(&here, &there) ? TRIES : 1;
    for (int i = 0; i < tries && peer->owner == PLI_PEER_UNKNOWN; ++i) {
        peer->owner = find_owner(&here, &there);
    }
    return peer->owner;
}

bool pli_peer_is_own(pli_peer *peer)
{
    int64_t owner = pli_peer_owner(peer);
    return owner == 0 || owner == (int64_t)getuid();
}
