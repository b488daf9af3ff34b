/*
 * Sockets over RDMA. Programs that link librdmacm do not load without these names; weft has no such
 * sockets. rpoll and rselect serve the other descriptors, as they do in librdmacm.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/select.h>

int rpoll(struct pollfd *fds, nfds_t n, int timeout) { return poll(fds, n, timeout); }

int rselect(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t) { return select(n, r, w, x, t); }

#define REFUSES(name)              \
	long name(void)            \
	{                          \
		errno = EOPNOTSUPP; \
		return -1;         \
	}
REFUSES(rsocket)
REFUSES(rbind)
REFUSES(rlisten)
REFUSES(raccept)
REFUSES(rconnect)
REFUSES(rshutdown)
REFUSES(rclose)
REFUSES(rrecv)
REFUSES(rrecvfrom)
REFUSES(rrecvmsg)
REFUSES(rsend)
REFUSES(rsendto)
REFUSES(rsendmsg)
REFUSES(rread)
REFUSES(rreadv)
REFUSES(rwrite)
REFUSES(rwritev)
REFUSES(rgetpeername)
REFUSES(rgetsockname)
REFUSES(rsetsockopt)
REFUSES(rgetsockopt)
REFUSES(rfcntl)
REFUSES(riomap)
REFUSES(riounmap)
REFUSES(riowrite)
