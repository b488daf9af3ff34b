/*
 * What the C libraries ask of the core: calls on numbered objects, and the memory that both sides
 * see. A call returns an errno, 0 for success. The core knows nothing of infiniband/verbs.h; numbers
 * and bits that cross here are the verbs' own.
 */
#ifndef WEFT_CORE_H
#define WEFT_CORE_H

#include <stdint.h>

typedef uintptr_t weft_id; /* of an object in the core; 0 is none */

/* A completion, as package verbs lays it out. */
struct weft_wc {
	uint64_t wr_id;
	uint8_t status, opcode, flags, spare;
	uint32_t byte_len;
	uint32_t imm_data;
	uint32_t invalidated_rkey;
	uint32_t qp_num;
	uint32_t src_qp;
	uint16_t slid; /* on InfiniBand */
	uint16_t unused[3];
	int64_t clock; /* ps of the device's clock, if the queue stamps */
};

/* The counters of a completion queue: the core adds, C takes. */
struct weft_cq_marks {
	uint32_t added;
	uint32_t overrun;
	uint8_t line0[56];
	uint32_t taken;
	uint8_t line1[60];
};

/* A buffer, as package verbs lays it out. */
struct weft_sge {
	uint64_t addr, length;
	uint32_t lkey;
	uint32_t spare;
};

enum { weft_max_sge = 30 };

struct weft_bind {
	weft_id mw, mr;
	uint64_t addr, length;
	uint32_t access, rkey;
};

/* A work request of a send queue. Inline data is named by addresses alone. */
struct weft_send {
	uint64_t wr_id;
	uint32_t opcode, flags;
	uint32_t imm_data; /* or the key to invalidate */
	uint32_t num_sge;
	const struct weft_sge *sge;
	uint64_t remote_addr;
	uint64_t compare_add, swap;
	uint32_t rkey;
	uint32_t dest_qpn, qkey;
	uint32_t remote_srq; /* XRC */
	weft_id ah;
	struct weft_bind bind;
};

struct weft_recv {
	uint64_t wr_id;
	const struct weft_sge *sge;
	uint32_t num_sge;
};

struct weft_qp_init {
	weft_id pd, send_cq, recv_cq, srq, xrcd; /* 0: none */
	uint32_t type, max_send_wr, max_recv_wr, max_inline, signal_all;
};

/* Attributes of a queue pair; mask has the bits of ibv_qp_attr_mask. */
struct weft_qp_attr {
	uint32_t mask, state, access, qkey, path_mtu; /* bytes */
	uint32_t dest_qpn, rq_psn, sq_psn;
	uint32_t max_rd_atomic, max_dest_rd_atomic;
	uint32_t min_rnr_timer, timeout, retry_cnt, rnr_retry;
	uint8_t address[16]; /* of the peer's device */
};

struct weft_device {
	uint64_t max_mr_size;
	uint32_t max_qp, max_qp_wr, max_sge, max_cqe, max_inline, max_mr, max_rd_atomic, max_mcast_grp, max_ah;
	uint32_t max_mtu, active_mtu; /* bytes */
	uint32_t state;               /* of the port */
	uint64_t max_message;
	uint8_t address[16], gid[16]; /* on Ethernet they are the same */
	uint8_t link;                 /* the port's, as ibv_port_attr has it */
	uint16_t lid, sm_lid;
	uint32_t ifindex;
};

/* An asynchronous event, written to the pipe of a device. */
struct weft_event {
	uint32_t type; /* ibv_event_type */
	uint32_t spare;
	uintptr_t object; /* the C object, as given at its creation */
};

/* A program's parameters of a connection. qp_num is of a queue pair that the program connects itself. */
struct weft_cm_param {
	const void *private_data;
	uint32_t private_len;
	uint8_t responder_resources, initiator_depth, ack_timeout;
	uint32_t qp_num;
};

/* An event of the connection manager. */
struct weft_cm_event {
	uint32_t type; /* rdma_cm_event_type */
	int32_t status;
	weft_id request; /* of CONNECT_REQUEST */
	uint32_t qp_type; /* of its ID */
	uint8_t peer[16];
	uint16_t port;
	uint8_t responder_resources, initiator_depth, retry_count, rnr_retry_count, srq;
	uint32_t qp_num, qkey;
	uint32_t private_len;
	uint8_t private_data[256];
};

typedef void (*weft_cm_deliver)(uintptr_t object, const struct weft_cm_event *event);

/*
 * The calls. A name, its arguments. An address has 16 bytes: IPv6, or IPv4 in that form. It is translated from and
 * to GIDs and LIDs by calls of their own.
 */
#define WEFT_CALLS(X)                                                                                      \
	X(open, (const char *name, const char *address, int event_fd, weft_id *id))                                          \
	X(close, (weft_id device))                                                                         \
	X(leave, (void))                                                                                   \
	X(clock, (weft_id device, int64_t *ps))                                                            \
	X(query, (weft_id device, struct weft_device *out))                                                \
	X(address_of_gid, (weft_id device, const uint8_t *gid, uint8_t *address))                          \
	X(address_of_lid, (weft_id device, uint16_t lid, uint8_t *address))                                \
	X(locate, (weft_id device, const uint8_t *address, uint8_t *gid, uint16_t *lid))                   \
	X(work, (weft_id cq))                                                                              \
	X(alloc_pd, (weft_id device, weft_id *id))                                                         \
	X(dealloc_pd, (weft_id pd))                                                                        \
	X(import_pd, (weft_id device, weft_id pd))                                                         \
	X(import_mr, (weft_id pd, weft_id mr, uint32_t *key))                                              \
	X(reg_mr, (weft_id pd, void *addr, uint64_t length, uint64_t iova, uint32_t access, weft_id *id, uint32_t *key)) \
	X(rereg_mr, (weft_id mr, weft_id pd, void *addr, uint64_t length, uint64_t iova, uint32_t access)) \
	X(dereg_mr, (weft_id mr))                                                                          \
	X(create_cq, (weft_id device, uint32_t cqe, struct weft_wc *entries, uint32_t room, struct weft_cq_marks *marks, int event_fd, uint32_t stamps, uintptr_t object, weft_id *id)) \
	X(resize_cq, (weft_id cq, uint32_t cqe, struct weft_wc *entries, uint32_t room, struct weft_cq_marks *marks)) \
	X(destroy_cq, (weft_id cq))                                                                        \
	X(wait, (weft_id device))                                                                             \
	X(req_notify_cq, (weft_id cq, int solicited_only))                                                 \
	X(create_srq, (weft_id pd, uint32_t max_wr, uintptr_t object, weft_id *id))                        \
	X(open_xrcd, (weft_id device, weft_id *id))                                                        \
	X(close_xrcd, (weft_id xrcd))                                                                      \
	X(create_xrc_srq, (weft_id pd, uint32_t max_wr, weft_id xrcd, weft_id cq, uintptr_t object, weft_id *id, uint32_t *number)) \
	X(arm_srq, (weft_id srq, uint32_t limit))                                                          \
	X(query_srq, (weft_id srq, uint32_t *max_wr, uint32_t *limit))                                     \
	X(destroy_srq, (weft_id srq))                                                                      \
	X(post_srq_recv, (weft_id srq, const struct weft_recv *wr))                                        \
	X(create_qp, (const struct weft_qp_init *init, uintptr_t object, weft_id *id, uint32_t *qpn))      \
	X(modify_qp, (weft_id qp, const struct weft_qp_attr *attr))                                        \
	X(query_qp, (weft_id qp, struct weft_qp_attr *attr))                                               \
	X(destroy_qp, (weft_id qp))                                                                        \
	X(post_send, (weft_id qp, const struct weft_send *wr))                                             \
	X(post_recv, (weft_id qp, const struct weft_recv *wr))                                             \
	X(create_ah, (weft_id pd, const uint8_t *address, weft_id *id))                                       \
	X(destroy_ah, (weft_id ah))                                                                        \
	X(alloc_mw, (weft_id pd, uint32_t type, weft_id *id, uint32_t *rkey))                              \
	X(dealloc_mw, (weft_id mw))                                                                        \
	X(bind_mw, (weft_id qp, uint64_t wr_id, uint32_t flags, const struct weft_bind *bind, uint32_t *rkey)) \
	X(mcast, (weft_id qp, const uint8_t *address, int attach))                                             \
	X(reaches, (weft_id device, const uint8_t *address))                                               \
	X(cm_events, (weft_cm_deliver to))                                                                 \
	X(cm_create, (weft_id device, uint32_t qp_type, uint32_t port_space, uintptr_t object, weft_id *id))\
	X(cm_adopt, (weft_id request, uintptr_t object))                                                   \
	X(cm_listen, (weft_id cm, const uint8_t *address, uint16_t port))                                  \
	X(cm_connect, (weft_id cm, const uint8_t *address, uint16_t port, weft_id qp, const struct weft_cm_param *param)) \
	X(cm_accept, (weft_id cm, weft_id qp, const struct weft_cm_param *param))                          \
	X(cm_reject, (weft_id cm, const void *private_data, uint32_t private_len))                         \
	X(cm_attr, (weft_id cm, uint32_t state, struct weft_qp_attr *attr))                                \
	X(cm_establish, (weft_id cm))                                                                      \
	X(cm_disconnect, (weft_id cm))                                                                     \
	X(cm_destroy, (weft_id cm))

#define WEFT_FIELD(name, args) int (*name) args;

/* The core's table of calls, under the symbol weft_core. */
struct weft_core {
	uint32_t size; /* of this table: both sides are of one build */
	WEFT_CALLS(WEFT_FIELD)
};

#endif
