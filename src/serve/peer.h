// SPDX-License-Identifier: Apache-2.0
//
// Whose process is at the other end of a connection, where it runs on this machine: the kernel's
// list of connections (proc(5), /proc/net/tcp) has both ends of those, each with its user.
#ifndef PLI_SERVE_PEER_H
#define PLI_SERVE_PEER_H

#include <stdbool.h>
#include <stdint.h>

#define PLI_PEER_UNKNOWN INT64_C(-1) // another machine, a container, or there is no list

typedef struct pli_peer {
    int descriptor; // of the server's end; -1: there is none
    bool is_known;  // it was looked up
    int64_t owner;
} pli_peer;

static inline pli_peer pli_peer_of(int descriptor)
{
    return (pli_peer){.descriptor = descriptor, .owner = PLI_PEER_UNKNOWN};
}

// The user, or PLI_PEER_UNKNOWN. Looked up once.
int64_t pli_peer_owner(pli_peer *peer);

// Whether it is a process of the user that this one runs as, or of root.
bool pli_peer_is_own(pli_peer *peer);

#endif
