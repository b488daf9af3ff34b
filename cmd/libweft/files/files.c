/*
 * The files that a kernel's RDMA device has: a program that looks for them before it asks libibverbs, as
 * UCX does, finds those of weft's devices. It is the one library that is preloaded into every program; it
 * answers for the paths of weft's devices and passes all others on.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../real.h"

#define DEVICES "/dev/infiniband/"
#define CLASS "/sys/class/infiniband/"

/* The files of a device, below its folder, and what they have on InfiniBand if that is something else. */
static const struct {
	const char *path, *text, *infiniband;
} files[] = {
	{"/node_type", "1: CA\n", NULL},
	{"/fw_ver", "weft\n", NULL},
	{"/ports/1/link_layer", "Ethernet\n", "InfiniBand\n"},
	{"/ports/1/state", "4: ACTIVE\n", NULL},
	{"/ports/1/phys_state", "5: LinkUp\n", NULL},
	{"/ports/1/gid_attrs/types/0", "RoCE v2\n", "IB/RoCE v1\n"},
	{"/ports/1/gid_attrs/ndevs/0", "lo\n", "ib0\n"},
	{"/ports/1/pkeys/0", "0xffff\n", NULL},
};

/* after_device is what follows a name, up to its end or a slash, if WEFT_VERBS_DEVICES has it. */
static const char *after_device(const char *name)
{
	const char *list = getenv("WEFT_VERBS_DEVICES");
	size_t n = strcspn(name, "/");
	for (list = list && *list ? list : "weft0"; *list;) {
		size_t own = strcspn(list, "=,");
		if (own == n && !strncmp(list, name, n))
			return name + n;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return NULL;
}

/* below is the rest of a path behind a prefix and a device of weft; NULL if it is another path. */
static const char *below(const char *prefix, const char *path)
{
	size_t n = strlen(prefix);
	return path && !strncmp(path, prefix, n) ? after_device(path + n) : NULL;
}

/* weft_on_infiniband is called by libibverbs when it opens a device of an InfiniBand fabric. */
static bool infiniband;
void weft_on_infiniband(void) { infiniband = true; }

/* text is what a file of weft's devices has; NULL if the path is no such file. */
static const char *text(const char *path)
{
	const char *rest = below(CLASS, path);
	for (size_t i = 0; rest && i < sizeof files / sizeof *files; i++)
		if (!strcmp(rest, files[i].path))
			return infiniband && files[i].infiniband ? files[i].infiniband : files[i].text;
	return NULL;
}

/* instead is the path that stands for a file of weft's devices, or the path itself. */
static const char *instead(const char *path)
{
	const char *rest = below(DEVICES, path);
	if ((rest && !*rest) || text(path))
		return "/dev/null"; /* a character device that everybody may open */
	return path;
}

int access(const char *path, int mode) { return REAL(access)(instead(path), mode); }
int stat(const char *path, struct stat *s) { return REAL(stat)(instead(path), s); }
int stat64(const char *path, struct stat64 *s) { return REAL(stat64)(instead(path), s); }

/* content is a descriptor of a file's text. */
static int content(const char *t)
{
	int fd = memfd_create("weft", MFD_CLOEXEC);
	if (fd >= 0 && (write(fd, t, strlen(t)) != (ssize_t)strlen(t) || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static mode_t mode_of(int flags, va_list rest) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

#define OPEN(name)                                                    \
	int name(const char *path, int flags, ...)                    \
	{                                                             \
		const char *t = text(path);                           \
		va_list rest;                                         \
		va_start(rest, flags);                                \
		mode_t mode = mode_of(flags, rest);                   \
		va_end(rest);                                         \
		return t ? content(t) : REAL(name)(path, flags, mode); \
	}

OPEN(open)
OPEN(open64)

#define FOPEN(name)                                                         \
	FILE *name(const char *path, const char *mode)                      \
	{                                                                   \
		const char *t = text(path);                                 \
		int fd = t ? content(t) : -1;                               \
		return fd >= 0 ? fdopen(fd, mode) : REAL(name)(path, mode); \
	}

FOPEN(fopen)
FOPEN(fopen64)
