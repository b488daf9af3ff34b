package faultcost

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/roce/lint"
	"weft/internal/sim/cabled"
)

// Bounds of the incasts over ports with findings.
const (
	mostLeaves  = 2
	mostSenders = 16
)

// Incasts is a workload over the ports with findings: NICs of the leaves with the most findings receive from NICs at the ports
// with findings, and from others all over the fabric. name is the workload in words. text is empty with fewer than two NICs.
func Incasts(placed *cabled.Placed, reports []*lint.Report, size string) (name, text string) {
	nics := placed.Nodes * placed.NICs
	if nics < 2 {
		return "", ""
	}
	at := portsOf(placed, nics)
	faulty := map[int]bool{} // NICs at ports with findings
	found := map[string]int{}
	for _, r := range reports {
		for i := range r.Findings {
			for _, port := range r.Findings[i].Where {
				found[r.Name]++
				if nic, ok := at[place{r.Name, placed.PortNames[r.Name][port]}]; ok {
					faulty[nic] = true
				}
			}
		}
	}
	receivers := receiversOf(at, found, faulty)
	senders := min(nics-1, mostSenders)
	var flows []string
	for _, to := range receivers {
		for _, from := range sendersTo(to, nics, senders, faulty) {
			flows = append(flows, fmt.Sprintf("{src: %d, dst: %d, bytes: %s}", from, to, size))
		}
	}
	name = fmt.Sprintf("incast of %d senders, %s each", senders, size)
	if len(receivers) > 1 {
		name = fmt.Sprintf("incasts of %d senders to each of %d hosts, %s each", senders, len(receivers), size)
	}
	return name, "{pattern: flows, flows: [" + strings.Join(flows, ", ") + "]}"
}

// place is a port of a switch by its number.
type place struct {
	name string
	port int
}

// portsOf are the NICs by the ports of switches at which they are.
func portsOf(placed *cabled.Placed, nics int) map[place]int {
	at := map[place]int{}
	for _, l := range placed.Links {
		if l.A < nics {
			at[place{placed.Devices[l.B].Name, l.PortB}] = l.A
		}
		if l.B < nics {
			at[place{placed.Devices[l.A].Name, l.PortA}] = l.B
		}
	}
	return at
}

// receiversOf are NICs of the leaves with the most findings, of each the first at a port with findings and the first at
// another: a queue to a host shows what is wrong with it, and a host that sends what is wrong with its pauses. Without
// findings at leaves it is the first NIC of all.
func receiversOf(at map[place]int, found map[string]int, faulty map[int]bool) (out []int) {
	leaves := map[string]map[bool]int{} // the first NIC of each kind
	for p, nic := range at {
		if leaves[p.name] == nil {
			leaves[p.name] = map[bool]int{}
		}
		if have, ok := leaves[p.name][faulty[nic]]; !ok || nic < have {
			leaves[p.name][faulty[nic]] = nic
		}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(leaves)), func(name string) bool { return found[name] == 0 })
	sorting.StableFunc(names, func(a, b string) int { return found[b] - found[a] })
	for _, name := range names[:min(len(names), mostLeaves)] {
		out = append(out, slices.Sorted(maps.Values(leaves[name]))...)
	}
	if len(out) == 0 {
		return []int{0}
	}
	return out
}

// sendersTo are the senders to a NIC: at most half of them at ports with findings, if there are others, the rest spread over all.
func sendersTo(to, nics, n int, faulty map[int]bool) (out []int) {
	take := func(nic, most int) {
		if nic != to && len(out) < most && !slices.Contains(out, nic) {
			out = append(out, nic)
		}
	}
	for nic := range nics {
		if faulty[nic] {
			take(nic, (n+1)/2)
		}
	}
	step := max(1, nics/n)
	for start := range step {
		for nic := start; nic < nics; nic += step {
			take(nic, n)
		}
	}
	slices.Sort(out)
	return out
}
