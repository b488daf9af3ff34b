/*
 * weft's objects behind libibverbs' own. Each begins with the structure that programs know, so that
 * a program's pointer is weft's pointer.
 */
#ifndef WEFT_VERBS_H
#define WEFT_VERBS_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../core.h"

struct weft_devices {
	struct ibv_device device; /* first: the program's pointer */
	void *no_provider[16];    /* drivers of hardware look here for themselves */
	char address[64];         /* empty: the first free address of the loopback */
};

struct weft_context {
	struct verbs_context v; /* its last member is the program's context */
	weft_id id;
	struct weft_device attr;
	int event_in;  /* the core's end of the pipe of asynchronous events */
	size_t device_memory; /* that is taken */
	pthread_mutex_t fetching; /* of asynchronous events; zero is unlocked */
	bool orphaned; /* this process is a fork of the one that opened the device */
	struct weft_context *next;
};

struct weft_pd {
	struct ibv_pd pd;
	weft_id id;
	struct weft_pd *of; /* the domain of a parent domain */
	uint32_t parents;   /* parent domains of this one */
};

struct weft_mr {
	struct ibv_mr mr;
	weft_id id;
	uint64_t iova;
	unsigned int access;
};

struct weft_mw {
	struct ibv_mw mw;
	weft_id id;
};

struct weft_ah {
	struct ibv_ah ah;
	weft_id id;
};

struct weft_channel {
	struct ibv_comp_channel channel;
	int event_in;
};

struct weft_cq {
	struct ibv_cq_ex cq; /* begins as struct ibv_cq does */
	weft_id id;
	atomic_flag busy;
	uint32_t idle; /* polls in a row that found nothing */
	int64_t stays; /* until this time the poller keeps its processor, in ns */
	uint32_t room; /* of entries, a power of two */
	struct weft_wc *entries;
	struct weft_cq_marks *marks;
	uint8_t header;		       /* in front of datagrams; 0 on InfiniBand */
	uint32_t events, async_events; /* that the program has fetched */
	struct ibv_wc now; /* the completion of an extended poll */
	int64_t stamp;	   /* the device's clock at the last completion taken, in ps, if the queue stamps */
};

struct weft_srq {
	struct ibv_srq srq;
	weft_id id;
	uint32_t max_sge;
	uint32_t number; /* of XRC */
	uint32_t events; /* that the program has fetched */
};

struct weft_xrcd {
	struct ibv_xrcd xrcd;
	weft_id id;
	struct stat file; /* by which the domain is shared */
	bool shared;
	uint32_t uses;
	struct weft_xrcd *next;
};

struct weft_qp {
	struct ibv_qp_ex qp; /* begins with struct ibv_qp */
	weft_id id;
	struct ibv_qp_cap cap;
	struct ibv_ah_attr av;
	int sig_all;
	uint32_t events; /* that the program has fetched */
	bool extended;
	struct weft_batch *batch; /* work requests between ibv_wr_start and ibv_wr_complete */
};

enum { weft_device_memory = 256 << 10 }; /* of a context, as ConnectX has it */

static inline struct weft_context *weft_context_of(struct ibv_context *c) { return (struct weft_context *)verbs_get_ctx(c); }

/* weft_failed frees an object whose creation failed. */
static inline void *weft_failed(void *object, int e)
{
	free(object);
	errno = e;
	return NULL;
}

/* What each file offers to those below it in this list, beside the calls of libibverbs. No file calls one below. */

/* load.c */
extern const struct weft_core *weft; /* the core, once a device is open */
int weft_load(void);

/* event.c: an object ends when the program has acknowledged the events that it has fetched. Those that it has not
   fetched are dropped, as the kernel does: the next object may have the address. A record of a pipe has a size, and
   the object at an offset. */
void weft_drop_records(int out, int in, size_t size, size_t at, const void *object);
void weft_forget_events(struct ibv_context *context, const void *object);
void weft_wait_for_acks(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *fetched, const uint32_t *acknowledged);

/* devices.c: the list of devices. */

/* attributes.c */
int weft_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *out, size_t size);

/* address.c */
int weft_destination(struct weft_context *c, const struct ibv_ah_attr *a, uint8_t *address); /* its address */
void weft_way_to(struct weft_context *c, const uint8_t *address, struct ibv_ah_attr *a);     /* the reverse */

/* memory.c */
struct ibv_mr *weft_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access);
struct ibv_mw *weft_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int weft_dealloc_mw(struct ibv_mw *mw);
uint32_t weft_window_rights(const struct ibv_mw_bind_info *info);
int weft_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *b);

/* cq.c */
struct ibv_cq *weft_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector, bool stamps);
int weft_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int weft_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void weft_lock_cq(struct weft_cq *q);
void weft_unlock_cq(struct weft_cq *q);
int weft_take(struct weft_cq *q, int n, struct ibv_wc *wc); /* with the lock held */
bool weft_idle(struct weft_cq *q);			      /* an empty poll: is it the one that works for the device? */
void weft_give_way(struct weft_cq *q);			      /* after such a poll */
void weft_drop_completions(struct ibv_cq *cq, uint32_t qp_num);

/* srq.c */
struct ibv_srq *weft_srq_made(struct weft_srq *s, struct ibv_pd *pd, void *context, uint32_t max_sge);

/* post.c */
int weft_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int weft_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int weft_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

/* batch.c */
int weft_add_batch(struct weft_qp *q, uint64_t ops); /* to a new queue pair, for these operations */
void weft_free_batch(struct weft_batch *b);

/* qp.c */
struct ibv_qp *weft_create_qp(struct ibv_context *context, struct ibv_qp_init_attr *a, struct ibv_pd *pd, struct ibv_xrcd *xrcd);

/* devicememory.c, xrc.c, extended.c: the calls of a context that are their own */
void weft_add_device_memory(struct verbs_context *v);
void weft_add_xrc(struct verbs_context *v);
void weft_extend(struct verbs_context *v);

/* context.c */
struct ibv_device *weft_device_of(int cmd_fd); /* of an open context; NULL if it is none's */

/* process.c: forks, and objects of other processes. */

#endif
