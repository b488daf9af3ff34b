package faultcost

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/roce/lint"
	"weft/internal/sim/cabled"
)

// Bounds of the shift: senders, and messages from each, which are queue pairs with paths of their own.
const (
	mostShifted = 128
	ofEach      = 4
)

// ofPaths are the rules about equally short paths.
var ofPaths = []string{"paths-few", "hash-addresses"}

// Shift is a workload that fills the paths between switches: each NIC sends to the one half of all further, first those of switches
// with findings about paths. name is the workload in words. text is empty without such a finding, or with fewer than two NICs.
func Shift(placed *cabled.Placed, reports []*lint.Report, mebibytes int) (name, text string) {
	nics := placed.Nodes * placed.NICs
	found := map[string]bool{}
	for _, r := range reports {
		found[r.Name] = slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return slices.Contains(ofPaths, f.Rule) })
	}
	if nics < 2 || !slices.Contains(slices.Collect(maps.Values(found)), true) {
		return "", ""
	}
	var senders, others []int
	of := map[int]bool{}
	for at, nic := range portsOf(placed, nics) {
		of[nic] = found[at.name]
	}
	for nic := range nics {
		if of[nic] {
			senders = append(senders, nic)
		} else {
			others = append(others, nic)
		}
	}
	senders = append(senders, others...)
	senders = senders[:min(len(senders), mostShifted)]
	slices.Sort(senders)
	var flows []string
	for _, from := range senders {
		for range ofEach {
			flows = append(flows, fmt.Sprintf("{src: %d, dst: %d, bytes: %dMiB}", from, (from+nics/2)%nics, mebibytes))
		}
	}
	return fmt.Sprintf("shift by half of the hosts: %d messages from each of %d, %dMiB each", ofEach, len(senders), mebibytes), "{pattern: flows, flows: [" + strings.Join(flows, ", ") + "]}"
}
