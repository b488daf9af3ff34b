/* Connections and their ends. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"

/* param_of is a program's parameters: a queue pair of the ID is connected by the core. */
static struct weft_cm_param param_of(const struct rdma_cm_id *id, const struct rdma_conn_param *p)
{
	struct weft_cm_param w = {.ack_timeout = ((const struct cm_id *)id)->ack_timeout};
	if (p)
		w = (struct weft_cm_param){
			.ack_timeout = w.ack_timeout,
			.private_data = p->private_data,
			.private_len = p->private_data ? p->private_data_len : 0,
			/* the most of the device, which is 0 in the core */
			.responder_resources = p->responder_resources == RDMA_MAX_RESP_RES ? 0 : p->responder_resources,
			.initiator_depth = p->initiator_depth == RDMA_MAX_INIT_DEPTH ? 0 : p->initiator_depth,
			.qp_num = id->qp ? 0 : p->qp_num,
		};
	return w;
}

static weft_id queue_pair(const struct rdma_cm_id *id) { return id->qp ? ((struct weft_qp *)id->qp)->id : 0; }

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	struct cm_id *c = (struct cm_id *)id;
	if (!c->bound || c->listens)
		return cm_fails(EINVAL);
	const struct sockaddr *at = &id->route.addr.src_addr;
	bool both = at->sa_family == AF_INET6 && cm_is_any(at) && !c->one_family;
	uint8_t address[16];
	cm_bytes_of(at, address);
	int e = cm_device_at(c, NULL, false);
	if (!e)
		e = cm_core(c);
	if (!e)
		e = weft->cm_listen(c->core, both ? NULL : address, cm_port_of(at));
	c->listens = !e;
	return cm_fails(e);
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct cm_id *c = (struct cm_id *)id;
	if (!id->verbs)
		return cm_fails(EINVAL);
	struct weft_cm_param p = param_of(id, param);
	uint8_t address[16];
	cm_bytes_of(&id->route.addr.dst_addr, address);
	int e = cm_core(c);
	if (!e)
		e = weft->cm_connect(c->core, address, cm_port_of(&id->route.addr.dst_addr), queue_pair(id), &p);
	return e ? cm_fails(e) : cm_complete(c);
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct cm_id *c = (struct cm_id *)id;
	struct weft_cm_param p = param_of(id, param);
	int e = c->core ? weft->cm_accept(c->core, queue_pair(id), &p) : EINVAL;
	if (e || id->qp_type == IBV_QPT_UD) /* datagrams know no connection */
		return cm_fails(e);
	if (id->qp)
		id->qp->state = IBV_QPS_RTS; /* the core has brought it there */
	return cm_complete(c);
}

int rdma_reject(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len)
{
	struct cm_id *c = (struct cm_id *)id;
	return cm_fails(c->core ? weft->cm_reject(c->core, private_data, private_data ? private_data_len : 0) : EINVAL);
}

int rdma_reject_ece(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len)
{
	return rdma_reject(id, private_data, private_data_len);
}

int rdma_establish(struct rdma_cm_id *id)
{
	struct cm_id *c = (struct cm_id *)id;
	return cm_fails(c->core && !id->qp ? weft->cm_establish(c->core) : EINVAL);
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	struct cm_id *c = (struct cm_id *)id;
	int e = c->core ? weft->cm_disconnect(c->core) : EINVAL;
	return e ? cm_fails(e) : cm_complete(c);
}

int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event) { return 0; }

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *a, int *mask)
{
	struct cm_id *c = (struct cm_id *)id;
	struct weft_qp_attr w;
	enum ibv_qp_state state = a->qp_state;
	int e = id->verbs ? cm_core(c) : EINVAL;
	if (!e)
		e = weft->cm_attr(c->core, state, &w);
	if (e)
		return cm_fails(e);
	enum ibv_mtu mtu = IBV_MTU_256;
	for (uint32_t n = w.path_mtu; n > 256; n /= 2)
		mtu++;
	*a = (struct ibv_qp_attr){
		.qp_state = state, .port_num = 1, .qp_access_flags = w.access, .path_mtu = mtu, .dest_qp_num = w.dest_qpn, .rq_psn = w.rq_psn, .sq_psn = w.sq_psn,
		.max_rd_atomic = w.max_rd_atomic, .max_dest_rd_atomic = w.max_dest_rd_atomic, .min_rnr_timer = w.min_rnr_timer,
		.timeout = w.timeout, .retry_cnt = w.retry_cnt, .rnr_retry = w.rnr_retry,
	};
	weft_way_to(weft_context_of(id->verbs), w.address, &a->ah_attr);
	switch (state) {
	case IBV_QPS_INIT:
		*mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
		break;
	case IBV_QPS_RTR:
		*mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		break;
	default:
		*mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
	}
	return 0;
}

/* Extended options of connections are negotiated by hardware of one vendor; none is. */
int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece) { return 0; }

int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	*ece = (struct ibv_ece){0};
	return 0;
}
