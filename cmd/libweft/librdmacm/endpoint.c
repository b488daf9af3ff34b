/* The queue pairs of IDs, and endpoints, which do several steps in one call. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"

/* ready brings a new queue pair to INIT, and one for datagrams to RTS. */
static int ready(struct ibv_qp *qp)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = RDMA_UDP_QKEY};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	if (qp->qp_type != IBV_QPT_UD) {
		a.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
		return ibv_modify_qp(qp, &a, mask | IBV_QP_ACCESS_FLAGS);
	}
	int e = ibv_modify_qp(qp, &a, mask | IBV_QP_QKEY);
	a.qp_state = IBV_QPS_RTR;
	if (!e)
		e = ibv_modify_qp(qp, &a, IBV_QP_STATE);
	a.qp_state = IBV_QPS_RTS;
	if (!e)
		e = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return e;
}

/* made makes a completion queue with its channel. */
static int made(struct rdma_cm_id *id, uint32_t entries, struct ibv_comp_channel **channel, struct ibv_cq **cq)
{
	*channel = ibv_create_comp_channel(id->verbs);
	if (*channel)
		*cq = ibv_create_cq(id->verbs, entries ? (int)entries : 1, id, *channel, 0);
	return *cq ? 0 : ENOMEM;
}

/* queues makes the completion queues that a program leaves to the library. */
static int queues(struct cm_id *c, uint32_t sends, uint32_t receives)
{
	struct rdma_cm_id *id = &c->id;
	c->own_cqs = true;
	int e = id->recv_cq ? 0 : made(id, receives, &id->recv_cq_channel, &id->recv_cq);
	if (!e && !id->send_cq)
		e = made(id, sends, &id->send_cq_channel, &id->send_cq);
	return e;
}

/* A shared receive queue of XRC completes its receives there. */
static void drop_queues(struct cm_id *c)
{
	struct rdma_cm_id *id = &c->id;
	if (!c->own_cqs || id->qp || (id->srq && id->qp_type == IBV_QPT_XRC_RECV))
		return;
	if (id->recv_cq)
		ibv_destroy_cq(id->recv_cq);
	if (id->send_cq)
		ibv_destroy_cq(id->send_cq);
	if (id->recv_cq_channel)
		ibv_destroy_comp_channel(id->recv_cq_channel);
	if (id->send_cq_channel)
		ibv_destroy_comp_channel(id->send_cq_channel);
	id->recv_cq = id->send_cq = NULL;
	id->recv_cq_channel = id->send_cq_channel = NULL;
	c->own_cqs = false;
}

int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *a)
{
	struct cm_id *c = (struct cm_id *)id;
	if (id->qp || !id->verbs)
		return cm_fails(EINVAL);
	struct ibv_pd *pd = a->comp_mask & IBV_QP_INIT_ATTR_PD ? a->pd : id->pd;
	if (!pd)
		return cm_fails(ENOMEM);
	if (pd->context != id->verbs && memcmp(weft_context_of(pd->context)->attr.address, weft_context_of(id->verbs)->attr.address, 16))
		return cm_fails(EINVAL);
	int e = a->send_cq && a->recv_cq ? 0 : queues(c, a->cap.max_send_wr, a->cap.max_recv_wr);
	if (!e && a->qp_type == IBV_QPT_XRC_RECV && !(a->comp_mask & IBV_QP_INIT_ATTR_XRCD)) {
		a->comp_mask |= IBV_QP_INIT_ATTR_XRCD;
		a->xrcd = cm_domain(id->verbs);
	}
	if (!e) {
		a->comp_mask |= IBV_QP_INIT_ATTR_PD;
		a->pd = pd;
		if (!a->send_cq)
			a->send_cq = id->send_cq;
		if (!a->recv_cq)
			a->recv_cq = id->recv_cq;
		if (!a->srq)
			a->srq = id->srq;
		id->qp = ibv_create_qp_ex(pd->context, a);
		e = id->qp ? ready(id->qp) : errno;
	}
	if (e) {
		if (id->qp)
			ibv_destroy_qp(id->qp);
		id->qp = NULL;
		drop_queues(c);
		return cm_fails(e);
	}
	id->pd = pd;
	id->qp_type = a->qp_type;
	return 0;
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	struct ibv_qp_init_attr_ex x = {.pd = pd};
	memcpy(&x, a, offsetof(struct ibv_qp_init_attr_ex, comp_mask));
	x.comp_mask = pd ? IBV_QP_INIT_ATTR_PD : 0;
	int failed = rdma_create_qp_ex(id, &x);
	memcpy(a, &x, offsetof(struct ibv_qp_init_attr_ex, comp_mask));
	return failed;
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	pthread_mutex_lock(&cm_lock);
	struct ibv_qp *qp = id->qp;
	id->qp = NULL; /* no event changes its state any more */
	pthread_mutex_unlock(&cm_lock);
	if (qp)
		ibv_destroy_qp(qp);
	drop_queues((struct cm_id *)id);
}

/* add_domain adds what a shared receive queue of XRC needs, unless the program gives it. */
static int add_domain(struct cm_id *c, struct ibv_srq_init_attr_ex *a)
{
	if (!(a->comp_mask & IBV_SRQ_INIT_ATTR_XRCD))
		a->xrcd = cm_domain(c->id.verbs);
	if (!(a->comp_mask & IBV_SRQ_INIT_ATTR_CQ)) {
		int e = queues(c, 0, a->attr.max_wr);
		if (e)
			return e;
		a->cq = c->id.recv_cq;
	}
	a->comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	return a->xrcd ? 0 : errno;
}

int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *a)
{
	struct cm_id *c = (struct cm_id *)id;
	if (!id->verbs || id->srq)
		return cm_fails(EINVAL);
	struct ibv_pd *pd = a->comp_mask & IBV_SRQ_INIT_ATTR_PD ? a->pd : id->pd;
	if (!pd)
		return cm_fails(ENOMEM);
	bool xrc = a->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && a->srq_type == IBV_SRQT_XRC;
	if (xrc) {
		int e = add_domain(c, a);
		if (e) {
			drop_queues(c);
			return cm_fails(e);
		}
		a->comp_mask |= IBV_SRQ_INIT_ATTR_PD;
		a->pd = pd;
	}
	id->srq = xrc ? ibv_create_srq_ex(id->verbs, a) : ibv_create_srq(pd, (struct ibv_srq_init_attr *)a);
	if (!id->srq)
		return -1;
	id->pd = pd;
	return 0;
}

int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *a)
{
	struct ibv_srq_init_attr_ex x = {.pd = pd};
	memcpy(&x, a, offsetof(struct ibv_srq_init_attr_ex, comp_mask));
	x.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | (pd ? IBV_SRQ_INIT_ATTR_PD : 0);
	x.srq_type = id->qp_type == IBV_QPT_XRC_RECV ? IBV_SRQT_XRC : IBV_SRQT_BASIC;
	return rdma_create_srq_ex(id, &x);
}

void rdma_destroy_srq(struct rdma_cm_id *id)
{
	if (id->srq)
		ibv_destroy_srq(id->srq);
	id->srq = NULL;
	drop_queues((struct cm_id *)id);
}

/* passive makes the listening end of an endpoint. */
static int passive(struct cm_id *c, struct rdma_addrinfo *res, struct ibv_pd *pd, const struct ibv_qp_init_attr *a)
{
	if (rdma_bind_addr(&c->id, res->ai_src_addr))
		return -1;
	if (!a)
		return 0;
	c->init = malloc(sizeof *c->init);
	if (!c->init)
		return cm_fails(ENOMEM);
	*c->init = *a;
	c->init->qp_type = res->ai_qp_type;
	if (pd)
		c->id.pd = pd;
	return 0;
}

/* active makes the connecting end of an endpoint. */
static int active(struct cm_id *c, struct rdma_addrinfo *res, struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	if (rdma_resolve_addr(&c->id, res->ai_src_addr, res->ai_dst_addr, 2000) || rdma_resolve_route(&c->id, 2000))
		return -1;
	if (!a)
		return 0;
	a->qp_type = res->ai_qp_type;
	return rdma_create_qp(&c->id, pd, a);
}

int rdma_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	if (rdma_create_id(NULL, id, NULL, res->ai_port_space))
		return -1;
	struct cm_id *c = (struct cm_id *)*id;
	c->id.qp_type = res->ai_qp_type;
	if (res->ai_flags & RAI_PASSIVE ? passive(c, res, pd, a) : active(c, res, pd, a)) {
		int e = errno;
		rdma_destroy_ep(*id);
		return cm_fails(e);
	}
	return 0;
}

void rdma_destroy_ep(struct rdma_cm_id *id)
{
	rdma_destroy_qp(id);
	rdma_destroy_srq(id);
	rdma_destroy_id(id);
}

int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id)
{
	struct cm_id *l = (struct cm_id *)listen;
	if (!l->sync || !l->listens)
		return cm_fails(EINVAL);
	if (listen->event) {
		rdma_ack_cm_event(listen->event);
		listen->event = NULL;
	}
	struct rdma_cm_event *event;
	if (rdma_get_cm_event(listen->channel, &event))
		return -1;
	if (event->status || event->event != RDMA_CM_EVENT_CONNECT_REQUEST) {
		int status = event->status;
		rdma_ack_cm_event(event);
		return cm_fails(status < 0 ? -status : EINVAL);
	}
	struct rdma_cm_id *r = event->id;
	listen->event = event;
	if (rdma_migrate_id(r, NULL))
		return -1;
	if (l->init) {
		struct ibv_qp_init_attr a = *l->init;
		r->srq = listen->srq;
		if (rdma_create_qp(r, listen->pd, &a)) {
			int e = errno;
			rdma_destroy_id(r);
			return cm_fails(e);
		}
	}
	*id = r;
	return 0;
}
