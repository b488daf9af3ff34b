package faultcost

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/roce/host"
	"weft/scenario"
)

// deafToPauses reports whether a host sends its data on through the pauses of its switch: it has no PFC on the data's
// priority, or the data in another priority than the one that the switch pauses. group is the switch's priority for a DSCP, -1
// if that is not known.
func deafToPauses(h *host.Host, group func(dscp int) int) (deaf, known bool) {
	dscp, ok := dataOf(h)
	if !ok {
		return false, false
	}
	own := h.PriorityOf(dscp)
	if g := group(dscp); g >= 0 && h.Trust.Value == "dscp" && g != own {
		return true, true
	}
	return h.PFC.Known() && !slices.Contains(h.PFC.Value, own), h.PFC.Known()
}

// unboundedAlpha leaves an egress queue nearly all of the free buffer, as SONiC's profiles of lossless queues do
// (dynamic_th 7).
const unboundedAlpha = 128

// Deafen makes the hosts of a scenario's only fabric send their data on through pauses: the ports that lead to them pause this class no
// more, so that packets beyond the threshold are dropped. The fabric's topology is listed.
func Deafen(r *scenario.Resolved) {
	f := &r.Fabrics[0]
	type kind struct{ name, lossless string }
	ports := map[kind][]string{}
	var kinds []kind
	for _, l := range f.Topology.Links {
		for k, end := range l.Ends {
			if end >= r.Cluster.Endpoints() || len(l.Ports) != len(l.Ends) {
				continue
			}
			name, port := f.Topology.Devices[l.Ends[1-k]].Name, l.Ports[1-k]
			var left []string
			for _, p := range f.OfPort(name, port).Ethernet.PFC.Priorities {
				if p != f.Ethernet.DataPriority {
					left = append(left, fmt.Sprint(p))
				}
			}
			at := kind{name, strings.Join(left, ", ")}
			if len(ports[at]) == 0 {
				kinds = append(kinds, at)
			}
			ports[at] = append(ports[at], fmt.Sprint(port))
		}
	}
	f.Switches = slices.Clone(f.Switches)
	for _, at := range kinds {
		f.Switches = append(f.Switches, scenario.SwitchSettings{
			Names: []string{at.name}, Ports: ports[at],
			Set: []string{"ethernet.pfc.priorities=[" + at.lossless + "]", fmt.Sprintf("ethernet.egress-alpha=%d", unboundedAlpha)},
		})
	}
}
