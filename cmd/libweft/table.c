#include "core.h"
#include "_cgo_export.h"

#define WEFT_ENTRY(name, args) (int (*) args) weft_##name,

const struct weft_core weft_core = {sizeof(struct weft_core), WEFT_CALLS(WEFT_ENTRY)};
