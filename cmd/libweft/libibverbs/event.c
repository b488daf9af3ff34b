/* Asynchronous events. */
#include <errno.h>
#include <unistd.h>

#include "weft.h"

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct weft_event e;
	if (read(context->async_fd, &e, sizeof e) != sizeof e)
		return -1;
	event->event_type = e.type;
	event->element.qp = (struct ibv_qp *)e.object;
	return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	pthread_mutex_t *mutex;
	pthread_cond_t *cond;
	uint32_t *count;
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		mutex = &event->element.cq->mutex;
		cond = &event->element.cq->cond;
		count = &event->element.cq->async_events_completed;
		break;
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		mutex = &event->element.srq->mutex;
		cond = &event->element.srq->cond;
		count = &event->element.srq->events_completed;
		break;
	default:
		mutex = &event->element.qp->mutex;
		cond = &event->element.qp->cond;
		count = &event->element.qp->events_completed;
	}
	pthread_mutex_lock(mutex);
	++*count;
	pthread_cond_signal(cond);
	pthread_mutex_unlock(mutex);
}
