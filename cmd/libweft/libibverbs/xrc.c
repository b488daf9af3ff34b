/* Domains of the extended reliable connection, and their shared receive queues. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "weft.h"

/* The domains that are shared by a file. A device is of one process, so they are, too. */
static struct weft_xrcd *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* of_file is the context's domain of a file; NULL if there is none. */
static struct weft_xrcd *of_file(const struct ibv_context *context, const struct stat *file)
{
	struct weft_xrcd *x = shared;
	while (x && (x->xrcd.context != context || x->file.st_dev != file->st_dev || x->file.st_ino != file->st_ino))
		x = x->next;
	return x;
}

/* opened opens a domain, of a file or of nobody else. */
static int opened(struct ibv_context *context, const struct stat *file, struct weft_xrcd **out)
{
	struct weft_xrcd *x = calloc(1, sizeof *x);
	int e = x ? weft->open_xrcd(weft_context_of(context)->id, &x->id) : ENOMEM;
	if (e) {
		free(x);
		return e;
	}
	x->xrcd.context = context;
	x->uses = 1;
	if (file) {
		x->file = *file;
		x->shared = true;
		x->next = shared;
		shared = x;
	}
	*out = x;
	return 0;
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *a)
{
	const uint32_t both = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	struct weft_xrcd *x = NULL;
	struct stat file;
	int e = a->comp_mask & ~both ? EOPNOTSUPP : (a->comp_mask & both) != both || a->oflags & ~(O_CREAT | O_EXCL) ? EINVAL : 0;
	bool of = a->fd != -1;
	if (!e && of && fstat(a->fd, &file))
		e = errno;
	pthread_mutex_lock(&lock);
	if (!e && of)
		x = of_file(context, &file);
	if (!e && x && a->oflags & O_EXCL)
		e = EINVAL;
	else if (!e && x)
		x->uses++;
	else if (!e && !(a->oflags & O_CREAT))
		e = of ? EAGAIN : EINVAL;
	else if (!e)
		e = opened(context, of ? &file : NULL, &x);
	pthread_mutex_unlock(&lock);
	errno = e ? e : errno;
	return e ? NULL : &x->xrcd;
}

static int close_xrcd(struct ibv_xrcd *xrcd)
{
	struct weft_xrcd *x = (struct weft_xrcd *)xrcd;
	pthread_mutex_lock(&lock);
	int e = x->uses > 1 ? 0 : weft->close_xrcd(x->id);
	bool last = !e && !--x->uses;
	for (struct weft_xrcd **p = &shared; last && x->shared && *p; p = &(*p)->next)
		if (*p == x) {
			*p = x->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	if (last)
		free(x);
	return e;
}

static struct ibv_srq *create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *a)
{
	const uint32_t needs = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	int e = a->comp_mask & ~needs || (a->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && a->srq_type > IBV_SRQT_XRC) ? EOPNOTSUPP : 0;
	if (!e && (a->comp_mask != needs || a->srq_type != IBV_SRQT_XRC || a->attr.max_sge > weft_context_of(context)->attr.max_sge))
		e = EINVAL;
	struct weft_srq *s = calloc(1, sizeof *s);
	if (!e)
		e = weft->create_xrc_srq(((struct weft_pd *)a->pd)->id, a->attr.max_wr, ((struct weft_xrcd *)a->xrcd)->id, ((struct weft_cq *)a->cq)->id,
					 (uintptr_t)s, &s->id, &s->number);
	if (e) {
		free(s);
		errno = e;
		return NULL;
	}
	return weft_srq_made(s, a->pd, a->srq_context, a->attr.max_sge);
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	*number = ((struct weft_srq *)srq)->number;
	return *number ? 0 : EOPNOTSUPP;
}

void weft_add_xrc(struct verbs_context *v)
{
	v->open_xrcd = open_xrcd;
	v->close_xrcd = close_xrcd;
	v->create_srq_ex = create_srq_ex;
	v->get_srq_num = get_srq_num;
}
