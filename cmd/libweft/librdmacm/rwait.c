/* Waiting: of calls for their socket, and of programs for several (rpoll, rselect). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "rsocket.h"

static const uint64_t millisecond = 1000000;

/* A call looks for so long before it sleeps: an answer through shared memory takes some microseconds. */
static const uint64_t looks_for = 20000;

/* A look that found nothing glances at the connection, once in so many. */
enum { looks_per_glance = 4096 };

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 * millisecond + t.tv_nsec;
}

bool rs_nonblocking(const struct rsock *rs, int flags) { return rs->status_flags & O_NONBLOCK || flags & MSG_DONTWAIT; }

void rs_tell(struct rsock *rs)
{
	const uint64_t one = 1;
	for (struct rs_watch *w = rs->watchers; w; w = w->next)
		if (write(w->fd, &one, sizeof one) < 0) {
			/* The counter is at its end: the descriptor is readable. */
		}
}

/*
 * glance looks at what completions do not tell: the end of the connection, and a peer that says nothing
 * for long. The kernel says good bye for a program that is killed, but a device of weft ends with its
 * program. So a socket that waits asks.
 */
static void glance(struct rsock *rs)
{
	if (rs->d)
		return;
	rs_advance(rs);
	if (rs->state != rs_connected)
		return;
	uint64_t t = now();
	if (rs->s.heard || !rs->s.heard_at) {
		rs->s.heard = false;
		rs->s.heard_at = t;
	} else if (t - rs->s.heard_at >= rs_probe_period(rs) * millisecond) {
		rs->s.heard_at = t;
		rs_probe(rs);
	}
}

/* attend does what there is to do for a socket, and glances at it now and then. */
static void attend(struct rsock *rs)
{
	bool any = false;
	while (rs->d ? rd_work(rs) : rs_work(rs))
		any = true;
	if (!any && ++rs->s.idle % looks_per_glance == 0)
		glance(rs);
}

void rs_leave(struct rsock *rs)
{
	if (rs->mappings && rs->s.cq)
		ibv_req_notify_cq(rs->s.cq, 0);
}

static void watch(struct rsock *rs, struct rs_watch *w)
{
	w->next = rs->watchers;
	rs->watchers = w;
	if (rs->s.cq)
		ibv_req_notify_cq(rs->s.cq, 0);
}

static void unwatch(struct rsock *rs, const struct rs_watch *w)
{
	for (struct rs_watch **p = &rs->watchers; *p; p = &(*p)->next)
		if (*p == w) {
			*p = w->next;
			return;
		}
}

/* descriptors are those that become readable when something happens to a socket; -1 is none. */
static nfds_t descriptors(const struct rsock *rs, struct pollfd *p)
{
	p[0] = (struct pollfd){.fd = rs->d ? rd_descriptor(rs) : rs->fd, .events = POLLIN};
	p[1] = (struct pollfd){.fd = rs->s.cq ? rs->s.cq_channel->fd : -1, .events = POLLIN};
	return 2;
}

/* collect takes the events that made a socket's descriptors readable. */
static void collect(struct rsock *rs)
{
	struct ibv_cq *cq;
	void *context;
	unsigned int n = 0;
	while (rs->s.cq && !ibv_get_cq_event(rs->s.cq_channel, &cq, &context))
		n++;
	if (n)
		ibv_ack_cq_events(rs->s.cq, n);
	glance(rs);
}

/* sleeps_for is how long a socket may sleep, in ms: -1 for ever. */
static int sleeps_for(const struct rsock *rs) { return rs->state == rs_connected && !rs->d ? (int)rs_probe_period(rs) : -1; }

/* sleep_until sleeps until something happens to a socket, which may be what is waited for. */
static int sleep_until(struct rsock *rs, rs_test met)
{
	int e = 0, fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0)
		return errno;
	struct rs_watch w = {.fd = fd};
	watch(rs, &w);
	attend(rs);
	if (!met(rs)) {
		struct pollfd p[3] = {{.fd = fd, .events = POLLIN}};
		descriptors(rs, p + 1);
		int ms = sleeps_for(rs);
		pthread_mutex_unlock(&rs->lock);
		e = poll(p, 3, ms) < 0 ? errno : 0;
		pthread_mutex_lock(&rs->lock);
		collect(rs);
	}
	unwatch(rs, &w);
	close(fd);
	return e;
}

int rs_await(struct rsock *rs, bool nonblocking, rs_test met)
{
	uint64_t until = 0;
	while (!met(rs)) {
		attend(rs);
		if (met(rs))
			return 0;
		if (nonblocking)
			return EAGAIN;
		if (!until)
			until = now() + looks_for;
		if (now() < until) {
			pthread_mutex_unlock(&rs->lock); /* other threads may go on */
			pthread_mutex_lock(&rs->lock);
			continue;
		}
		int e = sleep_until(rs, met);
		if (e)
			return e;
		until = 0;
	}
	return 0;
}

/* events_of is what has happened to a socket, of what a program waits for. */
static short events_of(struct rsock *rs, short wanted)
{
	short r = 0;
	attend(rs);
	if (rs->d)
		return wanted & ((rd_has_data(rs) ? POLLIN : 0) | (rd_can_send(rs) ? POLLOUT : 0));
	switch (rs->state) {
	case rs_listening: {
		struct pollfd p = {.fd = rs->fd, .events = POLLIN};
		return poll(&p, 1, 0) > 0 ? wanted & POLLIN : 0;
	}
	case rs_connected:
	case rs_ended:
		if (rs_has_data(rs) || !rs->readable)
			r |= POLLIN;
		if (rs_can_send(rs) || !rs->writable)
			r |= POLLOUT;
		if (!rs->readable)
			r |= POLLRDHUP;
		/* Programs take a hang-up for the end of the data: it comes behind them. */
		return (r & wanted) | (rs->state == rs_ended && !rs_has_data(rs) ? POLLHUP : 0);
	case rs_failed:
		return (wanted & (POLLIN | POLLOUT)) | POLLERR;
	default:
		return 0;
	}
}

/* A call of rpoll: the program's descriptors, and what it sleeps with. */
struct poller {
	struct pollfd *fds;
	nfds_t n;
	struct rsock **of;   /* NULL for descriptors of the system */
	struct pollfd *all;  /* of the system, and two for each socket */
	struct rs_watch *watches;
	bool sockets, others;
};

static int prepare(struct poller *p)
{
	p->of = calloc(p->n, sizeof *p->of);
	p->all = calloc(2 * p->n + 1, sizeof *p->all);
	p->watches = calloc(p->n, sizeof *p->watches);
	if (!p->of || !p->all || !p->watches)
		return ENOMEM;
	for (nfds_t i = 0; i < p->n; i++) {
		p->of[i] = p->fds[i].fd < 0 ? NULL : rs_of(p->fds[i].fd);
		p->sockets = p->sockets || p->of[i];
		p->others = p->others || (!p->of[i] && p->fds[i].fd >= 0);
	}
	return 0;
}

/* look fills in the events of all descriptors, and returns how many have some; -1 and errno on failure. */
static int look(struct poller *p)
{
	int found = 0;
	for (nfds_t i = 0; i < p->n; i++)
		p->all[i] = p->of[i] ? (struct pollfd){.fd = -1} : p->fds[i];
	if (p->others && (found = poll(p->all, p->n, 0)) < 0)
		return -1;
	for (nfds_t i = 0; i < p->n; i++) {
		struct rsock *rs = p->of[i];
		p->fds[i].revents = p->all[i].revents;
		if (!rs)
			continue;
		pthread_mutex_lock(&rs->lock);
		p->fds[i].revents = events_of(rs, p->fds[i].events);
		pthread_mutex_unlock(&rs->lock);
		found += p->fds[i].revents != 0;
	}
	return found;
}

/* sleep_on sleeps until something happens to a descriptor, or for some time in ms; -1 is for ever. */
static int sleep_on(struct poller *p, int fd, int ms)
{
	nfds_t n = 0;
	struct pollfd mine[2];
	for (nfds_t i = 0; i < p->n; i++) {
		struct rsock *rs = p->of[i];
		if (!rs)
			continue;
		pthread_mutex_lock(&rs->lock);
		p->watches[i].fd = fd;
		watch(rs, &p->watches[i]);
		int s = sleeps_for(rs);
		if (s >= 0 && (ms < 0 || s < ms))
			ms = s;
		pthread_mutex_unlock(&rs->lock);
	}
	int found = look(p), e = 0;
	if (!found) {
		p->all[n++] = (struct pollfd){.fd = fd, .events = POLLIN};
		for (nfds_t i = 0; i < p->n; i++)
			if (p->of[i]) {
				descriptors(p->of[i], mine);
				p->all[n++] = mine[0];
				p->all[n++] = mine[1];
			} else {
				p->all[n++] = p->fds[i];
			}
		e = poll(p->all, n, ms) < 0 ? errno : 0;
	} else if (found < 0) {
		e = errno;
	}
	for (nfds_t i = 0; i < p->n; i++) {
		struct rsock *rs = p->of[i];
		if (!rs)
			continue;
		pthread_mutex_lock(&rs->lock);
		collect(rs);
		unwatch(rs, &p->watches[i]);
		pthread_mutex_unlock(&rs->lock);
	}
	return e;
}

/* wait_for waits for events of the descriptors, for some time in ms; -1 is for ever. */
static int wait_for(struct poller *p, int timeout)
{
	uint64_t began = now(), end = began + (uint64_t)timeout * millisecond;
	for (;;) {
		int found = look(p);
		uint64_t t = timeout ? now() : 0;
		if (found || !timeout || (timeout > 0 && t >= end))
			return found;
		if (t < began + looks_for)
			continue;
		int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (fd < 0)
			return -1;
		int e = sleep_on(p, fd, timeout < 0 ? -1 : (int)((end - t + millisecond - 1) / millisecond));
		close(fd);
		if (e)
			return cm_fails(e);
		began = now();
	}
}

int rpoll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct poller p = {.fds = fds, .n = n};
	int e = prepare(&p), found = -1;
	if (e)
		errno = e;
	else
		found = p.sockets ? wait_for(&p, timeout) : poll(fds, n, timeout);
	e = errno;
	free(p.of);
	free(p.all);
	free(p.watches);
	errno = e;
	return found;
}

static bool in(int fd, const fd_set *set) { return set && FD_ISSET(fd, set); }

/* keep leaves a descriptor in a set only if it has one of some events. */
static int keep(const struct pollfd *p, fd_set *set, short events)
{
	if (!in(p->fd, set))
		return 0;
	if (p->revents & events)
		return 1;
	FD_CLR(p->fd, set);
	return 0;
}

int rselect(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t)
{
	if (n < 0 || n > FD_SETSIZE || (t && (t->tv_sec < 0 || t->tv_usec < 0)))
		return cm_fails(EINVAL);
	struct pollfd fds[FD_SETSIZE];
	nfds_t count = 0;
	for (int fd = 0; fd < n; fd++)
		if (in(fd, r) || in(fd, w) || in(fd, x))
			fds[count++] = (struct pollfd){
				.fd = fd, .events = (in(fd, r) ? POLLIN : 0) | (in(fd, w) ? POLLOUT : 0) | (in(fd, x) ? POLLPRI : 0),
			};
	int found = rpoll(fds, count, t ? (int)(t->tv_sec * 1000 + (t->tv_usec + 999) / 1000) : -1);
	for (nfds_t i = 0; i < count && found >= 0; i++)
		if (fds[i].revents & POLLNVAL)
			return cm_fails(EBADF);
	if (found < 0)
		return -1;
	found = 0;
	for (nfds_t i = 0; i < count; i++)
		found += keep(&fds[i], r, POLLIN | POLLHUP | POLLERR) + keep(&fds[i], w, POLLOUT | POLLERR) + keep(&fds[i], x, POLLPRI);
	return found;
}
