package flags

import "fmt"

// MaxWorkers bounds -j: more cores than any machine has. Each worker is a thread, and a simulation
// partition of a pattern's network.
const MaxWorkers = 128

// CheckWorkers refuses a -j that is not a number of cores.
func CheckWorkers(n int) error {
	if n < 0 || n > MaxWorkers {
		return fmt.Errorf("-j %d: want 1 to %d, or 0 for all cores; results do not depend on it", n, MaxWorkers)
	}
	return nil
}
