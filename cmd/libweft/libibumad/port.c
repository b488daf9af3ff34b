/* Devices and ports, as the port's own agent describes them. On Ethernet there is no agent, and a port has no LID. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "umad.h"

int umad_init(void) { return 0; }
int umad_done(void) { return 0; }

int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
	struct weft_ca all[UMAD_MAX_DEVICES];
	int n = weft_cas(all, max < UMAD_MAX_DEVICES ? max : UMAD_MAX_DEVICES);
	for (int i = 0; i < n; i++)
		memcpy(cas[i], all[i].name, UMAD_CA_NAME_LEN);
	return n;
}

/* Attributes of subnet management, and where their data begins (IBA vol. 1, 14.2.1.2 and 14.2.5). */
enum { node_info = 0x11, port_info = 0x15, pkey_table = 0x16, smp_data = 64, keys_per_block = 32 };

/* get asks the port's own agent: a directed route without hops. */
static int get(int fd, int attribute, uint8_t *mad)
{
	memset(mad, 0, mad_bytes);
	mad[0] = 1;    /* base version */
	mad[1] = 0x81; /* subnet management, directed route */
	mad[2] = 1;    /* class version */
	mad[3] = 1;    /* get */
	mad[17] = attribute;
	memset(mad + 32, 0xff, 4); /* both LIDs permissive */
	return weft_ask(fd, 0xffff, mad);
}

static uint64_t number(const uint8_t *at, int bytes)
{
	uint64_t v = 0;
	for (int i = 0; i < bytes; i++)
		v = v << 8 | at[i];
	return v;
}

/* gigabits is the rate of a lane: the first speeds, or the extended ones, or the second extended ones. */
static double gigabits(const uint8_t *info)
{
	static const double first[] = {0, 2.5, 5, 5, 10}, extended[] = {0, 14, 25, 0, 50, 0, 0, 0, 100};
	int second = info[56] >> 5, ext = info[62] >> 4, base = info[35] >> 4;
	if (second)
		return 200;
	if (ext > 0 && ext <= 8)
		return extended[ext];
	return base <= 4 ? first[base] : 10;
}

static int lanes(int width)
{
	switch (width) {
	case 1: return 1;
	case 4: return 8;
	case 8: return 12;
	case 16: return 2;
	}
	return 4;
}

/* describe fills in a port from its PortInfo. */
static void describe(umad_port_t *p, const uint8_t *info)
{
	strcpy(p->link_layer, "InfiniBand");
	p->gid_prefix = htobe64(number(info + 8, 8));
	p->base_lid = number(info + 16, 2);
	p->sm_lid = number(info + 18, 2);
	p->capmask = htobe32(number(info + 20, 4));
	p->state = info[32] & 15;
	p->phys_state = info[33] >> 4;
	p->lmc = info[34] & 7;
	p->sm_sl = info[36] & 15;
	p->rate = gigabits(info) * lanes(info[31]);
}

/* port_of fills in the port of a device and, if asked, the device. */
static int port_of(const struct weft_ca *ca, umad_port_t *p, umad_ca_t *of)
{
	uint8_t mad[mad_bytes];
	const uint8_t *data = mad + smp_data;
	*p = (umad_port_t){.portnum = 1, .state = 4, .phys_state = 5, .link_layer = "Ethernet"};
	memcpy(p->ca_name, ca->name, sizeof p->ca_name);
	if (!(p->pkeys = calloc(keys_per_block, sizeof *p->pkeys)))
		return -ENOMEM;
	p->pkeys_size = 1;
	p->pkeys[0] = 0xffff;
	int fd = weft_connect(ca, true);
	if (fd < 0)
		return 0;
	int failed = get(fd, node_info, mad);
	if (!failed) {
		p->port_guid = htobe64(number(data + 20, 8));
		if (of) {
			of->system_guid = htobe64(number(data + 4, 8));
			of->node_guid = htobe64(number(data + 12, 8));
			snprintf(of->hw_ver, sizeof of->hw_ver, "%x", (unsigned)number(data + 32, 4));
		}
		failed = get(fd, port_info, mad);
	}
	if (!failed) {
		describe(p, data);
		failed = get(fd, pkey_table, mad);
	}
	for (p->pkeys_size = 0; !failed && p->pkeys_size < keys_per_block; p->pkeys_size++)
		p->pkeys[p->pkeys_size] = number(data + 2 * p->pkeys_size, 2);
	close(fd);
	if (failed)
		umad_release_port(p);
	return failed;
}

int umad_get_port(const char *name, int portnum, umad_port_t *port)
{
	struct weft_ca ca;
	if (!weft_ca(name, &ca))
		return -ENODEV;
	if (portnum != UMAD_ANY_PORT && portnum != 1)
		return -EINVAL;
	return port_of(&ca, port, NULL);
}

int umad_release_port(umad_port_t *port)
{
	free(port->pkeys);
	port->pkeys = NULL;
	port->pkeys_size = 0;
	return 0;
}

int umad_get_ca(const char *name, umad_ca_t *out)
{
	struct weft_ca ca;
	if (!weft_ca(name, &ca))
		return -ENODEV;
	*out = (umad_ca_t){.node_type = 1, .numports = 1, .fw_ver = "weft", .ca_type = "weft", .hw_ver = "0"};
	memcpy(out->ca_name, ca.name, sizeof out->ca_name);
	umad_port_t *p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	int failed = port_of(&ca, p, out);
	if (failed)
		free(p);
	else
		out->ports[1] = p;
	return failed;
}

int umad_release_ca(umad_ca_t *ca)
{
	for (int i = 0; i <= ca->numports && i < UMAD_CA_MAX_PORTS; i++)
		if (ca->ports[i]) {
			umad_release_port(ca->ports[i]);
			free(ca->ports[i]);
			ca->ports[i] = NULL;
		}
	return 0;
}

/* Element 0 is of port 0, which an adapter does not have. */
int umad_get_ca_portguids(const char *name, __be64 *guids, int max)
{
	umad_port_t p;
	int failed = umad_get_port(name, 1, &p);
	if (failed)
		return failed;
	if (max > 0)
		guids[0] = 0;
	if (max > 1)
		guids[1] = p.port_guid;
	umad_release_port(&p);
	return 2;
}

/* A Subnet Manager of the program's own would set that it is one: weft's fabric has its manager. */
int umad_get_issm_path(const char *name, int portnum, char path[], int max) { return -ENOTSUP; }

struct umad_device_node *umad_get_ca_device_list(void)
{
	struct weft_ca all[UMAD_MAX_DEVICES];
	struct umad_device_node *head = NULL;
	for (int i = weft_cas(all, UMAD_MAX_DEVICES); i-- > 0;) {
		struct umad_device_node *n = calloc(1, sizeof *n);
		if (!n)
			break;
		n->ca_name = strdup(all[i].name);
		n->next = head;
		head = n;
	}
	if (!head)
		errno = ENOMEM;
	return head;
}

void umad_free_ca_device_list(struct umad_device_node *head)
{
	for (struct umad_device_node *next; head; head = next) {
		next = head->next;
		free((char *)head->ca_name);
		free(head);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct umad_device_node *const *)a)->ca_name, (*(struct umad_device_node *const *)b)->ca_name);
}

int umad_sort_ca_device_list(struct umad_device_node **head, size_t size)
{
	struct umad_device_node *all[UMAD_MAX_DEVICES];
	size_t n = 0;
	for (struct umad_device_node *d = *head; d; d = d->next) {
		if (n == UMAD_MAX_DEVICES || (size && n == size))
			return 1;
		all[n++] = d;
	}
	if (!n)
		return 0;
	qsort(all, n, sizeof *all, by_name);
	for (size_t i = 0; i < n; i++)
		all[i]->next = i + 1 < n ? all[i + 1] : NULL;
	*head = all[0];
	return 0;
}
