/*
 * Device memory: memory of a NIC that programs write and read by calls, and peers by its keys. A device in
 * user space has none beside the process's, so it lies there; its amount is bounded as in a NIC.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "weft.h"

struct device_memory {
	struct ibv_dm dm;
	size_t length;
	char bytes[] __attribute__((aligned(64)));
};

enum { word = 4 }; /* offsets and lengths are in words, as in ConnectX */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* take takes device memory of a context, or gives it back with a negative amount. */
static int take(struct ibv_context *context, ssize_t n)
{
	struct weft_context *c = weft_context_of(context);
	pthread_mutex_lock(&lock);
	int e = n > 0 && (size_t)n > weft_device_memory - c->device_memory ? ENOMEM : 0;
	if (!e)
		c->device_memory += n;
	pthread_mutex_unlock(&lock);
	return e;
}

/* outside is EINVAL for bytes that are not whole words of the memory. */
static int outside(const struct device_memory *d, uint64_t offset, size_t n)
{
	return offset % word || n % word || offset > d->length || n > d->length - offset ? EINVAL : 0;
}

static int copy_in(struct ibv_dm *dm, uint64_t offset, const void *from, size_t n)
{
	struct device_memory *d = (struct device_memory *)dm;
	int e = outside(d, offset, n);
	if (!e)
		memcpy(d->bytes + offset, from, n);
	return e;
}

static int copy_out(void *to, struct ibv_dm *dm, uint64_t offset, size_t n)
{
	const struct device_memory *d = (struct device_memory *)dm;
	int e = outside(d, offset, n);
	if (!e)
		memcpy(to, d->bytes + offset, n);
	return e;
}

static struct ibv_dm *alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *a)
{
	enum { most_alignment = 6 }; /* 64 bytes */
	int e = a->comp_mask || !a->length || a->log_align_req > most_alignment ? EINVAL : 0;
	if (!e)
		e = a->length > weft_device_memory ? ENOMEM : take(context, (ssize_t)a->length);
	if (e) {
		errno = e;
		return NULL;
	}
	size_t all = (sizeof(struct device_memory) + a->length + 63) & ~(size_t)63;
	struct device_memory *d = aligned_alloc(64, all);
	if (!d) {
		take(context, -(ssize_t)a->length);
		return NULL;
	}
	memset(d, 0, all);
	d->dm = (struct ibv_dm){.context = context, .memcpy_to_dm = copy_in, .memcpy_from_dm = copy_out};
	d->length = a->length;
	return &d->dm;
}

static int free_dm(struct ibv_dm *dm)
{
	struct device_memory *d = (struct device_memory *)dm;
	take(dm->context, -(ssize_t)d->length);
	free(d);
	return 0;
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t n, unsigned int access)
{
	struct device_memory *d = (struct device_memory *)dm;
	if (outside(d, offset, n) || !(access & IBV_ACCESS_ZERO_BASED)) {
		errno = EINVAL;
		return NULL;
	}
	return weft_reg_mr(pd, d->bytes + offset, n, 0, access);
}

void weft_add_device_memory(struct verbs_context *v)
{
	v->alloc_dm = alloc_dm;
	v->free_dm = free_dm;
	v->reg_dm_mr = reg_dm_mr;
}
