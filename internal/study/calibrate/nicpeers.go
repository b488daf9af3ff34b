package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/formats/logfile"
)

// A log may test the NICs of two nodes one after another: a table of perftest for each. A NIC that is slower than most of
// them is a fault of that NIC, its cable, its slot or its path, and not one of the cluster.

const (
	// leastPeers is the number of NICs from which on one of them can stand out.
	leastPeers = 3
	// slowPeer is the part of the typical bandwidth below which a NIC stands out: clusterkit's bound for nodes.
	slowPeer = .93
)

// device is the NIC of a table of perftest, "" if it is not known.
func device(t *logfile.Table) string {
	set, _ := t.Setting("Device")
	return set.Value
}

// besidePeers finds the NICs that stand out from the others of a log.
func besidePeers(tasks []*Task) {
	groups := make(map[string][]*Task)
	for _, t := range tasks {
		if t.kind == bandwidth && device(t.Table) != "" {
			last := t.Points[len(t.Points)-1].Bytes
			key := fmt.Sprint(t.Table.Op, t.Table.GPUMemory, t.Table.Bidirectional, last)
			groups[key] = append(groups[key], t)
		}
	}
	for _, group := range groups {
		names := make(map[string]bool)
		var times []float64
		for _, t := range group {
			names[device(t.Table)] = true
			times = append(times, float64(t.Points[len(t.Points)-1].Measured))
		}
		slices.Sort(times)
		typical := times[(len(times)-1)/2]
		if len(names) < leastPeers {
			continue
		}
		var slow []string
		for _, t := range group {
			if name := device(t.Table); typical < slowPeer*float64(t.Points[len(t.Points)-1].Measured) && !slices.Contains(slow, name) {
				slow = append(slow, name)
			}
		}
		if 2*len(slow) >= len(names) {
			continue
		}
		for _, t := range group {
			t.SlowPeers = strings.Join(slow, ", ")
			t.isSlowPeer = slices.Contains(slow, device(t.Table))
		}
	}
}
