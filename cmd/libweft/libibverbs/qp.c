/* Queue pairs. */
#include <errno.h>
#include <stdlib.h>

#include "weft.h"

static int check_caps(const struct weft_context *c, const struct ibv_qp_cap *cap)
{
	const struct weft_device *w = &c->attr;
	if (cap->max_send_wr > w->max_qp_wr || cap->max_recv_wr > w->max_qp_wr || cap->max_send_sge > w->max_sge ||
	    cap->max_recv_sge > w->max_sge || cap->max_inline_data > w->max_inline)
		return EINVAL;
	return 0;
}

/* check_parts checks that a queue pair has what its service needs. */
static int check_parts(const struct ibv_qp_init_attr *a, const struct ibv_pd *pd, const struct ibv_xrcd *xrcd)
{
	switch (a->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
		return pd && !xrcd && a->send_cq && a->recv_cq ? 0 : EINVAL;
	case IBV_QPT_XRC_SEND:
		return pd && !xrcd && a->send_cq ? 0 : EINVAL;
	case IBV_QPT_XRC_RECV:
		return xrcd ? 0 : EINVAL;
	default:
		return EOPNOTSUPP;
	}
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *a) { return weft_create_qp(pd->context, a, pd, NULL); }

/* Programs send a few bytes inline without having asked for the room; devices give what the buffers' entries take. */
static uint32_t inline_room(const struct weft_context *c, const struct ibv_qp_cap *cap)
{
	uint32_t entries = cap->max_send_sge * sizeof(struct ibv_sge);
	uint32_t room = entries > cap->max_inline_data ? entries : cap->max_inline_data;
	return room < c->attr.max_inline ? room : c->attr.max_inline;
}

struct ibv_qp *weft_create_qp(struct ibv_context *context, struct ibv_qp_init_attr *a, struct ibv_pd *pd, struct ibv_xrcd *xrcd)
{
	struct weft_context *c = weft_context_of(context);
	struct weft_qp *q = calloc(1, sizeof *q);
	int e = check_parts(a, pd, xrcd);
	if (!e && a->qp_type != IBV_QPT_XRC_RECV)
		e = check_caps(c, &a->cap);
	if (e)
		return weft_failed(q, e);
	if (a->qp_type == IBV_QPT_XRC_RECV) {
		a->send_cq = a->recv_cq = NULL;
		pd = NULL;
	} else if (a->qp_type == IBV_QPT_XRC_SEND) {
		a->recv_cq = NULL;
	}
	a->cap.max_inline_data = inline_room(c, &a->cap);
	struct weft_qp_init init = {
		.pd = pd ? ((struct weft_pd *)pd)->id : 0,
		.xrcd = xrcd ? ((struct weft_xrcd *)xrcd)->id : 0,
		.send_cq = a->send_cq ? ((struct weft_cq *)a->send_cq)->id : 0,
		.recv_cq = a->recv_cq ? ((struct weft_cq *)a->recv_cq)->id : 0,
		.srq = a->srq ? ((struct weft_srq *)a->srq)->id : 0,
		.type = a->qp_type,
		.max_send_wr = a->cap.max_send_wr,
		.max_recv_wr = a->cap.max_recv_wr,
		.max_inline = a->cap.max_inline_data,
		.signal_all = a->sq_sig_all,
	};
	struct ibv_qp *qp = &q->qp.qp_base;
	e = weft->create_qp(&init, (uintptr_t)q, &q->id, &qp->qp_num);
	if (e)
		return weft_failed(q, e);
	qp->context = context;
	qp->qp_context = a->qp_context;
	qp->pd = pd;
	qp->send_cq = a->send_cq;
	qp->recv_cq = a->recv_cq;
	qp->srq = a->srq;
	qp->qp_type = a->qp_type;
	qp->state = IBV_QPS_RESET;
	pthread_mutex_init(&qp->mutex, NULL);
	pthread_cond_init(&qp->cond, NULL);
	q->cap = a->cap;
	q->sig_all = a->sq_sig_all;
	return qp;
}

/* A queue pair that is gone, or begins anew, leaves no completions behind. */
static void drop_completions(struct ibv_qp *qp)
{
	if (qp->send_cq)
		weft_drop_completions(qp->send_cq, qp->qp_num);
	if (qp->recv_cq && qp->recv_cq != qp->send_cq)
		weft_drop_completions(qp->recv_cq, qp->qp_num);
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask)
{
	struct weft_qp *q = (struct weft_qp *)qp;
	const int none = IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE | IBV_QP_CAP | IBV_QP_RATE_LIMIT;
	if (mask & none)
		return EOPNOTSUPP;
	if ((mask & IBV_QP_PORT && a->port_num != 1) || (mask & IBV_QP_PKEY_INDEX && a->pkey_index) ||
	    (mask & IBV_QP_PATH_MTU && (a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096)))
		return EINVAL;
	if (mask & IBV_QP_STATE && a->qp_state == IBV_QPS_INIT && qp->state == IBV_QPS_RESET && (mask & (IBV_QP_PORT | IBV_QP_PKEY_INDEX)) != (IBV_QP_PORT | IBV_QP_PKEY_INDEX))
		return EINVAL;
	if (mask & IBV_QP_CUR_STATE && a->cur_qp_state != qp->state)
		return EINVAL;
	struct weft_qp_attr w = {
		.mask = mask | IBV_QP_STATE,
		.state = mask & IBV_QP_STATE ? a->qp_state : qp->state,
		.access = a->qp_access_flags & 0xf,
		.qkey = a->qkey,
		.path_mtu = mask & IBV_QP_PATH_MTU ? 128u << a->path_mtu : 0,
		.dest_qpn = a->dest_qp_num,
		.rq_psn = a->rq_psn,
		.sq_psn = a->sq_psn,
		.max_rd_atomic = a->max_rd_atomic,
		.max_dest_rd_atomic = a->max_dest_rd_atomic,
		.min_rnr_timer = a->min_rnr_timer,
		.timeout = a->timeout,
		.retry_cnt = a->retry_cnt,
		.rnr_retry = a->rnr_retry,
	};
	int e = mask & IBV_QP_AV ? weft_destination(weft_context_of(qp->context), &a->ah_attr, w.address) : 0;
	if (!e)
		e = weft->modify_qp(q->id, &w);
	if (e)
		return e;
	if (mask & IBV_QP_AV)
		q->av = a->ah_attr;
	if (mask & IBV_QP_STATE)
		qp->state = a->qp_state;
	if (mask & IBV_QP_STATE && a->qp_state == IBV_QPS_RESET)
		drop_completions(qp);
	return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask, struct ibv_qp_init_attr *init)
{
	struct weft_qp *q = (struct weft_qp *)qp;
	struct weft_qp_attr w;
	int e = weft->query_qp(q->id, &w);
	if (e)
		return e;
	qp->state = w.state;
	enum ibv_mtu mtu = w.path_mtu ? IBV_MTU_256 : 0;
	for (uint32_t n = w.path_mtu; n > 256; n /= 2)
		mtu++;
	*a = (struct ibv_qp_attr){
		.qp_state = w.state,
		.cur_qp_state = w.state,
		.path_mtu = mtu,
		.path_mig_state = IBV_MIG_MIGRATED,
		.qkey = w.qkey,
		.rq_psn = w.rq_psn,
		.sq_psn = w.sq_psn,
		.dest_qp_num = w.dest_qpn,
		.qp_access_flags = w.access,
		.cap = q->cap,
		.ah_attr = q->av,
		.max_rd_atomic = w.max_rd_atomic,
		.max_dest_rd_atomic = w.max_dest_rd_atomic,
		.min_rnr_timer = w.min_rnr_timer,
		.port_num = 1,
		.timeout = w.timeout,
		.retry_cnt = w.retry_cnt,
		.rnr_retry = w.rnr_retry,
	};
	*init = (struct ibv_qp_init_attr){
		.qp_context = qp->qp_context,
		.send_cq = qp->send_cq,
		.recv_cq = qp->recv_cq,
		.srq = qp->srq,
		.cap = q->cap,
		.qp_type = qp->qp_type,
		.sq_sig_all = q->sig_all,
	};
	return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct weft_qp *q = (struct weft_qp *)qp;
	int e = weft->destroy_qp(q->id);
	if (e)
		return e;
	weft_forget_events(qp->context, qp);
	weft_wait_for_acks(&qp->mutex, &qp->cond, &q->events, &qp->events_completed);
	drop_completions(qp);
	weft_free_batch(q->batch);
	free(q);
	return 0;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return ((struct weft_qp *)qp)->extended ? (struct ibv_qp_ex *)qp : NULL;
}

int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags) { return 0; }

int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece) { return EOPNOTSUPP; }

int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece) { return EOPNOTSUPP; }
