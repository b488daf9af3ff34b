/*
 * Bad input of programs: each is refused with the number that the verbs give, and nothing hangs. Exits with the
 * line of the first wrong answer, 0 if none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An address that nobody is given who asks for none, so that memory which is unmapped there stays so. */
#define APART ((void *)0x10000000000)

#define WANT(x)                                                                     \
	do {                                                                        \
		if (!(x)) {                                                         \
			fprintf(stderr, "line %d: not so: %s: %m\n", __LINE__, #x); \
			exit(1);                                                    \
		}                                                                   \
	} while (0)

enum { depth = 8 };

static struct ibv_context *ctx;
static struct ibv_pd *pd, *stranger;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static union ibv_gid gid;
static char memory[4096];

static struct ibv_qp *queue_pair(struct ibv_cq *of)
{
	struct ibv_qp_init_attr a = {
		.send_cq = of, .recv_cq = of, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 64},
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &a);
	WANT(qp);
	return qp;
}

static int to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
	return ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

/* connect_to connects a queue pair in INIT with another of this device. */
static void connect_to(struct ibv_qp *qp, uint32_t other)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = other, .max_dest_rd_atomic = 1, .min_rnr_timer = 1,
		.ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .hop_limit = 1}},
	};
	const int rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	const int rts = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
	WANT(!ibv_modify_qp(qp, &a, rtr));
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 10, .retry_cnt = 2, .rnr_retry = 1, .max_rd_atomic = 1};
	WANT(!ibv_modify_qp(qp, &a, rts));
}

/* pair makes two queue pairs that are connected with each other. */
static void pair(struct ibv_qp **a, struct ibv_qp **b, struct ibv_cq *of)
{
	*a = queue_pair(of);
	*b = queue_pair(of);
	WANT(!to_init(*a) && !to_init(*b));
	connect_to(*a, (*b)->qp_num);
	connect_to(*b, (*a)->qp_num);
}

/* next waits for a completion. */
static struct ibv_wc next(void)
{
	struct ibv_wc wc;
	int n;
	while ((n = ibv_poll_cq(cq, 1, &wc)) == 0) {
	}
	WANT(n == 1);
	return wc;
}

static int post(struct ibv_qp *qp, enum ibv_wr_opcode op, struct ibv_sge sge, uint64_t remote, uint32_t rkey)
{
	struct ibv_send_wr wr = {.opcode = op, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1, .wr.rdma = {remote, rkey}}, *bad;
	return ibv_post_send(qp, &wr, &bad);
}

static struct ibv_sge mine(void) { return (struct ibv_sge){(uintptr_t)memory, 64, mr->lkey}; }

static void registrations(void)
{
	const int all = IBV_ACCESS_LOCAL_WRITE;
	WANT(!ibv_reg_mr(pd, NULL, 100, all) && errno == EFAULT);
	WANT(!ibv_reg_mr(pd, memory, SIZE_MAX, all) && errno == EFAULT);
	WANT(!ibv_reg_mr(pd, memory, 1ULL << 63, all) && errno == EFAULT);
	char *pages = mmap(APART, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	WANT(pages != MAP_FAILED && !munmap(pages + 4096, 4096));
	WANT(!ibv_reg_mr(pd, pages + 4000, 8192, all) && errno == EFAULT); /* a hole in the middle */
	WANT(!ibv_reg_mr(pd, pages + 4096, 1, all) && errno == EFAULT);
	struct ibv_mr *end = ibv_reg_mr(pd, pages + 96, 4000, all);
	WANT(end && ibv_rereg_mr(end, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, pages, 4097, 0) && errno == EFAULT && !ibv_dereg_mr(end));
	WANT(!munmap(pages, 3 * 4096));
	WANT(!ibv_reg_mr(pd, memory, 100, IBV_ACCESS_REMOTE_WRITE) && errno == EINVAL);
	WANT(!ibv_reg_mr(pd, memory, 100, 1 << 30) && errno == EOPNOTSUPP);
	WANT(ibv_dealloc_pd(pd) == EBUSY);
}

/* Queue pairs refuse wrong parameters and transitions, and work before its state. */
static void queue_pairs(void)
{
	struct ibv_qp_init_attr a = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 1 << 30}};
	WANT(!ibv_create_qp(pd, &a) && errno == EINVAL);
	a.cap.max_send_wr = 1;
	a.send_cq = NULL;
	WANT(!ibv_create_qp(pd, &a) && errno == EINVAL);
	a.qp_type = IBV_QPT_RAW_PACKET;
	WANT(!ibv_create_qp(pd, &a) && errno == EOPNOTSUPP);
	WANT(!ibv_create_cq(ctx, 0, NULL, NULL, 0) && errno == EINVAL);
	WANT(!ibv_create_cq(ctx, 1 << 30, NULL, NULL, 0) && errno == EINVAL);

	struct ibv_qp *qp = queue_pair(cq);
	struct ibv_qp_attr to = {.qp_state = IBV_QPS_RTS};
	WANT(post(qp, IBV_WR_SEND, mine(), 0, 0) == EINVAL);
	WANT(ibv_modify_qp(qp, &to, IBV_QP_STATE) == EINVAL);
	to.qp_state = 77;
	WANT(ibv_modify_qp(qp, &to, IBV_QP_STATE) == EINVAL);
	to = (struct ibv_qp_attr){.qp_state = IBV_QPS_INIT, .port_num = 2};
	WANT(ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == EINVAL);
	WANT(ibv_destroy_cq(cq) == EBUSY);
	WANT(!ibv_destroy_qp(qp));
}

/* A ring that is full takes no more, and goes on when there is room. */
static void rings(void)
{
	struct ibv_qp *a, *b;
	struct ibv_sge sge = mine(), list[2] = {sge, sge};
	struct ibv_recv_wr r = {.sg_list = &sge, .num_sge = 1}, *bad_r;
	struct ibv_send_wr w = {.opcode = IBV_WR_SEND, .sg_list = list, .num_sge = 2}, *bad_w;
	pair(&a, &b, cq);
	for (int i = 0; i < depth; i++)
		WANT(!ibv_post_recv(b, &r, &bad_r));
	WANT(ibv_post_recv(b, &r, &bad_r) == ENOMEM && bad_r == &r);
	r.num_sge = 99;
	WANT(ibv_post_recv(b, &r, &bad_r) == EINVAL);
	WANT(ibv_post_send(a, &w, &bad_w) == EINVAL && bad_w == &w);
	list[0].length = 65;
	w = (struct ibv_send_wr){.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_INLINE, .sg_list = list, .num_sge = 1};
	WANT(ibv_post_send(a, &w, &bad_w) == EINVAL);
	w.opcode = 99;
	WANT(ibv_post_send(a, &w, &bad_w) == EINVAL);
	WANT(!ibv_destroy_qp(b)); /* nobody acknowledges */
	for (int i = 0; i < depth; i++)
		WANT(!post(a, IBV_WR_SEND, mine(), 0, 0));
	WANT(post(a, IBV_WR_SEND, mine(), 0, 0) == ENOMEM);
	WANT(next().status == IBV_WC_RETRY_EXC_ERR);
	for (int i = 1; i < depth; i++)
		WANT(next().status == IBV_WC_WR_FLUSH_ERR);
	WANT(!ibv_destroy_qp(a));
}

/* fails posts work that the device cannot do, on a connection of its own. */
static void fails(enum ibv_wr_opcode op, struct ibv_sge sge, uint64_t remote, uint32_t rkey, enum ibv_wc_status want)
{
	struct ibv_qp *a, *b;
	pair(&a, &b, cq);
	WANT(!post(a, op, sge, remote, rkey));
	struct ibv_wc wc = next();
	if (wc.status != want)
		fprintf(stderr, "%s, want %s\n", ibv_wc_status_str(wc.status), ibv_wc_status_str(want));
	WANT(wc.status == want);
	WANT(a->state == IBV_QPS_RTS); /* what the program has set; the device says more: */
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;
	WANT(!ibv_query_qp(a, &attr, IBV_QP_STATE, &init) && attr.qp_state == IBV_QPS_ERR);
	WANT(!ibv_destroy_qp(a) && !ibv_destroy_qp(b));
}

static void keys(void)
{
	const uint64_t at = (uintptr_t)memory;
	struct ibv_sge sge = mine(), wrong = {at, 64, mr->lkey ^ 0x100}, outside = {at + sizeof memory - 8, 64, mr->lkey};
	struct ibv_mr *theirs = ibv_reg_mr(stranger, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_mr *local = ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE), *gone = ibv_reg_mr(pd, memory, 64, IBV_ACCESS_LOCAL_WRITE);
	void *page = mmap(APART, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct ibv_mr *hole = ibv_reg_mr(pd, page, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	WANT(theirs && local && gone && hole);
	struct ibv_sge of_gone = {at, 64, gone->lkey}, of_theirs = {at, 64, theirs->lkey};
	WANT(!ibv_dereg_mr(gone) && !munmap(page, 4096));
	fails(IBV_WR_RDMA_WRITE, wrong, at, mr->rkey, IBV_WC_LOC_PROT_ERR);
	fails(IBV_WR_RDMA_WRITE, outside, at, mr->rkey, IBV_WC_LOC_PROT_ERR);
	fails(IBV_WR_RDMA_WRITE, of_gone, at, mr->rkey, IBV_WC_LOC_PROT_ERR);
	fails(IBV_WR_RDMA_WRITE, of_theirs, at, mr->rkey, IBV_WC_LOC_PROT_ERR);
	fails(IBV_WR_RDMA_WRITE, sge, at, mr->rkey ^ 0x100, IBV_WC_REM_ACCESS_ERR);
	fails(IBV_WR_RDMA_WRITE, sge, at + sizeof memory, mr->rkey, IBV_WC_REM_ACCESS_ERR);
	fails(IBV_WR_RDMA_WRITE, sge, at, theirs->rkey, IBV_WC_REM_ACCESS_ERR);
	fails(IBV_WR_RDMA_WRITE, sge, at, local->rkey, IBV_WC_REM_ACCESS_ERR);
	fails(IBV_WR_RDMA_READ, sge, at, theirs->rkey, IBV_WC_REM_ACCESS_ERR);
	fails(IBV_WR_RDMA_WRITE, sge, (uintptr_t)page, hole->rkey, IBV_WC_REM_ACCESS_ERR);
	fails(IBV_WR_RDMA_READ, sge, (uintptr_t)page, hole->rkey, IBV_WC_REM_ACCESS_ERR);
	WANT(!ibv_dereg_mr(theirs) && !ibv_dereg_mr(local) && !ibv_dereg_mr(hole));
}

/* A SEND without a receive is given up after the retries that the sender allows. */
static void not_ready(void) { fails(IBV_WR_SEND, mine(), 0, 0, IBV_WC_RNR_RETRY_EXC_ERR); }

/* A completion queue that is too small is overrun: the program is told by an event and by the poll. */
static void overrun(void)
{
	struct ibv_cq *small = ibv_create_cq(ctx, 1, NULL, NULL, 0);
	struct ibv_qp *a, *b;
	struct ibv_async_event event;
	struct ibv_wc wc;
	bool told = false;
	WANT(small);
	pair(&a, &b, small);
	for (int i = 0; i < depth; i++)
		WANT(!post(a, IBV_WR_RDMA_WRITE, mine(), (uintptr_t)memory, mr->rkey));
	while (!told) {
		WANT(!ibv_get_async_event(ctx, &event)); /* those of the queue pairs that are destroyed have gone with them */
		WANT(event.event_type == IBV_EVENT_CQ_ERR ? event.element.cq == small : event.element.qp == a || event.element.qp == b);
		told = event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == small;
		ibv_ack_async_event(&event);
	}
	while (ibv_poll_cq(small, 1, &wc) > 0) {
	}
	WANT(ibv_poll_cq(small, 1, &wc) < 0);
	WANT(!ibv_destroy_qp(a) && !ibv_destroy_qp(b) && !ibv_destroy_cq(small));
}

/* An event that nobody has fetched goes with its completion queue; those of others stay. */
static void stale_events(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);
	struct ibv_cq *queues[2], *from;
	struct pollfd readable = {channel->fd, POLLIN, 0};
	struct ibv_wc wc;
	void *with;
	for (int i = 0; i < 2; i++) {
		struct ibv_qp *a, *b;
		WANT((queues[i] = ibv_create_cq(ctx, 64, &queues[i], channel, 0)) && !ibv_req_notify_cq(queues[i], 0));
		pair(&a, &b, queues[i]);
		WANT(!post(a, IBV_WR_RDMA_WRITE, mine(), (uintptr_t)memory, mr->rkey));
		while (ibv_poll_cq(queues[i], 1, &wc) == 0) {
		}
		WANT(wc.status == IBV_WC_SUCCESS && !ibv_destroy_qp(a) && !ibv_destroy_qp(b));
	}
	WANT(!ibv_destroy_cq(queues[0]) && poll(&readable, 1, 0) == 1);
	WANT(!ibv_get_cq_event(channel, &from, &with) && from == queues[1] && with == &queues[1]);
	WANT(poll(&readable, 1, 0) == 0);
	ibv_ack_cq_events(from, 1);
	WANT(!ibv_destroy_cq(queues[1]) && !ibv_destroy_comp_channel(channel));
}

int main(void)
{
	alarm(50);
	struct ibv_device **list = ibv_get_device_list(NULL);
	WANT(list && list[0] && (ctx = ibv_open_device(list[0])));
	WANT((pd = ibv_alloc_pd(ctx)) && (stranger = ibv_alloc_pd(ctx)) && (cq = ibv_create_cq(ctx, 64, NULL, NULL, 0)));
	WANT((mr = ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)));
	WANT(!ibv_query_gid(ctx, 1, 0, &gid) && ibv_query_gid(ctx, 1, 99, &gid) && !ibv_query_gid(ctx, 1, 0, &gid));
	registrations();
	queue_pairs();
	rings();
	keys();
	not_ready();
	overrun();
	stale_events();
	return ibv_dereg_mr(mr) || ibv_destroy_cq(cq) || ibv_dealloc_pd(stranger) || ibv_dealloc_pd(pd) || ibv_close_device(ctx);
}
