/* What is of a process: forks, and objects of other processes. */
#include <errno.h>
#include <stdlib.h>

#include "weft.h"

/*
 * The memory of a region is an ordinary page: after a fork the parent's device reads and writes the
 * parent's own, whatever the child does. So there is nothing to prepare.
 */
int ibv_fork_init(void) { return 0; }

enum ibv_fork_status ibv_is_fork_initialized(void) { return IBV_FORK_UNNEEDED; }

int ibv_dontfork_range(void *base, size_t size) { return 0; }

int ibv_dofork_range(void *base, size_t size) { return 0; }

/*
 * A device is of one process: its objects can be imported there, by the descriptor of an open context and by their
 * handles, which are the core's numbers. An imported object is another name of the original.
 */
static void *refused(int e)
{
	errno = e;
	return NULL;
}

struct ibv_context *ibv_import_device(int cmd_fd)
{
	struct ibv_device *d = weft_device_of(cmd_fd);
	return d ? ibv_open_device(d) : refused(EOPNOTSUPP);
}

struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	int e = weft->import_pd(weft_context_of(context)->id, handle);
	struct weft_pd *p = e ? NULL : calloc(1, sizeof *p);
	if (!p)
		return refused(e ? e : ENOMEM);
	p->pd.context = context;
	p->pd.handle = handle;
	p->id = handle;
	return &p->pd;
}

void ibv_unimport_pd(struct ibv_pd *pd) { free(pd); }

/* The address and the length of an imported region are not known, as in rdma-core. */
struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	uint32_t key;
	int e = weft->import_mr(((struct weft_pd *)pd)->id, handle, &key);
	struct weft_mr *m = e ? NULL : calloc(1, sizeof *m);
	if (!m)
		return refused(e ? e : ENOMEM);
	m->mr = (struct ibv_mr){.context = pd->context, .pd = pd, .handle = handle, .lkey = key, .rkey = key};
	m->id = handle;
	return &m->mr;
}

void ibv_unimport_mr(struct ibv_mr *mr) { free(mr); }

/* Device memory lies in the process, which has its address. */
struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle) { return refused(EOPNOTSUPP); }
void ibv_unimport_dm(struct ibv_dm *dm) {}
