/* The devices that a program can open: their names and GUIDs. */
#define _GNU_SOURCE
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weft.h"

enum { most_devices = 64 };

/*
 * devices reads WEFT_VERBS_DEVICES: entries "name=address" or "name", with commas between. Without it
 * there is one device, at the first free address of the loopback.
 */
static int devices(struct weft_devices *out[])
{
	const char *list = getenv("WEFT_VERBS_DEVICES");
	char *copy = strdup(list && *list ? list : "weft0"), *rest = copy;
	int n = 0;
	for (char *entry; n < most_devices && (entry = strsep(&rest, ",")); n++) {
		struct weft_devices *d = calloc(1, sizeof *d);
		char *address = strchr(entry, '=');
		if (address)
			*address++ = 0;
		snprintf(d->device.name, sizeof d->device.name, "%s", entry);
		snprintf(d->device.dev_name, sizeof d->device.dev_name, "%s", entry);
		snprintf(d->device.dev_path, sizeof d->device.dev_path, "/sys/class/infiniband_verbs/%s", entry);
		snprintf(d->device.ibdev_path, sizeof d->device.ibdev_path, "/sys/class/infiniband/%s", entry);
		snprintf(d->address, sizeof d->address, "%s", address ? address : "");
		d->device.node_type = IBV_NODE_CA;
		d->device.transport_type = IBV_TRANSPORT_IB;
		out[n] = d;
	}
	free(copy);
	return n;
}

struct ibv_device **ibv_get_device_list(int *num)
{
	/* Devices live as long as the process: a context keeps a pointer to its own. */
	static struct weft_devices *all[most_devices];
	static int count;
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&once);
	if (!count)
		count = devices(all);
	pthread_mutex_unlock(&once);
	struct ibv_device **list = calloc(count + 1, sizeof *list);
	for (int i = 0; i < count; i++)
		list[i] = &all[i]->device;
	if (num)
		*num = count;
	return list;
}

void ibv_free_device_list(struct ibv_device **list) { free(list); }

const char *ibv_get_device_name(struct ibv_device *d) { return d->name; }

int ibv_get_device_index(struct ibv_device *d)
{
	int n = 0, index = -1;
	struct ibv_device **list = ibv_get_device_list(&n);
	for (int i = 0; i < n; i++)
		if (list[i] == d)
			index = i;
	ibv_free_device_list(list);
	return index;
}

/* A GUID is of the process and the device: locally administered, "wf", the process, the device. */
__be64 ibv_get_device_guid(struct ibv_device *d)
{
	return htobe64(0x0277660000000000ull | (uint64_t)(uint32_t)getpid() << 8 | (uint8_t)(ibv_get_device_index(d) + 1));
}
