/* Devices, their contexts, ports, GIDs and P_Keys. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weft.h"

enum { most_devices = 64 };

/*
 * devices reads WEFT_VERBS_DEVICES: entries "name=address" or "name", with commas between. Without it
 * there is one device, at the first free address of the loopback.
 */
static int devices(struct weft_devices *out[])
{
	const char *list = getenv("WEFT_VERBS_DEVICES");
	char *copy = strdup(list && *list ? list : "weft0"), *rest = copy;
	int n = 0;
	for (char *entry; n < most_devices && (entry = strsep(&rest, ",")); n++) {
		struct weft_devices *d = calloc(1, sizeof *d);
		char *address = strchr(entry, '=');
		if (address)
			*address++ = 0;
		snprintf(d->device.name, sizeof d->device.name, "%s", entry);
		snprintf(d->device.dev_name, sizeof d->device.dev_name, "%s", entry);
		snprintf(d->device.dev_path, sizeof d->device.dev_path, "/sys/class/infiniband_verbs/%s", entry);
		snprintf(d->device.ibdev_path, sizeof d->device.ibdev_path, "/sys/class/infiniband/%s", entry);
		snprintf(d->address, sizeof d->address, "%s", address ? address : "");
		d->device.node_type = IBV_NODE_CA;
		d->device.transport_type = IBV_TRANSPORT_IB;
		out[n] = d;
	}
	free(copy);
	return n;
}

struct ibv_device **ibv_get_device_list(int *num)
{
	/* Devices live as long as the process: a context keeps a pointer to its own. */
	static struct weft_devices *all[most_devices];
	static int count;
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&once);
	if (!count)
		count = devices(all);
	pthread_mutex_unlock(&once);
	struct ibv_device **list = calloc(count + 1, sizeof *list);
	for (int i = 0; i < count; i++)
		list[i] = &all[i]->device;
	if (num)
		*num = count;
	return list;
}

void ibv_free_device_list(struct ibv_device **list) { free(list); }

const char *ibv_get_device_name(struct ibv_device *d) { return d->name; }

int ibv_get_device_index(struct ibv_device *d)
{
	int n = 0, index = -1;
	struct ibv_device **list = ibv_get_device_list(&n);
	for (int i = 0; i < n; i++)
		if (list[i] == d)
			index = i;
	ibv_free_device_list(list);
	return index;
}

/* A GUID is of the process and the device: locally administered, "wf", the process, the device. */
__be64 ibv_get_device_guid(struct ibv_device *d)
{
	return htobe64(0x0277660000000000ull | (uint64_t)(uint32_t)getpid() << 8 | (uint8_t)(ibv_get_device_index(d) + 1));
}

struct weft_context *weft_context_of(struct ibv_context *c) { return (struct weft_context *)verbs_get_ctx(c); }

/* opened are the open contexts. A fork has no threads of the core: its calls fail. */
static struct weft_context *opened;
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;

static int no_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc) { return -EIO; }
static int no_notify(struct ibv_cq *cq, int solicited) { return EIO; }
static int no_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) { *bad = wr; return EIO; }
static int no_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { *bad = wr; return EIO; }
static int no_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { *bad = wr; return EIO; }

static const struct weft_core orphaned_core;

static void orphan(void)
{
	for (struct weft_context *c = opened; c; c = c->next) {
		struct ibv_context_ops *ops = &c->v.context.ops;
		c->orphaned = true;
		ops->poll_cq = no_poll;
		ops->req_notify_cq = no_notify;
		ops->post_send = no_send;
		ops->post_recv = no_recv;
		ops->post_srq_recv = no_srq_recv;
	}
	if (weft)
		weft = &orphaned_core;
}

/* What the core's calls are in a fork. */
#define WEFT_ORPHAN(name, args) static int orphan_##name args { return EIO; }
WEFT_CALLS(WEFT_ORPHAN)
#define WEFT_ORPHAN_ENTRY(name, args) orphan_##name,
static const struct weft_core orphaned_core = {sizeof(struct weft_core), WEFT_CALLS(WEFT_ORPHAN_ENTRY)};

static int query_port(struct ibv_context *c, uint8_t port, struct ibv_port_attr *out, size_t size);

static void fill(struct weft_context *c, struct ibv_device *d)
{
	struct ibv_context *x = &c->v.context;
	c->v.sz = sizeof c->v;
	c->v.query_port = query_port;
	weft_extend(&c->v);
	x->device = d;
	x->abi_compat = __VERBS_ABI_IS_EXTENDED;
	x->num_comp_vectors = 1;
	x->ops.poll_cq = weft_poll_cq;
	x->ops.req_notify_cq = weft_req_notify_cq;
	x->ops.post_send = weft_post_send;
	x->ops.post_recv = weft_post_recv;
	x->ops.post_srq_recv = weft_post_srq_recv;
	x->ops.alloc_mw = weft_alloc_mw;
	x->ops.bind_mw = weft_bind_mw;
	x->ops.dealloc_mw = weft_dealloc_mw;
	pthread_mutex_init(&x->mutex, NULL);
}

static bool is_ib(const struct weft_context *c) { return c->attr.link == IBV_LINK_LAYER_INFINIBAND; }

/* tell_files has the preloaded library show the files of InfiniBand. */
static void tell_files(void)
{
	void (*tell)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "weft_on_infiniband");
	if (tell)
		tell();
}

/* fabric_clock is the clock of the emulated fabric: all devices of a process are on one. */
static int fabric_clock(int64_t *ps)
{
	pthread_mutex_lock(&opened_lock);
	int e = opened ? weft->clock(opened->id, ps) : ENODEV;
	pthread_mutex_unlock(&opened_lock);
	return e;
}

/* tell_clock has the preloaded library of clocks, if it is there, follow the fabric's. */
static void tell_clock(void)
{
	void (*tell)(int (*)(int64_t *)) = (void (*)(int (*)(int64_t *)))dlsym(RTLD_DEFAULT, "weft_clock_by");
	if (tell && getenv("WEFT_EMULATOR"))
		tell(fabric_clock);
}

struct ibv_context *ibv_open_device(struct ibv_device *d)
{
	int e = weft_load(), pipes[2];
	if (!e && pipe2(pipes, O_CLOEXEC))
		e = errno;
	if (e) {
		errno = e;
		return NULL;
	}
	fcntl(pipes[1], F_SETFL, O_NONBLOCK);
	struct weft_context *c = calloc(1, sizeof *c);
	e = weft->open(d->name, ((struct weft_devices *)d)->address, pipes[1], &c->id);
	if (e) {
		close(pipes[0]);
		close(pipes[1]);
		free(c);
		errno = e;
		return NULL;
	}
	fill(c, d);
	c->v.context.async_fd = pipes[0];
	c->v.context.cmd_fd = pipes[1]; /* a valid descriptor: programs pass it on */
	c->event_in = pipes[1];
	weft->query(c->id, &c->attr);
	if (is_ib(c))
		tell_files();
	static bool forks;
	pthread_mutex_lock(&opened_lock);
	if (!forks)
		forks = !pthread_atfork(NULL, NULL, orphan);
	c->next = opened;
	opened = c;
	pthread_mutex_unlock(&opened_lock);
	tell_clock();
	return &c->v.context;
}

struct ibv_device *weft_device_of(int cmd_fd)
{
	struct stat it, own;
	struct ibv_device *found = NULL;
	if (fstat(cmd_fd, &it))
		return NULL;
	pthread_mutex_lock(&opened_lock);
	for (struct weft_context *c = opened; c && !found; c = c->next)
		if (!fstat(c->event_in, &own) && own.st_dev == it.st_dev && own.st_ino == it.st_ino)
			found = c->v.context.device;
	pthread_mutex_unlock(&opened_lock);
	return found;
}

int ibv_close_device(struct ibv_context *context)
{
	struct weft_context *c = weft_context_of(context);
	pthread_mutex_lock(&opened_lock);
	for (struct weft_context **p = &opened; *p; p = &(*p)->next)
		if (*p == c) {
			*p = c->next;
			break;
		}
	pthread_mutex_unlock(&opened_lock);
	if (!c->orphaned)
		weft->close(c->id);
	close(context->async_fd);
	close(c->event_in);
	free(c);
	return 0;
}

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

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *out, size_t size)
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
	return query_port(context, port, (struct ibv_port_attr *)a, offsetof(struct ibv_port_attr, port_cap_flags2));
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
