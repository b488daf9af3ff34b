/* Protection domains, memory regions, memory windows. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "weft.h"

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct weft_pd *p = calloc(1, sizeof *p);
	int e = weft->alloc_pd(weft_context_of(context)->id, &p->id);
	if (e)
		return weft_failed(p, e);
	p->pd.context = context;
	p->pd.handle = (uint32_t)p->id;
	return &p->pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	struct weft_pd *p = (struct weft_pd *)pd;
	int e = 0;
	if (p->of)
		__atomic_sub_fetch(&p->of->parents, 1, __ATOMIC_RELAXED);
	else
		e = __atomic_load_n(&p->parents, __ATOMIC_RELAXED) ? EBUSY : weft->dealloc_pd(p->id);
	if (!e)
		free(p);
	return e;
}

/*
 * The rights that have a meaning here. The optional ones (relaxed ordering and what may come) are
 * hints; a page of this process is never pinned, so memory on demand and huge pages are as any other.
 */
static int rights(unsigned int access, uint32_t *out)
{
	const unsigned int known = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
				   IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED;
	const unsigned int same = IBV_ACCESS_HUGETLB | IBV_ACCESS_ON_DEMAND | IBV_ACCESS_OPTIONAL_RANGE;
	if (access & ~(known | same))
		return EOPNOTSUPP;
	*out = access & known & ~IBV_ACCESS_ZERO_BASED;
	return 0;
}

/*
 * mapped is EFAULT for memory of which a part is not there, as the kernel's pinning has it. Memory on demand may come later.
 * msync looks at mappings, and not at pages.
 */
static int mapped(const void *addr, size_t length, unsigned int access)
{
	const size_t within = (uintptr_t)addr & (sysconf(_SC_PAGESIZE) - 1);
	if (access & IBV_ACCESS_ON_DEMAND || !length || length > SIZE_MAX - within)
		return 0; /* lengths that cannot be are refused by the core */
	return msync((char *)addr - within, length + within, MS_ASYNC) && errno == ENOMEM ? EFAULT : 0;
}

/* The addresses that a process may have: all of them are registered at once as memory on demand. */
static char *const lowest = (char *)0x10000;
static const size_t all_bytes = (1ULL << 47) - 0x10000;

struct ibv_mr *weft_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	struct weft_mr *m = calloc(1, sizeof *m);
	uint32_t allowed = 0;
	const bool everything = access & IBV_ACCESS_ON_DEMAND && !addr && length == SIZE_MAX;
	int e = rights(access, &allowed);
	if (!e)
		e = mapped(addr, length, access);
	if (!e && access & IBV_ACCESS_ZERO_BASED)
		iova = 0;
	if (!e && everything)
		e = weft->reg_mr(((struct weft_pd *)pd)->id, lowest, all_bytes, (uintptr_t)lowest, allowed, &m->id, &m->mr.lkey);
	else if (!e)
		e = weft->reg_mr(((struct weft_pd *)pd)->id, addr, length, iova, allowed, &m->id, &m->mr.lkey);
	if (e)
		return weft_failed(m, e);
	m->mr.rkey = m->mr.lkey;
	m->mr.handle = (uint32_t)m->id;
	m->mr.context = pd->context;
	m->mr.pd = pd;
	m->mr.addr = addr;
	m->mr.length = length;
	m->iova = iova;
	m->access = access;
	return &m->mr;
}

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return weft_reg_mr(pd, addr, length, (uintptr_t)addr, access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	return weft_reg_mr(pd, addr, length, iova, access);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	return weft_reg_mr(pd, addr, length, iova, access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct weft_mr *m = (struct weft_mr *)mr;
	int e = weft->dereg_mr(m->id);
	if (!e)
		free(m);
	return e;
}

int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
	struct weft_mr *m = (struct weft_mr *)mr;
	const bool moves = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	uint32_t allowed = 0;
	errno = EINVAL;
	if (flags & ~IBV_REREG_MR_FLAGS_SUPPORTED || !flags || (moves && (!addr || !length)))
		return IBV_REREG_MR_ERR_INPUT;
	if (!(flags & IBV_REREG_MR_CHANGE_PD))
		pd = mr->pd;
	if (!(flags & IBV_REREG_MR_CHANGE_ACCESS))
		access = (int)m->access;
	if (!moves) {
		addr = mr->addr;
		length = mr->length;
	}
	uint64_t iova = moves ? (uintptr_t)addr : m->iova;
	int e = rights(access, &allowed);
	if (!e && moves)
		e = mapped(addr, length, access);
	if (!e)
		e = weft->rereg_mr(m->id, ((struct weft_pd *)pd)->id, addr, length, iova, allowed);
	if (e) {
		errno = e;
		return IBV_REREG_MR_ERR_INPUT;
	}
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	m->iova = iova;
	m->access = access;
	return 0;
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	errno = EOPNOTSUPP;
	return NULL;
}

struct ibv_mw *weft_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct weft_mw *w = calloc(1, sizeof *w);
	int e = weft->alloc_mw(((struct weft_pd *)pd)->id, type, &w->id, &w->mw.rkey);
	if (e)
		return weft_failed(w, e);
	w->mw.context = pd->context;
	w->mw.pd = pd;
	w->mw.type = type;
	return &w->mw;
}

int weft_dealloc_mw(struct ibv_mw *mw)
{
	struct weft_mw *w = (struct weft_mw *)mw;
	int e = weft->dealloc_mw(w->id);
	if (!e)
		free(w);
	return e;
}

/* A window gives rights to peers; a local right in the same word has no meaning. */
uint32_t weft_window_rights(const struct ibv_mw_bind_info *info) { return info->mw_access_flags & ~(unsigned int)IBV_ACCESS_LOCAL_WRITE; }

int weft_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *b)
{
	const struct ibv_mw_bind_info *info = &b->bind_info;
	struct weft_bind bind = {
		.mw = ((struct weft_mw *)mw)->id,
		.mr = info->mr ? ((struct weft_mr *)info->mr)->id : 0,
		.addr = info->addr,
		.length = info->length,
		.access = weft_window_rights(info),
	};
	return weft->bind_mw(((struct weft_qp *)qp)->id, b->wr_id, b->send_flags, &bind, &mw->rkey);
}
