/*
 * The clocks of a program in the time of its emulated fabric: gettimeofday and clock_gettime of wall clocks run
 * as the fabric's clock does once the program has opened a device there. Sleeps, timeouts and the processor's counter (rdtsc) stay the machine's.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "../real.h"

enum { clocks = CLOCK_BOOTTIME + 1 };
static const int64_t second = 1000000000;

static struct {
	pthread_mutex_t lock;
	int (*fabric)(int64_t *ps); /* NULL before the program has a device on a fabric */
	int64_t machine0, fabric0;  /* both clocks then, in ns */
	int64_t behind;		    /* what the fabric has lost on the machine since */
	int64_t ahead[clocks];	    /* of the machine's clocks: what they are ahead of CLOCK_MONOTONIC */
} now = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t machine(clockid_t id)
{
	struct timespec t = {0};
	REAL(clock_gettime)(id, &t);
	return t.tv_sec * second + t.tv_nsec;
}

static bool wall(clockid_t id)
{
	return id == CLOCK_REALTIME || id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW || id == CLOCK_REALTIME_COARSE ||
	       id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME;
}

/* weft_clock_by is called by libibverbs when a program opens a device on an emulated fabric. */
void weft_clock_by(int (*fabric)(int64_t *ps))
{
	int64_t ps;
	pthread_mutex_lock(&now.lock);
	if (!now.fabric && !fabric(&ps)) {
		now.machine0 = machine(CLOCK_MONOTONIC);
		now.fabric0 = ps / 1000;
		for (clockid_t id = 0; id < clocks; id++)
			now.ahead[id] = wall(id) ? machine(id) - machine(CLOCK_MONOTONIC) : 0;
		now.fabric = fabric;
	}
	pthread_mutex_unlock(&now.lock);
}

/* read_clock reads a wall clock; false if it is the machine's. A fabric that has ended leaves it at the machine's pace. */
static bool read_clock(clockid_t id, int64_t *ns)
{
	int64_t ps;
	if (!__atomic_load_n(&now.fabric, __ATOMIC_ACQUIRE) || !wall(id))
		return false;
	pthread_mutex_lock(&now.lock);
	int e = now.fabric(&ps);
	int64_t passed = machine(CLOCK_MONOTONIC) - now.machine0;
	if (!e)
		now.behind = passed - (ps / 1000 - now.fabric0);
	*ns = now.machine0 + passed - now.behind + now.ahead[id];
	pthread_mutex_unlock(&now.lock);
	return true;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int64_t ns;
	if (!read_clock(id, &ns))
		return REAL(clock_gettime)(id, t);
	*t = (struct timespec){.tv_sec = ns / second, .tv_nsec = ns % second};
	return 0;
}

int gettimeofday(struct timeval *t, void *zone)
{
	int64_t ns;
	if (!read_clock(CLOCK_REALTIME, &ns))
		return REAL(gettimeofday)(t, zone);
	*t = (struct timeval){.tv_sec = ns / second, .tv_usec = ns % second / 1000};
	return 0;
}
