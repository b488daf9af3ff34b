/* Options of sockets over RDMA, and their flags. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <string.h>

#include "rsocket.h"

/* Options that are kept for the program, on or off. Keep-alive and one family of addresses have an effect. */
static const struct {
	int level, name;
} switches[] = {
	{SOL_SOCKET, SO_KEEPALIVE}, {SOL_SOCKET, SO_REUSEADDR}, {SOL_SOCKET, SO_OOBINLINE}, {SOL_SOCKET, SO_BROADCAST},
	{IPPROTO_TCP, TCP_NODELAY}, {IPPROTO_IPV6, IPV6_V6ONLY},
};
enum { switch_count = sizeof switches / sizeof switches[0], keep_alive = 0, v6_only = switch_count - 1 };

/* Sizes that a socket takes: of its rings, in bytes, and of its queues. */
enum { least_size = 4096, most_size = 1 << 28, least_requests = 16, most_requests = 16384, most_maps = 127 << 8 };

/* A peer that says nothing is asked after so many ms, without the option for it. */
enum { asks_after = 2000 };

uint64_t rs_probe_period(const struct rsock *rs)
{
	return rs->switches & 1ULL << keep_alive && rs->keep_idle < asks_after / 1000 ? rs->keep_idle * 1000ULL : asks_after;
}

bool rs_one_family(const struct rsock *rs) { return rs->switches >> v6_only & 1; }

static uint32_t within(int64_t v, int64_t least, int64_t most) { return v < least ? least : v > most ? most : v; }

/* A value of an option, where it lies in a socket and what it may be. */
struct value {
	uint32_t *at;
	int64_t least, most;
	int scale; /* a program sets 1 and gets this */
	bool early; /* it has an effect before the connection only */
};

static struct value value_of(struct rsock *rs, int level, int name)
{
	switch (level) {
	case SOL_SOCKET:
		if (name == SO_SNDBUF)
			return (struct value){&rs->send_size, least_size, most_size, 2, true};
		if (name == SO_RCVBUF)
			return (struct value){&rs->receive_size, least_size, most_size, 2, true};
		break;
	case IPPROTO_TCP:
		if (name == TCP_KEEPIDLE)
			return (struct value){&rs->keep_idle, 1, 1 << 15, 1, false};
		break;
	case SOL_RDMA:
		if (name == RDMA_SQSIZE)
			return (struct value){&rs->sends, least_requests, most_requests, 1, true};
		if (name == RDMA_RQSIZE)
			return (struct value){&rs->receives, least_requests, most_requests, 1, true};
		if (name == RDMA_INLINE)
			return (struct value){&rs->inlines, 0, 0xffff, 1, true};
		if (name == RDMA_IOMAPSIZE)
			return (struct value){&rs->maps, 0, most_maps, 1, true};
	}
	return (struct value){0};
}

static int switch_of(int level, int name)
{
	for (int i = 0; i < switch_count; i++)
		if (switches[i].level == level && switches[i].name == name)
			return i;
	return -1;
}

/* without_effect are options that programs set and that mean nothing here. */
static bool without_effect(int level, int name)
{
	switch (level) {
	case SOL_SOCKET:
		return name == SO_LINGER;
	case IPPROTO_IP:
		return name == IP_TOS;
	case IPPROTO_TCP:
		return name == TCP_KEEPCNT || name == TCP_KEEPINTVL || name == TCP_MAXSEG || name == TCP_CONGESTION;
	case SOL_RDMA:
		return name == RDMA_ROUTE;
	default:
		return false;
	}
}

static int set(struct rsock *rs, int level, int name, int64_t to)
{
	struct value v = value_of(rs, level, name);
	int s = switch_of(level, name);
	if (v.at) {
		bool late = v.early && rs->state > rs_listening;
		if (late || to < 0)
			return late && level == SOL_SOCKET ? 0 : EINVAL; /* sizes of buffers are a wish */
		*v.at = within(to * v.scale, v.least, v.most);
		if (v.at == &rs->maps && rs->maps > 128)
			rs->maps = (rs->maps + 255) & ~255U; /* as the hello says it */
	} else if (s >= 0) {
		rs->switches = (rs->switches & ~(1ULL << s)) | (uint64_t)(to != 0) << s;
	} else if (!without_effect(level, name)) {
		return EOPNOTSUPP;
	}
	return 0;
}

int rsetsockopt(int fd, int level, int name, const void *value, socklen_t n)
{
	struct rsock *rs = rs_of(fd);
	int to = 0;
	if (!rs)
		return -1;
	if (!without_effect(level, name)) {
		if (!value || n < sizeof to)
			return cm_fails(EINVAL);
		memcpy(&to, value, sizeof to);
	}
	pthread_mutex_lock(&rs->lock);
	int e = set(rs, level, name, to);
	pthread_mutex_unlock(&rs->lock);
	return cm_fails(e);
}

/* get is the value of an option. */
static int get(struct rsock *rs, int level, int name, int *to)
{
	struct value v = value_of(rs, level, name);
	int s = switch_of(level, name);
	if (v.at) {
		*to = (int)*v.at;
	} else if (s >= 0) {
		*to = rs->switches >> s & 1;
	} else if (level == SOL_SOCKET && name == SO_ERROR) {
		*to = rs->error;
		rs->error = 0;
	} else if (level == SOL_SOCKET && name == SO_TYPE) {
		*to = rs->d ? SOCK_DGRAM : SOCK_STREAM;
	} else {
		return EOPNOTSUPP;
	}
	return 0;
}

int rgetsockopt(int fd, int level, int name, void *value, socklen_t *n)
{
	struct rsock *rs = rs_of(fd);
	int is;
	if (!rs)
		return -1;
	if (!value || !n || *n < sizeof is)
		return cm_fails(EINVAL);
	pthread_mutex_lock(&rs->lock);
	int e = get(rs, level, name, &is);
	pthread_mutex_unlock(&rs->lock);
	if (!e) {
		memcpy(value, &is, sizeof is);
		*n = sizeof is;
	}
	return cm_fails(e);
}

int rfcntl(int fd, int command, ...)
{
	struct rsock *rs = rs_of(fd);
	if (!rs)
		return -1;
	va_list args;
	va_start(args, command);
	int to = command == F_SETFL || command == F_SETFD ? va_arg(args, int) : 0;
	va_end(args);
	switch (command) {
	case F_GETFL:
		return rs->status_flags;
	case F_SETFL:
		rs->status_flags = to;
		return 0;
	case F_GETFD:
		return rs->fd_flags;
	case F_SETFD:
		rs->fd_flags = to;
		return 0;
	default:
		return cm_fails(EOPNOTSUPP);
	}
}
