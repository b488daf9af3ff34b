/* Shared receive queues. */
#include <errno.h>
#include <stdlib.h>

#include "weft.h"

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *a)
{
	struct weft_srq *s = calloc(1, sizeof *s);
	int e = a->attr.max_sge > weft_context_of(pd->context)->attr.max_sge ? EINVAL : 0;
	if (!e)
		e = weft->create_srq(((struct weft_pd *)pd)->id, a->attr.max_wr, (uintptr_t)s, &s->id);
	return e ? weft_failed(s, e) : weft_srq_made(s, pd, a->srq_context, a->attr.max_sge);
}

struct ibv_srq *weft_srq_made(struct weft_srq *s, struct ibv_pd *pd, void *context, uint32_t max_sge)
{
	s->srq.context = pd->context;
	s->srq.srq_context = context;
	s->srq.pd = pd;
	s->max_sge = max_sge;
	pthread_mutex_init(&s->srq.mutex, NULL);
	pthread_cond_init(&s->srq.cond, NULL);
	return &s->srq;
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *a, int mask)
{
	if (mask & ~IBV_SRQ_LIMIT)
		return EOPNOTSUPP;
	return mask & IBV_SRQ_LIMIT ? weft->arm_srq(((struct weft_srq *)srq)->id, a->srq_limit) : 0;
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *a)
{
	struct weft_srq *s = (struct weft_srq *)srq;
	a->max_sge = s->max_sge;
	return weft->query_srq(s->id, &a->max_wr, &a->srq_limit);
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	struct weft_srq *s = (struct weft_srq *)srq;
	int e = weft->destroy_srq(s->id);
	if (e)
		return e;
	weft_forget_events(srq->context, srq);
	weft_wait_for_acks(&srq->mutex, &srq->cond, &s->events, &srq->events_completed);
	free(s);
	return 0;
}
