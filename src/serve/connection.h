// SPDX-License-Identifier: Apache-2.0
//
// One connection of the page's server, from its first byte to its last.
//
//     request -> answer -> request ... -> drain -> dead
//             -> socket -> answer (a close frame)  -> drain -> dead
//
// Whatever is due to the client is in one queue and at most one packet. An end that was said is
// waited for a little (drain), so that the client gets to read why; faults of the network are
// dead at once. Nothing here is freed but by pli_connection_destroy, so that a site's functions may
// call the server back.
#ifndef PLI_SERVE_CONNECTION_H
#define PLI_SERVE_CONNECTION_H

#include "serve/byte_queue.h"
#include "serve/http.h"
#include "serve/peer.h"
#include "serve/websocket.h"

enum {
    PLI_CONNECTION_INPUT = PLI_SERVE_MAX_HEAD + PLI_SERVE_MAX_BODY,
    PLI_CONNECTION_DRAIN_SECONDS = 2 // that a client has to close its side
};

typedef enum pli_stage {
    PLI_STAGE_REQUEST, // waits for a request, or for the rest of one
    PLI_STAGE_ANSWER,  // sends what is due; then another request, or the end
    PLI_STAGE_SOCKET,
    PLI_STAGE_DRAIN, // has said its last word and reads what still comes
    PLI_STAGE_DEAD   // to be destroyed
} pli_stage;

typedef struct pli_connection {
    pli_server *server; // borrowed
    int descriptor;
    pli_peer peer;
    pli_stage stage;
    bool is_spare;  // one too many: it gets 503 and does not count
    bool ends;      // after the answer
    bool is_joined; // the site knows it and has not been told that it left
    int64_t client; // number of a socket; 0: it is none
    double since;   // when the stage began; of a request: when its first byte came

    // in
    char *input; // [PLI_CONNECTION_INPUT], NULL until something comes
    int64_t input_count;
    pli_http_scan scan;
    pli_http_head head;
    int64_t head_size;            // 0: not whole yet
    bool is_authorized;           // whoever asks has shown to be allowed
    pli_websocket_reader *reader; // of sockets
    double heard;                 // when the last byte came
    double pinged;                // when it was last asked whether it is there
    double allowance;             // messages that it may send now
    double allowed;               // when that was computed

    // out: the first bytes of the queue, then the packet, then the rest of the queue
    pli_byte_queue queue;
    int64_t lead; // bytes of the queue that go before the packet
    pli_packet *packet;
    int64_t packet_sent;
    double moved; // when the last byte went out, or began to wait
} pli_connection;

// Takes over the descriptor, even when there is no memory for a connection (NULL).
pli_connection *pli_connection_create(pli_server *server, int descriptor);
void pli_connection_destroy(pli_connection *connection);

// Answers with a status, and ends.
void pli_connection_refuse(pli_connection *connection, int32_t status);

// Reads once what there is, and does what it asks for.
void pli_connection_read(pli_connection *connection);

// Sends as much as goes now; asks the site for packets when all is out.
void pli_connection_pump(pli_connection *connection);

// Ends what takes too long, and asks quiet sockets whether they are there.
void pli_connection_check_times(pli_connection *connection);

// Queues a frame for a socket; one whose queue is full is dead.
void pli_connection_send_frame(pli_connection *connection, pli_websocket_opcode opcode,
                               const void *bytes, int64_t size);
// Says why, and ends.
void pli_connection_close_socket(pli_connection *connection, int32_t code, const char *reason);

bool pli_connection_waits_to_send(const pli_connection *connection);
// Whether it listens to its client now.
bool pli_connection_reads(const pli_connection *connection);

#endif
