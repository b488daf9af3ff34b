/* Open devices, and what becomes of them in a fork. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "weft.h"

/* opened are the open contexts. A fork has no threads of the core: its calls fail. */
static struct weft_context *opened;
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;

static int no_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc) { return -EIO; }
static int no_notify(struct ibv_cq *cq, int solicited) { return EIO; }
static int no_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) { *bad = wr; return EIO; }
static int no_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { *bad = wr; return EIO; }
static int no_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { *bad = wr; return EIO; }

static const struct weft_core orphaned_core;

static void orphan(void)
{
	for (struct weft_context *c = opened; c; c = c->next) {
		struct ibv_context_ops *ops = &c->v.context.ops;
		c->orphaned = true;
		ops->poll_cq = no_poll;
		ops->req_notify_cq = no_notify;
		ops->post_send = no_send;
		ops->post_recv = no_recv;
		ops->post_srq_recv = no_srq_recv;
	}
	if (weft)
		weft = &orphaned_core;
}

/* What the core's calls are in a fork. */
#define WEFT_ORPHAN(name, args) static int orphan_##name args { return EIO; }
WEFT_CALLS(WEFT_ORPHAN)
#define WEFT_ORPHAN_ENTRY(name, args) orphan_##name,
static const struct weft_core orphaned_core = {sizeof(struct weft_core), WEFT_CALLS(WEFT_ORPHAN_ENTRY)};

static void fill(struct weft_context *c, struct ibv_device *d)
{
	struct ibv_context *x = &c->v.context;
	c->v.sz = sizeof c->v;
	c->v.query_port = weft_query_port;
	weft_extend(&c->v);
	x->device = d;
	x->abi_compat = __VERBS_ABI_IS_EXTENDED;
	x->num_comp_vectors = 1;
	x->ops.poll_cq = weft_poll_cq;
	x->ops.req_notify_cq = weft_req_notify_cq;
	x->ops.post_send = weft_post_send;
	x->ops.post_recv = weft_post_recv;
	x->ops.post_srq_recv = weft_post_srq_recv;
	x->ops.alloc_mw = weft_alloc_mw;
	x->ops.bind_mw = weft_bind_mw;
	x->ops.dealloc_mw = weft_dealloc_mw;
	pthread_mutex_init(&x->mutex, NULL);
}

/* tell_files has the preloaded library show the files of InfiniBand. */
static void tell_files(void)
{
	void (*tell)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "weft_on_infiniband");
	if (tell)
		tell();
}

/* fabric_clock is the clock of the emulated fabric: all devices of a process are on one. */
static int fabric_clock(int64_t *ps)
{
	pthread_mutex_lock(&opened_lock);
	int e = opened ? weft->clock(opened->id, ps) : ENODEV;
	pthread_mutex_unlock(&opened_lock);
	return e;
}

/* tell_clock has the preloaded library of clocks, if it is there, follow the fabric's. */
static void tell_clock(void)
{
	void (*tell)(int (*)(int64_t *)) = (void (*)(int (*)(int64_t *)))dlsym(RTLD_DEFAULT, "weft_clock_by");
	if (tell && getenv("WEFT_EMULATOR"))
		tell(fabric_clock);
}

struct ibv_context *ibv_open_device(struct ibv_device *d)
{
	int e = weft_load(), pipes[2];
	if (!e && pipe2(pipes, O_CLOEXEC))
		e = errno;
	if (e) {
		errno = e;
		return NULL;
	}
	fcntl(pipes[1], F_SETFL, O_NONBLOCK);
	struct weft_context *c = calloc(1, sizeof *c);
	e = weft->open(d->name, ((struct weft_devices *)d)->address, pipes[1], &c->id);
	if (e) {
		close(pipes[0]);
		close(pipes[1]);
		free(c);
		errno = e;
		return NULL;
	}
	fill(c, d);
	c->v.context.async_fd = pipes[0];
	c->v.context.cmd_fd = pipes[1]; /* a valid descriptor: programs pass it on */
	c->event_in = pipes[1];
	weft->query(c->id, &c->attr);
	if (c->attr.link == IBV_LINK_LAYER_INFINIBAND)
		tell_files();
	static bool forks;
	pthread_mutex_lock(&opened_lock);
	if (!forks)
		forks = !pthread_atfork(NULL, NULL, orphan);
	c->next = opened;
	opened = c;
	pthread_mutex_unlock(&opened_lock);
	tell_clock();
	return &c->v.context;
}

struct ibv_device *weft_device_of(int cmd_fd)
{
	struct stat it, own;
	struct ibv_device *found = NULL;
	if (fstat(cmd_fd, &it))
		return NULL;
	pthread_mutex_lock(&opened_lock);
	for (struct weft_context *c = opened; c && !found; c = c->next)
		if (!fstat(c->event_in, &own) && own.st_dev == it.st_dev && own.st_ino == it.st_ino)
			found = c->v.context.device;
	pthread_mutex_unlock(&opened_lock);
	return found;
}

int ibv_close_device(struct ibv_context *context)
{
	struct weft_context *c = weft_context_of(context);
	pthread_mutex_lock(&opened_lock);
	for (struct weft_context **p = &opened; *p; p = &(*p)->next)
		if (*p == c) {
			*p = c->next;
			break;
		}
	pthread_mutex_unlock(&opened_lock);
	if (!c->orphaned)
		weft->close(c->id);
	close(context->async_fd);
	close(c->event_in);
	free(c);
	return 0;
}
