/*
 * A thread waits for an event of a channel, and another drops the event and destroys the channel before the first has
 * gone on. The first waits on, as at a kernel's channel, and can be cancelled. Exits with 0 if all is as it should be.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic pid_t waiting; /* the thread that is about to wait */

static void *waits(void *channel)
{
	struct rdma_cm_event *event;
	waiting = gettid();
	int failed = rdma_get_cm_event(channel, &event);
	fprintf(stderr, "a thread came back from a channel that has gone: %d\n", failed);
	exit(1);
}

/* asleep reports whether a thread sleeps in the kernel. */
static bool asleep(pid_t thread)
{
	char path[64], state = 0;
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
	FILE *f = fopen(path, "r");
	if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		exit(5);
	fclose(f);
	return state == 'S';
}

int main(void)
{
	/* On one processor the thread that makes the channel readable goes on before the one that waits. */
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return 2;
	for (int i = 0; i < 300; i++) {
		struct rdma_event_channel *channel = rdma_create_event_channel();
		pthread_t thread;
		const uint64_t event = 1;
		waiting = 0;
		if (!channel || pthread_create(&thread, NULL, waits, channel))
			return 3;
		while (!waiting || !asleep(waiting))
			usleep(100);
		if (write(channel->fd, &event, sizeof event) != sizeof event)
			return 4;
		rdma_destroy_event_channel(channel);
		usleep(500);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	return 0;
}
