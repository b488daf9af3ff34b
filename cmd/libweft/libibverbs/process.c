/* What is of a process: forks, and objects of other processes. */
#include <errno.h>

#include "weft.h"

/*
 * The memory of a region is an ordinary page: after a fork the parent's device reads and writes the
 * parent's own, whatever the child does. So there is nothing to prepare.
 */
int ibv_fork_init(void) { return 0; }

enum ibv_fork_status ibv_is_fork_initialized(void) { return IBV_FORK_UNNEEDED; }

int ibv_dontfork_range(void *base, size_t size) { return 0; }

int ibv_dofork_range(void *base, size_t size) { return 0; }

/* A device is of one process. */
static void *not_shared(void)
{
	errno = EOPNOTSUPP;
	return NULL;
}

struct ibv_context *ibv_import_device(int cmd_fd) { return not_shared(); }
struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle) { return not_shared(); }
void ibv_unimport_pd(struct ibv_pd *pd) {}
struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle) { return not_shared(); }
void ibv_unimport_mr(struct ibv_mr *mr) {}
struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle) { return not_shared(); }
void ibv_unimport_dm(struct ibv_dm *dm) {}
