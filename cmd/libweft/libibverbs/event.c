/* Asynchronous events. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weft.h"

/* counts are the counters of an object's events: those fetched, and those acknowledged. */
struct counts {
	pthread_mutex_t *mutex;
	pthread_cond_t *cond;
	uint32_t *fetched, *acknowledged;
};

static struct counts counts_of(const struct ibv_async_event *event)
{
	struct ibv_cq *cq = event->element.cq;
	struct ibv_srq *srq = event->element.srq;
	struct ibv_qp *qp = event->element.qp;
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		return (struct counts){&cq->mutex, &cq->cond, &((struct weft_cq *)cq)->async_events, &cq->async_events_completed};
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return (struct counts){&srq->mutex, &srq->cond, &((struct weft_srq *)srq)->events, &srq->events_completed};
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_DEVICE_FATAL:
		return (struct counts){0}; /* no object waits for their ends */
	default:
		return (struct counts){&qp->mutex, &qp->cond, &((struct weft_qp *)qp)->events, &qp->events_completed};
	}
}

/* take fetches the oldest event; it is false with EAGAIN if there is none. */
static bool take(struct weft_context *c, struct weft_event *e)
{
	struct pollfd p = {c->v.context.async_fd, POLLIN, 0};
	pthread_mutex_lock(&c->fetching);
	errno = 0; /* an end of the file leaves it so */
	bool some = poll(&p, 1, 0) > 0;
	bool got = some && read(p.fd, e, sizeof *e) == sizeof *e;
	pthread_mutex_unlock(&c->fetching);
	if (!some)
		errno = EAGAIN;
	return got;
}

/* A program that makes the descriptor non-blocking gets EAGAIN, another waits. */
static bool wait_for(struct weft_context *c, struct weft_event *e)
{
	struct pollfd p = {c->v.context.async_fd, POLLIN, 0};
	while (!take(c, e)) {
		if (errno != EAGAIN || fcntl(p.fd, F_GETFL) & O_NONBLOCK)
			return false;
		if (poll(&p, 1, -1) < 0)
			return false;
	}
	return true;
}

void weft_drop_records(int out, int in, size_t size, size_t at, const void *object)
{
	char path[32], record[sizeof(struct weft_event)], *kept = NULL;
	size_t n = 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", out);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* another thread may read the pipe, and this one must not wait */
	while (fd >= 0 && read(fd, record, size) == (ssize_t)size) {
		if (!memcmp(record + at, &object, sizeof object))
			continue;
		char *more = realloc(kept, (n + 1) * size);
		if (!more)
			break;
		kept = more;
		memcpy(kept + n++ * size, record, size);
	}
	for (size_t i = 0; i < n; i++)
		if (write(in, kept + i * size, size) < 0)
			break; /* the pipe is full of newer events */
	close(fd);
	free(kept);
}

void weft_forget_events(struct ibv_context *context, const void *object)
{
	struct weft_context *c = weft_context_of(context);
	if (c->orphaned)
		return;
	pthread_mutex_lock(&c->fetching);
	weft_drop_records(context->async_fd, c->event_in, sizeof(struct weft_event), offsetof(struct weft_event, object), object);
	pthread_mutex_unlock(&c->fetching);
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct weft_event e;
	if (!wait_for(weft_context_of(context), &e))
		return -1;
	event->event_type = e.type;
	if (e.object)
		event->element.qp = (struct ibv_qp *)e.object;
	else
		event->element.port_num = 1;
	struct counts c = counts_of(event);
	if (c.fetched)
		__atomic_add_fetch(c.fetched, 1, __ATOMIC_RELAXED);
	return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct counts c = counts_of(event);
	if (!c.mutex)
		return;
	pthread_mutex_lock(c.mutex);
	++*c.acknowledged;
	pthread_cond_signal(c.cond);
	pthread_mutex_unlock(c.mutex);
}

void weft_wait_for_acks(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *fetched, const uint32_t *acknowledged)
{
	pthread_mutex_lock(mutex);
	while (*acknowledged != __atomic_load_n(fetched, __ATOMIC_RELAXED))
		pthread_cond_wait(cond, mutex);
	pthread_mutex_unlock(mutex);
}
