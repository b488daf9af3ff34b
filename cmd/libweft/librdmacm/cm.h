/*
 * weft's objects behind librdmacm's own. Each begins with the structure that programs know, so that
 * a program's pointer is weft's pointer.
 */
#ifndef WEFT_RDMACM_H
#define WEFT_RDMACM_H

#include <rdma/rdma_cma.h>

#include "../libibverbs/weft.h"

/* An event, queued at a channel or reported to the program. */
struct cm_event {
	struct rdma_cm_event e;
	struct cm_id *counts_at; /* the ID whose end waits for the acknowledgement */
	uint8_t private_data[256];
	struct cm_event *next;
};

/* A channel: its file descriptor is readable while events are queued, and is -1 once it has been destroyed. */
struct cm_channel {
	struct rdma_event_channel channel;
	struct cm_event *first, *last;
	unsigned long lives;     /* how often it has been destroyed */
	struct cm_channel *next; /* destroyed, too */
};

/* A group that a queue pair listens to. */
struct cm_group {
	struct sockaddr_storage addr;
	union ibv_gid gid;
	struct cm_group *next;
};

struct cm_id {
	struct rdma_cm_id id;
	weft_id core; /* 0 until the ID has a device */
	bool sync;    /* calls wait for their events */
	bool bound, listens;
	bool one_family; /* :: is no IPv4 address */
	int reported; /* events that are not acknowledged */
	pthread_cond_t acknowledged;
	struct ibv_qp_init_attr *init; /* of the queue pairs of a passive endpoint's requests */
	bool own_cqs;
	uint8_t ack_timeout; /* as the program sets it; 0: the usual */
	struct cm_group *groups;
};

/* What each file offers to those below it in this list, beside the calls of librdmacm. No file calls one below. */

/* address.c */
void cm_bytes_of(const struct sockaddr *a, uint8_t *address);
void cm_sockaddr_of(const uint8_t *address, uint16_t port, struct sockaddr_storage *a);
uint16_t cm_port_of(const struct sockaddr *a);
void cm_set_port(struct sockaddr *a, uint16_t port);
socklen_t cm_size_of(const struct sockaddr *a);
bool cm_is_any(const struct sockaddr *a);
bool cm_is_loopback(const struct sockaddr *a);
bool cm_same_address(const struct sockaddr *a, const struct sockaddr *b);

/* channel.c */
extern pthread_mutex_t cm_lock; /* guards channels' queues, the counts of reported events, and the queue pairs of IDs */

int cm_fails(int e);
void cm_queue(struct cm_id *at, struct cm_event *e);
int cm_tell(struct cm_id *c, enum rdma_cm_event_type type, int status);
struct cm_event *cm_take_event(struct cm_channel *ch, struct cm_id *of); /* with cm_lock held */
int cm_complete(struct cm_id *c);

/* device.c */
int cm_device_at(struct cm_id *c, const struct sockaddr *address, bool reaches);
void cm_use(struct cm_id *c, struct ibv_context *v);
struct ibv_xrcd *cm_domain(struct ibv_context *v);

/* multicast.c: groups of IDs. */

/* id.c */
int cm_core(struct cm_id *c);

/* resolve.c, option.c, connect.c: addresses, options, connections. addrinfo.c: names. socket.c: refused. */

/* endpoint.c: the queue pairs of IDs, and endpoints, which do several steps in one call. */

#endif
