package sweep

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"weft/units"
)

// shareOfMemory is the part of the free memory that a sweep takes if the user does not say.
const shareOfMemory = 0.8

// FreeMemory is the memory that a sweep may take on this machine: a part of what Linux says is available, and of
// the limit of the process's control group. 0 if it is not known.
func FreeMemory() units.Bytes {
	free := int64(0)
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(info) {
		if f := strings.Fields(string(line)); len(f) == 3 && f[0] == "MemAvailable:" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			free = n << 10
		}
	}
	if group, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(group)), 10, 64); err == nil {
			free = min(free, n)
		}
	}
	return units.Bytes(shareOfMemory * float64(free))
}
