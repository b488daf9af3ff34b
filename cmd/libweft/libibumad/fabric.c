/* The devices, and the connection with the emulated fabric. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "umad.h"

/* weft_cas reads WEFT_VERBS_DEVICES as libibverbs does: "name=address" or "name", with commas between. */
int weft_cas(struct weft_ca *out, int most)
{
	const char *list = getenv("WEFT_VERBS_DEVICES");
	char *copy = strdup(list && *list ? list : "weft0"), *rest = copy;
	int n = 0;
	for (char *entry; n < most && (entry = strsep(&rest, ",")); n++) {
		char *address = strchr(entry, '=');
		if (address)
			*address++ = 0;
		snprintf(out[n].name, sizeof out[n].name, "%s", entry);
		snprintf(out[n].address, sizeof out[n].address, "%s", address ? address : "");
	}
	free(copy);
	return n;
}

/* weft_ca finds a device; without a name it is the first. */
bool weft_ca(const char *name, struct weft_ca *out)
{
	struct weft_ca all[UMAD_MAX_DEVICES];
	int n = weft_cas(all, UMAD_MAX_DEVICES);
	for (int i = 0; i < n; i++)
		if (!name || !*name || !strncmp(name, all[i].name, sizeof all[i].name - 1)) {
			*out = all[i];
			return true;
		}
	return false;
}

static int fails(bool quiet, int errnum, const char *why)
{
	if (!quiet)
		fprintf(stderr, "weft: no management datagrams: %s\n", why);
	return -errnum;
}

int weft_connect(const struct weft_ca *ca, bool quiet)
{
	const char *path = getenv("WEFT_EMULATOR"), *nic = getenv("WEFT_NIC");
	if (!path || !*path)
		return fails(quiet, ENODEV, "they need an InfiniBand fabric: weft emulate runs one, and says what to set");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof to.sun_path)
		return fails(quiet, ENAMETOOLONG, "the path in WEFT_EMULATOR is too long");
	strcpy(to.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) {
		int e = errno;
		if (fd >= 0)
			close(fd);
		return fails(quiet, e, strerror(e));
	}
	char hello[512], answer[8192];
	snprintf(hello, sizeof hello, "\x01{\"Version\":%d,\"Management\":true,\"%s\":\"%s\"}", weft_channel_version, *ca->address ? "Addr" : "NIC",
		*ca->address ? ca->address : nic ? nic : "");
	ssize_t n = -1;
	if (send(fd, hello, strlen(hello), MSG_NOSIGNAL) > 0)
		n = recv(fd, answer, sizeof answer - 1, 0);
	if (n > 0 && answer[0] == 2) /* welcome */
		return fd;
	close(fd);
	answer[n > 0 ? n : 0] = 0;
	return fails(quiet, EIO, n > 1 ? answer + 1 : "the fabric has ended");
}

int weft_ask(int fd, uint16_t lid, uint8_t *mad)
{
	uint8_t room[sizeof(struct weft_message) + mad_bytes];
	struct weft_message *m = (struct weft_message *)room;
	*m = (struct weft_message){.kind = weft_datagram, .lid = lid};
	memcpy(m->data, mad, mad_bytes);
	if (send(fd, room, sizeof room, MSG_NOSIGNAL) < 0 || recv(fd, room, sizeof room, 0) != sizeof room)
		return -EIO;
	memcpy(mad, m->data, mad_bytes);
	return -(int)m->status;
}
