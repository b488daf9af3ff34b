/* Addresses, as programs and as the core have them. */
#include <arpa/inet.h>
#include <string.h>

#include "cm.h"

/* cm_bytes_of writes an address as the core takes it. */
void cm_bytes_of(const struct sockaddr *a, uint8_t *address)
{
	if (a->sa_family == AF_INET6) {
		memcpy(address, &((const struct sockaddr_in6 *)a)->sin6_addr, 16);
		return;
	}
	memset(address, 0, 10);
	address[10] = address[11] = 0xff;
	memcpy(address + 12, &((const struct sockaddr_in *)a)->sin_addr, 4);
}

void cm_sockaddr_of(const uint8_t *address, uint16_t port, struct sockaddr_storage *a)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	memset(a, 0, sizeof *a);
	if (!memcmp(address, mapped, sizeof mapped)) {
		struct sockaddr_in *v4 = (struct sockaddr_in *)a;
		v4->sin_family = AF_INET;
		memcpy(&v4->sin_addr, address + 12, 4);
		v4->sin_port = htons(port);
		return;
	}
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)a;
	v6->sin6_family = AF_INET6;
	memcpy(&v6->sin6_addr, address, 16);
	v6->sin6_port = htons(port);
}

uint16_t cm_port_of(const struct sockaddr *a)
{
	return ntohs(a->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port : ((const struct sockaddr_in *)a)->sin_port);
}

void cm_set_port(struct sockaddr *a, uint16_t port)
{
	if (a->sa_family == AF_INET6)
		((struct sockaddr_in6 *)a)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)a)->sin_port = htons(port);
}

socklen_t cm_size_of(const struct sockaddr *a)
{
	return a->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

bool cm_is_any(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET6)
		return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)a)->sin6_addr);
	return ((const struct sockaddr_in *)a)->sin_addr.s_addr == INADDR_ANY;
}

bool cm_is_loopback(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
	return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
}

bool cm_same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	uint8_t of[2][16];
	cm_bytes_of(a, of[0]);
	cm_bytes_of(b, of[1]);
	return !memcmp(of[0], of[1], sizeof of[0]);
}
