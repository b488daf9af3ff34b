/*
 * Sockets over RDMA: byte streams between programs over a reliable connection, under the calls of
 * sockets with an r before their names. They speak the protocol of rdma-core's librdmacm (its document
 * librdmacm/docs/rsocket), so that its programs are peers.
 *
 * A sender writes data into the ring of its peer with RDMA WRITE; the immediate data says how much. The
 * ring has two halves. The peer grants a half that its program has read by writing the half's address
 * into the sender's list of targets. Besides, each message needs a receive at the peer: the peer
 * grants these as credits. A few messages without credit are for the grants themselves.
 *
 *   rsocket.c  the table of sockets, their connections
 *   rstream.c  messages, credits, sending and receiving
 *   rwait.c    waiting: blocking calls, rpoll, rselect
 *   roption.c  options and flags
 *   riomap.c   memory that the peer writes directly
 *   rdgram.c   datagrams
 */
#ifndef WEFT_RSOCKET_H
#define WEFT_RSOCKET_H

#include <poll.h>
#include <rdma/rsocket.h>

#include "cm.h"

enum rs_state {
	rs_fresh,
	rs_bound,
	rs_listening,
	rs_resolving, /* the address or the route of the peer */
	rs_connecting,
	rs_accepting,
	rs_connected,
	rs_ended,  /* both ends have shut down */
	rs_failed, /* the error is kept */
};

/* Memory as one end describes it to the other. */
struct rs_target {
	uint64_t addr;
	uint32_t key, length;
};

/* Mapped memory of the peer, which it writes into the table of this end. */
struct rs_map {
	uint64_t offset;
	struct rs_target at;
};

/* Memory of this end that the program has mapped. */
struct rs_mapping {
	uint64_t offset;
	struct ibv_mr *mr;
	int index;    /* in the peer's table, -1 for memory that the peer does not write */
	bool unknown; /* to the peer */
	struct rs_mapping *next;
};

/* What a socket has with its peer, from rdma_connect or rdma_accept on. */
struct rs_stream {
	struct ibv_comp_channel *cq_channel;
	struct ibv_cq *cq; /* NULL before there is a stream */

	/* Sending: a ring of bytes that are not acknowledged, and where the peer wants them. */
	uint8_t *ring;
	uint32_t at, room;
	uint32_t slots, controls; /* work requests that may be posted: data, and grants or ends */
	uint16_t sent, allowed;	  /* messages: their numbers wrap */
	struct rs_target targets[2];
	int first_target, next_target; /* that is filled, and that the peer fills next */
	struct rs_target *shared;      /* what the peer writes: two targets, then its map */

	/* Receiving: the ring that the peer writes, and the lengths of messages in it. */
	uint8_t *inbox;
	uint32_t read_at, grant_at;
	uint32_t read_bytes; /* that are not granted again */
	uint32_t granted;    /* bytes that the peer may still write */
	uint32_t unread;
	uint32_t *lengths;
	uint32_t head, messages;
	uint16_t taken, tell_at; /* messages read, and how many there are when the peer is told */

	/* The peer's list of targets and its map. */
	struct rs_target list, map;
	int next_entry;

	struct ibv_mr *ring_mr, *inbox_mr, *shared_mr;
	bool heard;	  /* since the last glance: a completion */
	uint64_t heard_at; /* ns */
	uint32_t idle;	  /* looks that found nothing */
};

/* A thread that waits for a socket: its descriptor is written when the socket's state changes. */
struct rs_watch {
	int fd;
	struct rs_watch *next;
};

struct rsock {
	int fd; /* of the event channel: the program's number of the socket */
	int domain;
	pthread_mutex_t lock;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	enum rs_state state;
	bool readable, writable;
	int error;
	struct rs_watch *watchers;
	struct rs_mapping *mappings;

	int status_flags, fd_flags;
	uint32_t send_size, receive_size; /* bytes of the rings */
	uint32_t sends, receives;	  /* work requests of the queues */
	uint32_t inlines, maps;		  /* as the program sets them */
	uint32_t keep_idle;		  /* seconds */
	uint64_t switches;		  /* options that are on or off */

	struct rs_stream s;
	struct rs_datagrams *d; /* NULL: a stream. Of s, datagrams have the completion queue */
};

/* Private data of a request and of its acceptance, in network order. */
struct rs_hello {
	uint8_t version, flags;
	uint16_t credits;
	uint8_t spare[3], maps;
	struct rs_target list, inbox;
};

/* The parts of a program's message that a call has not yet taken or filled. */
struct rs_parts {
	const struct iovec *iov;
	size_t offset, left;
};

/* Whether something is so, of a socket with its lock held. */
typedef bool (*rs_test)(struct rsock *rs);

/* Calls with a socket's lock held return an errno, 0 for success. */
struct rsock *rs_of(int fd);
struct rsock *rs_stream_of(int fd);
void rs_advance(struct rsock *rs);
void rs_end(struct rsock *rs, enum rs_state state, int error);
bool rs_settled(struct rsock *rs);

int rs_make_stream(struct rsock *rs);
void rs_drop_stream(struct rsock *rs);
void rs_say_hello(struct rsock *rs, struct rs_hello *h);
int rs_meet(struct rsock *rs, const struct rs_hello *h);
bool rs_work(struct rsock *rs);
bool rs_can_send(struct rsock *rs);
bool rs_has_data(struct rsock *rs);
void rs_probe(struct rsock *rs);
int rs_shut(struct rsock *rs, int how);
int rs_write_directly(struct rsock *rs, struct rs_parts *from, struct rs_target *to, bool nonblocking);
int rs_await_message(struct rsock *rs, bool nonblocking);
int rs_tell_map(struct rsock *rs, int index, const struct rs_map *map); /* after a wait for a message */

int rs_send_maps(struct rsock *rs, bool nonblocking);
void rs_drop_mappings(struct rsock *rs);

int rd_open(struct rsock *rs);
int rd_bind(struct rsock *rs, const struct sockaddr *addr);
int rd_connect(struct rsock *rs, const struct sockaddr *addr);
void rd_finish(struct rsock *rs); /* waits until all is sent */
void rd_drop(struct rsock *rs);
bool rd_work(struct rsock *rs);
bool rd_has_data(struct rsock *rs);
bool rd_can_send(struct rsock *rs);
int rd_descriptor(const struct rsock *rs);
const struct sockaddr_storage *rd_own(const struct rsock *rs);
const struct sockaddr_storage *rd_peer(const struct rsock *rs);
/* These two return -1 and errno on failure. */
ssize_t rd_send(struct rsock *rs, const struct iovec *iov, int parts, const struct sockaddr *to, int flags);
ssize_t rd_receive(struct rsock *rs, const struct iovec *iov, int parts, struct sockaddr_storage *from, bool *cut, int flags);

bool rs_one_family(const struct rsock *rs);
uint64_t rs_probe_period(const struct rsock *rs);

bool rs_nonblocking(const struct rsock *rs, int flags);
int rs_await(struct rsock *rs, bool nonblocking, rs_test met);
void rs_tell(struct rsock *rs);
/* A program with mapped memory may look there next, and not call: the device's own thread takes over. */
void rs_leave(struct rsock *rs);

#endif
