/* Work requests. */
#include <endian.h>
#include <errno.h>

#include "weft.h"

/* buffers translates a list of buffers; a longer one than a queue takes is refused before. */
static const struct weft_sge *buffers(struct weft_sge *to, const struct ibv_sge *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = (struct weft_sge){list[i].addr, list[i].length, list[i].lkey, 0};
	return to;
}

static void bind_of(const struct ibv_send_wr *wr, struct weft_bind *b)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;
	*b = (struct weft_bind){
		.mw = wr->bind_mw.mw ? ((struct weft_mw *)wr->bind_mw.mw)->id : 0,
		.mr = info->mr ? ((struct weft_mr *)info->mr)->id : 0,
		.addr = info->addr,
		.length = info->length,
		.access = weft_window_rights(info),
		.rkey = wr->bind_mw.rkey,
	};
}

static void fill(const struct ibv_qp *qp, const struct ibv_send_wr *wr, struct weft_send *w)
{
	w->wr_id = wr->wr_id;
	w->opcode = wr->opcode;
	w->flags = wr->send_flags;
	w->imm_data = wr->opcode == IBV_WR_SEND_WITH_INV || wr->opcode == IBV_WR_LOCAL_INV ? wr->invalidate_rkey : be32toh(wr->imm_data);
	w->num_sge = wr->num_sge;
	w->ah = 0;
	w->bind.mw = 0;
	w->dest_qpn = w->qkey = 0;
	w->remote_srq = qp->qp_type == IBV_QPT_XRC_SEND ? wr->qp_type.xrc.remote_srqn : 0;
	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		w->remote_addr = wr->wr.atomic.remote_addr;
		w->rkey = wr->wr.atomic.rkey;
		w->compare_add = wr->wr.atomic.compare_add;
		w->swap = wr->wr.atomic.swap;
		return;
	case IBV_WR_BIND_MW:
		bind_of(wr, &w->bind);
		return;
	default:
		break;
	}
	if (qp->qp_type == IBV_QPT_UD) {
		w->ah = wr->wr.ud.ah ? ((struct weft_ah *)wr->wr.ud.ah)->id : 0;
		w->dest_qpn = wr->wr.ud.remote_qpn;
		w->qkey = wr->wr.ud.remote_qkey;
		return;
	}
	w->remote_addr = wr->wr.rdma.remote_addr;
	w->rkey = wr->wr.rdma.rkey;
}

int weft_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct weft_qp *q = (struct weft_qp *)qp;
	struct weft_send w;
	struct weft_sge room[weft_max_sge];
	for (; wr; wr = wr->next) {
		/* Inline data comes in as many pieces as the program likes. */
		uint32_t most = wr->send_flags & IBV_SEND_INLINE ? weft_max_sge : q->cap.max_send_sge;
		int e = (uint32_t)wr->num_sge > most ? EINVAL : 0;
		if (!e) {
			fill(qp, wr, &w);
			w.sge = buffers(room, wr->sg_list, wr->num_sge);
			e = weft->post_send(q->id, &w);
		}
		if (e) {
			*bad = wr;
			return e;
		}
	}
	return 0;
}

int weft_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct weft_qp *q = (struct weft_qp *)qp;
	struct weft_sge room[weft_max_sge];
	for (; wr; wr = wr->next) {
		struct weft_recv w = {wr->wr_id, room, wr->num_sge};
		int e = (uint32_t)wr->num_sge > q->cap.max_recv_sge ? EINVAL : 0;
		if (!e) {
			buffers(room, wr->sg_list, wr->num_sge);
			e = weft->post_recv(q->id, &w);
		}
		if (e) {
			*bad = wr;
			return e;
		}
	}
	return 0;
}

int weft_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct weft_srq *s = (struct weft_srq *)srq;
	struct weft_sge room[weft_max_sge];
	for (; wr; wr = wr->next) {
		struct weft_recv w = {wr->wr_id, room, wr->num_sge};
		int e = (uint32_t)wr->num_sge > s->max_sge ? EINVAL : 0;
		if (!e) {
			buffers(room, wr->sg_list, wr->num_sge);
			e = weft->post_srq_recv(s->id, &w);
		}
		if (e) {
			*bad = wr;
			return e;
		}
	}
	return 0;
}
