/* The devices of IDs, and what IDs share there. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"

/* The devices that this library has opened. They stay open, as programs keep their contexts. */
enum { most_devices = 64 };
static struct ibv_context *contexts[most_devices + 1];
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

static struct ibv_context *open_nth(struct ibv_device **list, int n)
{
	if (!contexts[n])
		contexts[n] = ibv_open_device(list[n]);
	return contexts[n];
}

/*
 * find finds the device with an address, NULL for any. A device that has no address of its own yet,
 * because it takes the first that is free, gets this one if takes is true.
 */
static struct ibv_context *find(const struct sockaddr *a, bool takes)
{
	struct ibv_context *found = NULL;
	char text[INET6_ADDRSTRLEN] = "";
	uint8_t address[16];
	if (a) {
		cm_bytes_of(a, address);
		inet_ntop(a->sa_family, a->sa_family == AF_INET6 ? (const void *)&((const struct sockaddr_in6 *)a)->sin6_addr : &((const struct sockaddr_in *)a)->sin_addr, text, sizeof text);
	}
	pthread_mutex_lock(&contexts_lock);
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);
	for (int i = 0; i < n && i < most_devices && !found; i++) {
		struct weft_devices *d = (struct weft_devices *)list[i];
		bool takes_it = a && takes && !contexts[i] && !*d->address && !getenv("WEFT_EMULATOR");
		if (takes_it)
			snprintf(d->address, sizeof d->address, "%s", text);
		else if (a && !contexts[i] && *d->address && strcmp(d->address, text))
			continue;
		struct ibv_context *c = open_nth(list, i);
		if (!c && takes_it)
			*d->address = 0;
		if (c && (!a || !memcmp(weft_context_of(c)->attr.address, address, sizeof address)))
			found = c;
	}
	ibv_free_device_list(list);
	pthread_mutex_unlock(&contexts_lock);
	return found;
}

/* cm_use gives an ID its device, and the domain that IDs share there if the program names none. */
void cm_use(struct cm_id *c, struct ibv_context *v)
{
	static struct ibv_pd *shared[most_devices];
	c->id.verbs = v;
	c->id.port_num = 1;
	pthread_mutex_lock(&contexts_lock);
	for (int i = 0; i < most_devices && !c->id.pd; i++)
		if (contexts[i] == v) {
			if (!shared[i])
				shared[i] = ibv_alloc_pd(v);
			c->id.pd = shared[i];
		}
	pthread_mutex_unlock(&contexts_lock);
}

/* away is a device that is not at an address of the loopback; NULL if it is, or for NULL. */
static struct ibv_context *away(struct ibv_context *v)
{
	static const uint8_t mapped[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};
	const uint8_t *address = v ? weft_context_of(v)->attr.address : mapped;
	return memcmp(address, mapped, sizeof mapped) && memcmp(address, &in6addr_loopback, 16) ? v : NULL;
}

/*
 * cm_device_at gives an ID the device with a local address, or any. Programs try the addresses of all
 * interfaces to find devices: a device without an address moves to another than the loopback's only for
 * a destination that is reached from there. The loopback's address stands for a device elsewhere, as in the
 * kernel.
 */
int cm_device_at(struct cm_id *c, const struct sockaddr *address, bool reaches)
{
	if (c->id.verbs)
		return 0;
	struct ibv_context *v = address && !cm_is_any(address) ? find(address, reaches || cm_is_loopback(address)) : find(NULL, false);
	if (!v && address && cm_is_loopback(address))
		v = away(find(NULL, false));
	if (!v)
		return address && !cm_is_any(address) ? EADDRNOTAVAIL : ENODEV;
	cm_use(c, v);
	return 0;
}

struct ibv_context **rdma_get_devices(int *num)
{
	int n = 0, opened = 0;
	pthread_mutex_lock(&contexts_lock);
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_context **out = calloc(n + 1, sizeof *out);
	for (int i = 0; i < n && out; i++)
		if (open_nth(list, i))
			out[opened++] = contexts[i];
	ibv_free_device_list(list);
	pthread_mutex_unlock(&contexts_lock);
	if (num)
		*num = opened;
	return out;
}

void rdma_free_devices(struct ibv_context **list) { free(list); }

/* cm_domain is the domain of XRC that IDs share on a device. */
struct ibv_xrcd *cm_domain(struct ibv_context *v)
{
	static struct ibv_xrcd *shared[most_devices];
	struct ibv_xrcd_init_attr a = {.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT};
	struct ibv_xrcd *x = NULL;
	pthread_mutex_lock(&contexts_lock);
	for (int i = 0; i < most_devices && !x; i++)
		if (contexts[i] == v) {
			if (!shared[i])
				shared[i] = ibv_open_xrcd(v, &a);
			x = shared[i];
		}
	pthread_mutex_unlock(&contexts_lock);
	return x;
}
