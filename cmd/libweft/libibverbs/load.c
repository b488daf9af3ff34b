/* The core: loaded when a program opens its first device, so that a program may fork before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weft.h"

const struct weft_core *weft;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* beside writes the path of a file in the folder of this library. */
static int beside(char *path, const char *name)
{
	Dl_info self;
	if (!dladdr(&weft, &self))
		return -1;
	const char *slash = strrchr(self.dli_fname, '/');
	int folder = slash ? (int)(slash - self.dli_fname) : 1;
	return snprintf(path, PATH_MAX, "%.*s/%s", folder, slash ? self.dli_fname : ".", name) < PATH_MAX ? 0 : -1;
}

static int load(void)
{
	char path[PATH_MAX];
	if (beside(path, "libweft.so"))
		return ENAMETOOLONG;
	void *core = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!core) {
		fprintf(stderr, "weft: %s: build the libraries again with weft verbs build\n", dlerror());
		return ELIBACC;
	}
	const struct weft_core *table = dlsym(core, "weft_core");
	if (!table || table->size != sizeof(struct weft_core)) {
		fprintf(stderr, "weft: %s is of another build than libibverbs.so.1: build both with weft verbs build\n", path);
		return ELIBBAD;
	}
	weft = table;
	return 0;
}

/* leave tells the peers of a program that ends. A fork has nothing to say. */
static void __attribute__((destructor)) leave(void)
{
	if (weft)
		weft->leave();
}

int weft_load(void)
{
	pthread_mutex_lock(&loading);
	int e = weft ? 0 : load();
	pthread_mutex_unlock(&loading);
	return e;
}
