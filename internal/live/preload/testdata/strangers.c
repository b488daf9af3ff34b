/*
 * Two processes, a device each: what one does wrong ends with the number that the verbs give at both ends, and nothing
 * hangs. The child serves its memory; the parent sends. Exits with 0 if all is as it should be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
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

enum { long_bytes = 64 << 20 };

/* What an end tells the other. */
struct end {
	union ibv_gid gid;
	uint32_t qpn, rkey;
	uint64_t addr;
};

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static char *memory;

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	WANT((ctx = ibv_open_device(list[0])) && (pd = ibv_alloc_pd(ctx)) && (cq = ibv_create_cq(ctx, 64, NULL, NULL, 0)));
	memory = mmap(APART, long_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	WANT((mr = ibv_reg_mr(pd, memory, long_bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)));
}

static struct end own(void)
{
	struct end e = {.qpn = qp->qp_num, .rkey = mr->rkey, .addr = (uintptr_t)memory};
	WANT(!ibv_query_gid(ctx, 1, 0, &e.gid));
	return e;
}

static void connect_to(const struct end *to)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
	WANT(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = to->qpn, .max_dest_rd_atomic = 1, .min_rnr_timer = 1,
		.ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = to->gid, .hop_limit = 1}},
	};
	WANT(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 4, .rnr_retry = 1, .max_rd_atomic = 1};
	WANT(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void create(void)
{
	struct ibv_qp_init_attr a = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1},
	};
	WANT((qp = ibv_create_qp(pd, &a)));
}

static struct ibv_wc next(void)
{
	struct ibv_wc wc;
	int n;
	while ((n = ibv_poll_cq(cq, 1, &wc)) == 0) {
	}
	WANT(n == 1);
	return wc;
}

static void receive(char *at, uint32_t length)
{
	struct ibv_sge sge = {(uintptr_t)at, length, mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
	WANT(!ibv_post_recv(qp, &wr, &bad));
}

static void post(enum ibv_wr_opcode op, uint32_t length, uint64_t remote, uint32_t rkey)
{
	struct ibv_sge sge = {(uintptr_t)memory, length, mr->lkey};
	struct ibv_send_wr wr = {.opcode = op, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1, .wr.rdma = {remote, rkey}}, *bad;
	WANT(!ibv_post_send(qp, &wr, &bad));
}

/* What is wrong in a case, and what both ends are told. -1: the child has no completion. */
static const struct fault {
	const char *name;
	enum ibv_wr_opcode op;
	uint32_t wrong_key, past_end; /* of the request */
	uint32_t receive;             /* bytes that the child posts a receive for; 0: none */
	int unmapped;                 /* the child unmaps what it has registered */
	int sender, other, receiver;  /* statuses; other is as good */
	int event;                    /* asynchronous, of the child; -1: none */
} faults[] = {
	{"a key that is wrong", IBV_WR_RDMA_WRITE, 0x100, 0, 0, 0, IBV_WC_REM_ACCESS_ERR, -1, -1, IBV_EVENT_QP_ACCESS_ERR},
	{"a READ with a key that is wrong", IBV_WR_RDMA_READ, 0x100, 0, 0, 0, IBV_WC_REM_ACCESS_ERR, -1, -1, IBV_EVENT_QP_ACCESS_ERR},
	{"a WRITE past the end", IBV_WR_RDMA_WRITE, 0, 8, 0, 0, IBV_WC_REM_ACCESS_ERR, -1, -1, IBV_EVENT_QP_ACCESS_ERR},
	{"a WRITE to memory that is unmapped", IBV_WR_RDMA_WRITE, 0, 0, 0, 1, IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_OP_ERR, -1, -1},
	{"a READ of memory that is unmapped", IBV_WR_RDMA_READ, 0, 0, 0, 1, IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_OP_ERR, -1, -1},
	{"a SEND into memory that is unmapped", IBV_WR_SEND, 0, 0, 4096, 1, IBV_WC_REM_OP_ERR, -1, IBV_WC_LOC_PROT_ERR, -1},
	{"a SEND that is too long", IBV_WR_SEND, 0, 0, 16, 0, IBV_WC_REM_INV_REQ_ERR, -1, IBV_WC_LOC_LEN_ERR, -1},
	{"a SEND without a receive", IBV_WR_SEND, 0, 0, 0, 0, IBV_WC_RNR_RETRY_EXC_ERR, -1, -1, -1},
};

enum { bytes = 3000 }; /* three packets */

static void exchange(int with, struct end *theirs)
{
	struct end e = own();
	WANT(write(with, &e, sizeof e) == sizeof e && read(with, theirs, sizeof *theirs) == sizeof *theirs);
}

/* The child of a case: serves until the parent says that it is done. */
static int child(int with, const struct fault *f)
{
	struct end theirs;
	char done;
	open_device();
	create();
	exchange(with, &theirs);
	connect_to(&theirs);
	if (f && f->receive)
		receive(memory, f->receive);
	if (f && f->unmapped)
		WANT(!munmap(memory, long_bytes));
	WANT(write(with, "r", 1) == 1);
	if (f && f->event >= 0) {
		struct ibv_async_event event;
		WANT(!ibv_get_async_event(ctx, &event) && (int)event.event_type == f->event);
		ibv_ack_async_event(&event);
	}
	if (f && f->receiver >= 0) {
		struct ibv_wc wc = next();
		if ((int)wc.status != f->receiver)
			fprintf(stderr, "%s: the receive ends with %s\n", f->name, ibv_wc_status_str(wc.status));
		WANT((int)wc.status == f->receiver);
	}
	return read(with, &done, 1) < 0;
}

/* begin starts the child of a case and connects with it. */
static pid_t begin(int *with, const struct fault *f, struct end *theirs)
{
	int s[2];
	char ready;
	WANT(!socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	pid_t pid = fork();
	if (!pid) {
		close(s[0]);
		_exit(child(s[1], f));
	}
	close(s[1]);
	*with = s[0];
	open_device();
	create();
	exchange(s[0], theirs);
	connect_to(theirs);
	WANT(read(s[0], &ready, 1) == 1);
	return pid;
}

static int wrong(const struct fault *f)
{
	struct end theirs;
	int with, status;
	pid_t pid = begin(&with, f, &theirs);
	post(f->op, bytes, theirs.addr + (f->past_end ? long_bytes - f->past_end : 0), theirs.rkey ^ f->wrong_key);
	struct ibv_wc wc = next();
	if ((int)wc.status != f->sender && (int)wc.status != f->other) {
		fprintf(stderr, "%s: %s, want %s\n", f->name, ibv_wc_status_str(wc.status), ibv_wc_status_str(f->sender));
		return 1;
	}
	post(IBV_WR_RDMA_WRITE, 8, theirs.addr, theirs.rkey);
	WANT(next().status == IBV_WC_WR_FLUSH_ERR);
	close(with);
	WANT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return 0;
}

/* The child is killed in the middle of the parent's WRITEs of 64 MiB. */
static int killed(void)
{
	struct end theirs;
	struct ibv_wc wc;
	int with, status;
	pid_t pid = begin(&with, NULL, &theirs);
	for (int i = 0; i < 16; i++)
		post(IBV_WR_RDMA_WRITE, long_bytes, theirs.addr, theirs.rkey);
	WANT(next().status == IBV_WC_SUCCESS);
	WANT(!kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid);
	do
		wc = next();
	while (wc.status == IBV_WC_SUCCESS);
	if (wc.status != IBV_WC_RETRY_EXC_ERR)
		fprintf(stderr, "a peer that is killed: %s\n", ibv_wc_status_str(wc.status));
	WANT(wc.status == IBV_WC_RETRY_EXC_ERR);
	return 0;
}

/* Each case has a process of its own, which forks before it opens a device. */
int main(void)
{
	int failed = 0, status;
	const int count = sizeof faults / sizeof *faults;
	for (int i = 0; i <= count; i++) {
		pid_t pid = fork();
		if (!pid) {
			alarm(40);
			exit(i < count ? wrong(&faults[i]) : killed());
		}
		WANT(waitpid(pid, &status, 0) == pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			fprintf(stderr, "%s: %s %d\n", i < count ? faults[i].name : "a peer that is killed", WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
			failed = 1;
		}
	}
	return failed;
}
