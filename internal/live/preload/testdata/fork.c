/* Forks before and behind the first device. Exits with the number of the first wrong answer, 0 if none. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ibv_device *device;

/* before opens a device in a child of a process that has opened none. */
static int before(void)
{
	struct ibv_context *ctx = ibv_open_device(device);
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	return pd && !ibv_dealloc_pd(pd) && !ibv_close_device(ctx) ? 0 : 1;
}

/* behind uses what its parent has opened: every call fails, and none hangs. */
static int behind(struct ibv_context *ctx, struct ibv_cq *cq)
{
	struct ibv_wc wc;
	if (ibv_poll_cq(cq, 1, &wc) >= 0)
		return 2;
	errno = 0;
	if (ibv_alloc_pd(ctx) || errno != EIO)
		return 3;
	errno = 0;
	if (ibv_open_device(device) || errno != EIO)
		return 4;
	return ibv_close_device(ctx) ? 5 : 0;
}

static int status_of(pid_t child)
{
	int status;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 6;
}

int main(void)
{
	struct ibv_wc wc;
	pid_t child;
	device = ibv_get_device_list(NULL)[0];
	if (!(child = fork()))
		_exit(before());
	int bad = status_of(child);
	struct ibv_context *ctx = ibv_open_device(device);
	struct ibv_cq *cq = ctx ? ibv_create_cq(ctx, 4, NULL, NULL, 0) : NULL;
	if (!cq)
		return 7;
	if (!(child = fork()))
		_exit(behind(ctx, cq));
	if (!bad)
		bad = status_of(child);
	if (!bad && (ibv_poll_cq(cq, 1, &wc) || ibv_destroy_cq(cq) || ibv_close_device(ctx)))
		bad = 8; /* the parent's device goes on */
	return bad;
}
