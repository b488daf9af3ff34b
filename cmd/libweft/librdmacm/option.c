/* Options of IDs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"

/* idle says that an option has no effect, if the user has asked for explanations. */
static void idle(const char *option)
{
	if (getenv("WEFT_VERBS_EXPLAIN"))
		fprintf(stderr, "weft: rdma_set_option: %s has no effect on a device of weft\n", option);
}

/* without refuses an option that has no effect, as the kernel does those that it does not know. */
static int without(const char *option)
{
	idle(option);
	return cm_fails(ENOSYS);
}

/* switch_on takes an option that is on or off, until the ID listens. */
static int switch_on(const struct cm_id *c, const void *value, size_t size, bool *is)
{
	int on;
	if (size != sizeof on || c->listens)
		return cm_fails(EINVAL);
	memcpy(&on, value, sizeof on);
	*is = on;
	return 0;
}

/*
 * An address is used again without an option: a port is free at once when its listener ends. The class of packets is
 * taken as by verbs (ah_attr.grh.traffic_class), though packets do not carry it: programs set it as a matter of course,
 * and some end if they cannot. InfiniBand's paths are refused: who sets one means to use it.
 */
int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)
{
	struct cm_id *c = (struct cm_id *)id;
	bool reuse;
	if (!optval)
		return cm_fails(EINVAL);
	if (level == RDMA_OPTION_IB)
		return without("the level RDMA_OPTION_IB");
	if (level != RDMA_OPTION_ID)
		return without("a level that is neither RDMA_OPTION_ID nor RDMA_OPTION_IB");
	switch (optname) {
	case RDMA_OPTION_ID_REUSEADDR:
		return switch_on(c, optval, optlen, &reuse);
	case RDMA_OPTION_ID_AFONLY:
		return switch_on(c, optval, optlen, &c->one_family);
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		if (optlen != 1 || *(const uint8_t *)optval > 31)
			return cm_fails(EINVAL);
		c->ack_timeout = *(const uint8_t *)optval;
		return 0;
	case RDMA_OPTION_ID_TOS:
		if (optlen != 1)
			return cm_fails(EINVAL);
		idle("RDMA_OPTION_ID_TOS");
		return 0;
	}
	return without("an option that is unknown");
}
