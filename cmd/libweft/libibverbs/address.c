/* Destinations: address handles, and multicast groups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "weft.h"

/* On InfiniBand a destination has a LID, and a GID if it is global; on Ethernet a GID alone. */
int weft_destination(struct weft_context *c, const struct ibv_ah_attr *a, uint8_t *address)
{
	if (a->port_num != 1 || (a->is_global && a->grh.sgid_index))
		return EINVAL;
	return a->is_global ? weft->address_of_gid(c->id, a->grh.dgid.raw, address) : weft->address_of_lid(c->id, a->dlid, address);
}

void weft_way_to(struct weft_context *c, const uint8_t *address, struct ibv_ah_attr *a)
{
	*a = (struct ibv_ah_attr){.port_num = 1, .grh = {.hop_limit = 64}};
	weft->locate(c->id, address, a->grh.dgid.raw, &a->dlid);
	a->is_global = !a->dlid || a->dlid >= 0xc000; /* a group's */
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *a)
{
	struct weft_ah *h = calloc(1, sizeof *h);
	uint8_t address[16];
	int e = weft_destination(weft_context_of(pd->context), a, address);
	if (!e)
		e = weft->create_ah(((struct weft_pd *)pd)->id, address, &h->id);
	if (e)
		return weft_failed(h, e);
	h->ah.context = pd->context;
	h->ah.pd = pd;
	return &h->ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	struct weft_ah *h = (struct weft_ah *)ah;
	int e = weft->destroy_ah(h->id);
	if (!e)
		free(h);
	return e;
}

/* The sender of a datagram, from the 40 bytes before its data: over IPv4 the last 20 are IP's. */
static void sender(const struct ibv_grh *grh, union ibv_gid *gid)
{
	const uint8_t *b = (const uint8_t *)grh;
	if (b[0] >> 4 == 6) {
		*gid = grh->sgid;
		return;
	}
	memset(gid->raw, 0, 10);
	memset(gid->raw + 10, 0xff, 2);
	memcpy(gid->raw + 12, b + 20 + 12, 4);
}

int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *a)
{
	*a = (struct ibv_ah_attr){.dlid = wc->slid, .port_num = port, .sl = wc->sl};
	if (wc->wc_flags & IBV_WC_GRH) {
		a->is_global = 1;
		a->grh.hop_limit = 64;
		sender(grh, &a->grh.dgid);
	}
	return a->is_global || a->dlid ? 0 : EINVAL;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	struct ibv_ah_attr a;
	int e = ibv_init_ah_from_wc(pd->context, port, wc, grh, &a);
	if (e) {
		errno = e;
		return NULL;
	}
	return ibv_create_ah(pd, &a);
}

static int multicast(struct ibv_qp *qp, const union ibv_gid *gid, int attach)
{
	uint8_t address[16];
	int e = weft->address_of_gid(weft_context_of(qp->context)->id, gid->raw, address);
	return e ? e : weft->mcast(((struct weft_qp *)qp)->id, address, attach);
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) { return multicast(qp, gid, 1); }

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) { return multicast(qp, gid, 0); }

/* Ethernet's addresses are the kernel's matter here. */
int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *a, uint8_t mac[ETHERNET_LL_SIZE], uint16_t *vid)
{
	return EOPNOTSUPP;
}
