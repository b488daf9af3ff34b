/*
 * A server goes through all addresses that getaddrinfo returns, and listens at each: 0.0.0.0, and :: for IPv6 alone. Options
 * have an effect or fail. Exits with 0 if all is as it should be.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rdma_event_channel *channel;
static int wrong;

static struct sockaddr_storage at(const char *address, int port)
{
	struct sockaddr_storage s = {0};
	struct sockaddr_in *four = (void *)&s;
	struct sockaddr_in6 *six = (void *)&s;
	if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
		s.ss_family = AF_INET;
		four->sin_port = htons(port);
	} else {
		inet_pton(AF_INET6, address, &six->sin6_addr);
		s.ss_family = AF_INET6;
		six->sin6_port = htons(port);
	}
	return s;
}

/* listens listens at an address, and returns 0 or the error's number. */
static int listens(struct rdma_cm_id **id, int space, const char *address, int port, int alone)
{
	struct sockaddr_storage s = at(address, port);
	if (rdma_create_id(channel, id, NULL, space))
		exit(2);
	if (alone && rdma_set_option(*id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &alone, sizeof alone))
		return errno;
	return rdma_bind_addr(*id, (void *)&s) || rdma_listen(*id, 8) ? errno : 0;
}

static void want(const char *what, int is, int should)
{
	if (is == should)
		return;
	fprintf(stderr, "%s: %s, want %s\n", what, strerror(is), strerror(should));
	wrong++;
}

/* pair listens at two addresses of one port. */
static void pair(int port, const char *one, const char *other, int alone, int should)
{
	for (int space = RDMA_PS_TCP;; space = RDMA_PS_UDP) {
		struct rdma_cm_id *a, *b;
		char what[99];
		snprintf(what, sizeof what, "%s, and %s%s, in space %#x", one, other, alone ? " for its family alone" : "", space);
		want(what, listens(&a, space, one, port, alone), 0);
		want(what, listens(&b, space, other, port, alone), should);
		rdma_destroy_id(a);
		rdma_destroy_id(b);
		if (space == RDMA_PS_UDP)
			return;
	}
}

static int set(struct rdma_cm_id *id, int level, int name, const void *value, size_t size)
{
	return rdma_set_option(id, level, name, (void *)value, size) ? errno : 0;
}

static void options(void)
{
	struct rdma_cm_id *id;
	int on = 1;
	uint8_t byte = 12, much = 32;
	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		exit(2);
	want("AFONLY", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &on, sizeof on), 0);
	want("AFONLY of a byte", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &byte, 1), EINVAL);
	want("AFONLY without a value", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, NULL, sizeof on), EINVAL);
	want("REUSEADDR", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &on, sizeof on), 0);
	want("ACK_TIMEOUT", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &byte, 1), 0);
	want("ACK_TIMEOUT 32", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &much, 1), EINVAL);
	want("TOS", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &byte, 1), 0);
	want("TOS of four bytes", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &on, sizeof on), EINVAL);
	want("an option that nobody knows", set(id, RDMA_OPTION_ID, 99, &on, sizeof on), ENOSYS);
	want("IB_PATH", set(id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &on, sizeof on), ENOSYS);
	want("a level that nobody knows", set(id, 99, RDMA_OPTION_ID_AFONLY, &on, sizeof on), ENOSYS);
	struct sockaddr_storage s = at("0.0.0.0", 0);
	if (rdma_bind_addr(id, (void *)&s) || rdma_listen(id, 8))
		want("a listener", errno, 0);
	want("AFONLY of a listener", set(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &on, sizeof on), EINVAL);
	rdma_destroy_id(id);
}

int main(int argc, char **argv)
{
	channel = rdma_create_event_channel();
	pair(7901, "0.0.0.0", "::", 1, 0);
	pair(7902, "::", "0.0.0.0", 1, 0);
	pair(7903, "0.0.0.0", "::", 0, EADDRINUSE);
	pair(7904, "::", "0.0.0.0", 0, EADDRINUSE);
	pair(7905, "0.0.0.0", argv[1], 0, EADDRINUSE);
	pair(7906, argv[1], "0.0.0.0", 0, EADDRINUSE);
	pair(7907, argv[1], "::", 1, 0);
	pair(7901, "0.0.0.0", "0.0.0.0", 1, EADDRINUSE); /* and the ports are free again */
	options();
	return wrong > 0;
}
