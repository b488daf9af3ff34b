/*
 * Sockets over RDMA: weft has none. rdma-core's programs (rping, mckey and others) link these names with the code that
 * they share, and do not start without them; those that call them (rstream, rcopy) are told so.
 */
#include <errno.h>
#include <sys/types.h>

#define REFUSES(type, name) \
	type name(void) { errno = EOPNOTSUPP; return -1; }

REFUSES(int, raccept)
REFUSES(int, rbind)
REFUSES(int, rclose)
REFUSES(int, rconnect)
REFUSES(int, rfcntl)
REFUSES(int, rgetpeername)
REFUSES(int, rgetsockname)
REFUSES(int, rgetsockopt)
REFUSES(off_t, riomap)
REFUSES(int, riounmap)
REFUSES(size_t, riowrite)
REFUSES(int, rlisten)
REFUSES(int, rpoll)
REFUSES(ssize_t, rread)
REFUSES(ssize_t, rreadv)
REFUSES(ssize_t, rrecv)
REFUSES(ssize_t, rrecvfrom)
REFUSES(ssize_t, rrecvmsg)
REFUSES(int, rselect)
REFUSES(ssize_t, rsend)
REFUSES(ssize_t, rsendmsg)
REFUSES(ssize_t, rsendto)
REFUSES(int, rsetsockopt)
REFUSES(int, rshutdown)
REFUSES(int, rsocket)
REFUSES(ssize_t, rwrite)
REFUSES(ssize_t, rwritev)
