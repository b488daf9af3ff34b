/*
 * Medians of single calls, in ns: an empty ibv_poll_cq, and ibv_post_send of a WRITE of 8 bytes. With an argument, a
 * signal comes meanwhile every 20 us.
 */
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { samples = 20000, depth = 128 };

static double taken[samples];

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

static double median(void)
{
	qsort(taken, samples, sizeof *taken, ascending);
	return taken[samples / 2];
}

/* clock_cost is the median time between two looks at the clock. */
static double clock_cost(void)
{
	for (int i = 0; i < samples; i++) {
		double from = now();
		taken[i] = now() - from;
	}
	return median();
}

static void connect_to(struct ibv_qp *qp, uint32_t peer, const union ibv_gid *gid)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
	int e = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096, .dest_qp_num = peer, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
				 .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = *gid, .hop_limit = 1}}};
	e |= ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 16, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
	e |= ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	if (e) {
		fprintf(stderr, "no connection\n");
		exit(1);
	}
}

/* interrupt needs as much of its stack as a handler that prints. */
static void interrupt(int sig)
{
	volatile char text[4096];
	memset((char *)text, sig, sizeof text);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = ibv_open_device(list[0]), *far = list[1] ? ibv_open_device(list[1]) : ctx;
	struct ibv_qp_init_attr init = {.cap = {.max_send_wr = depth, .max_send_sge = 1, .max_recv_wr = 1, .max_recv_sge = 1, .max_inline_data = 64}, .qp_type = IBV_QPT_RC};
	struct ibv_pd *pd[2] = {ibv_alloc_pd(ctx), ibv_alloc_pd(far)};
	struct ibv_cq *cq[2] = {ibv_create_cq(ctx, depth, NULL, NULL, 0), ibv_create_cq(far, depth, NULL, NULL, 0)};
	struct ibv_qp *qp[2];
	union ibv_gid gid[2];
	static char buf[4096];
	struct ibv_mr *mr[2];
	for (int i = 0; i < 2; i++) {
		init.send_cq = init.recv_cq = cq[i];
		qp[i] = ibv_create_qp(pd[i], &init);
		mr[i] = ibv_reg_mr(pd[i], buf, sizeof buf, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
		ibv_query_gid(i ? far : ctx, 1, 0, &gid[i]);
	}
	connect_to(qp[0], qp[1]->qp_num, &gid[1]);
	connect_to(qp[1], qp[0]->qp_num, &gid[0]);

	if (argc > 1) {
		signal(SIGALRM, interrupt);
		setitimer(ITIMER_REAL, &(struct itimerval){{0, 20}, {0, 20}}, NULL);
	}
	double clock = clock_cost();
	struct ibv_wc wc[16];
	for (int i = 0; i < samples; i++) {
		double from = now();
		ibv_poll_cq(cq[0], 16, wc);
		taken[i] = now() - from;
	}
	printf("poll_cq %.0f\n", median() - clock);

	struct ibv_sge sge = {(uintptr_t)buf, 8, mr[0]->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {.remote_addr = (uintptr_t)buf + 64, .rkey = mr[1]->rkey}}, *bad;
	for (int i = 0, out = 0; i < samples; i++) {
		for (int n; out == depth; out -= n)
			if ((n = ibv_poll_cq(cq[0], 16, wc)) < 0 || (n && wc[0].status))
				return 1;
		double from = now();
		if (ibv_post_send(qp[0], &wr, &bad))
			return 1;
		taken[i] = now() - from;
		out++;
	}
	printf("post_send %.0f\n", median() - clock);
	return 0;
}
