// SPDX-License-Identifier: Apache-2.0
//
// One connection of the page's server, from its first byte to its last: what its calls from the
// library (libwebsockets) lead to.
//
//     request -> answer -> request ... -> end
//             -> refused -> drain -> end
//             -> socket -> end
//
// Whatever is due to the client is one message under way and a queue of texts; pieces of them go to
// the library only when the client takes more, so that it keeps no more than a piece. A client that
// is refused is waited for a little (drain), so that it gets to read why. Connections are freed
// when the library forgets them and at no other time, so that a site's functions may call the
// server back.
#ifndef PLI_SERVE_CONNECTION_H
#define PLI_SERVE_CONNECTION_H

#include "serve/byte_queue.h"
#include "serve/peer.h"
#include "serve/server.h"

struct lws;

enum {
    PLI_CONNECTION_PIECE = 32768,    // bytes that go out at once
    PLI_CONNECTION_DRAIN_SECONDS = 2 // that a refused client has to close its side
};

typedef enum pli_stage {
    PLI_STAGE_REQUEST, // waits for a request, or for the rest of one
    PLI_STAGE_ANSWER,  // sends what is due; then another request, or the end
    PLI_STAGE_SOCKET,
    PLI_STAGE_DRAIN // was told no; what still comes is thrown away
} pli_stage;

typedef struct pli_connection {
    pli_server *server; // borrowed
    struct lws *wsi;    // of the library; NULL until it has taken the connection
    pli_peer peer;
    pli_stage stage;
    bool is_dead;   // will be closed at the next turn
    bool ends;      // after the answer
    bool is_joined; // the site knows it and has not been told that it left
    int64_t client; // number of a socket; 0: it is none
    double since;   // when the stage began; of a request: when its first byte was seen

    // in: the body of a request, or the message of a socket
    char *input; // [input_capacity], with a zero byte; NULL: nothing is expected
    int64_t input_capacity;
    int64_t input_count;
    bool has_begun;   // a request has
    bool in_frame;    // a frame is not whole
    double heard;     // when a socket last said something
    double pinged;    // when it was last asked whether it is there
    bool asks;        // that is due to be asked
    double allowance; // frames that it may send now
    double allowed;   // when that was computed

    // out
    pli_byte_queue texts; // each behind its size
    pli_packet *packet;   // under way; NULL: a text is
    int64_t left;         // bytes of what is under way; -1: nothing is
    int kind;             // of what is under way, as the library calls it
    double moved;         // when the library could last send, or something began to wait
    int close_code;       // that a socket shall be closed with; 0: it goes on
    const char *close_words;
} pli_connection;

// Takes over the descriptor, in any case. NULL: no memory, or no room in the library.
pli_connection *pli_connection_create(pli_server *server, int descriptor, pli_stage stage);
// Called when the library has forgotten it.
void pli_connection_destroy(pli_connection *connection);

// What the library calls; -1: it shall close the connection.
int pli_connection_hear_request(pli_connection *connection);
int pli_connection_hear_body(pli_connection *connection, const void *bytes, size_t count);
int pli_connection_hear_end_of_body(pli_connection *connection);
int pli_connection_hear_upgrade(pli_connection *connection);
void pli_connection_join(pli_connection *connection);
void pli_connection_leave(pli_connection *connection);
int pli_connection_hear_message(pli_connection *connection, const void *bytes, size_t count);
int pli_connection_hear_close(pli_connection *connection, const uint8_t *bytes, size_t count);
int pli_connection_write(pli_connection *connection);

// Asks the site for a packet if nothing is due.
void pli_connection_pump(pli_connection *connection);

// Ends what takes too long, and asks quiet sockets whether they are there.
void pli_connection_check_times(pli_connection *connection);

// Queues a text for a socket; one whose queue is full is closed.
void pli_connection_send(pli_connection *connection, const char *text, int64_t size);

// Tells a socket that the server ends, as far as that goes without waiting.
void pli_connection_say_goodbye(pli_connection *connection);

#endif
