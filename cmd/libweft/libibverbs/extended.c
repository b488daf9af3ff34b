/* The extended calls: attributes by size, completion queues read field by field, queue pairs with batches, parent domains. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "weft.h"

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *in, struct ibv_device_attr_ex *out, size_t size)
{
	const uint32_t sends = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_SRQ_RECV, writes = sends | IBV_ODP_SUPPORT_WRITE;
	struct ibv_device_attr_ex a = {
		.phys_port_cnt_ex = 1,
		.max_dm_size = weft_device_memory,
		.odp_caps = { /* no memory is ever pinned */
			.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT,
			.per_transport_caps = {.rc_odp_caps = writes | IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC, .uc_odp_caps = writes, .ud_odp_caps = sends},
		},
		.completion_timestamp_mask = UINT64_MAX,
		.hca_core_clock = 1000 * 1000, /* kHz: a tick is 1 ns */
		.xrc_odp_caps = writes | IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC,
	};
	if (in && in->comp_mask)
		return EINVAL;
	if (size < sizeof a.orig_attr)
		return EOPNOTSUPP;
	ibv_query_device(context, &a.orig_attr);
	a.device_cap_flags_ex = a.orig_attr.device_cap_flags;
	memcpy(out, &a, size < sizeof a ? size : sizeof a);
	return 0;
}

/* The device's clock counts ps, which a program reads in ticks of 1 ns. */
enum { ps_per_tick = 1000 };

static struct weft_cq *weft_cq_of(struct ibv_cq_ex *cq) { return (struct weft_cq *)cq; }

static int next_poll(struct ibv_cq_ex *cq)
{
	struct weft_cq *q = weft_cq_of(cq);
	if (!weft_take(q, 1, &q->now))
		return ENOENT;
	cq->wr_id = q->now.wr_id;
	cq->status = q->now.status;
	return 0;
}

static void end_poll(struct ibv_cq_ex *cq) { weft_unlock_cq(weft_cq_of(cq)); }

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	if (attr && attr->comp_mask)
		return EINVAL;
	struct weft_cq *q = weft_cq_of(cq);
	for (bool worked = false;; worked = true) {
		weft_lock_cq(q);
		int e = next_poll(cq);
		bool work = e && !worked && weft_idle(q);
		if (!e)
			return 0;
		weft_unlock_cq(q);
		if (worked)
			weft_give_way(q);
		if (!work)
			return __atomic_load_n(&q->marks->overrun, __ATOMIC_RELAXED) ? EIO : ENOENT;
		weft->work(q->id);
	}
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.opcode; }
static uint32_t read_vendor_err(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.vendor_err; }
static uint32_t read_byte_len(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.byte_len; }
static __be32 read_imm_data(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.imm_data; }
static uint32_t read_qp_num(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.qp_num; }
static uint32_t read_src_qp(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.src_qp; }
static unsigned int read_wc_flags(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.wc_flags; }
static uint32_t read_slid(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.slid; }
static uint8_t read_sl(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.sl; }
static uint8_t read_dlid_path_bits(struct ibv_cq_ex *cq) { return weft_cq_of(cq)->now.dlid_path_bits; }

static uint64_t read_completion_ts(struct ibv_cq_ex *cq) { return (uint64_t)weft_cq_of(cq)->stamp / ps_per_tick; }

/* query_rt_values gives the device's clock in ticks, in tv_nsec, as mlx5 does. */
static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	int64_t ps;
	if (values->comp_mask != IBV_VALUES_MASK_RAW_CLOCK)
		return EOPNOTSUPP;
	values->raw_clock.tv_sec = 0;
	int e = weft->clock(weft_context_of(context)->id, &ps);
	if (!e)
		values->raw_clock.tv_nsec = ps / ps_per_tick;
	return e;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *a)
{
	const uint32_t known = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;
	const bool flags = a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS;
	if (a->comp_mask & ~known || a->wc_flags & ~(uint64_t)(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP) ||
	    (flags && a->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)weft_create_cq(context, a->cqe, a->cq_context, a->channel, a->comp_vector, a->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
	if (!cq)
		return NULL;
	cq->start_poll = start_poll;
	cq->next_poll = next_poll;
	cq->end_poll = end_poll;
	cq->read_opcode = read_opcode;
	cq->read_vendor_err = read_vendor_err;
	cq->read_wc_flags = read_wc_flags;
	cq->read_byte_len = read_byte_len;
	cq->read_imm_data = read_imm_data;
	cq->read_qp_num = read_qp_num;
	cq->read_src_qp = read_src_qp;
	cq->read_slid = read_slid;
	cq->read_sl = read_sl;
	cq->read_dlid_path_bits = read_dlid_path_bits;
	cq->read_completion_ts = read_completion_ts;
	return cq;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *a)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | IBV_QP_INIT_ATTR_CREATE_FLAGS;
	if (a->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && a->create_flags) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (a->comp_mask & ~known) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	struct ibv_pd *pd = a->comp_mask & IBV_QP_INIT_ATTR_PD ? a->pd : NULL;
	struct ibv_xrcd *xrcd = a->comp_mask & IBV_QP_INIT_ATTR_XRCD ? a->xrcd : NULL;
	struct ibv_qp *qp = weft_create_qp(context, (struct ibv_qp_init_attr *)a, pd, xrcd); /* the same members first */
	if (!qp || !(a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return qp;
	int e = weft_add_batch((struct weft_qp *)qp, a->send_ops_flags);
	if (e) {
		ibv_destroy_qp(qp);
		errno = e;
		return NULL;
	}
	return qp;
}

/* A thread domain promises that one thread at a time uses its objects: nothing here needs that. */
static struct ibv_td *alloc_td(struct ibv_context *context, struct ibv_td_init_attr *a)
{
	if (a->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	struct ibv_td *td = calloc(1, sizeof *td);
	td->context = context;
	return td;
}

static int dealloc_td(struct ibv_td *td)
{
	free(td);
	return 0;
}

/* A parent domain is its protection domain once more. Its allocators are for rings of hardware. */
static struct ibv_pd *alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *a)
{
	if (!a->pd || a->comp_mask & ~(uint32_t)(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)) {
		errno = a->pd ? EOPNOTSUPP : EINVAL;
		return NULL;
	}
	struct weft_pd *p = calloc(1, sizeof *p), *of = (struct weft_pd *)a->pd;
	p->pd.context = context;
	p->id = of->id;
	p->of = of;
	__atomic_add_fetch(&of->parents, 1, __ATOMIC_RELAXED);
	return &p->pd;
}

/* Advice is to fetch pages ahead. A page that is not there is fetched when it is used. */
static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sge, uint32_t n)
{
	return advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT ? EOPNOTSUPP : 0;
}

void weft_extend(struct verbs_context *v)
{
	v->advise_mr = advise_mr;
	weft_add_device_memory(v);
	weft_add_xrc(v);
	v->query_device_ex = query_device_ex;
	v->query_rt_values = query_rt_values;
	v->create_cq_ex = create_cq_ex;
	v->create_qp_ex = create_qp_ex;
	v->alloc_td = alloc_td;
	v->dealloc_td = dealloc_td;
	v->alloc_parent_domain = alloc_parent_domain;
}
