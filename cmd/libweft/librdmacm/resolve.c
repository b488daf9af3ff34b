/* The addresses of IDs, and their ways to a peer. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cm.h"

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
	else if (cm_is_loopback(dst) || multicast || getenv("WEFT_EMULATOR"))
		e = cm_device_at(c, NULL, false);
	else if (!(e = source(dst, &from))) /* an address of this machine is reached from any other */
		e = cm_device_at(c, cm_same_address((struct sockaddr *)&from, dst) ? NULL : (struct sockaddr *)&from, true);
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
