/* Completion queues and channels. */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "weft.h"

/*
 * An empty poll works for the device, which costs a system call, once in so many: the polls between
 * look at memory alone. A round of them takes some 200 ns, the delay that a packet may find.
 */
enum { polls_per_work = 16 };

/*
 * A poller that waits longer than for a packet's way there and back gives way: its peer may be waiting for the same
 * processor. If that takes long, another program wanted it, and the poller keeps it for 8 times as long.
 */
enum { patient_polls = 128, long_ns = 200 * 1000, times_kept = 8 };

/*
 * A datagram's service level says which header lies in the 40 bytes before its data. ConnectX has it so, and
 * UCX looks for its own address there.
 */
enum { header_ipv6 = 1, header_ipv4 = 2 };

/* The GIDs of IPv4 addresses begin so. */
static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

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

/* place gives a queue memory for at least cqe completions; the old memory stays the caller's. */
static int place(struct weft_cq *q, int cqe)
{
	for (q->room = 1; q->room < (uint32_t)cqe;)
		q->room *= 2;
	q->entries = calloc(q->room, sizeof *q->entries);
	q->marks = aligned_alloc(64, sizeof *q->marks);
	if (!q->entries || !q->marks)
		return ENOMEM;
	memset(q->marks, 0, sizeof *q->marks);
	return 0;
}

static void drop_memory(const struct weft_cq *q)
{
	free(q->entries);
	free(q->marks);
}

struct ibv_cq *weft_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector, bool stamps)
{
	struct weft_context *c = weft_context_of(context);
	if (cqe < 1 || (uint32_t)cqe > c->attr.max_cqe || comp_vector < 0 || comp_vector >= context->num_comp_vectors) {
		errno = EINVAL;
		return NULL;
	}
	struct weft_cq *q = calloc(1, sizeof *q);
	int fd = channel ? ((struct weft_channel *)channel)->event_in : -1;
	int e = place(q, cqe);
	if (!e)
		e = weft->create_cq(c->id, q->room, q->entries, q->room, q->marks, fd, stamps, (uintptr_t)q, &q->id);
	if (e) {
		drop_memory(q);
		free(q);
		errno = e;
		return NULL;
	}
	if (c->attr.link == IBV_LINK_LAYER_ETHERNET)
		q->header = memcmp(c->attr.gid, mapped, sizeof mapped) ? header_ipv6 : header_ipv4;
	q->cq.context = context;
	q->cq.channel = channel;
	q->cq.cq_context = cq_context;
	q->cq.cqe = (int)q->room;
	pthread_mutex_init(&q->cq.mutex, NULL);
	pthread_cond_init(&q->cq.cond, NULL);
	use_channel(channel, 1);
	return (struct ibv_cq *)&q->cq;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector)
{
	return weft_create_cq(context, cqe, cq_context, channel, comp_vector, false);
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	struct weft_cq *q = (struct weft_cq *)cq, old, new = {0};
	if (cqe < 1 || (uint32_t)cqe > weft_context_of(cq->context)->attr.max_cqe)
		return EINVAL;
	weft_lock_cq(q);
	old = *q;
	int e = place(&new, cqe);
	if (!e)
		e = weft->resize_cq(q->id, new.room, new.entries, new.room, new.marks);
	if (!e) {
		q->room = new.room;
		q->entries = new.entries;
		q->marks = new.marks;
		cq->cqe = (int)new.room;
	}
	weft_unlock_cq(q);
	drop_memory(e ? &new : &old);
	return e;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct weft_cq *q = (struct weft_cq *)cq;
	int e = weft->destroy_cq(q->id);
	if (e)
		return e;
	weft_forget_events(cq->context, cq);
	if (cq->channel)
		weft_drop_records(cq->channel->fd, ((struct weft_channel *)cq->channel)->event_in, sizeof cq, 0, cq);
	weft_wait_for_acks(&cq->mutex, &cq->cond, &q->events, &cq->comp_events_completed);
	weft_wait_for_acks(&cq->mutex, &cq->cond, &q->async_events, &cq->async_events_completed);
	use_channel(cq->channel, -1);
	drop_memory(q);
	free(q);
	return 0;
}

void weft_lock_cq(struct weft_cq *q)
{
	while (atomic_flag_test_and_set_explicit(&q->busy, memory_order_acquire))
		sched_yield();
}

void weft_unlock_cq(struct weft_cq *q) { atomic_flag_clear_explicit(&q->busy, memory_order_release); }

static void translate(const struct weft_cq *q, const struct weft_wc *w, struct ibv_wc *out)
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
	out->slid = w->slid;
	out->sl = w->flags & IBV_WC_GRH ? q->header : 0;
	out->dlid_path_bits = 0;
}

int weft_take(struct weft_cq *q, int n, struct ibv_wc *wc)
{
	uint32_t added = __atomic_load_n(&q->marks->added, __ATOMIC_ACQUIRE), taken = q->marks->taken;
	int got = 0;
	if (added == taken)
		return 0;
	q->idle = 0;
	for (; got < n && taken != added; taken++) {
		const struct weft_wc *w = &q->entries[taken & (q->room - 1)];
		if (w->status == gone)
			continue;
		translate(q, w, &wc[got++]);
		q->stamp = w->clock;
	}
	__atomic_store_n(&q->marks->taken, taken, __ATOMIC_RELEASE);
	return got;
}

bool weft_idle(struct weft_cq *q) { return q->idle++ % polls_per_work == 0; }

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void weft_give_way(struct weft_cq *q)
{
	if (__atomic_load_n(&q->idle, __ATOMIC_RELAXED) % patient_polls != 1 + patient_polls - polls_per_work)
		return;
	int64_t start = now_ns();
	if (start < __atomic_load_n(&q->stays, __ATOMIC_RELAXED))
		return;
	sched_yield();
	int64_t end = now_ns();
	if (end - start > long_ns)
		__atomic_store_n(&q->stays, end + times_kept * (end - start), __ATOMIC_RELAXED);
}

int weft_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct weft_cq *q = (struct weft_cq *)cq;
	for (bool worked = false;; worked = true) {
		weft_lock_cq(q);
		int got = weft_take(q, n, wc);
		bool work = !got && !worked && weft_idle(q);
		weft_unlock_cq(q);
		if (got)
			return got;
		if (worked)
			weft_give_way(q);
		if (!work)
			return __atomic_load_n(&q->marks->overrun, __ATOMIC_RELAXED) ? -1 : 0;
		weft->work(q->id);
	}
}

/* weft_drop_completions removes the completions of a destroyed queue pair. */
void weft_drop_completions(struct ibv_cq *cq, uint32_t qp_num)
{
	struct weft_cq *q = (struct weft_cq *)cq;
	weft_lock_cq(q);
	uint32_t added = __atomic_load_n(&q->marks->added, __ATOMIC_ACQUIRE);
	for (uint32_t i = q->marks->taken; i != added; i++) {
		struct weft_wc *w = &q->entries[i & (q->room - 1)];
		if (w->qp_num == qp_num)
			w->status = gone;
	}
	weft_unlock_cq(q);
}

int weft_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return weft->req_notify_cq(((struct weft_cq *)cq)->id, solicited_only);
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	uintptr_t object;
	weft->wait(weft_context_of(channel->context)->id);
	if (read(channel->fd, &object, sizeof object) != sizeof object)
		return -1;
	*cq = (struct ibv_cq *)object;
	*cq_context = (*cq)->cq_context;
	__atomic_add_fetch(&((struct weft_cq *)object)->events, 1, __ATOMIC_RELAXED);
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int n)
{
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += n;
	pthread_cond_signal(&cq->cond);
	pthread_mutex_unlock(&cq->mutex);
}
