/* The stream of a socket: its messages, credits, sending and receiving. */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "rsocket.h"

/* A message is the immediate data of a WRITE: its type in the highest 3 bits, its value in the others. */
enum { type_data = 0, type_credits = 4, type_map = 6, type_control = 7, value_bits = 29 };
enum { control_disconnect = 0, control_shutdown = 2 };

/* Work requests for grants and ends, of those that a send queue has. They need no credit of the peer. */
enum { controls = 4 };

/* What the work request of a completion was. The lower bits say how many bytes of the ring it held. */
#define IS_RECEIVE (1ULL << 63)
#define IS_CONTROL (1ULL << 62)

enum {
	hello_version = 1,
	hello_big_endian = 1,
	hello_maps = 2,
	largest_piece = 1 << 16, /* so that the copy of a piece overlaps with the transfer of the one before */
	least_room = 2048,	 /* no smaller pieces, but for the end of a message */
};

static uint32_t message(uint32_t type, uint32_t value) { return type << value_bits | value; }

/* The sizes of maps have 8 bits: large ones count in 256. */
static uint32_t maps_of(uint8_t scaled) { return scaled <= 128 ? scaled : (uint32_t)(scaled & 127) << 8; }
static uint8_t scaled_maps(uint32_t n) { return n <= 128 ? n : 128 | n >> 8; }

static struct ibv_mr *registered(const struct rsock *rs, void *memory, size_t n, int remote)
{
	return memory ? ibv_reg_mr(rs->id->pd, memory, n, IBV_ACCESS_LOCAL_WRITE | remote) : NULL;
}

static int post_receives(const struct rsock *rs, uint32_t n)
{
	struct ibv_recv_wr wr = {.wr_id = IS_RECEIVE}, *bad;
	int e = 0;
	while (n-- && !e)
		e = ibv_post_recv(rs->id->qp, &wr, &bad);
	return e;
}

/* make_queues gives the socket's ID its queue pair. */
static int make_queues(struct rsock *rs)
{
	struct rs_stream *s = &rs->s;
	s->cq_channel = ibv_create_comp_channel(rs->id->verbs);
	if (!s->cq_channel)
		return errno;
	fcntl(s->cq_channel->fd, F_SETFL, O_NONBLOCK);
	s->cq = ibv_create_cq(rs->id->verbs, (int)(rs->sends + rs->receives), NULL, s->cq_channel, 0);
	if (!s->cq)
		return errno;
	struct ibv_qp_init_attr a = {
		.send_cq = s->cq, .recv_cq = s->cq, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = {.max_send_wr = rs->sends, .max_recv_wr = rs->receives, .max_send_sge = 2, .max_recv_sge = 1, .max_inline_data = sizeof(struct rs_map)},
	};
	return rdma_create_qp(rs->id, NULL, &a) ? errno : 0;
}

int rs_make_stream(struct rsock *rs)
{
	struct rs_stream *s = &rs->s;
	int e = make_queues(rs);
	if (e)
		return e;
	size_t shared = 2 * sizeof(struct rs_target) + rs->maps * sizeof(struct rs_map);
	s->ring = malloc(rs->send_size);
	s->inbox = malloc(rs->receive_size);
	s->shared = calloc(1, shared);
	s->lengths = calloc(rs->receives, sizeof *s->lengths);
	s->ring_mr = registered(rs, s->ring, rs->send_size, 0);
	s->inbox_mr = registered(rs, s->inbox, rs->receive_size, IBV_ACCESS_REMOTE_WRITE);
	s->shared_mr = registered(rs, s->shared, shared, IBV_ACCESS_REMOTE_WRITE);
	if (!s->lengths || !s->ring_mr || !s->inbox_mr || !s->shared_mr)
		return ENOMEM;
	s->room = rs->send_size;
	s->slots = rs->sends - controls;
	s->controls = controls;
	s->next_target = s->next_entry = 1; /* the hello has the first */
	s->granted = s->grant_at = s->read_bytes = rs->receive_size / 2;
	s->tell_at = rs->receives / 2;
	return post_receives(rs, rs->receives);
}

void rs_drop_stream(struct rsock *rs)
{
	struct rs_stream *s = &rs->s;
	struct ibv_mr *regions[] = {s->ring_mr, s->inbox_mr, s->shared_mr};
	for (int i = 0; i < 3; i++)
		if (regions[i])
			ibv_dereg_mr(regions[i]);
	if (s->cq)
		ibv_destroy_cq(s->cq);
	if (s->cq_channel)
		ibv_destroy_comp_channel(s->cq_channel);
	free(s->ring);
	free(s->inbox);
	free(s->shared);
	free(s->lengths);
}

static struct rs_target in_network_order(const void *memory, uint32_t length, uint32_t key)
{
	return (struct rs_target){.addr = htobe64((uintptr_t)memory), .length = htobe32(length), .key = htobe32(key)};
}

static struct rs_target in_host_order(const struct rs_target *t)
{
	return (struct rs_target){.addr = be64toh(t->addr), .length = be32toh(t->length), .key = be32toh(t->key)};
}

void rs_say_hello(struct rsock *rs, struct rs_hello *h)
{
	const struct rs_stream *s = &rs->s;
	*h = (struct rs_hello){
		.version = hello_version,
		.flags = (BYTE_ORDER == BIG_ENDIAN ? hello_big_endian : 0) | (rs->maps ? hello_maps : 0),
		.credits = htobe16(rs->receives),
		.maps = scaled_maps(rs->maps),
		.list = in_network_order(s->shared, 2, s->shared_mr->rkey),
		.inbox = in_network_order(s->inbox, rs->receive_size / 2, s->inbox_mr->rkey),
	};
}

/* rs_meet takes the peer's hello. Lists of targets are in the byte order of their owner: another is refused. */
int rs_meet(struct rsock *rs, const struct rs_hello *h)
{
	struct rs_stream *s = &rs->s;
	bool big = h->flags & hello_big_endian;
	if (h->version != hello_version || big != (BYTE_ORDER == BIG_ENDIAN))
		return EPROTONOSUPPORT;
	s->list = in_host_order(&h->list);
	s->targets[0] = in_host_order(&h->inbox);
	s->allowed = be16toh(h->credits);
	if (!s->list.length)
		return EPROTO;
	if (h->flags & hello_maps)
		s->map = (struct rs_target){
			.addr = s->list.addr + s->list.length * sizeof(struct rs_target), .key = s->list.key, .length = maps_of(h->maps),
		};
	return 0;
}

/* write_to posts a WRITE; with a message its peer is told. */
static int write_to(struct rsock *rs, struct ibv_sge *sge, int n, uint64_t what, const struct rs_target *to, const uint32_t *message)
{
	struct ibv_send_wr wr = {
		.wr_id = what, .sg_list = sge, .num_sge = n, .opcode = message ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
		.imm_data = message ? htobe32(*message) : 0, .send_flags = n && !sge->lkey ? IBV_SEND_INLINE : 0,
		.wr.rdma = {.remote_addr = to->addr, .rkey = to->key},
	}, *bad;
	return ibv_post_send(rs->id->qp, &wr, &bad);
}

static const struct rs_target nowhere; /* of a WRITE without data */

/* grant gives the peer new credits, and a half of the inbox if one is read. */
static void grant(struct rsock *rs)
{
	struct rs_stream *s = &rs->s;
	const uint32_t half = rs->receive_size / 2;
	bool read = s->read_bytes >= half;
	if (!s->controls || rs->state != rs_connected || (!read && (int16_t)(s->taken - s->tell_at) < 0))
		return;
	struct rs_target entry = {.addr = (uintptr_t)s->inbox + s->grant_at, .key = s->inbox_mr->rkey, .length = half}, to = nowhere;
	struct ibv_sge sge = {.addr = (uintptr_t)&entry, .length = sizeof entry};
	if (read) {
		to = (struct rs_target){.addr = s->list.addr + s->next_entry * sizeof entry, .key = s->list.key};
		s->next_entry = (s->next_entry + 1) % s->list.length;
		s->grant_at = (s->grant_at + half) % rs->receive_size;
		s->read_bytes -= half;
		s->granted += half;
	}
	s->controls--;
	s->tell_at = s->taken + rs->receives / 2;
	uint32_t credits = message(type_credits, (uint16_t)(s->taken + rs->receives));
	int e = write_to(rs, &sge, read, IS_CONTROL, &to, &credits);
	if (e)
		rs_end(rs, rs_failed, e);
}

/* arrived takes a message of data. A peer that writes more than it may is cut off. */
static void arrived(struct rsock *rs, uint32_t n)
{
	struct rs_stream *s = &rs->s;
	if (n > s->granted || s->messages == rs->receives) {
		rs_end(rs, rs_failed, EPROTO);
		return;
	}
	s->granted -= n;
	s->unread += n;
	if (n)
		s->lengths[(s->head + s->messages++) % rs->receives] = n;
	else
		s->taken++;
}

/* granted takes new credits, and a new target if the message came with one. */
static void granted(struct rsock *rs, uint32_t credits, uint32_t bytes)
{
	struct rs_stream *s = &rs->s;
	s->allowed = credits;
	if (bytes != sizeof(struct rs_target))
		return;
	struct rs_target *t = &s->targets[s->next_target];
	if (t->length) {
		rs_end(rs, rs_failed, EPROTO);
		return;
	}
	*t = s->shared[s->next_target];
	s->next_target = !s->next_target;
}

static void received(struct rsock *rs, const struct ibv_wc *wc)
{
	uint32_t m = be32toh(wc->imm_data), value = m & ((1U << value_bits) - 1);
	if (wc->status != IBV_WC_SUCCESS || !(wc->wc_flags & IBV_WC_WITH_IMM) || rs->state >= rs_ended)
		return;
	switch (m >> value_bits) {
	case type_data:
		arrived(rs, value);
		break;
	case type_credits:
		granted(rs, value, wc->byte_len);
		break;
	case type_map:
		rs->s.taken++; /* it needed a credit */
		break;
	case type_control:
		if (value == control_shutdown)
			rs->readable = false;
		if (value == control_disconnect || (value == control_shutdown && !rs->writable))
			rs_end(rs, rs_ended, 0);
	}
}

static void completed(struct rsock *rs, const struct ibv_wc *wc)
{
	struct rs_stream *s = &rs->s;
	if (wc->wr_id & IS_CONTROL) {
		s->controls++;
	} else {
		s->slots++;
		s->room += (uint32_t)wc->wr_id;
	}
	if (wc->status != IBV_WC_SUCCESS && rs->state == rs_connected)
		rs_end(rs, rs_failed, wc->status == IBV_WC_RETRY_EXC_ERR ? ETIMEDOUT : ECONNRESET);
}

bool rs_work(struct rsock *rs)
{
	enum { batch = 16 };
	struct ibv_wc wc[batch];
	if (!rs_settled(rs))
		rs_advance(rs);
	if (!rs->s.cq)
		return false;
	grant(rs);
	int n = ibv_poll_cq(rs->s.cq, batch, wc);
	uint32_t receives = 0;
	for (int i = 0; i < n; i++)
		if (wc[i].wr_id & IS_RECEIVE) {
			received(rs, &wc[i]);
			receives += wc[i].status == IBV_WC_SUCCESS;
		} else {
			completed(rs, &wc[i]);
		}
	if (n < 0 && rs->state == rs_connected)
		rs_end(rs, rs_failed, EIO);
	if (receives && rs->state < rs_ended && post_receives(rs, receives))
		rs_end(rs, rs_failed, ECONNRESET);
	if (n > 0) {
		rs->s.heard = true;
		rs_tell(rs);
	}
	return n > 0;
}

/* has_slot reports whether a message with a credit may be posted. */
static bool has_slot(const struct rsock *rs) { return rs->s.slots && rs->s.sent != rs->s.allowed; }

bool rs_can_send(struct rsock *rs)
{
	const struct rs_stream *s = &rs->s;
	return rs->writable && has_slot(rs) && s->room >= least_room && s->targets[s->first_target].length;
}

bool rs_has_data(struct rsock *rs) { return rs->s.unread; }

static bool may_write(struct rsock *rs) { return (rs->s.slots && rs->s.room >= least_room) || !rs->writable; }
static bool may_tell(struct rsock *rs) { return has_slot(rs) || !rs->writable; }
static bool may_send(struct rsock *rs) { return rs_can_send(rs) || !rs->writable; }
static bool may_receive(struct rsock *rs) { return rs_has_data(rs) || !rs->readable; }
static bool may_control(struct rsock *rs) { return rs->s.controls || rs->state != rs_connected; }

static bool all_done(struct rsock *rs)
{
	return (rs->s.slots == rs->sends - controls && rs->s.controls == controls) || rs->state != rs_connected;
}

/* still is 0 while a socket that waited can send. */
static int still(const struct rsock *rs, int e)
{
	if (e || rs->writable)
		return e;
	return rs->error ? rs->error : rs->state < rs_connected ? ENOTCONN : ECONNRESET;
}

/* move copies bytes between a ring and the parts of a program, and returns the place in the ring behind them. */
static uint32_t move(struct rs_parts *p, uint8_t *ring, uint32_t size, uint32_t at, uint32_t n, bool into_ring)
{
	p->left -= n;
	while (n) {
		size_t k = n < size - at ? n : size - at, left = p->iov->iov_len - p->offset;
		if (k > left)
			k = left;
		uint8_t *program = (uint8_t *)p->iov->iov_base + p->offset;
		if (into_ring)
			memcpy(ring + at, program, k);
		else
			memcpy(program, ring + at, k);
		at = (at + k) % size;
		n -= k;
		p->offset += k;
		if (p->offset == p->iov->iov_len) {
			p->iov++;
			p->offset = 0;
		}
	}
	return at;
}

/* piece copies the next bytes of a program's message into the ring, where they lie in one or two parts. */
static uint32_t piece(struct rsock *rs, struct rs_parts *from, uint32_t most, struct ibv_sge *sge, int *parts)
{
	struct rs_stream *s = &rs->s;
	uint32_t n = most < s->room ? most : s->room, first = rs->send_size - s->at;
	if (n > largest_piece)
		n = largest_piece;
	if (n > from->left)
		n = from->left;
	if (first > n)
		first = n;
	sge[0] = (struct ibv_sge){.addr = (uintptr_t)s->ring + s->at, .length = first, .lkey = s->ring_mr->lkey};
	sge[1] = (struct ibv_sge){.addr = (uintptr_t)s->ring, .length = n - first, .lkey = s->ring_mr->lkey};
	*parts = n > first ? 2 : 1;
	s->at = move(from, s->ring, rs->send_size, s->at, n, true);
	s->room -= n;
	return n;
}

/* send_piece sends as much of a message as fits into the peer's target. */
static int send_piece(struct rsock *rs, struct rs_parts *from)
{
	struct rs_stream *s = &rs->s;
	struct rs_target *t = &s->targets[s->first_target], to = *t;
	struct ibv_sge sge[2];
	int parts;
	uint32_t n = piece(rs, from, to.length, sge, &parts), m = message(type_data, n);
	t->addr += n;
	t->length -= n;
	if (!t->length)
		s->first_target = !s->first_target;
	s->slots--;
	s->sent++;
	return write_to(rs, sge, parts, n, &to, &m);
}

int rs_write_directly(struct rsock *rs, struct rs_parts *from, struct rs_target *to, bool nonblocking)
{
	int e = still(rs, rs_await(rs, nonblocking, may_write));
	if (e)
		return e;
	struct ibv_sge sge[2];
	int parts;
	uint32_t n = piece(rs, from, to->length, sge, &parts);
	rs->s.slots--;
	e = write_to(rs, sge, parts, n, to, NULL);
	to->addr += n;
	to->length -= n;
	return e;
}

int rs_await_message(struct rsock *rs, bool nonblocking) { return still(rs, rs_await(rs, nonblocking, may_tell)); }

int rs_tell_map(struct rsock *rs, int index, const struct rs_map *map)
{
	struct rs_target to = {.addr = rs->s.map.addr + index * sizeof *map, .key = rs->s.map.key};
	struct ibv_sge sge = {.addr = (uintptr_t)map, .length = sizeof *map};
	uint32_t m = message(type_map, index);
	rs->s.slots--;
	rs->s.sent++;
	return write_to(rs, &sge, 1, 0, &to, &m);
}

void rs_probe(struct rsock *rs)
{
	if (rs->state != rs_connected || !all_done(rs))
		return; /* what is on its way tells the same */
	rs->s.controls--;
	if (write_to(rs, NULL, 0, IS_CONTROL, &nowhere, NULL))
		rs_end(rs, rs_failed, ECONNRESET);
}

int rs_shut(struct rsock *rs, int how)
{
	bool was = rs->writable;
	rs_await(rs, false, rs_settled);
	if (rs->state != rs_connected)
		return 0;
	rs->readable = rs->readable && how == SHUT_WR;
	rs->writable = rs->writable && how == SHUT_RD;
	rs_tell(rs);
	bool ends = !rs->readable && !rs->writable;
	if (!ends && (how == SHUT_RD || !was))
		return 0;
	int e = rs_await(rs, false, may_control);
	if (!e && rs->state == rs_connected) {
		uint32_t m = message(type_control, ends ? control_disconnect : control_shutdown);
		rs->s.controls--;
		e = write_to(rs, NULL, 0, IS_CONTROL, &nowhere, &m);
	}
	if (!e)
		e = rs_await(rs, false, all_done);
	if (ends && rs->state == rs_connected) {
		rs_end(rs, rs_ended, 0);
		rdma_disconnect(rs->id);
	}
	return e;
}

/* parts_of are the parts that a program's vector names. */
static struct rs_parts parts_of(const struct iovec *iov, size_t n)
{
	struct rs_parts p = {.iov = iov};
	for (size_t i = 0; i < n; i++)
		p.left += iov[i].iov_len;
	return p;
}

static ssize_t send_parts(int fd, const struct iovec *iov, size_t n, int flags)
{
	struct rsock *rs = rs_of(fd);
	if (!rs)
		return -1;
	struct rs_parts p = parts_of(iov, n);
	size_t all = p.left;
	bool nonblocking = rs_nonblocking(rs, flags);
	pthread_mutex_lock(&rs->lock);
	int e = rs_await(rs, nonblocking, rs_settled);
	if (!e)
		e = rs_send_maps(rs, nonblocking);
	while (p.left && !e) {
		e = still(rs, rs_await(rs, nonblocking, may_send));
		if (!e)
			e = send_piece(rs, &p);
	}
	rs_leave(rs);
	pthread_mutex_unlock(&rs->lock);
	return e && p.left == all ? cm_fails(e) : (ssize_t)(all - p.left);
}

/* consume frees what a program has read. */
static void consume(struct rsock *rs, uint32_t n)
{
	struct rs_stream *s = &rs->s;
	s->read_at = (s->read_at + n) % rs->receive_size;
	s->read_bytes += n;
	s->unread -= n;
	while (n) {
		uint32_t *length = &s->lengths[s->head], k = n < *length ? n : *length;
		*length -= k;
		n -= k;
		if (!*length) {
			s->head = (s->head + 1) % rs->receives;
			s->messages--;
			s->taken++;
		}
	}
}

static ssize_t receive_parts(int fd, const struct iovec *iov, size_t n, int flags)
{
	struct rsock *rs = rs_of(fd);
	if (!rs)
		return -1;
	struct rs_parts p = parts_of(iov, n);
	size_t all = p.left;
	bool nonblocking = rs_nonblocking(rs, flags);
	pthread_mutex_lock(&rs->lock);
	int e = rs_await(rs, nonblocking, rs_settled);
	while (p.left && !e) {
		e = rs_await(rs, nonblocking, may_receive);
		if (e || !rs_has_data(rs))
			break;
		uint32_t got = p.left < rs->s.unread ? p.left : rs->s.unread;
		move(&p, rs->s.inbox, rs->receive_size, rs->s.read_at, got, false);
		if (flags & MSG_PEEK)
			break;
		consume(rs, got);
		grant(rs);
		if (!(flags & MSG_WAITALL))
			break;
	}
	if (!e && p.left && rs->state != rs_connected && rs->state != rs_ended)
		e = rs->error ? rs->error : ENOTCONN;
	rs_leave(rs);
	pthread_mutex_unlock(&rs->lock);
	return e && p.left == all ? cm_fails(e) : (ssize_t)(all - p.left);
}

/* send_all sends parts as a stream's, or as a datagram to an address or the peer. */
static ssize_t send_all(int fd, const struct iovec *iov, size_t n, const struct sockaddr *to, socklen_t size, int flags)
{
	struct rsock *rs = rs_of(fd);
	if (!rs)
		return -1;
	if (!rs->d)
		return to ? cm_fails(EISCONN) : send_parts(fd, iov, n, flags);
	if (to && (size < sizeof to->sa_family || to->sa_family != rs->domain || size < cm_size_of(to)))
		return cm_fails(EINVAL);
	pthread_mutex_lock(&rs->lock);
	ssize_t sent = rd_send(rs, iov, (int)n, to, flags);
	pthread_mutex_unlock(&rs->lock);
	return sent;
}

/* receive_all receives what a stream has, or a datagram. */
static ssize_t receive_all(int fd, const struct iovec *iov, size_t n, struct sockaddr *from, socklen_t *size, bool *cut, int flags)
{
	struct rsock *rs = rs_of(fd);
	*cut = false;
	if (!rs)
		return -1;
	if (!rs->d) {
		ssize_t got = receive_parts(fd, iov, n, flags);
		if (got > 0 && from)
			rgetpeername(fd, from, size);
		return got;
	}
	struct sockaddr_storage a;
	pthread_mutex_lock(&rs->lock);
	ssize_t got = rd_receive(rs, iov, (int)n, &a, cut, flags);
	pthread_mutex_unlock(&rs->lock);
	if (got >= 0 && from) {
		socklen_t all = cm_size_of((struct sockaddr *)&a);
		memcpy(from, &a, *size < all ? *size : all);
		*size = all;
	}
	return got;
}

ssize_t rsendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *to, socklen_t size)
{
	struct iovec iov = {.iov_base = (void *)buf, .iov_len = n};
	return send_all(fd, &iov, 1, to, size, flags);
}

ssize_t rsend(int fd, const void *buf, size_t n, int flags) { return rsendto(fd, buf, n, flags, NULL, 0); }

ssize_t rsendmsg(int fd, const struct msghdr *m, int flags)
{
	return m->msg_controllen ? cm_fails(EOPNOTSUPP) : send_all(fd, m->msg_iov, m->msg_iovlen, m->msg_name, m->msg_namelen, flags);
}

ssize_t rwrite(int fd, const void *buf, size_t n) { return rsend(fd, buf, n, 0); }

ssize_t rwritev(int fd, const struct iovec *iov, int n) { return n < 0 ? cm_fails(EINVAL) : send_all(fd, iov, n, NULL, 0, 0); }

ssize_t rrecvfrom(int fd, void *buf, size_t n, int flags, struct sockaddr *from, socklen_t *size)
{
	struct iovec iov = {.iov_base = buf, .iov_len = n};
	bool cut;
	return receive_all(fd, &iov, 1, from, size, &cut, flags);
}

ssize_t rrecv(int fd, void *buf, size_t n, int flags) { return rrecvfrom(fd, buf, n, flags, NULL, NULL); }

ssize_t rrecvmsg(int fd, struct msghdr *m, int flags)
{
	bool cut;
	if (m->msg_controllen)
		return cm_fails(EOPNOTSUPP);
	ssize_t got = receive_all(fd, m->msg_iov, m->msg_iovlen, m->msg_name, &m->msg_namelen, &cut, flags);
	m->msg_flags = cut ? MSG_TRUNC : 0;
	return got;
}

ssize_t rread(int fd, void *buf, size_t n) { return rrecv(fd, buf, n, 0); }

ssize_t rreadv(int fd, const struct iovec *iov, int n)
{
	bool cut;
	return n < 0 ? cm_fails(EINVAL) : receive_all(fd, iov, n, NULL, NULL, &cut, 0);
}
