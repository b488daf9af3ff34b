/* IDs: made by programs and by the requests of peers, and their ends. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"

static struct cm_id *new_id(struct rdma_event_channel *channel, void *context, enum rdma_port_space ps)
{
	struct cm_id *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->sync = !channel;
	if (c->sync && !(channel = rdma_create_event_channel())) {
		free(c);
		return NULL;
	}
	c->id.channel = channel;
	c->id.context = context;
	c->id.ps = ps;
	c->id.qp_type = ps == RDMA_PS_UDP || ps == RDMA_PS_IPOIB ? IBV_QPT_UD : IBV_QPT_RC;
	pthread_cond_init(&c->acknowledged, NULL);
	return c;
}

/* requested makes the ID of a request to a listener. */
static struct cm_id *requested(struct cm_id *listener, const struct weft_cm_event *from)
{
	struct cm_id *c = new_id(listener->id.channel, listener->id.context, listener->id.ps);
	if (!c)
		return NULL;
	struct rdma_addr *a = &c->id.route.addr;
	cm_use(c, listener->id.verbs);
	c->core = from->request;
	c->id.qp_type = from->qp_type;
	c->bound = true;
	struct weft_context *v = weft_context_of(c->id.verbs);
	struct ibv_ah_attr way;
	cm_sockaddr_of(v->attr.address, cm_port_of(&listener->id.route.addr.src_addr), &a->src_storage);
	cm_sockaddr_of(from->peer, from->port, &a->dst_storage);
	weft_way_to(v, from->peer, &way);
	memcpy(a->addr.ibaddr.sgid.raw, v->attr.gid, 16);
	a->addr.ibaddr.dgid = way.grh.dgid;
	a->addr.ibaddr.pkey = htons(0xffff);
	weft->cm_adopt(from->request, (uintptr_t)c);
	return c;
}

/* delivered takes an event from the core, on a thread of its own. */
static void delivered(uintptr_t object, const struct weft_cm_event *from)
{
	struct cm_id *at = (struct cm_id *)object;
	struct cm_event *e = calloc(1, sizeof *e);
	if (!e)
		return;
	struct cm_id *c = from->request ? requested(at, from) : at;
	if (!c) {
		weft->cm_destroy(from->request);
		free(e);
		return;
	}
	e->counts_at = at;
	e->e.id = &c->id;
	e->e.listen_id = from->request ? &at->id : NULL;
	e->e.event = from->type;
	e->e.status = from->status;
	memcpy(e->private_data, from->private_data, sizeof e->private_data);
	const void *private_data = from->private_len ? e->private_data : NULL;
	if (c->id.qp_type == IBV_QPT_UD) {
		struct rdma_ud_param *p = &e->e.param.ud;
		p->private_data = private_data;
		p->private_data_len = from->private_len;
		p->qp_num = from->qp_num;
		p->qkey = from->qkey;
		weft_way_to(weft_context_of(c->id.verbs), from->peer, &p->ah_attr);
	} else {
		e->e.param.conn = (struct rdma_conn_param){
			.private_data = private_data,
			.private_data_len = from->private_len,
			.responder_resources = from->responder_resources,
			.initiator_depth = from->initiator_depth,
			.retry_count = from->retry_count,
			.rnr_retry_count = from->rnr_retry_count,
			.srq = from->srq,
			.qp_num = from->qp_num,
		};
	}
	cm_queue(at, e);
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps)
{
	if (ps != RDMA_PS_TCP && ps != RDMA_PS_UDP && ps != RDMA_PS_IPOIB && ps != RDMA_PS_IB)
		return cm_fails(EINVAL);
	int e = weft_load();
	if (e)
		return cm_fails(e);
	weft->cm_events(delivered);
	struct cm_id *c = new_id(channel, context, ps);
	if (!c)
		return cm_fails(ENOMEM);
	*id = &c->id;
	return 0;
}

/* cm_core gives an ID with a device its end in the core. */
int cm_core(struct cm_id *c)
{
	if (c->core)
		return 0;
	return weft->cm_create(weft_context_of(c->id.verbs)->id, c->id.qp_type, c->id.ps, (uintptr_t)c, &c->core);
}

/* drop_events drops the queued events of an ID, with the IDs of requests that nobody has seen. */
static void drop_events(struct cm_id *c)
{
	for (;;) {
		pthread_mutex_lock(&cm_lock);
		struct cm_event *e = c->id.channel ? cm_take_event((struct cm_channel *)c->id.channel, c) : NULL;
		pthread_mutex_unlock(&cm_lock);
		if (!e)
			return;
		if (e->e.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			rdma_destroy_id(e->e.id);
		free(e);
	}
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	struct cm_id *c = (struct cm_id *)id;
	if (c->core)
		weft->cm_destroy(c->core);
	c->core = 0;
	while (c->groups)
		rdma_leave_multicast(id, (struct sockaddr *)&c->groups->addr);
	if (id->event)
		rdma_ack_cm_event(id->event);
	drop_events(c);
	pthread_mutex_lock(&cm_lock);
	while (c->reported)
		pthread_cond_wait(&c->acknowledged, &cm_lock);
	pthread_mutex_unlock(&cm_lock);
	if (c->sync)
		rdma_destroy_event_channel(id->channel);
	free(id->route.path_rec);
	free(c->init);
	free(c);
	return 0;
}
