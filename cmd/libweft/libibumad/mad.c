/*
 * Datagrams of a program, through a connection with the fabric whose descriptor is the port's. As with the kernel, the upper
 * half of a transaction's number names the agent, and an unanswered request comes back with an error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "umad.h"

enum { most_ports = UMAD_MAX_PORTS, nobody = UMAD_CA_MAX_AGENTS }; /* nobody wants the answer */

/* An open port. */
static struct port {
	int fd; /* 0: free */
	uint32_t agents; /* a bit each */
	/* An answer that did not fit in the program's buffer waits for a larger one. */
	struct weft_message *held;
	int held_bytes;
} ports[most_ports];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct port *port_of(int fd)
{
	for (int i = 0; i < most_ports; i++)
		if (fd > 0 && ports[i].fd == fd)
			return &ports[i];
	return NULL;
}

int umad_open_port(const char *name, int portnum)
{
	struct weft_ca ca;
	if (!weft_ca(name, &ca))
		return -ENODEV;
	if (portnum != UMAD_ANY_PORT && portnum != 1)
		return -EINVAL;
	int fd = weft_connect(&ca, false);
	if (fd < 0)
		return fd;
	int opened = -EMFILE;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < most_ports && opened < 0; i++)
		if (!ports[i].fd) {
			ports[i] = (struct port){.fd = fd};
			opened = fd;
		}
	pthread_mutex_unlock(&lock);
	if (opened < 0)
		close(fd);
	return opened;
}

int umad_close_port(int fd)
{
	int failed = -EINVAL;
	pthread_mutex_lock(&lock);
	struct port *p = port_of(fd);
	if (p) {
		free(p->held);
		*p = (struct port){0};
		failed = close(fd) ? -errno : 0;
	}
	pthread_mutex_unlock(&lock);
	return failed;
}

int umad_get_fd(int fd) { return fd; }

/* add is a new agent. The fabric sends answers alone, so no class and no method matters. */
static int add(int fd)
{
	int id = -EINVAL;
	pthread_mutex_lock(&lock);
	struct port *p = port_of(fd);
	if (p)
		id = -ENOMEM;
	for (int i = 0; p && i < UMAD_CA_MAX_AGENTS && id < 0; i++)
		if (!(p->agents >> i & 1)) {
			p->agents |= 1u << i;
			id = i;
		}
	pthread_mutex_unlock(&lock);
	return id;
}

int umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long method_mask[16 / sizeof(long)]) { return add(fd); }

int umad_register_oui(int fd, int mgmt_class, uint8_t rmpp_version, uint8_t oui[3], long method_mask[16 / sizeof(long)])
{
	return mgmt_class < 0x30 || mgmt_class > 0x4f ? -EINVAL : add(fd); /* the vendors' classes with an OUI */
}

int umad_register2(int fd, struct umad_reg_attr *attr, uint32_t *agent_id)
{
	int id = add(fd);
	if (id < 0)
		return -id;
	*agent_id = id;
	return 0;
}

int umad_unregister(int fd, int id)
{
	int failed = -EINVAL;
	pthread_mutex_lock(&lock);
	struct port *p = port_of(fd);
	if (p && id >= 0 && id < UMAD_CA_MAX_AGENTS && p->agents >> id & 1) {
		p->agents &= ~(1u << id);
		failed = 0;
	}
	pthread_mutex_unlock(&lock);
	return failed;
}

/* Of a transaction's number bytes 8 to 11 are the upper half. */
static void set_agent(uint8_t *mad, uint32_t id)
{
	id = htobe32(id);
	memcpy(mad + 8, &id, sizeof id);
}

static uint32_t agent_of(const uint8_t *mad)
{
	uint32_t id;
	memcpy(&id, mad + 8, sizeof id);
	return be32toh(id);
}

int umad_send(int fd, int agent, void *umad, int length, int timeout_ms, int retries)
{
	struct ib_user_mad *u = umad;
	uint8_t room[sizeof(struct weft_message) + mad_bytes] = {0};
	struct weft_message *m = (struct weft_message *)room;
	if (agent < 0 || agent >= UMAD_CA_MAX_AGENTS || length < 0 || length > mad_bytes)
		return -EINVAL;
	u->agent_id = agent;
	u->timeout_ms = timeout_ms;
	u->retries = retries;
	m->kind = weft_datagram;
	m->lid = be16toh(u->addr.lid);
	memcpy(m->data, u->data, length);
	set_agent(m->data, timeout_ms ? agent : nobody);
	return send(fd, room, sizeof room, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int umad_poll(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int n = poll(&p, 1, timeout_ms);
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

/* fetch reads an answer of all its messages; its parts follow at once. */
static int fetch(struct port *p, int flags)
{
	size_t have = 0;
	for (bool more = true; more;) {
		struct weft_message *grown = realloc(p->held, sizeof *grown + have + weft_most);
		if (!grown)
			return -ENOMEM;
		p->held = grown;
		struct weft_message head;
		struct iovec part[] = {{&head, sizeof head}, {grown->data + have, weft_most}};
		struct msghdr h = {.msg_iov = part, .msg_iovlen = 2};
		ssize_t n = recvmsg(p->fd, &h, flags);
		if (n < 0)
			return -errno;
		if (n < (ssize_t)sizeof head)
			return -EIO; /* the fabric has ended */
		*grown = head;
		have += n - sizeof head;
		more = head.more;
		flags = 0;
	}
	p->held_bytes = have;
	return 0;
}

/* give gives an answer to the program, as the kernel does, if its buffer is long enough. */
static int give(struct port *p, struct ib_user_mad *u, int *length)
{
	uint32_t agent = agent_of(p->held->data);
	int n = p->held_bytes, room = *length;
	*length = n;
	if (n > room)
		return -ENOSPC;
	*u = (struct ib_user_mad){.agent_id = agent, .status = p->held->status, .length = umad_size() + n};
	u->addr.lid = htobe16(p->held->lid);
	u->addr.qpn = htobe32(p->held->data[1] == 0x01 || p->held->data[1] == 0x81 ? 0 : 1);
	memcpy(u->data, p->held->data, n);
	p->held_bytes = 0;
	return agent;
}

int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	int n = 0;
	pthread_mutex_lock(&lock);
	struct port *p = port_of(fd);
	while (p && !n && (!p->held_bytes || agent_of(p->held->data) == nobody)) {
		p->held_bytes = 0;
		pthread_mutex_unlock(&lock);
		n = timeout_ms ? umad_poll(fd, timeout_ms) : 0;
		pthread_mutex_lock(&lock);
		p = port_of(fd);
		if (p && !n && !p->held_bytes)
			n = fetch(p, MSG_DONTWAIT);
	}
	if (!p)
		n = -EINVAL;
	if (!n)
		n = give(p, umad, length);
	pthread_mutex_unlock(&lock);
	if (n < 0)
		errno = -n;
	return n;
}
