/* Multicast groups. On RoCE v2 a group is an IP address, and its GID is that address; on InfiniBand its GID and LID are made of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"

int rdma_join_multicast_ex(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *a, void *context)
{
	struct cm_id *c = (struct cm_id *)id;
	if (!(a->comp_mask & RDMA_CM_JOIN_MC_ATTR_ADDRESS) || !id->verbs)
		return cm_fails(EINVAL);
	bool sends_only = a->comp_mask & RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS && a->join_flags == RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER;
	struct cm_group *g = calloc(1, sizeof *g);
	struct cm_event *e = calloc(1, sizeof *e);
	if (!g || !e) {
		free(g);
		free(e);
		return cm_fails(ENOMEM);
	}
	memcpy(&g->addr, a->addr, cm_size_of(a->addr));
	uint8_t address[16];
	struct ibv_ah_attr way;
	cm_bytes_of(a->addr, address);
	weft_way_to(weft_context_of(id->verbs), address, &way);
	g->gid = way.grh.dgid;
	int error = id->qp && !sends_only ? ibv_attach_mcast(id->qp, &g->gid, 0) : 0;
	if (error) {
		free(g);
		free(e);
		return cm_fails(error);
	}
	g->next = c->groups;
	c->groups = g;
	e->e.id = id;
	e->e.event = RDMA_CM_EVENT_MULTICAST_JOIN;
	e->counts_at = c;
	e->e.param.ud = (struct rdma_ud_param){.private_data = context, .qp_num = 0xffffff, .qkey = RDMA_UDP_QKEY};
	e->e.param.ud.ah_attr = way;
	cm_queue(c, e);
	return cm_complete(c);
}

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr, void *context)
{
	struct rdma_cm_join_mc_attr_ex a = {.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS, .addr = addr};
	return rdma_join_multicast_ex(id, &a, context);
}

int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)
{
	struct cm_id *c = (struct cm_id *)id;
	for (struct cm_group **p = &c->groups; *p; p = &(*p)->next) {
		struct cm_group *g = *p;
		if (memcmp(&g->addr, addr, cm_size_of(addr)))
			continue;
		if (id->qp)
			ibv_detach_mcast(id->qp, &g->gid, 0);
		*p = g->next;
		free(g);
		return 0;
	}
	return cm_fails(EADDRNOTAVAIL);
}
