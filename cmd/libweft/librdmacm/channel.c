/* Event channels and events. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cm.h"

pthread_mutex_t cm_lock = PTHREAD_MUTEX_INITIALIZER;

int cm_fails(int e)
{
	if (!e)
		return 0;
	errno = e;
	return -1;
}

/*
 * Channels that have gone. Their memory stays, for the next ones: a thread of a program may be within rdma_get_cm_event,
 * or about to call it, while another destroys its channel, as rping's do at its end.
 */
static struct cm_channel *gone;

struct rdma_event_channel *rdma_create_event_channel(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (fd < 0)
		return NULL;
	pthread_mutex_lock(&cm_lock);
	struct cm_channel *ch = gone;
	if (ch)
		gone = ch->next;
	else
		ch = calloc(1, sizeof *ch);
	if (ch)
		ch->channel.fd = fd;
	pthread_mutex_unlock(&cm_lock);
	if (!ch)
		close(fd);
	return ch ? &ch->channel : NULL;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	struct cm_channel *ch = (struct cm_channel *)channel;
	pthread_mutex_lock(&cm_lock);
	close(channel->fd);
	*ch = (struct cm_channel){.channel.fd = -1, .lives = ch->lives + 1, .next = gone};
	gone = ch;
	pthread_mutex_unlock(&cm_lock);
}

/* cm_queue adds an event of an ID to its channel. */
void cm_queue(struct cm_id *at, struct cm_event *e)
{
	const uint64_t one = 1;
	pthread_mutex_lock(&cm_lock);
	struct cm_channel *ch = (struct cm_channel *)at->id.channel;
	if (ch->last)
		ch->last->next = e;
	else
		ch->first = e;
	ch->last = e;
	if (write(ch->channel.fd, &one, sizeof one) < 0) {
		/* The counter is at its end: the descriptor is readable. */
	}
	pthread_mutex_unlock(&cm_lock);
}

/* cm_tell queues an event that this library causes itself, with 0 or the negative number of an error. */
int cm_tell(struct cm_id *c, enum rdma_cm_event_type type, int status)
{
	struct cm_event *e = calloc(1, sizeof *e);
	if (!e)
		return ENOMEM;
	e->e.id = &c->id;
	e->e.event = type;
	e->e.status = status;
	e->counts_at = c;
	cm_queue(c, e);
	return 0;
}

/* cm_take_event removes the first event of a channel that belongs to an ID, or of any. */
struct cm_event *cm_take_event(struct cm_channel *ch, struct cm_id *of)
{
	struct cm_event *before = NULL, *e = ch->first;
	while (e && of && e->counts_at != of) {
		before = e;
		e = e->next;
	}
	if (!e)
		return NULL;
	if (before)
		before->next = e->next;
	else
		ch->first = e->next;
	if (ch->last == e)
		ch->last = before;
	e->next = NULL;
	return e;
}

/* note_state notes the state of an ID's queue pair, to which the core has brought it. Another thread may destroy the queue pair: cm_lock is held. */
static void note_state(const struct rdma_cm_event *e)
{
	struct ibv_qp *qp = e->id->qp;
	if (qp && e->event == RDMA_CM_EVENT_ESTABLISHED && qp->qp_type != IBV_QPT_UD)
		qp->state = IBV_QPS_RTS;
	else if (qp && e->event == RDMA_CM_EVENT_DISCONNECTED)
		qp->state = IBV_QPS_ERR;
}

/* A thread that waits at a channel which another destroys waits on, as at a kernel's. It can be cancelled. */
int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct cm_channel *ch = (struct cm_channel *)channel;
	struct cm_event *e = NULL;
	const unsigned long life = ch->lives;
	while (!e) {
		uint64_t one;
		const int failed = read(channel->fd, &one, sizeof one) < 0 ? errno : 0;
		pthread_mutex_lock(&cm_lock);
		const bool over = ch->lives != life;
		if (!over && !failed)
			e = cm_take_event(ch, NULL); /* none if its ID has gone */
		if (e) {
			e->counts_at->reported++;
			note_state(&e->e);
		}
		pthread_mutex_unlock(&cm_lock);
		while (over)
			pause();
		if (failed)
			return cm_fails(failed);
	}
	*event = &e->e;
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	struct cm_event *e = (struct cm_event *)event;
	if (!event)
		return cm_fails(EINVAL);
	pthread_mutex_lock(&cm_lock);
	e->counts_at->reported--;
	pthread_cond_broadcast(&e->counts_at->acknowledged);
	pthread_mutex_unlock(&cm_lock);
	free(e);
	return 0;
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	struct cm_id *c = (struct cm_id *)id;
	bool sync = !channel;
	if (sync && !(channel = rdma_create_event_channel()))
		return -1;
	struct rdma_event_channel *old = id->channel;
	pthread_mutex_lock(&cm_lock);
	while (c->reported && !c->sync)
		pthread_cond_wait(&c->acknowledged, &cm_lock);
	struct cm_event *moved = NULL, **end = &moved;
	while ((*end = cm_take_event((struct cm_channel *)old, c)))
		end = &(*end)->next;
	id->channel = channel;
	bool was = c->sync;
	c->sync = sync;
	pthread_mutex_unlock(&cm_lock);
	for (struct cm_event *next; moved; moved = next) {
		next = moved->next;
		moved->next = NULL;
		cm_queue(c, moved);
	}
	if (was) {
		if (id->event) {
			rdma_ack_cm_event(id->event);
			id->event = NULL;
		}
		rdma_destroy_event_channel(old);
	}
	return 0;
}

/* cm_complete waits for the event of a call, if calls of this ID wait. */
int cm_complete(struct cm_id *c)
{
	if (!c->sync)
		return 0;
	if (c->id.event) {
		rdma_ack_cm_event(c->id.event);
		c->id.event = NULL;
	}
	if (rdma_get_cm_event(c->id.channel, &c->id.event))
		return -1;
	int status = c->id.event->status;
	if (!status)
		return 0;
	if (c->id.event->event == RDMA_CM_EVENT_REJECTED)
		return cm_fails(ECONNREFUSED);
	return cm_fails(status < 0 ? -status : status);
}

const char *rdma_event_str(enum rdma_cm_event_type event)
{
	static const char *const names[] = {
		"RDMA_CM_EVENT_ADDR_RESOLVED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_RESOLVED", "RDMA_CM_EVENT_ROUTE_ERROR",
		"RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE", "RDMA_CM_EVENT_CONNECT_ERROR", "RDMA_CM_EVENT_UNREACHABLE",
		"RDMA_CM_EVENT_REJECTED", "RDMA_CM_EVENT_ESTABLISHED", "RDMA_CM_EVENT_DISCONNECTED", "RDMA_CM_EVENT_DEVICE_REMOVAL",
		"RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_MULTICAST_ERROR", "RDMA_CM_EVENT_ADDR_CHANGE", "RDMA_CM_EVENT_TIMEWAIT_EXIT",
	};
	return event < sizeof names / sizeof *names ? names[event] : "UNKNOWN EVENT";
}
