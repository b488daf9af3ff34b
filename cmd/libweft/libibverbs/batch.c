/*
 * Work requests by parts: ibv_wr_start, an operation, its addresses and data, and more, until
 * ibv_wr_complete posts all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "weft.h"

/* A list that grows. */
struct list {
	void *items;
	size_t n, room;
};

struct weft_batch {
	pthread_mutex_t busy; /* from start to complete or abort */
	struct list requests; /* struct ibv_send_wr; sg_list is an index until the end */
	struct list buffers;  /* struct ibv_sge; of inline data addr is an offset until the end */
	struct list bytes;    /* inline data */
	int error;	      /* of the first part that was wrong */
};

/* grow makes room for n more items and returns the first, NULL if memory lacks. */
static void *grow(struct weft_batch *b, struct list *l, size_t n, size_t size)
{
	if (l->n + n > l->room) {
		size_t room = 2 * (l->n + n) + 16;
		void *items = realloc(l->items, room * size);
		if (!items) {
			b->error = ENOMEM;
			return NULL;
		}
		l->items = items;
		l->room = room;
	}
	void *first = (char *)l->items + l->n * size;
	l->n += n;
	return first;
}

static struct weft_batch *batch_of(struct ibv_qp_ex *qp) { return ((struct weft_qp *)qp)->batch; }

static void start(struct ibv_qp_ex *qp)
{
	struct weft_batch *b = batch_of(qp);
	pthread_mutex_lock(&b->busy);
	b->requests.n = b->buffers.n = b->bytes.n = 0;
	b->error = 0;
}

static void abort_batch(struct ibv_qp_ex *qp) { pthread_mutex_unlock(&batch_of(qp)->busy); }

/* link_up turns the indices into pointers. */
static struct ibv_send_wr *link_up(struct weft_batch *b)
{
	struct ibv_send_wr *wr = b->requests.items;
	struct ibv_sge *sge = b->buffers.items;
	for (size_t i = 0; i < b->requests.n; i++) {
		wr[i].next = i + 1 < b->requests.n ? &wr[i + 1] : NULL;
		wr[i].sg_list = sge + (size_t)wr[i].sg_list;
		for (int k = 0; k < wr[i].num_sge && wr[i].send_flags & IBV_SEND_INLINE; k++)
			wr[i].sg_list[k].addr += (uintptr_t)b->bytes.items;
	}
	return b->requests.n ? wr : NULL;
}

static int complete(struct ibv_qp_ex *qp)
{
	struct weft_batch *b = batch_of(qp);
	struct ibv_send_wr *bad;
	int e = b->error;
	if (!e)
		e = weft_post_send(&qp->qp_base, link_up(b), &bad);
	pthread_mutex_unlock(&b->busy);
	return e;
}

/* request begins a work request. */
static struct ibv_send_wr *request(struct ibv_qp_ex *qp, enum ibv_wr_opcode op)
{
	static struct ibv_send_wr nowhere; /* what is written when memory lacks; nobody reads it */
	struct weft_batch *b = batch_of(qp);
	struct ibv_send_wr *wr = grow(b, &b->requests, 1, sizeof *wr);
	if (!wr)
		return &nowhere;
	*wr = (struct ibv_send_wr){.wr_id = qp->wr_id, .opcode = op, .send_flags = qp->wr_flags & ~(unsigned int)IBV_SEND_INLINE};
	wr->sg_list = (struct ibv_sge *)b->buffers.n;
	return wr;
}

/* last is the work request whose parts come now; NULL if there is none. */
static struct ibv_send_wr *last(struct weft_batch *b)
{
	if (b->requests.n)
		return (struct ibv_send_wr *)b->requests.items + b->requests.n - 1;
	b->error = EINVAL;
	return NULL;
}

static void rdma(struct ibv_qp_ex *qp, enum ibv_wr_opcode op, uint32_t rkey, uint64_t addr, __be32 imm)
{
	struct ibv_send_wr *wr = request(qp, op);
	wr->wr.rdma.remote_addr = addr;
	wr->wr.rdma.rkey = rkey;
	wr->imm_data = imm;
}

static void wr_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr) { rdma(qp, IBV_WR_RDMA_WRITE, rkey, addr, 0); }
static void wr_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, __be32 imm) { rdma(qp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr, imm); }
static void wr_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr) { rdma(qp, IBV_WR_RDMA_READ, rkey, addr, 0); }
static void wr_send(struct ibv_qp_ex *qp) { request(qp, IBV_WR_SEND); }
static void wr_send_imm(struct ibv_qp_ex *qp, __be32 imm) { request(qp, IBV_WR_SEND_WITH_IMM)->imm_data = imm; }
static void wr_send_inv(struct ibv_qp_ex *qp, uint32_t rkey) { request(qp, IBV_WR_SEND_WITH_INV)->invalidate_rkey = rkey; }
static void wr_local_inv(struct ibv_qp_ex *qp, uint32_t rkey) { request(qp, IBV_WR_LOCAL_INV)->invalidate_rkey = rkey; }

static void atomic(struct ibv_qp_ex *qp, enum ibv_wr_opcode op, uint32_t rkey, uint64_t addr, uint64_t compare_add, uint64_t swap)
{
	struct ibv_send_wr *wr = request(qp, op);
	wr->wr.atomic.remote_addr = addr;
	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.compare_add = compare_add;
	wr->wr.atomic.swap = swap;
}

static void wr_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap)
{
	atomic(qp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr, compare, swap);
}

static void wr_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t add)
{
	atomic(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr, add, 0);
}

static void wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	struct ibv_send_wr *wr = request(qp, IBV_WR_BIND_MW);
	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = rkey;
	wr->bind_mw.bind_info = *info;
}

static void set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ibv_send_wr *wr = last(batch_of(qp));
	if (!wr)
		return;
	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = qpn;
	wr->wr.ud.remote_qkey = qkey;
}

static void set_xrc_srqn(struct ibv_qp_ex *qp, uint32_t number)
{
	struct ibv_send_wr *wr = last(batch_of(qp));
	if (wr)
		wr->qp_type.xrc.remote_srqn = number;
}

static void set_sge_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *list)
{
	struct weft_batch *b = batch_of(qp);
	struct ibv_send_wr *wr = last(b);
	struct ibv_sge *sge = wr ? grow(b, &b->buffers, n, sizeof *sge) : NULL;
	if (!sge)
		return;
	memcpy(sge, list, n * sizeof *sge);
	wr->num_sge = (int)n;
}

static void set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = {addr, length, lkey};
	set_sge_list(qp, length ? 1 : 0, &sge);
}

static void set_inline_data_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_data_buf *list)
{
	struct weft_batch *b = batch_of(qp);
	struct ibv_send_wr *wr = last(b);
	struct ibv_sge *sge = wr ? grow(b, &b->buffers, 1, sizeof *sge) : NULL;
	if (!sge)
		return;
	*sge = (struct ibv_sge){.addr = b->bytes.n};
	for (size_t i = 0; i < n; i++) {
		void *to = grow(b, &b->bytes, list[i].length, 1);
		if (!to)
			return;
		memcpy(to, list[i].addr, list[i].length);
		sge->length += (uint32_t)list[i].length;
	}
	wr->num_sge = 1;
	wr->send_flags |= IBV_SEND_INLINE;
	if (sge->length > ((struct weft_qp *)qp)->cap.max_inline_data)
		b->error = EINVAL;
}

static void set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	struct ibv_data_buf buf = {addr, length};
	set_inline_data_list(qp, 1, &buf);
}

/* The operations of a service: ibv_qp_create_send_ops_flags. */
static uint64_t operations(enum ibv_qp_type type)
{
	const uint64_t sends = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
	const uint64_t local = IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_SEND_WITH_INV;
	const uint64_t writes = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	switch (type) {
	case IBV_QPT_XRC_SEND:
		return sends | writes | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	case IBV_QPT_XRC_RECV:
		return 0;
	case IBV_QPT_RC:
		return sends | local | writes | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	case IBV_QPT_UC:
		return sends | local | writes;
	default:
		return sends;
	}
}

int weft_add_batch(struct weft_qp *q, uint64_t ops)
{
	struct ibv_qp_ex *qp = &q->qp;
	if (ops & ~operations(qp->qp_base.qp_type))
		return EOPNOTSUPP;
	q->batch = calloc(1, sizeof *q->batch);
	if (!q->batch)
		return ENOMEM;
	pthread_mutex_init(&q->batch->busy, NULL);
	q->extended = true;
	qp->wr_start = start;
	qp->wr_complete = complete;
	qp->wr_abort = abort_batch;
	qp->wr_set_sge = set_sge;
	qp->wr_set_sge_list = set_sge_list;
	qp->wr_set_inline_data = set_inline_data;
	qp->wr_set_inline_data_list = set_inline_data_list;
	qp->wr_set_ud_addr = set_ud_addr;
	qp->wr_set_xrc_srqn = set_xrc_srqn;
	qp->wr_send = wr_send;
	qp->wr_send_imm = wr_send_imm;
	qp->wr_send_inv = wr_send_inv;
	qp->wr_local_inv = wr_local_inv;
	qp->wr_bind_mw = wr_bind_mw;
	qp->wr_rdma_write = wr_write;
	qp->wr_rdma_write_imm = wr_write_imm;
	qp->wr_rdma_read = wr_read;
	qp->wr_atomic_cmp_swp = wr_cmp_swp;
	qp->wr_atomic_fetch_add = wr_fetch_add;
	return 0;
}

void weft_free_batch(struct weft_batch *b)
{
	if (!b)
		return;
	free(b->requests.items);
	free(b->buffers.items);
	free(b->bytes.items);
	free(b);
}
