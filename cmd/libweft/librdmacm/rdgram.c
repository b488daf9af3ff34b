/*
 * Sockets of datagrams, in the protocol of rdma-core. A socket has a queue pair of UD, and a UDP socket at its address
 * and port. The first datagrams to an address go by UDP, behind a header with the number of the sender's queue pair. The
 * answer tells that of the peer; from then on datagrams go from queue pair to queue pair, behind a header with the
 * sender's address and port.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rsocket.h"

/* The protocol's numbers. A datagram with its header has at most slot_bytes: so large are the receives of peers. */
enum { udp_tag = 0x55555555, op_data = 0, op_control = 7, slot_bytes = 2048, grh_bytes = 40 };

/* In front of data between queue pairs: 8 bytes with IPv4, 24 with IPv6. */
struct header {
	uint8_t version, length;
	uint16_t port;
	union {
		struct in_addr v4;
		struct {
			uint32_t flow;
			struct in6_addr addr;
		} v6;
	} of;
};

/* In front of data by UDP: 16 bytes with IPv4, 28 with IPv6. */
struct udp_header {
	uint32_t tag;
	uint8_t version, op, length, spare;
	uint32_t qpn;
	union {
		struct in_addr v4;
		struct in6_addr v6;
	} of;
};

/* Memory of a datagram: one that is posted, has arrived, or may be sent. */
struct slot {
	struct slot *next;
	enum { received, by_udp, sent } kind;
	uint8_t *at; /* of a GRH, and slot_bytes */
	struct sockaddr_storage from;
	uint8_t *data;
	uint32_t length;
};

/* An address whose queue pair is known. */
struct peer {
	struct peer *next;
	struct sockaddr_storage addr;
	struct ibv_ah *ah;
	uint32_t qpn;
};

/* Peers are kept by a hash of their address; of those with one hash the last few, because strangers can name themselves. */
enum { buckets = 1024, most_of_bucket = 16 };

enum { least_slots = 16, udp_slots = 16 };

struct rs_datagrams {
	int udp;
	bool failed;			   /* the device works no more */
	struct sockaddr_storage own, peer; /* family 0: none */
	struct header header;		   /* of what this end sends */
	uint8_t *memory;
	struct ibv_mr *mr;
	struct slot *slots;
	uint32_t sends, sending;
	struct slot *free_send, *free_udp, *first, *last; /* the last two have arrived */
	struct peer *peers[buckets];
};

_Static_assert(offsetof(struct header, of) + 20 == 24 && offsetof(struct udp_header, of) + 16 == 28, "headers have the protocol's sizes");

static size_t header_bytes(int family) { return family == AF_INET ? 8 : 24; }
static size_t udp_header_bytes(int family) { return family == AF_INET ? 16 : 28; }

static bool same(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	uint8_t x[16], y[16];
	if (a->ss_family != b->ss_family || cm_port_of((const struct sockaddr *)a) != cm_port_of((const struct sockaddr *)b))
		return false;
	cm_bytes_of((const struct sockaddr *)a, x);
	cm_bytes_of((const struct sockaddr *)b, y);
	return !memcmp(x, y, sizeof x);
}

/* peer_of is the peer with an address, made if it is not there; NULL if there is no memory. */
static struct peer *peer_of(struct rs_datagrams *d, const struct sockaddr_storage *addr, bool make)
{
	uint8_t b[16];
	cm_bytes_of((const struct sockaddr *)addr, b);
	uint32_t hash = cm_port_of((const struct sockaddr *)addr), n = 0;
	for (int i = 0; i < 16; i++)
		hash = hash * 31 + b[i];
	struct peer **first = &d->peers[hash % buckets], **p = first;
	for (; *p; p = &(*p)->next, n++)
		if (same(&(*p)->addr, addr))
			return *p;
		else if (make && n + 1 == most_of_bucket) {
			if ((*p)->ah)
				ibv_destroy_ah((*p)->ah);
			free(*p);
			*p = NULL;
			break;
		}
	struct peer *new = make ? calloc(1, sizeof *new) : NULL;
	if (new) {
		new->addr = *addr;
		new->next = *first;
		*first = new;
	}
	return new;
}

/* meet learns the queue pair of a peer. */
static void meet(struct rsock *rs, const struct sockaddr_storage *addr, uint32_t qpn)
{
	struct peer *p = peer_of(rs->d, addr, true);
	struct ibv_ah_attr way;
	uint8_t b[16];
	if (!p || (p->ah && p->qpn == qpn))
		return;
	cm_bytes_of((const struct sockaddr *)addr, b);
	weft_way_to(weft_context_of(rs->id->verbs), b, &way);
	if (!p->ah)
		p->ah = ibv_create_ah(rs->id->pd, &way);
	p->qpn = qpn;
}

/* queue puts a datagram behind those that have arrived. */
static void queue(struct rs_datagrams *d, struct slot *s)
{
	s->next = NULL;
	if (d->first)
		d->last->next = s;
	else
		d->first = s;
	d->last = s;
}

/* give_back makes the memory of a datagram free for others. */
static void give_back(struct rsock *rs, struct slot *s)
{
	struct rs_datagrams *d = rs->d;
	struct ibv_sge sge = {(uintptr_t)s->at, grh_bytes + slot_bytes, d->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = (uintptr_t)s, .sg_list = &sge, .num_sge = 1}, *bad;
	if (s->kind == received) {
		ibv_post_recv(rs->id->qp, &wr, &bad); /* it fails only if the device has failed */
		return;
	}
	struct slot **free_list = s->kind == sent ? &d->free_send : &d->free_udp;
	s->next = *free_list;
	*free_list = s;
}

/* wanted reports whether a program takes datagrams of an address: a connected socket takes those of its peer. */
static bool wanted(const struct rs_datagrams *d, const struct sockaddr_storage *from) { return !d->peer.ss_family || same(&d->peer, from); }

/* read_header reads the header of a received datagram. */
static bool read_header(struct slot *s, uint32_t n)
{
	const struct header *h = (const struct header *)(s->at + grh_bytes);
	int family = n >= grh_bytes + 8 && h->version == 4 ? AF_INET : n >= grh_bytes + 24 && h->version == 6 ? AF_INET6 : 0;
	if (!family || h->length != header_bytes(family))
		return false;
	memset(&s->from, 0, sizeof s->from);
	s->from.ss_family = family;
	if (family == AF_INET)
		((struct sockaddr_in *)&s->from)->sin_addr = h->of.v4;
	else
		((struct sockaddr_in6 *)&s->from)->sin6_addr = h->of.v6.addr;
	cm_set_port((struct sockaddr *)&s->from, be16toh(h->port));
	s->data = s->at + grh_bytes + h->length;
	s->length = n - grh_bytes - h->length;
	return true;
}

/* completed takes the completions of the queue pair, and reports whether there were some. */
static bool completed(struct rsock *rs)
{
	struct ibv_wc wc[16];
	int n = rs->s.cq ? ibv_poll_cq(rs->s.cq, 16, wc) : 0;
	for (int i = 0; i < n; i++) {
		struct slot *s = (struct slot *)(uintptr_t)wc[i].wr_id;
		rs->d->sending -= s->kind == sent;
		if (s->kind == received && wc[i].status == IBV_WC_SUCCESS && read_header(s, wc[i].byte_len) && wanted(rs->d, &s->from))
			queue(rs->d, s);
		else if (s->kind == sent || wc[i].status == IBV_WC_SUCCESS)
			give_back(rs, s);
		else
			rs->d->failed = true;
	}
	return n > 0;
}

/* send_udp sends parts of a datagram by UDP, with the number of the own queue pair in front. */
static int send_udp(struct rsock *rs, const struct sockaddr_storage *to, uint8_t op, const struct iovec *iov, int parts)
{
	struct rs_datagrams *d = rs->d;
	struct udp_header h = {.tag = htobe32(udp_tag), .version = d->header.version, .op = op, .qpn = htobe32(rs->id->qp->qp_num)};
	struct iovec all[2] = {{.iov_base = &h, .iov_len = udp_header_bytes(d->own.ss_family)}};
	struct msghdr m = {.msg_name = (void *)to, .msg_namelen = cm_size_of((const struct sockaddr *)to), .msg_iov = all, .msg_iovlen = 1 + parts};
	h.length = all[0].iov_len;
	if (d->own.ss_family == AF_INET)
		h.of.v4 = d->header.of.v4;
	else
		h.of.v6 = d->header.of.v6.addr;
	if (parts)
		all[1] = *iov;
	return sendmsg(d->udp, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

/* listen_udp takes a datagram by UDP, and reports whether there was one. */
static bool listen_udp(struct rsock *rs)
{
	struct rs_datagrams *d = rs->d;
	struct slot *s = d->free_udp;
	socklen_t size = sizeof s->from;
	if (!s || !rs->id->qp)
		return false;
	memset(&s->from, 0, sizeof s->from);
	ssize_t n = recvfrom(d->udp, s->at, slot_bytes, MSG_DONTWAIT, (struct sockaddr *)&s->from, &size);
	const struct udp_header *h = (const struct udp_header *)s->at;
	if (n < 0)
		return errno == ECONNREFUSED; /* of an earlier one that nobody took */
	size_t length = udp_header_bytes(s->from.ss_family);
	if ((size_t)n < length || h->tag != htobe32(udp_tag) || h->length != length || h->version != d->header.version || !wanted(d, &s->from))
		return true;
	meet(rs, &s->from, be32toh(h->qpn) & 0xffffff);
	if (h->op != op_data)
		return true;
	send_udp(rs, &s->from, op_control, NULL, 0); /* if it is lost, the peer goes on by UDP */
	d->free_udp = s->next;
	s->data = s->at + length;
	s->length = n - length;
	queue(d, s);
	return true;
}

bool rd_work(struct rsock *rs) { return completed(rs) || listen_udp(rs); }

/* What has failed is ready: calls say so. */
bool rd_has_data(struct rsock *rs) { return rs->d->first || rs->d->failed; }

bool rd_can_send(struct rsock *rs) { return !rs->id->qp || rs->d->free_send || rs->d->failed; }

static bool all_sent(struct rsock *rs) { return !rs->d->sending || rs->d->failed; }

/* place gives a socket its slots, and posts receives. */
static int place(struct rsock *rs)
{
	struct rs_datagrams *d = rs->d;
	uint32_t receives = rs->receives, all;
	all = d->sends + receives + udp_slots;
	d->memory = calloc(all, grh_bytes + slot_bytes);
	d->slots = calloc(all, sizeof *d->slots);
	d->mr = d->memory ? ibv_reg_mr(rs->id->pd, d->memory, (size_t)all * (grh_bytes + slot_bytes), IBV_ACCESS_LOCAL_WRITE) : NULL;
	if (!d->mr || !d->slots)
		return ENOMEM;
	for (uint32_t i = 0; i < all; i++) {
		struct slot *s = &d->slots[i];
		s->at = d->memory + (size_t)i * (grh_bytes + slot_bytes);
		s->kind = i < receives ? received : i < receives + udp_slots ? by_udp : sent;
		give_back(rs, s);
	}
	return 0;
}

/* make gives a socket whose ID has a device its queue pair. */
static int make(struct rsock *rs)
{
	struct rs_datagrams *d = rs->d;
	uint32_t fit = rs->receive_size / slot_bytes, room = rs->send_size / slot_bytes;
	rs->receives = fit > rs->receives ? rs->receives : fit < least_slots ? least_slots : fit;
	d->sends = room > rs->sends ? rs->sends : room < least_slots ? least_slots : room;
	rs->s.cq_channel = ibv_create_comp_channel(rs->id->verbs);
	if (!rs->s.cq_channel)
		return errno;
	fcntl(rs->s.cq_channel->fd, F_SETFL, O_NONBLOCK);
	rs->s.cq = ibv_create_cq(rs->id->verbs, (int)(d->sends + rs->receives), NULL, rs->s.cq_channel, 0);
	if (!rs->s.cq)
		return errno;
	struct ibv_qp_init_attr a = {
		.send_cq = rs->s.cq, .recv_cq = rs->s.cq, .qp_type = IBV_QPT_UD, .sq_sig_all = 1,
		.cap = {.max_send_wr = d->sends, .max_recv_wr = rs->receives, .max_send_sge = 1, .max_recv_sge = 1},
	};
	if (rdma_create_qp(rs->id, NULL, &a))
		return errno;
	int e = place(rs);
	if (!e)
		rs->state = rs_connected;
	return e;
}

/* settle binds the UDP socket to the device's address and a port. */
static int settle(struct rsock *rs, uint16_t port)
{
	struct rs_datagrams *d = rs->d;
	socklen_t n = sizeof d->own;
	cm_sockaddr_of(weft_context_of(rs->id->verbs)->attr.address, port, &d->own);
	if (d->own.ss_family != rs->domain)
		return EAFNOSUPPORT;
	if (bind(d->udp, (struct sockaddr *)&d->own, cm_size_of((struct sockaddr *)&d->own)) || getsockname(d->udp, (struct sockaddr *)&d->own, &n))
		return errno;
	struct header *h = &d->header;
	h->length = header_bytes(rs->domain);
	h->port = htobe16(cm_port_of((struct sockaddr *)&d->own));
	if (rs->domain == AF_INET) {
		h->version = 4;
		h->of.v4 = ((struct sockaddr_in *)&d->own)->sin_addr;
	} else {
		h->version = 6;
		h->of.v6.addr = ((struct sockaddr_in6 *)&d->own)->sin6_addr;
	}
	return 0;
}

int rd_open(struct rsock *rs)
{
	rs->d = calloc(1, sizeof *rs->d);
	if (!rs->d)
		return ENOMEM;
	rs->d->udp = socket(rs->domain, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (rs->d->udp < 0 || rdma_create_id(NULL, &rs->id, rs, RDMA_PS_UDP))
		return errno;
	return 0;
}

int rd_bind(struct rsock *rs, const struct sockaddr *addr)
{
	if (rs->d->own.ss_family)
		return EINVAL;
	int e = cm_is_any(addr) ? cm_device_at((struct cm_id *)rs->id, NULL, false) : rdma_bind_addr(rs->id, (struct sockaddr *)addr) ? errno : 0;
	if (!e)
		e = settle(rs, cm_port_of(addr));
	return e ? e : make(rs);
}

/* reach gives a socket without an address one from which it reaches another. */
static int reach(struct rsock *rs, const struct sockaddr_storage *to)
{
	if (to->ss_family != rs->domain)
		return EAFNOSUPPORT;
	if (rs->d->own.ss_family)
		return rs->id->qp ? 0 : EINVAL;
	int e = rdma_resolve_addr(rs->id, NULL, (struct sockaddr *)to, 0) ? errno : settle(rs, 0);
	return e ? e : make(rs);
}

int rd_connect(struct rsock *rs, const struct sockaddr *addr)
{
	struct sockaddr_storage to = {0};
	if (addr->sa_family == AF_UNSPEC) {
		rs->d->peer = to;
		return 0;
	}
	memcpy(&to, addr, cm_size_of(addr));
	int e = reach(rs, &to);
	if (!e)
		rs->d->peer = to;
	return e;
}

void rd_finish(struct rsock *rs)
{
	if (rs->id->qp)
		rs_await(rs, false, all_sent);
}

void rd_drop(struct rsock *rs)
{
	struct rs_datagrams *d = rs->d;
	if (rs->id)
		rdma_destroy_qp(rs->id);
	for (int i = 0; i < buckets; i++)
		for (struct peer *p = d->peers[i], *next; p; p = next) {
			next = p->next;
			if (p->ah)
				ibv_destroy_ah(p->ah);
			free(p);
		}
	if (d->mr)
		ibv_dereg_mr(d->mr);
	free(d->slots);
	free(d->memory);
	if (d->udp >= 0)
		close(d->udp);
	free(d);
	rs->d = NULL;
}

int rd_descriptor(const struct rsock *rs) { return rs->d->udp; }

const struct sockaddr_storage *rd_own(const struct rsock *rs) { return &rs->d->own; }

const struct sockaddr_storage *rd_peer(const struct rsock *rs) { return &rs->d->peer; }

/* gather copies the parts of a datagram. */
static void gather(uint8_t *to, const struct iovec *iov, int n)
{
	for (int i = 0; i < n; to += iov[i++].iov_len)
		memcpy(to, iov[i].iov_base, iov[i].iov_len);
}

/* post sends the datagram in a slot: to the peer's queue pair, or by UDP as long as that is not known. */
static int post(struct rsock *rs, struct slot *s, const struct sockaddr_storage *to, size_t n)
{
	struct rs_datagrams *d = rs->d;
	const struct peer *p = peer_of(d, to, false);
	struct iovec data = {s->at + d->header.length, n};
	if (!p || !p->ah)
		return send_udp(rs, to, op_data, &data, 1);
	memcpy(s->at, &d->header, d->header.length);
	struct ibv_sge sge = {(uintptr_t)s->at, d->header.length + n, d->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = (uintptr_t)s, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
	wr.wr.ud.ah = p->ah;
	wr.wr.ud.remote_qpn = p->qpn;
	wr.wr.ud.remote_qkey = RDMA_UDP_QKEY;
	int e = ibv_post_send(rs->id->qp, &wr, &bad);
	if (!e) {
		d->free_send = s->next;
		d->sending++;
	}
	return e;
}

ssize_t rd_send(struct rsock *rs, const struct iovec *iov, int parts, const struct sockaddr *addr, int flags)
{
	struct sockaddr_storage to = rs->d->peer;
	size_t n = 0;
	for (int i = 0; i < parts; i++)
		n += iov[i].iov_len;
	if (addr)
		memcpy(&to, addr, cm_size_of(addr));
	int e = !to.ss_family ? EDESTADDRREQ : n > slot_bytes - udp_header_bytes(rs->domain) ? EMSGSIZE : reach(rs, &to);
	if (!e) {
		rd_work(rs); /* the peer's queue pair may be known meanwhile */
		e = rs_await(rs, rs_nonblocking(rs, flags), rd_can_send);
	}
	if (!e && rs->d->failed)
		e = ENETDOWN;
	if (!e) {
		struct slot *s = rs->d->free_send;
		gather(s->at + rs->d->header.length, iov, parts);
		e = post(rs, s, &to, n);
	}
	return e ? cm_fails(e) : (ssize_t)n;
}

ssize_t rd_receive(struct rsock *rs, const struct iovec *iov, int parts, struct sockaddr_storage *from, bool *cut, int flags)
{
	if (!rs->id->qp)
		return cm_fails(ENOTCONN); /* nobody knows its address */
	int e = rs_await(rs, rs_nonblocking(rs, flags), rd_has_data);
	if (!e && !rs->d->first)
		e = ENETDOWN;
	if (e)
		return cm_fails(e);
	struct slot *s = rs->d->first;
	size_t got = 0;
	for (int i = 0; i < parts && got < s->length; i++) {
		size_t n = iov[i].iov_len < s->length - got ? iov[i].iov_len : s->length - got;
		memcpy(iov[i].iov_base, s->data + got, n);
		got += n;
	}
	*from = s->from;
	*cut = got < s->length;
	size_t whole = s->length;
	if (!(flags & MSG_PEEK)) {
		rs->d->first = s->next;
		give_back(rs, s);
	}
	return (ssize_t)(flags & MSG_TRUNC ? whole : got);
}
