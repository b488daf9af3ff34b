/* The program's buffer: the addresses of a datagram, and the datagram. */
#include <string.h>

#include "umad.h"

size_t umad_size(void) { return sizeof(struct ib_user_mad); }
void *umad_get_mad(void *umad) { return ((struct ib_user_mad *)umad)->data; }
int umad_status(void *umad) { return ((struct ib_user_mad *)umad)->status; }
ib_mad_addr_t *umad_get_mad_addr(void *umad) { return &((struct ib_user_mad *)umad)->addr; }

int umad_set_addr_net(void *umad, __be16 dlid, __be32 dqp, int sl, __be32 qkey)
{
	ib_mad_addr_t *a = umad_get_mad_addr(umad);
	a->lid = dlid;
	a->qpn = dqp;
	a->sl = sl;
	a->qkey = qkey;
	return 0;
}

int umad_set_addr(void *umad, int dlid, int dqp, int sl, int qkey)
{
	return umad_set_addr_net(umad, htobe16(dlid), htobe32(dqp), sl, htobe32(qkey));
}

int umad_set_grh_net(void *umad, void *from)
{
	ib_mad_addr_t *a = umad_get_mad_addr(umad), *grh = from;
	a->grh_present = grh != NULL;
	if (!grh)
		return 0;
	memcpy(a->gid, grh->gid, sizeof a->gid);
	a->flow_label = grh->flow_label;
	a->hop_limit = grh->hop_limit;
	a->traffic_class = grh->traffic_class;
	a->gid_index = grh->gid_index;
	return 0;
}

int umad_set_grh(void *umad, void *from)
{
	int failed = umad_set_grh_net(umad, from);
	ib_mad_addr_t *a = umad_get_mad_addr(umad);
	if (from)
		a->flow_label = htobe32(a->flow_label);
	return failed;
}

int umad_set_pkey(void *umad, int index)
{
	umad_get_mad_addr(umad)->pkey_index = index;
	return 0;
}

int umad_get_pkey(void *umad) { return umad_get_mad_addr(umad)->pkey_index; }
