/* What the files of this library share. */
#ifndef WEFT_UMAD_H
#define WEFT_UMAD_H

#include <infiniband/umad.h>
#include <stdbool.h>

enum { mad_bytes = 256 }; /* of a management datagram (IBA vol. 1, 13.4.2) */

/* A device of WEFT_VERBS_DEVICES. */
struct weft_ca {
	char name[UMAD_CA_NAME_LEN];
	char address[64]; /* "" if the fabric chooses it */
};

int weft_cas(struct weft_ca *out, int most);
bool weft_ca(const char *name, struct weft_ca *out);

/*
 * weft_connect connects with the emulated fabric as a program at the NIC of a device, and returns a descriptor, or a
 * negative errno. Unless it is quiet, it says why on the standard error.
 */
int weft_connect(const struct weft_ca *ca, bool quiet);

/* A message to and from the fabric: package internal/sim/channel, Datagram. Numbers have the lowest byte first. */
struct weft_message {
	uint8_t kind, more;
	uint16_t lid;
	uint32_t status;
	uint8_t data[];
};

/* A test of package channel compares these with its own. */
enum { weft_channel_version = 7, weft_datagram = 9, weft_most = 98304 };

/* weft_ask sends a request of 256 bytes to a LID and waits for its answer, in its place. */
int weft_ask(int fd, uint16_t lid, uint8_t *mad);

#endif
