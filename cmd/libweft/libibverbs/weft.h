/*
 * weft's objects behind libibverbs' own. Each begins with the structure that programs know, so that
 * a program's pointer is weft's pointer.
 */
#ifndef WEFT_VERBS_H
#define WEFT_VERBS_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

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
	bool orphaned; /* this process is a fork of the one that opened the device */
	struct weft_context *next;
};

struct weft_pd {
	struct ibv_pd pd;
	weft_id id;
	struct weft_pd *of; /* a parent domain's own domain */
};

struct weft_mr {
	struct ibv_mr mr;
	weft_id id;
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
	uint32_t room; /* of entries, a power of two */
	struct weft_wc *entries;
	struct weft_cq_marks *marks;
	struct ibv_wc now; /* the completion of an extended poll */
};

struct weft_srq {
	struct ibv_srq srq;
	weft_id id;
	uint32_t max_sge;
};

struct weft_qp {
	struct ibv_qp_ex qp; /* begins with struct ibv_qp */
	weft_id id;
	struct ibv_qp_cap cap;
	struct ibv_ah_attr av;
	int sig_all;
	bool extended;
	struct weft_batch *batch; /* work requests between ibv_wr_start and ibv_wr_complete */
};

extern const struct weft_core *weft; /* the core, once a device is open */

struct weft_context *weft_context_of(struct ibv_context *c);
int weft_load(void);

int weft_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int weft_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int weft_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int weft_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int weft_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void weft_drop_completions(struct ibv_cq *cq, uint32_t qp_num);
struct ibv_mw *weft_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int weft_dealloc_mw(struct ibv_mw *mw);
int weft_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *b);

#endif
