/* IDs, their devices and addresses. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cm.h"

/* cm_bytes_of writes an address as the core takes it. */
void cm_bytes_of(const struct sockaddr *a, uint8_t *address)
{
	if (a->sa_family == AF_INET6) {
		memcpy(address, &((const struct sockaddr_in6 *)a)->sin6_addr, 16);
		return;
	}
	memset(address, 0, 10);
	address[10] = address[11] = 0xff;
	memcpy(address + 12, &((const struct sockaddr_in *)a)->sin_addr, 4);
}

void cm_sockaddr_of(const uint8_t *address, uint16_t port, struct sockaddr_storage *a)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	memset(a, 0, sizeof *a);
	if (!memcmp(address, mapped, sizeof mapped)) {
		struct sockaddr_in *v4 = (struct sockaddr_in *)a;
		v4->sin_family = AF_INET;
		memcpy(&v4->sin_addr, address + 12, 4);
		v4->sin_port = htons(port);
		return;
	}
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)a;
	v6->sin6_family = AF_INET6;
	memcpy(&v6->sin6_addr, address, 16);
	v6->sin6_port = htons(port);
}

uint16_t cm_port_of(const struct sockaddr *a)
{
	return ntohs(a->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port : ((const struct sockaddr_in *)a)->sin_port);
}

void cm_set_port(struct sockaddr *a, uint16_t port)
{
	if (a->sa_family == AF_INET6)
		((struct sockaddr_in6 *)a)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)a)->sin_port = htons(port);
}

socklen_t cm_size_of(const struct sockaddr *a)
{
	return a->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

bool cm_is_any(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET6)
		return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)a)->sin6_addr);
	return ((const struct sockaddr_in *)a)->sin_addr.s_addr == INADDR_ANY;
}

/* The devices that this library has opened. They stay open, as programs keep their contexts. */
enum { most_devices = 64 };
static struct ibv_context *contexts[most_devices + 1];
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

static struct ibv_context *open_nth(struct ibv_device **list, int n)
{
	if (!contexts[n])
		contexts[n] = ibv_open_device(list[n]);
	return contexts[n];
}

static bool is_loopback(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
	return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
}

/*
 * find finds the device with an address, NULL for any. A device that has no address of its own yet,
 * because it takes the first that is free, gets this one if takes is true.
 */
static struct ibv_context *find(const struct sockaddr *a, bool takes)
{
	struct ibv_context *found = NULL;
	char text[INET6_ADDRSTRLEN] = "";
	uint8_t address[16];
	if (a) {
		cm_bytes_of(a, address);
		inet_ntop(a->sa_family, a->sa_family == AF_INET6 ? (const void *)&((const struct sockaddr_in6 *)a)->sin6_addr : &((const struct sockaddr_in *)a)->sin_addr, text, sizeof text);
	}
	pthread_mutex_lock(&contexts_lock);
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);
	for (int i = 0; i < n && i < most_devices && !found; i++) {
		struct weft_devices *d = (struct weft_devices *)list[i];
		bool takes_it = a && takes && !contexts[i] && !*d->address && !getenv("WEFT_EMULATOR");
		if (takes_it)
			snprintf(d->address, sizeof d->address, "%s", text);
		else if (a && !contexts[i] && *d->address && strcmp(d->address, text))
			continue;
		struct ibv_context *c = open_nth(list, i);
		if (!c && takes_it)
			*d->address = 0;
		if (c && (!a || !memcmp(weft_context_of(c)->attr.address, address, sizeof address)))
			found = c;
	}
	ibv_free_device_list(list);
	pthread_mutex_unlock(&contexts_lock);
	return found;
}

/* cm_use gives an ID its device, and the domain that IDs share there if the program names none. */
void cm_use(struct cm_id *c, struct ibv_context *v)
{
	static struct ibv_pd *shared[most_devices];
	c->id.verbs = v;
	c->id.port_num = 1;
	pthread_mutex_lock(&contexts_lock);
	for (int i = 0; i < most_devices && !c->id.pd; i++)
		if (contexts[i] == v) {
			if (!shared[i])
				shared[i] = ibv_alloc_pd(v);
			c->id.pd = shared[i];
		}
	pthread_mutex_unlock(&contexts_lock);
}

/* away is a device that is not at an address of the loopback; NULL if it is, or for NULL. */
static struct ibv_context *away(struct ibv_context *v)
{
	static const uint8_t mapped[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};
	const uint8_t *address = v ? weft_context_of(v)->attr.address : mapped;
	return memcmp(address, mapped, sizeof mapped) && memcmp(address, &in6addr_loopback, 16) ? v : NULL;
}

/*
 * cm_device_at gives an ID the device with a local address, or any. Programs try the addresses of all
 * interfaces to find devices: a device without an address moves to another than the loopback's only for
 * a destination that is reached from there. The loopback's address stands for a device elsewhere, as in the
 * kernel.
 */
int cm_device_at(struct cm_id *c, const struct sockaddr *address, bool reaches)
{
	if (c->id.verbs)
		return 0;
	struct ibv_context *v = address && !cm_is_any(address) ? find(address, reaches || is_loopback(address)) : find(NULL, false);
	if (!v && address && is_loopback(address))
		v = away(find(NULL, false));
	if (!v)
		return address && !cm_is_any(address) ? EADDRNOTAVAIL : ENODEV;
	cm_use(c, v);
	return 0;
}

struct ibv_context **rdma_get_devices(int *num)
{
	int n = 0, opened = 0;
	pthread_mutex_lock(&contexts_lock);
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_context **out = calloc(n + 1, sizeof *out);
	for (int i = 0; i < n && out; i++)
		if (open_nth(list, i))
			out[opened++] = contexts[i];
	ibv_free_device_list(list);
	pthread_mutex_unlock(&contexts_lock);
	if (num)
		*num = opened;
	return out;
}

void rdma_free_devices(struct ibv_context **list) { free(list); }

struct cm_id *cm_new(struct rdma_event_channel *channel, void *context, enum rdma_port_space ps)
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

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps)
{
	if (ps != RDMA_PS_TCP && ps != RDMA_PS_UDP && ps != RDMA_PS_IPOIB && ps != RDMA_PS_IB)
		return cm_fails(EINVAL);
	int e = weft_load();
	if (e)
		return cm_fails(e);
	weft->cm_events(cm_delivered);
	struct cm_id *c = cm_new(channel, context, ps);
	if (!c)
		return cm_fails(ENOMEM);
	*id = &c->id;
	return 0;
}

/* cm_domain is the domain of XRC that IDs share on a device. */
struct ibv_xrcd *cm_domain(struct ibv_context *v)
{
	static struct ibv_xrcd *shared[most_devices];
	struct ibv_xrcd_init_attr a = {.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT};
	struct ibv_xrcd *x = NULL;
	pthread_mutex_lock(&contexts_lock);
	for (int i = 0; i < most_devices && !x; i++)
		if (contexts[i] == v) {
			if (!shared[i])
				shared[i] = ibv_open_xrcd(v, &a);
			x = shared[i];
		}
	pthread_mutex_unlock(&contexts_lock);
	return x;
}

/* cm_core gives an ID with a device its end in the core. */
int cm_core(struct cm_id *c)
{
	if (c->core)
		return 0;
	return weft->cm_create(weft_context_of(c->id.verbs)->id, c->id.qp_type, c->id.ps, (uintptr_t)c, &c->core);
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
	cm_drop_events(c);
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

/* any_port is a port of the range that systems give to programs without one. */
static uint16_t any_port(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return 32768 + (uint64_t)(now.tv_nsec / 7 + getpid() * 31) % 28000;
}

/* take_address sets the local address of an ID, once it has its device. */
static void take_address(struct cm_id *c, uint16_t port)
{
	struct rdma_addr *a = &c->id.route.addr;
	const struct weft_device *d = &weft_context_of(c->id.verbs)->attr;
	cm_sockaddr_of(d->address, port ? port : any_port(), &a->src_storage);
	memcpy(a->addr.ibaddr.sgid.raw, d->gid, 16);
	a->addr.ibaddr.pkey = htons(0xffff);
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	struct cm_id *c = (struct cm_id *)id;
	if (c->bound || (addr->sa_family != AF_INET && addr->sa_family != AF_INET6))
		return cm_fails(EINVAL);
	if (cm_is_any(addr)) { /* it has all devices, and one only once it listens */
		memcpy(&id->route.addr.src_storage, addr, cm_size_of(addr));
		if (!cm_port_of(addr))
			cm_set_port(&id->route.addr.src_addr, any_port());
		c->bound = true;
		return 0;
	}
	int e = cm_device_at(c, addr, false);
	if (e)
		return cm_fails(e);
	take_address(c, cm_port_of(addr));
	c->bound = true;
	return 0;
}

/* source is the local address from which packets to another leave. */
static int source(const struct sockaddr *to, struct sockaddr_storage *from)
{
	int fd = socket(to->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), e = 0;
	struct sockaddr_storage dest;
	memcpy(&dest, to, cm_size_of(to));
	cm_set_port((struct sockaddr *)&dest, 4791);
	socklen_t n = sizeof *from;
	if (fd < 0 || connect(fd, (struct sockaddr *)&dest, cm_size_of(to)) || getsockname(fd, (struct sockaddr *)from, &n))
		e = errno;
	if (fd >= 0)
		close(fd);
	return e;
}

static bool same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	uint8_t of[2][16];
	cm_bytes_of(a, of[0]);
	cm_bytes_of(b, of[1]);
	return !memcmp(of[0], of[1], sizeof of[0]);
}

/* reaches is the error for an address to which no packet of an ID's device can go. */
static int reaches(const struct cm_id *c, const struct sockaddr *dst)
{
	uint8_t to[16];
	cm_bytes_of(dst, to);
	return weft->reaches(weft_context_of(c->id.verbs)->id, to);
}

/* way_to_peer is how packets get to the peer's address. */
static void way_to_peer(struct rdma_cm_id *id, struct ibv_ah_attr *way)
{
	uint8_t address[16];
	cm_bytes_of(&id->route.addr.dst_addr, address);
	weft_way_to(weft_context_of(id->verbs), address, way);
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst, int timeout_ms)
{
	struct cm_id *c = (struct cm_id *)id;
	struct sockaddr_storage from;
	if (dst->sa_family != AF_INET && dst->sa_family != AF_INET6)
		return cm_fails(EINVAL);
	bool multicast = dst->sa_family == AF_INET ? IN_MULTICAST(ntohl(((struct sockaddr_in *)dst)->sin_addr.s_addr))
						   : IN6_IS_ADDR_MULTICAST(&((struct sockaddr_in6 *)dst)->sin6_addr);
	int e = 0;
	if (src && !cm_is_any(src))
		e = cm_device_at(c, src, true);
	else if (is_loopback(dst) || multicast || getenv("WEFT_EMULATOR"))
		e = cm_device_at(c, NULL, false);
	else if (!(e = source(dst, &from))) /* an address of this machine is reached from any other */
		e = cm_device_at(c, same_address((struct sockaddr *)&from, dst) ? NULL : (struct sockaddr *)&from, true);
	if (!e && !multicast)
		e = reaches(c, dst);
	if (e == EHOSTUNREACH) { /* nobody is there, as the kernel says after it has asked */
		e = cm_tell(c, RDMA_CM_EVENT_ADDR_ERROR, -e);
		return e ? cm_fails(e) : cm_complete(c);
	}
	if (e)
		return cm_fails(e);
	take_address(c, c->bound ? cm_port_of(&id->route.addr.src_addr) : src ? cm_port_of(src) : 0);
	c->bound = true;
	memcpy(&id->route.addr.dst_storage, dst, cm_size_of(dst));
	struct ibv_ah_attr way;
	way_to_peer(id, &way);
	id->route.addr.addr.ibaddr.dgid = way.grh.dgid;
	e = cm_tell(c, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	return e ? cm_fails(e) : cm_complete(c);
}

/*
 * set_path sets the one path to the peer, as a subnet's manager would tell it. It is known without a question, since a
 * LID tells the address. "Exactly" is how the MTU and the rate are meant.
 */
static int set_path(struct rdma_cm_id *id)
{
	enum { exactly = 2 };
	struct ibv_port_attr port;
	struct ibv_ah_attr way;
	int e = ibv_query_port(id->verbs, 1, &port);
	if (!id->route.path_rec && !(id->route.path_rec = malloc(sizeof *id->route.path_rec)))
		e = ENOMEM;
	if (e)
		return e;
	way_to_peer(id, &way);
	*id->route.path_rec = (struct ibv_sa_path_rec){
		.dgid = way.grh.dgid, .sgid = id->route.addr.addr.ibaddr.sgid, .dlid = htons(way.dlid), .slid = htons(port.lid),
		.hop_limit = way.is_global ? way.grh.hop_limit : 0, .reversible = 1, .numb_path = 1, .pkey = htons(0xffff),
		.mtu_selector = exactly, .mtu = port.active_mtu, .packet_life_time_selector = exactly, .packet_life_time = port.subnet_timeout,
	};
	id->route.num_paths = 1;
	return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	struct cm_id *c = (struct cm_id *)id;
	if (!id->verbs)
		return cm_fails(EINVAL);
	int e = set_path(id);
	if (!e)
		e = cm_tell(c, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	return e ? cm_fails(e) : cm_complete(c);
}

/* Without a device a port is still known, as with the kernel. */
__be16 rdma_get_src_port(struct rdma_cm_id *id) { return htons(cm_port_of(&id->route.addr.src_addr)); }
__be16 rdma_get_dst_port(struct rdma_cm_id *id) { return htons(cm_port_of(&id->route.addr.dst_addr)); }

/* idle says that an option has no effect, if the user has asked for explanations. */
static void idle(const char *option)
{
	if (getenv("WEFT_VERBS_EXPLAIN"))
		fprintf(stderr, "weft: rdma_set_option: %s has no effect on a device of weft\n", option);
}

/* without refuses an option that has no effect, as the kernel does those that it does not know. */
static int without(const char *option)
{
	idle(option);
	return cm_fails(ENOSYS);
}

/* switch_on takes an option that is on or off, until the ID listens. */
static int switch_on(const struct cm_id *c, const void *value, size_t size, bool *is)
{
	int on;
	if (size != sizeof on || c->listens)
		return cm_fails(EINVAL);
	memcpy(&on, value, sizeof on);
	*is = on;
	return 0;
}

/*
 * An address is used again without an option: a port is free at once when its listener ends. The class of packets is
 * taken as by verbs (ah_attr.grh.traffic_class), though packets do not carry it: programs set it as a matter of course,
 * and some end if they cannot. InfiniBand's paths are refused: who sets one means to use it.
 */
int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)
{
	struct cm_id *c = (struct cm_id *)id;
	bool reuse;
	if (!optval)
		return cm_fails(EINVAL);
	if (level == RDMA_OPTION_IB)
		return without("the level RDMA_OPTION_IB");
	if (level != RDMA_OPTION_ID)
		return without("a level that is neither RDMA_OPTION_ID nor RDMA_OPTION_IB");
	switch (optname) {
	case RDMA_OPTION_ID_REUSEADDR:
		return switch_on(c, optval, optlen, &reuse);
	case RDMA_OPTION_ID_AFONLY:
		return switch_on(c, optval, optlen, &c->one_family);
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		if (optlen != 1 || *(const uint8_t *)optval > 31)
			return cm_fails(EINVAL);
		c->ack_timeout = *(const uint8_t *)optval;
		return 0;
	case RDMA_OPTION_ID_TOS:
		if (optlen != 1)
			return cm_fails(EINVAL);
		idle("RDMA_OPTION_ID_TOS");
		return 0;
	}
	return without("an option that is unknown");
}
