/* Completion queues and channels. */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weft.h"

/*
 * An empty poll works for the device, which costs a system call, once in so many: the polls between
 * look at memory alone. A round of them takes some 200 ns, the delay that a packet may find.
 */
enum { polls_per_work = 16 };

/* gone marks the completion of a destroyed queue pair: it is skipped. */
enum { gone = 0xff };

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	int pipes[2];
	if (pipe2(pipes, O_CLOEXEC))
		return NULL;
	fcntl(pipes[1], F_SETFL, O_NONBLOCK);
	struct weft_channel *ch = calloc(1, sizeof *ch);
	ch->channel.context = context;
	ch->channel.fd = pipes[0];
	ch->event_in = pipes[1];
	return &ch->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct weft_channel *ch = (struct weft_channel *)channel;
	pthread_mutex_lock(&channel->context->mutex);
	int users = channel->refcnt;
	pthread_mutex_unlock(&channel->context->mutex);
	if (users)
		return EBUSY;
	close(channel->fd);
	close(ch->event_in);
	free(ch);
	return 0;
}

static void use_channel(struct ibv_comp_channel *channel, int by)
{
	if (!channel)
		return;
	pthread_mutex_lock(&channel->context->mutex);
	channel->refcnt += by;
	pthread_mutex_unlock(&channel->context->mutex);
}

static void drop_cq(struct weft_cq *q)
{
	free(q->entries);
	free(q->marks);
	free(q);
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector)
{
	struct weft_context *c = weft_context_of(context);
	if (cqe < 1 || (uint32_t)cqe > c->attr.max_cqe || comp_vector < 0 || comp_vector >= context->num_comp_vectors) {
		errno = EINVAL;
		return NULL;
	}
	struct weft_cq *q = calloc(1, sizeof *q);
	for (q->room = 1; q->room < (uint32_t)cqe;)
		q->room *= 2;
	q->entries = calloc(q->room, sizeof *q->entries);
	q->marks = aligned_alloc(64, sizeof *q->marks);
	memset(q->marks, 0, sizeof *q->marks);
	int fd = channel ? ((struct weft_channel *)channel)->event_in : -1;
	int e = weft->create_cq(c->id, q->room, q->entries, q->room, q->marks, fd, (uintptr_t)q, &q->id);
	if (e) {
		drop_cq(q);
		errno = e;
		return NULL;
	}
	q->cq.context = context;
	q->cq.channel = channel;
	q->cq.cq_context = cq_context;
	q->cq.cqe = (int)q->room;
	pthread_mutex_init(&q->cq.mutex, NULL);
	pthread_cond_init(&q->cq.cond, NULL);
	use_channel(channel, 1);
	return (struct ibv_cq *)&q->cq;
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	return cqe <= cq->cqe && cqe > 0 ? 0 : EOPNOTSUPP;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct weft_cq *q = (struct weft_cq *)cq;
	int e = weft->destroy_cq(q->id);
	if (e)
		return e;
	use_channel(cq->channel, -1);
	drop_cq(q);
	return 0;
}

static void lock(struct weft_cq *q)
{
	while (atomic_flag_test_and_set_explicit(&q->busy, memory_order_acquire))
		sched_yield();
}

static void unlock(struct weft_cq *q) { atomic_flag_clear_explicit(&q->busy, memory_order_release); }

static void translate(const struct weft_wc *w, struct ibv_wc *out)
{
	out->wr_id = w->wr_id;
	out->status = w->status;
	out->opcode = w->opcode;
	out->vendor_err = 0;
	out->byte_len = w->byte_len;
	out->imm_data = w->flags & IBV_WC_WITH_INV ? w->invalidated_rkey : htobe32(w->imm_data);
	out->qp_num = w->qp_num;
	out->src_qp = w->src_qp;
	out->wc_flags = w->flags;
	out->pkey_index = 0;
	out->slid = 0;
	out->sl = 0;
	out->dlid_path_bits = 0;
}

/* take takes up to n completions, with the lock held. */
static int take(struct weft_cq *q, int n, struct ibv_wc *wc)
{
	uint32_t added = __atomic_load_n(&q->marks->added, __ATOMIC_ACQUIRE), taken = q->marks->taken;
	int got = 0;
	for (; got < n && taken != added; taken++) {
		const struct weft_wc *w = &q->entries[taken & (q->room - 1)];
		if (w->status != gone)
			translate(w, &wc[got++]);
	}
	__atomic_store_n(&q->marks->taken, taken, __ATOMIC_RELEASE);
	return got;
}

int weft_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct weft_cq *q = (struct weft_cq *)cq;
	for (bool worked = false;; worked = true) {
		int got = 0;
		bool work = false;
		lock(q);
		if (__atomic_load_n(&q->marks->added, __ATOMIC_ACQUIRE) != q->marks->taken)
			got = take(q, n, wc);
		if (got)
			q->idle = 0;
		else
			work = !worked && q->idle++ % polls_per_work == 0;
		unlock(q);
		if (got)
			return got;
		if (!work)
			return __atomic_load_n(&q->marks->overrun, __ATOMIC_RELAXED) ? -1 : 0;
		weft->progress(weft_context_of(cq->context)->id);
	}
}

/* weft_drop_completions removes the completions of a destroyed queue pair. */
void weft_drop_completions(struct ibv_cq *cq, uint32_t qp_num)
{
	struct weft_cq *q = (struct weft_cq *)cq;
	lock(q);
	uint32_t added = __atomic_load_n(&q->marks->added, __ATOMIC_ACQUIRE);
	for (uint32_t i = q->marks->taken; i != added; i++) {
		struct weft_wc *w = &q->entries[i & (q->room - 1)];
		if (w->qp_num == qp_num)
			w->status = gone;
	}
	unlock(q);
}

int weft_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return weft->req_notify_cq(((struct weft_cq *)cq)->id, solicited_only);
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	uintptr_t object;
	if (read(channel->fd, &object, sizeof object) != sizeof object)
		return -1;
	*cq = (struct ibv_cq *)object;
	*cq_context = (*cq)->cq_context;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int n)
{
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += n;
	pthread_cond_signal(&cq->cond);
	pthread_mutex_unlock(&cq->mutex);
}
