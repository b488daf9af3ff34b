/* Sockets over RDMA as programs use them, both ends in one process. Exits with the line of the first wrong answer, 0 if none. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <endian.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <rdma/rsocket.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define WANT(x)                                                                     \
	do {                                                                        \
		if (!(x)) {                                                         \
			fprintf(stderr, "line %d: not so: %s: %m\n", __LINE__, #x); \
			exit(1);                                                    \
		}                                                                   \
	} while (0)

static struct sockaddr_in at = {.sin_family = AF_INET};
static int listener;

static int poll_for(int fd, short events, int ms)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n = rpoll(&p, 1, ms);
	return n == 1 ? p.revents : n;
}

static void *accept_one(void *to)
{
	struct sockaddr_in from;
	socklen_t n = sizeof from;
	*(int *)to = raccept(listener, (struct sockaddr *)&from, &n);
	WANT(n == sizeof from && from.sin_family == AF_INET && from.sin_addr.s_addr == at.sin_addr.s_addr);
	return NULL;
}

/* connected makes a pair of blocking sockets with buffers of a size. */
static void connected(int *client, int *server, int size)
{
	pthread_t t;
	WANT(!pthread_create(&t, NULL, accept_one, server));
	*client = rsocket(AF_INET, SOCK_STREAM, 0);
	WANT(*client >= 0 && !rsetsockopt(*client, SOL_SOCKET, SO_SNDBUF, &size, sizeof size));
	WANT(!rsetsockopt(*client, SOL_SOCKET, SO_RCVBUF, &size, sizeof size));
	WANT(!rconnect(*client, (struct sockaddr *)&at, sizeof at));
	WANT(!pthread_join(t, NULL) && *server >= 0);
}

static void refusals(void)
{
	struct sockaddr_in nobody = at;
	char c;
	int fd = rsocket(AF_INET, SOCK_STREAM, 0);
	nobody.sin_port = htons(9);
	WANT(rrecv(fd, &c, 1, 0) == -1 && errno == ENOTCONN);
	WANT(rsend(fd, &c, 1, 0) == -1 && errno == ENOTCONN);
	WANT(rshutdown(fd, SHUT_WR) == -1 && errno == ENOTCONN);
	WANT(rconnect(fd, (struct sockaddr *)&nobody, sizeof nobody) == -1 && errno == ECONNREFUSED);
	WANT(!rclose(fd) && rclose(fd) == -1 && errno == EBADF);
	WANT(rsocket(AF_INET, SOCK_RAW, 0) == -1 && errno == EOPNOTSUPP);
	WANT(rsend(12345, &c, 1, 0) == -1 && errno == EBADF);
}

/* Nothing of a nonblocking socket waits, and rpoll says when to go on. */
static void nonblocking(void)
{
	int client = rsocket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), server, error = -1, size = 4096;
	socklen_t n = sizeof error;
	static char data[100000], got[100000];
	WANT(!rsetsockopt(client, SOL_SOCKET, SO_SNDBUF, &size, sizeof size));
	WANT(rconnect(client, (struct sockaddr *)&at, sizeof at) == -1 && errno == EINPROGRESS);
	WANT(rconnect(client, (struct sockaddr *)&at, sizeof at) == -1 && errno == EALREADY);
	WANT(poll_for(listener, POLLIN, 10000) == POLLIN);
	accept_one(&server);
	WANT(poll_for(client, POLLIN | POLLOUT, 10000) == POLLOUT);
	WANT(!rgetsockopt(client, SOL_SOCKET, SO_ERROR, &error, &n) && error == 0);
	WANT(!rfcntl(server, F_SETFL, O_NONBLOCK) && rfcntl(server, F_GETFL) == O_NONBLOCK);
	WANT(rrecv(server, got, 1, 0) == -1 && errno == EAGAIN);
	WANT(poll_for(server, POLLIN, 20) == 0);
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (char)(i * 7 + i / 251);
	size_t sent = 0, read = 0;
	int full = 0;
	while (read < sizeof data) {
		ssize_t k = rsend(client, data + sent, sizeof data - sent, 0);
		if (k > 0) {
			sent += k;
			continue;
		}
		WANT(sent == sizeof data || (k == -1 && errno == EAGAIN && ++full));
		WANT(poll_for(server, POLLIN, 10000) == POLLIN);
		k = rrecv(server, got + read, 3000, 0);
		WANT(k > 0);
		read += k;
		WANT(sent == sizeof data || poll_for(client, POLLOUT, 10000) == POLLOUT);
	}
	WANT(full > 2 && !memcmp(data, got, sizeof data));
	WANT(!rclose(client));
	WANT(poll_for(server, POLLIN, 10000) == (POLLIN | POLLHUP) && rrecv(server, got, 1, 0) == 0);
	WANT(rsend(server, got, 1, 0) == -1 && errno == ECONNRESET);
	WANT(!rclose(server));
}

/* Parts, peeking, waiting for all, sets of descriptors, half a connection. */
static void calls(void)
{
	int client, server, one = 1, is = 0, pipes[2];
	char a[4] = "abc", b[8] = "", c[8] = "";
	socklen_t n = sizeof is;
	connected(&client, &server, 1 << 16);
	struct sockaddr_in mine, theirs;
	socklen_t size = sizeof mine;
	WANT(!rgetsockname(client, (struct sockaddr *)&mine, &size) && !rgetpeername(server, (struct sockaddr *)&theirs, &size));
	WANT(mine.sin_addr.s_addr == theirs.sin_addr.s_addr);
	WANT(!rgetpeername(client, (struct sockaddr *)&theirs, &size) && theirs.sin_port == at.sin_port);
	WANT(!rsetsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) && !rgetsockopt(client, IPPROTO_TCP, TCP_NODELAY, &is, &n) && is);
	WANT(rgetsockopt(client, SOL_SOCKET, SO_SNDBUF, &is, &n) == 0 && is == 2 << 16);
	WANT(rsetsockopt(client, SOL_SOCKET, 12345, &one, sizeof one) == -1 && errno == EOPNOTSUPP);
	WANT(rwritev(client, (struct iovec[]){{a, 3}, {NULL, 0}, {"defg", 4}}, 3) == 7);
	WANT(rrecv(server, c, 7, MSG_PEEK | MSG_WAITALL) > 0 && c[0] == 'a');
	WANT(rreadv(server, (struct iovec[]){{b, 2}, {b + 2, 3}}, 2) == 5 && !strcmp(b, "abcde"));
	WANT(rrecv(server, b, 2, MSG_WAITALL) == 2 && !memcmp(b, "fg", 2));
	struct msghdr m = {.msg_iov = (struct iovec[]){{a, 4}}, .msg_iovlen = 1};
	WANT(rsendmsg(server, &m, 0) == 4 && rrecvmsg(client, &m, MSG_WAITALL) == 4);

	fd_set r;
	struct timeval t = {.tv_sec = 10}, none = {0};
	WANT(!pipe(pipes));
	FD_ZERO(&r);
	FD_SET(server, &r);
	FD_SET(pipes[0], &r);
	WANT(rselect(FD_SETSIZE, &r, NULL, NULL, &none) == 0 && !FD_ISSET(server, &r));
	FD_SET(server, &r);
	FD_SET(pipes[0], &r);
	WANT(write(pipes[1], a, 1) == 1);
	WANT(rselect(FD_SETSIZE, &r, NULL, NULL, &t) == 1 && FD_ISSET(pipes[0], &r) && !FD_ISSET(server, &r));

	WANT(!rshutdown(client, SHUT_WR) && rsend(client, a, 1, 0) == -1);
	WANT(rrecv(server, b, 1, 0) == 0 && rsend(server, "x", 1, 0) == 1);
	WANT(rrecv(client, b, 1, 0) == 1 && *b == 'x');
	WANT(!rclose(server) && rrecv(client, b, 1, 0) == 0 && !rclose(client));
}

enum { bytes = 20 << 20 };

static void *write_all(void *fd)
{
	char part[5000];
	for (int n = 0; n < bytes; n += (int)sizeof part) {
		for (size_t i = 0; i < sizeof part; i++)
			part[i] = (char)((n + i) % 249);
		for (size_t done = 0; done < sizeof part;) {
			ssize_t k = rwrite(*(int *)fd, part + done, sizeof part - done);
			WANT(k > 0);
			done += k;
		}
	}
	WANT(!rshutdown(*(int *)fd, SHUT_WR));
	return NULL;
}

static void *read_all(void *fd)
{
	char part[7001];
	ssize_t k;
	long n = 0;
	while ((k = rread(*(int *)fd, part, sizeof part)) > 0)
		for (ssize_t i = 0; i < k; i++, n++)
			WANT(part[i] == (char)(n % 249));
	WANT(k == 0 && n >= bytes);
	return NULL;
}

/* Both ends write and read at once, on threads of their own. */
static void both_ways(void)
{
	int client, server;
	pthread_t t[4];
	connected(&client, &server, 1 << 15);
	WANT(!pthread_create(&t[0], NULL, write_all, &client) && !pthread_create(&t[1], NULL, read_all, &client));
	WANT(!pthread_create(&t[2], NULL, write_all, &server) && !pthread_create(&t[3], NULL, read_all, &server));
	for (int i = 0; i < 4; i++)
		WANT(!pthread_join(t[i], NULL));
	WANT(!rclose(client) && !rclose(server));
}

/* refused reports whether a request with a hello is rejected; otherwise the ID is connected. */
static bool refused(struct rdma_cm_id **id, uint8_t version)
{
	uint8_t hello[40] = {version, [2] = 1, [23] = 2, [39] = 1}; /* 256 credits, 2 targets, a byte of inbox */
	struct rdma_conn_param param = {.private_data = hello, .private_data_len = sizeof hello, .retry_count = 7, .rnr_retry_count = 7};
	struct ibv_qp_init_attr qp = {.qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
	WANT(!rdma_create_id(NULL, id, NULL, RDMA_PS_TCP) && !rdma_resolve_addr(*id, NULL, (struct sockaddr *)&at, 2000));
	WANT(!rdma_resolve_route(*id, 2000) && !rdma_create_qp(*id, NULL, &qp));
	return rdma_connect(*id, &param) == -1 && errno == ECONNREFUSED;
}

/* A peer of another protocol is rejected. One that says it has written more than it was granted is cut off. */
static void liars(void)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .imm_data = htobe32(1 << 24)}, *bad;
	struct rdma_cm_id *id;
	pthread_t t;
	int server;
	char c;
	WANT(!pthread_create(&t, NULL, accept_one, &server));
	WANT(refused(&id, 2));
	rdma_destroy_ep(id);
	WANT(!refused(&id, 1) && !ibv_post_send(id->qp, &wr, &bad) && !pthread_join(t, NULL));
	WANT(rrecv(server, &c, 1, 0) == -1 && errno == EPROTO);
	WANT(!rclose(server));
	rdma_destroy_ep(id);
}

/* datagram_socket makes a socket of datagrams at a port; 0 is any. */
static int datagram_socket(uint16_t port, struct sockaddr_in *own)
{
	socklen_t n = sizeof *own;
	int fd = rsocket(AF_INET, SOCK_DGRAM, 0), type = 0;
	*own = at;
	own->sin_port = htons(port);
	WANT(fd >= 0 && !rbind(fd, (struct sockaddr *)own, sizeof *own) && !rgetsockname(fd, (struct sockaddr *)own, &n));
	WANT(own->sin_addr.s_addr == at.sin_addr.s_addr && own->sin_port && (!port || own->sin_port == htons(port)));
	n = sizeof type;
	WANT(!rgetsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_DGRAM);
	return fd;
}

/* hears receives a datagram of one byte from an address. */
static void hears(int fd, char what, const struct sockaddr_in *whom)
{
	struct sockaddr_in from = {0};
	socklen_t n = sizeof from;
	char c = 0;
	WANT(poll_for(fd, POLLIN, 5000) == POLLIN);
	WANT(rrecvfrom(fd, &c, 1, MSG_DONTWAIT, (struct sockaddr *)&from, &n) == 1 && c == what);
	WANT(n == sizeof from && from.sin_addr.s_addr == whom->sin_addr.s_addr && from.sin_port == whom->sin_port);
}

/* Datagrams keep their bounds, name their sender, and reach a connected socket from its peer only. */
static void datagrams(void)
{
	struct sockaddr_in a_at, b_at, c_at, none;
	int a = datagram_socket(7789, &a_at), b = datagram_socket(0, &b_at), c = datagram_socket(0, &c_at);
	char big[2033], half[8];
	socklen_t n = sizeof none;
	struct iovec two[2] = {{"ab", 2}, {"cdefg", 5}}, one = {half, 4};
	struct msghdr m = {.msg_iov = &one, .msg_iovlen = 1};
	WANT(rsend(a, "x", 1, 0) < 0 && errno == EDESTADDRREQ);
	WANT(rrecv(a, half, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN && rgetpeername(a, (struct sockaddr *)&none, &n) < 0 && errno == ENOTCONN);
	WANT(poll_for(a, POLLIN | POLLOUT, 0) == POLLOUT && rlisten(a, 1) < 0 && errno == EOPNOTSUPP);
	WANT(!rconnect(b, (struct sockaddr *)&a_at, sizeof a_at) && !rgetpeername(b, (struct sockaddr *)&none, &n) && none.sin_port == a_at.sin_port);
	for (int i = 0; i < 4; i++) { /* the first by UDP, the last not */
		WANT(rsend(b, "1", 1, 0) == 1);
		hears(a, '1', &b_at);
		WANT(rsendto(c, "2", 1, 0, (struct sockaddr *)&b_at, sizeof b_at) == 1); /* from nobody that b knows */
		WANT(rsendto(a, "3", 1, 0, (struct sockaddr *)&b_at, sizeof b_at) == 1);
		hears(b, '3', &a_at);
		WANT(rsendto(c, "4", 1, 0, (struct sockaddr *)&a_at, sizeof a_at) == 1);
		hears(a, '4', &c_at);
	}
	WANT(rwritev(b, two, 2) == 7 && rsend(b, "", 0, 0) == 0 && poll_for(a, POLLIN, 5000) == POLLIN);
	WANT(rrecv(a, half, 8, MSG_PEEK) == 7 && !memcmp(half, "abcdefg", 7));
	WANT(rrecvmsg(a, &m, 0) == 4 && m.msg_flags == MSG_TRUNC && rrecv(a, half, 8, 0) == 0);
	WANT(rsend(b, big, 2033, 0) < 0 && errno == EMSGSIZE && rsend(b, big, 2032, 0) == 2032 && rrecv(a, big, 2033, 0) == 2032);
	WANT(!rclose(a) && !rclose(b) && !rclose(c) && rclose(c) < 0);
}

int main(int argc, char **argv)
{
	alarm(50);
	WANT(argc == 2 && inet_pton(AF_INET, argv[1], &at.sin_addr));
	at.sin_port = htons(7788);
	listener = rsocket(AF_INET, SOCK_STREAM, 0);
	WANT(!rbind(listener, (struct sockaddr *)&at, sizeof at) && !rlisten(listener, 4));
	refusals();
	nonblocking();
	calls();
	both_ways();
	liars();
	datagrams();
	return rclose(listener);
}
