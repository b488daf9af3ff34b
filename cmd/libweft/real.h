/* For libraries that are preloaded: REAL is the next function of a name, the C library's, found once. */
#ifndef WEFT_REAL_H
#define WEFT_REAL_H

#include <dlfcn.h>

#define REAL(name)                                                         \
	({                                                                 \
		static __typeof__(&name) real;                             \
		if (!real)                                                 \
			real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
		real;                                                      \
	})

#endif
