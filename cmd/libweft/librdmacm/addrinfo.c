/* The translation of names and services into addresses. */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"

static int copy(struct sockaddr **to, socklen_t *len, const struct sockaddr *from, socklen_t n)
{
	*to = malloc(n);
	if (!*to)
		return EAI_MEMORY;
	memcpy(*to, from, n);
	*len = n;
	return 0;
}

/* resolve fills the address of the end that a node and a service name. */
static int resolve(const char *node, const char *service, struct rdma_addrinfo *r)
{
	struct addrinfo hints = {.ai_family = r->ai_family, .ai_socktype = r->ai_port_space == RDMA_PS_UDP ? SOCK_DGRAM : SOCK_STREAM}, *found;
	if (r->ai_flags & RAI_PASSIVE)
		hints.ai_flags |= AI_PASSIVE;
	if (r->ai_flags & RAI_NUMERICHOST)
		hints.ai_flags |= AI_NUMERICHOST;
	int e = getaddrinfo(node, service, &hints, &found);
	if (e)
		return e;
	r->ai_family = found->ai_family;
	char **name = r->ai_flags & RAI_PASSIVE ? &r->ai_src_canonname : &r->ai_dst_canonname;
	if (found->ai_canonname)
		*name = strdup(found->ai_canonname);
	if (r->ai_flags & RAI_PASSIVE)
		e = copy(&r->ai_src_addr, &r->ai_src_len, found->ai_addr, found->ai_addrlen);
	else
		e = copy(&r->ai_dst_addr, &r->ai_dst_len, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return e;
}

/* defaults sets the type of queue pairs by the port space, or the reverse. */
static void defaults(struct rdma_addrinfo *r)
{
	if (!r->ai_port_space)
		r->ai_port_space = r->ai_qp_type == IBV_QPT_UD ? RDMA_PS_UDP : RDMA_PS_TCP;
	if (!r->ai_qp_type)
		r->ai_qp_type = r->ai_port_space == RDMA_PS_UDP || r->ai_port_space == RDMA_PS_IPOIB ? IBV_QPT_UD : IBV_QPT_RC;
}

int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
	struct rdma_addrinfo *r = calloc(1, sizeof *r);
	int e = 0;
	if (!r || (!node && !service && !hints)) {
		free(r);
		return cm_fails(EINVAL);
	}
	if (hints) {
		r->ai_flags = hints->ai_flags;
		r->ai_family = hints->ai_flags & RAI_FAMILY ? hints->ai_family : 0;
		r->ai_qp_type = hints->ai_qp_type;
		r->ai_port_space = hints->ai_port_space;
	}
	defaults(r);
	if (node || service)
		e = resolve(node, service, r);
	if (!e && hints && hints->ai_src_len && !r->ai_src_addr)
		e = copy(&r->ai_src_addr, &r->ai_src_len, hints->ai_src_addr, hints->ai_src_len);
	if (!e && hints && hints->ai_dst_len && !r->ai_dst_addr)
		e = copy(&r->ai_dst_addr, &r->ai_dst_len, hints->ai_dst_addr, hints->ai_dst_len);
	if (e) {
		rdma_freeaddrinfo(r);
		return e;
	}
	*res = r;
	return 0;
}

void rdma_freeaddrinfo(struct rdma_addrinfo *r)
{
	for (struct rdma_addrinfo *next; r; r = next) {
		next = r->ai_next;
		free(r->ai_src_addr);
		free(r->ai_dst_addr);
		free(r->ai_src_canonname);
		free(r->ai_dst_canonname);
		free(r);
	}
}
