/* Mapped memory: a program names memory by an offset, and its peer writes there directly. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "rsocket.h"

/* free_index is the lowest index of the peer's map that no mapping has; -1 if there is none. */
static int free_index(const struct rsock *rs)
{
	for (uint32_t i = 0; i < rs->s.map.length; i++) {
		const struct rs_mapping *m = rs->mappings;
		while (m && m->index != (int)i)
			m = m->next;
		if (!m)
			return (int)i;
	}
	return -1;
}

/* map adds a mapping; the next message of the program tells the peer. */
static int map(struct rsock *rs, void *buf, size_t n, bool written, uint64_t offset)
{
	int index = written ? free_index(rs) : -1;
	struct rs_mapping *m = calloc(1, sizeof *m);
	if (!m || (written && index < 0)) {
		free(m);
		return ENOMEM;
	}
	m->mr = ibv_reg_mr(rs->id->pd, buf, n, IBV_ACCESS_LOCAL_WRITE | (written ? IBV_ACCESS_REMOTE_WRITE : 0));
	if (!m->mr) {
		free(m);
		return errno;
	}
	m->offset = offset;
	m->index = index;
	m->unknown = written;
	m->next = rs->mappings;
	rs->mappings = m;
	return 0;
}

off_t riomap(int fd, void *buf, size_t n, int prot, int flags, off_t offset)
{
	struct rsock *rs = rs_stream_of(fd);
	if (!rs)
		return -1;
	if (!n || n > UINT32_MAX || prot & ~PROT_WRITE)
		return cm_fails(EINVAL);
	if (offset == -1)
		offset = (uintptr_t)buf;
	pthread_mutex_lock(&rs->lock);
	int e = rs->state == rs_connected || rs->state == rs_accepting ? map(rs, buf, n, prot & PROT_WRITE, offset) : ENOTCONN;
	pthread_mutex_unlock(&rs->lock);
	return e ? cm_fails(e) : offset;
}

static void unlink_first(struct rs_mapping **at)
{
	struct rs_mapping *m = *at;
	*at = m->next;
	ibv_dereg_mr(m->mr);
	free(m);
}

int riounmap(int fd, void *buf, size_t n)
{
	struct rsock *rs = rs_stream_of(fd);
	int e = EINVAL;
	if (!rs)
		return -1;
	pthread_mutex_lock(&rs->lock);
	for (struct rs_mapping **at = &rs->mappings; *at; at = &(*at)->next)
		if ((*at)->mr->addr == buf && (*at)->mr->length == n) {
			unlink_first(at);
			e = 0;
			break;
		}
	pthread_mutex_unlock(&rs->lock);
	return cm_fails(e);
}

void rs_drop_mappings(struct rsock *rs)
{
	while (rs->mappings)
		unlink_first(&rs->mappings);
}

/* unknown is a mapping that the peer has not been told; NULL if there is none. */
static struct rs_mapping *unknown(const struct rsock *rs)
{
	struct rs_mapping *m = rs->mappings;
	while (m && !m->unknown)
		m = m->next;
	return m;
}

int rs_send_maps(struct rsock *rs, bool nonblocking)
{
	int e = 0;
	while (!e && unknown(rs)) {
		e = rs_await_message(rs, nonblocking);
		struct rs_mapping *m = unknown(rs); /* other threads may have gone on meanwhile */
		if (e || !m)
			continue;
		struct rs_map entry = {
			.offset = m->offset, .at = {.addr = (uintptr_t)m->mr->addr, .key = m->mr->rkey, .length = (uint32_t)m->mr->length},
		};
		m->unknown = false;
		e = rs_tell_map(rs, m->index, &entry);
	}
	return e;
}

/* mapped finds the peer's memory at an offset, to the end of its mapping. */
static bool mapped(const struct rsock *rs, uint64_t offset, struct rs_target *to)
{
	const struct rs_map *maps = (const struct rs_map *)(rs->s.shared + 2);
	for (uint32_t i = 0; i < rs->maps; i++) {
		struct rs_map m = maps[i];
		if (offset < m.offset || offset - m.offset >= m.at.length)
			continue;
		uint32_t skip = offset - m.offset;
		*to = (struct rs_target){.addr = m.at.addr + skip, .key = m.at.key, .length = m.at.length - skip};
		return true;
	}
	return false;
}

size_t riowrite(int fd, const void *buf, size_t n, off_t offset, int flags)
{
	struct rsock *rs = rs_stream_of(fd);
	if (!rs)
		return -1;
	struct iovec iov = {.iov_base = (void *)buf, .iov_len = n};
	struct rs_parts p = {.iov = &iov, .left = n};
	bool nonblocking = rs_nonblocking(rs, flags);
	pthread_mutex_lock(&rs->lock);
	int e = rs_await(rs, nonblocking, rs_settled);
	if (!e)
		e = rs->state == rs_connected ? rs_send_maps(rs, nonblocking) : ENOTCONN;
	while (p.left && !e) {
		struct rs_target to;
		e = mapped(rs, offset + (n - p.left), &to) ? rs_write_directly(rs, &p, &to, nonblocking) : EFAULT;
	}
	rs_leave(rs);
	pthread_mutex_unlock(&rs->lock);
	return e && p.left == n ? (size_t)cm_fails(e) : n - p.left;
}
