/* Asynchronous events. */
#include <errno.h>
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

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct weft_event e;
	if (read(context->async_fd, &e, sizeof e) != sizeof e)
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
