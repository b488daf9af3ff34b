/* The attributes of a device, its port, its GID and its P_Key. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "weft.h"

static bool is_ib(const struct weft_context *c) { return c->attr.link == IBV_LINK_LAYER_INFINIBAND; }

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *a)
{
	struct weft_context *c = weft_context_of(context);
	const struct weft_device *w = &c->attr;
	*a = (struct ibv_device_attr){
		.node_guid = ibv_get_device_guid(context->device),
		.sys_image_guid = ibv_get_device_guid(context->device),
		.vendor_id = 0xffffff, /* nobody's: software, as Linux's rxe has it */
		.max_mr_size = w->max_mr_size,
		.page_size_cap = (uint64_t)sysconf(_SC_PAGESIZE),
		.max_qp = w->max_qp,
		.max_qp_wr = w->max_qp_wr,
		.device_cap_flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_SYS_IMAGE_GUID |
				    IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B | IBV_DEVICE_XRC,
		.max_sge = w->max_sge,
		.max_sge_rd = w->max_sge,
		.max_cq = 1 << 20,
		.max_cqe = w->max_cqe,
		.max_mr = w->max_mr,
		.max_pd = 1 << 20,
		.max_qp_rd_atom = w->max_rd_atomic,
		.max_res_rd_atom = 1 << 20,
		.max_qp_init_rd_atom = w->max_rd_atomic,
		.atomic_cap = IBV_ATOMIC_HCA,
		.max_mw = w->max_mr,
		.max_mcast_grp = w->max_mcast_grp,
		.max_mcast_qp_attach = 1 << 16,
		.max_total_mcast_qp_attach = 1 << 20,
		.max_ah = w->max_ah,
		.max_srq = 1 << 20,
		.max_srq_wr = w->max_qp_wr,
		.max_srq_sge = w->max_sge,
		.max_pkeys = 1,
		.phys_port_cnt = 1,
	};
	snprintf(a->fw_ver, sizeof a->fw_ver, "weft");
	return 0;
}

static enum ibv_mtu mtu_code(uint32_t bytes)
{
	int code = IBV_MTU_256;
	while (bytes > 256) {
		bytes /= 2;
		code++;
	}
	return code;
}

int weft_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *out, size_t size)
{
	struct weft_context *c = weft_context_of(context);
	if (port != 1)
		return EINVAL;
	struct weft_device now;
	int e = weft->query(c->id, &now);
	if (e)
		return e;
	struct ibv_port_attr a = {
		.state = now.state,
		.max_mtu = mtu_code(now.max_mtu),
		.active_mtu = mtu_code(now.active_mtu),
		.gid_tbl_len = 1,
		.port_cap_flags = IBV_PORT_CM_SUP | (is_ib(c) ? 0 : IBV_PORT_IP_BASED_GIDS),
		.max_msg_sz = now.max_message > UINT32_MAX ? UINT32_MAX : now.max_message,
		.pkey_tbl_len = 1,
		.max_vl_num = 1,
		.active_width = 2,  /* 4X */
		.active_speed = 32, /* 25.78125 Gb/s a lane: a name for a link that has no speed of its own */
		.phys_state = now.state == IBV_PORT_ACTIVE ? 5 : 3,
		.link_layer = now.link,
		.lid = now.lid,
		.sm_lid = now.sm_lid,
		.subnet_timeout = is_ib(c) ? 18 : 0, /* OpenSM's */
	};
	memset(out, 0, size);
	memcpy(out, &a, size < sizeof a ? size : sizeof a);
	return 0;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *a)
{
	/* Programs of before the extended call know the attributes up to flags. */
	return weft_query_port(context, port, (struct ibv_port_attr *)a, offsetof(struct ibv_port_attr, port_cap_flags2));
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	if (port != 1 || index != 0) {
		errno = EINVAL;
		return -1;
	}
	memcpy(gid->raw, weft_context_of(context)->attr.gid, sizeof gid->raw);
	return 0;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *out, uint32_t flags, size_t size)
{
	if (flags || port != 1)
		return EINVAL;
	if (index != 0)
		return index < 1 ? ENODATA : EINVAL;
	struct ibv_gid_entry e = {.gid_index = 0, .port_num = 1, .gid_type = is_ib(weft_context_of(context)) ? IBV_GID_TYPE_IB : IBV_GID_TYPE_ROCE_V2, .ndev_ifindex = weft_context_of(context)->attr.ifindex};
	memcpy(e.gid.raw, weft_context_of(context)->attr.gid, sizeof e.gid.raw);
	memset(out, 0, size);
	memcpy(out, &e, size < sizeof e ? size : sizeof e);
	return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most, uint32_t flags, size_t size)
{
	if (flags)
		return -EINVAL;
	if (!most)
		return -EINVAL; /* one entry has no room */
	int e = _ibv_query_gid_ex(context, 1, 0, entries, 0, size);
	return e ? -e : 1;
}

/* The kernel's numbers: 0 is InfiniBand or RoCE v1, 1 is RoCE v2. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, int *type)
{
	if (port != 1 || index != 0)
		return EINVAL;
	*type = !is_ib(weft_context_of(context));
	return 0;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	if (port != 1 || index != 0) {
		errno = EINVAL;
		return -1;
	}
	*pkey = htobe16(0xffff);
	return 0;
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	if (port == 1 && pkey == htobe16(0xffff))
		return 0;
	errno = EINVAL;
	return -1;
}
