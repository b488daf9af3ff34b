/*
 * A program's handlers of signals run on the alternate stack of their thread, if it has one (SA_ONSTACK). A signal may
 * come while the thread is in the core, on the stack of a goroutine, which is too small for a handler. The Go
 * runtime gives such threads an alternate stack, and changes the handlers that were there before it; later ones come
 * through here. A thread that was never in the core has no such stack, and nothing changes for it.
 */
#define _GNU_SOURCE
#include <signal.h>

#include "../real.h"

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	if (!act || (!(act->sa_flags & SA_SIGINFO) && (act->sa_handler == SIG_DFL || act->sa_handler == SIG_IGN)))
		return REAL(sigaction)(sig, act, old);
	struct sigaction own = *act;
	own.sa_flags |= SA_ONSTACK;
	return REAL(sigaction)(sig, &own, old);
}

/* set is signal with flags and a mask of the signal itself, or none. */
static sighandler_t set(int sig, sighandler_t handler, int flags, int masked)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags}, old;
	sigemptyset(&act.sa_mask);
	if (masked && sigaddset(&act.sa_mask, sig))
		return SIG_ERR;
	return sigaction(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

sighandler_t signal(int sig, sighandler_t handler) { return set(sig, handler, SA_RESTART, 1); }
sighandler_t ssignal(int sig, sighandler_t handler) { return set(sig, handler, SA_RESTART, 1); }
sighandler_t sysv_signal(int sig, sighandler_t handler) { return set(sig, handler, SA_RESETHAND | SA_NODEFER, 0); }
sighandler_t __sysv_signal(int sig, sighandler_t handler) { return set(sig, handler, SA_RESETHAND | SA_NODEFER, 0); }
