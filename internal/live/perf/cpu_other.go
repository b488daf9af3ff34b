//go:build !unix

package perf

import "time"

// cpuTime is not known here.
func cpuTime() (time.Duration, bool) { return 0, false }
