/*
 * A queue pair connected to itself sends from memory that is gone. Prints the status of the work request;
 * the process lives.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdio.h>
#include <sys/mman.h>

/* An address that nobody is given who asks for none, so that memory which is unmapped there stays so. */
#define APART ((void *)0x10000000000)

int main(void)
{
	struct ibv_context *ctx = ibv_open_device(ibv_get_device_list(NULL)[0]);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .cap = {.max_send_wr = 4, .max_send_sge = 1, .max_recv_wr = 1, .max_recv_sge = 1}, .qp_type = IBV_QPT_RC};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	void *page = mmap(APART, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct ibv_mr *mr = ibv_reg_mr(pd, page, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
	int e = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num, .max_dest_rd_atomic = 1, .ah_attr = {.is_global = 1, .port_num = 1}};
	e |= ibv_query_gid(ctx, 1, 0, &a.ah_attr.grh.dgid);
	e |= ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
	e |= ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	if (e || munmap(page, 4096))
		return 1;
	struct ibv_sge sge = {(uintptr_t)page, 8, mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .wr.rdma = {(uintptr_t)page + 64, mr->rkey}}, *bad;
	struct ibv_wc wc;
	if (ibv_post_send(qp, &wr, &bad))
		return 2;
	while (!ibv_poll_cq(cq, 1, &wc))
		;
	printf("%s\n", ibv_wc_status_str(wc.status));
	return 0;
}
