/* The table of sockets, and their connections. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rsocket.h"

/* Descriptors of sockets. Memory of the table is taken where it is used. */
enum { most_sockets = 1 << 16 };
static _Atomic(struct rsock *) sockets[most_sockets];

/* What a socket has if the program does not say otherwise, as in librdmacm. */
enum { default_size = 1 << 17, default_requests = 384, default_inline = 64, default_keep_idle = 7200 };

enum { patience_ms = 2000 }; /* with an address or a route */

struct rsock *rs_of(int fd)
{
	struct rsock *rs = fd >= 0 && fd < most_sockets ? sockets[fd] : NULL;
	if (!rs)
		errno = EBADF;
	return rs;
}

struct rsock *rs_stream_of(int fd)
{
	struct rsock *rs = rs_of(fd);
	if (rs && rs->d) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return rs;
}

/* made is a new socket in the table, with the options of a listener; NULL and errno if there is none. */
static struct rsock *made(const struct rsock *listener)
{
	struct rsock *rs = calloc(1, sizeof *rs);
	if (!rs || !(rs->channel = rdma_create_event_channel())) {
		free(rs);
		errno = ENOMEM;
		return NULL;
	}
	rs->fd = rs->channel->fd;
	if (rs->fd >= most_sockets) {
		rdma_destroy_event_channel(rs->channel);
		free(rs);
		errno = EMFILE;
		return NULL;
	}
	fcntl(rs->fd, F_SETFL, O_NONBLOCK);
	pthread_mutex_init(&rs->lock, NULL);
	if (listener) {
		rs->domain = listener->domain;
		rs->status_flags = listener->status_flags;
		rs->fd_flags = listener->fd_flags;
		rs->send_size = listener->send_size;
		rs->receive_size = listener->receive_size;
		rs->sends = listener->sends;
		rs->receives = listener->receives;
		rs->inlines = listener->inlines;
		rs->maps = listener->maps;
		rs->keep_idle = listener->keep_idle;
		rs->switches = listener->switches;
	} else {
		rs->send_size = rs->receive_size = default_size;
		rs->sends = rs->receives = default_requests;
		rs->inlines = default_inline;
		rs->keep_idle = default_keep_idle;
	}
	sockets[rs->fd] = rs;
	return rs;
}

static void drop(struct rsock *rs)
{
	sockets[rs->fd] = NULL;
	if (rs->d)
		rd_drop(rs);
	if (rs->id)
		rdma_destroy_qp(rs->id);
	rs_drop_mappings(rs);
	rs_drop_stream(rs);
	if (rs->id)
		rdma_destroy_id(rs->id);
	rdma_destroy_event_channel(rs->channel);
	pthread_mutex_destroy(&rs->lock);
	free(rs);
}

int rsocket(int domain, int type, int protocol)
{
	int flags = type & (SOCK_NONBLOCK | SOCK_CLOEXEC);
	bool datagrams = (type & ~flags) == SOCK_DGRAM;
	if ((domain != AF_INET && domain != AF_INET6) || (!datagrams && (type & ~flags) != SOCK_STREAM) ||
	    (protocol && protocol != (datagrams ? IPPROTO_UDP : IPPROTO_TCP)))
		return cm_fails(EOPNOTSUPP);
	struct rsock *rs = made(NULL);
	if (!rs)
		return -1;
	rs->domain = domain;
	rs->status_flags = flags & SOCK_NONBLOCK ? O_NONBLOCK : 0;
	rs->fd_flags = flags & SOCK_CLOEXEC ? FD_CLOEXEC : 0;
	int e = datagrams ? rd_open(rs) : rdma_create_id(rs->channel, &rs->id, rs, RDMA_PS_TCP) ? errno : 0;
	if (e) {
		drop(rs);
		return cm_fails(e);
	}
	return rs->fd;
}

/* fits reports whether an address is one of the socket's domain. */
static bool fits(const struct rsock *rs, const struct sockaddr *a, socklen_t n)
{
	return a && n >= sizeof a->sa_family && a->sa_family == rs->domain && n >= cm_size_of(a);
}

int rbind(int fd, const struct sockaddr *addr, socklen_t n)
{
	struct rsock *rs = rs_of(fd);
	if (!rs)
		return -1;
	if (!fits(rs, addr, n))
		return cm_fails(EINVAL);
	pthread_mutex_lock(&rs->lock);
	int e = rs->state != rs_fresh ? EINVAL : rs->d ? rd_bind(rs, addr) : 0;
	if (!e && !rs->d && rdma_bind_addr(rs->id, (struct sockaddr *)addr))
		e = errno;
	if (!e && !rs->d)
		rs->state = rs_bound;
	pthread_mutex_unlock(&rs->lock);
	return cm_fails(e);
}

int rlisten(int fd, int backlog)
{
	struct rsock *rs = rs_stream_of(fd);
	if (!rs)
		return -1;
	pthread_mutex_lock(&rs->lock);
	int e = rs->state == rs_bound ? 0 : rs->state == rs_listening ? EALREADY : EINVAL;
	if (!e)
		((struct cm_id *)rs->id)->one_family = rs_one_family(rs);
	if (!e && rdma_listen(rs->id, backlog))
		e = errno;
	if (!e)
		rs->state = rs_listening;
	pthread_mutex_unlock(&rs->lock);
	return e == EALREADY ? 0 : cm_fails(e);
}

void rs_end(struct rsock *rs, enum rs_state state, int error)
{
	rs->state = state;
	rs->error = error;
	rs->readable = rs->writable = false;
	rs_tell(rs);
}

bool rs_settled(struct rsock *rs)
{
	return rs->state != rs_resolving && rs->state != rs_connecting && rs->state != rs_accepting;
}

static int hello_to(struct rsock *rs, int (*call)(struct rdma_cm_id *, struct rdma_conn_param *))
{
	struct rs_hello h;
	rs_say_hello(rs, &h);
	struct rdma_conn_param p = {
		.private_data = &h, .private_data_len = sizeof h, .flow_control = 1, .retry_count = 7, .rnr_retry_count = 7,
	};
	return call(rs->id, &p) ? errno : 0;
}

/* begun goes on to transfer data. */
static void begun(struct rsock *rs)
{
	rs->state = rs_connected;
	rs->readable = rs->writable = true;
	rs_tell(rs);
}

/* established takes the acceptance of the peer, or its confirmation of this end's own. */
static int established(struct rsock *rs, const struct rdma_cm_event *e)
{
	if (rs->state == rs_accepting) {
		begun(rs);
		return 0;
	}
	const struct rdma_conn_param *p = &e->param.conn;
	if (rs->state != rs_connecting || p->private_data_len < sizeof(struct rs_hello))
		return EPROTO;
	int bad = rs_meet(rs, p->private_data);
	if (!bad)
		begun(rs);
	return bad;
}

/* step takes an event of the connection. */
static int step(struct rsock *rs, const struct rdma_cm_event *e)
{
	switch (e->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return rdma_resolve_route(rs->id, patience_ms) ? errno : 0;
	case RDMA_CM_EVENT_ROUTE_RESOLVED: {
		int bad = rs_make_stream(rs);
		rs->state = rs_connecting;
		return bad ? bad : hello_to(rs, rdma_connect);
	}
	case RDMA_CM_EVENT_ESTABLISHED:
		return established(rs, e);
	case RDMA_CM_EVENT_DISCONNECTED:
		while (rs_work(rs)) {
		} /* what has arrived before, the peer's own good bye perhaps */
		return ECONNRESET;
	case RDMA_CM_EVENT_REJECTED:
		return ECONNREFUSED;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
		return EHOSTUNREACH;
	case RDMA_CM_EVENT_UNREACHABLE:
		return ETIMEDOUT;
	case RDMA_CM_EVENT_CONNECT_ERROR:
		return ECONNABORTED;
	default:
		return 0;
	}
}

void rs_advance(struct rsock *rs)
{
	struct rdma_cm_event *e;
	if (rs->state == rs_listening)
		return; /* its events are requests */
	while (!rdma_get_cm_event(rs->channel, &e)) {
		int bad = step(rs, e);
		rdma_ack_cm_event(e);
		if (bad && rs->state < rs_ended)
			rs_end(rs, rs_failed, bad);
	}
}

/* connect_datagrams names the peer of a socket, or nobody. */
static int connect_datagrams(struct rsock *rs, const struct sockaddr *addr, socklen_t n)
{
	bool nobody = addr && n >= sizeof addr->sa_family && addr->sa_family == AF_UNSPEC;
	if (!nobody && !fits(rs, addr, n))
		return cm_fails(EINVAL);
	pthread_mutex_lock(&rs->lock);
	int e = rd_connect(rs, addr);
	pthread_mutex_unlock(&rs->lock);
	return cm_fails(e);
}

int rconnect(int fd, const struct sockaddr *addr, socklen_t n)
{
	struct rsock *rs = rs_of(fd);
	if (!rs)
		return -1;
	if (rs->d)
		return connect_datagrams(rs, addr, n);
	if (!fits(rs, addr, n))
		return cm_fails(EINVAL);
	pthread_mutex_lock(&rs->lock);
	int e = rs->state == rs_connected ? EISCONN : !rs_settled(rs) ? EALREADY : rs->state > rs_bound ? EINVAL : 0;
	if (!e && rdma_resolve_addr(rs->id, NULL, (struct sockaddr *)addr, patience_ms))
		e = errno;
	if (!e) {
		rs->state = rs_resolving;
		e = rs_await(rs, rs_nonblocking(rs, 0), rs_settled);
		if (e == EAGAIN)
			e = EINPROGRESS;
		else if (!e && rs->state == rs_failed) {
			e = rs->error;
			rs->error = 0;
		}
	}
	pthread_mutex_unlock(&rs->lock);
	return cm_fails(e);
}

/* answer accepts a request on a socket of its own; NULL and errno if it cannot. */
static struct rsock *answer(const struct rsock *listener, struct rdma_cm_id *id, const struct rs_hello *h)
{
	struct rsock *rs = made(listener);
	int e = rs ? 0 : errno;
	if (!e && rdma_migrate_id(id, rs->channel))
		e = errno;
	if (!e) {
		rs->id = id;
		e = rs_make_stream(rs);
	}
	if (!e)
		e = rs_meet(rs, h);
	if (!e) {
		rs->state = rs_accepting;
		e = hello_to(rs, rdma_accept);
	}
	if (!e)
		return rs;
	rdma_reject(id, NULL, 0);
	if (!rs || rs->id != id)
		rdma_destroy_id(id);
	if (rs)
		drop(rs);
	errno = e;
	return NULL;
}

/* admit takes an event of a listener. A request that is no socket's is rejected. */
static struct rsock *admit(const struct rsock *listener, struct rdma_cm_event *e)
{
	struct rs_hello h = {0};
	struct rdma_cm_id *id = e->event == RDMA_CM_EVENT_CONNECT_REQUEST ? e->id : NULL;
	if (id && e->param.conn.private_data_len >= sizeof h)
		memcpy(&h, e->param.conn.private_data, sizeof h);
	rdma_ack_cm_event(e);
	return id ? answer(listener, id, &h) : NULL;
}

int raccept(int fd, struct sockaddr *addr, socklen_t *n)
{
	struct rsock *rs = rs_stream_of(fd), *new = NULL;
	struct rdma_cm_event *event;
	if (!rs)
		return -1;
	if (rs->state != rs_listening)
		return cm_fails(EINVAL);
	while (!new) {
		if (!rdma_get_cm_event(rs->channel, &event)) {
			new = admit(rs, event);
			continue;
		}
		if (errno != EAGAIN || rs_nonblocking(rs, 0))
			return -1;
		struct pollfd p = {.fd = rs->fd, .events = POLLIN};
		if (poll(&p, 1, -1) < 0)
			return -1;
	}
	if (addr && n)
		rgetpeername(new->fd, addr, n);
	return new->fd;
}

int rshutdown(int fd, int how)
{
	struct rsock *rs = rs_stream_of(fd);
	if (!rs)
		return -1;
	pthread_mutex_lock(&rs->lock);
	int e = how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR ? EINVAL : rs->state < rs_connected ? ENOTCONN : rs_shut(rs, how);
	pthread_mutex_unlock(&rs->lock);
	return cm_fails(e);
}

int rclose(int fd)
{
	struct rsock *rs = rs_of(fd);
	if (!rs)
		return -1;
	pthread_mutex_lock(&rs->lock);
	if (rs->d)
		rd_finish(rs);
	else if (rs->state == rs_connected || rs->state == rs_accepting)
		rs_shut(rs, SHUT_RDWR);
	pthread_mutex_unlock(&rs->lock);
	drop(rs);
	return 0;
}

/* copy_address gives a program an address, or as much of it as it has room for. */
static int copy_address(const struct rsock *rs, const struct sockaddr_storage *from, struct sockaddr *to, socklen_t *n)
{
	struct sockaddr_storage a = *from;
	a.ss_family = rs->domain; /* of a socket that has no address yet, too */
	socklen_t size = cm_size_of((struct sockaddr *)&a);
	memcpy(to, &a, *n < size ? *n : size);
	*n = size;
	return 0;
}

int rgetpeername(int fd, struct sockaddr *addr, socklen_t *n)
{
	struct rsock *rs = rs_of(fd);
	if (!rs)
		return -1;
	if (rs->d ? !rd_peer(rs)->ss_family : rs->state < rs_accepting)
		return cm_fails(ENOTCONN);
	return copy_address(rs, rs->d ? rd_peer(rs) : &rs->id->route.addr.dst_storage, addr, n);
}

int rgetsockname(int fd, struct sockaddr *addr, socklen_t *n)
{
	struct rsock *rs = rs_of(fd);
	return rs ? copy_address(rs, rs->d ? rd_own(rs) : &rs->id->route.addr.src_storage, addr, n) : -1;
}
