package faultcost

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
	"weft/scenario"
)

// deafToPauses reports whether a host sends its data on through the pauses of a switch: it has no PFC on the priority that the switch
// pauses for the data, or has the data in another one.
func deafToPauses(h *host.Host, sw *sonic.Switch) (deaf, known bool) {
	dscp, ok := dataOf(h)
	group := groupOf(sw, dscp)
	if !ok || group < 0 {
		return false, false
	}
	if h.Trust.Value == "dscp" && h.PriorityOf(dscp) != group {
		return true, true
	}
	return h.PFC.Known() && !slices.Contains(h.PFC.Value, group), h.PFC.Known()
}

// groupOf is the priority in which the first port of a switch that protects a DSCP pauses it; -1 if none does.
func groupOf(sw *sonic.Switch, dscp int) int {
	for _, p := range sw.Ports {
		if group := p.ClassOf(dscp).Group; p.Up && p.Used() && p.Lossless(group) {
			return group
		}
	}
	return -1
}

// unboundedAlpha leaves an egress queue nearly all of the free buffer, as SONiC's profiles of lossless queues do
// (dynamic_th 7).
const unboundedAlpha = 128

// Deafen makes the hosts of a scenario's only fabric send their data on through the pauses of some switches: the ports that
// lead to hosts pause this class no more, so that packets beyond the threshold are dropped. The fabric's topology is listed.
func Deafen(r *scenario.Resolved, switches []string) {
	if len(switches) == 0 {
		return
	}
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
			if !slices.Contains(switches, name) {
				continue
			}
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
			Set: []scenario.Assignment{scenario.Assignment("ethernet.pfc.priorities=[" + at.lossless + "]"), scenario.Assignment(fmt.Sprintf("ethernet.egress-alpha=%d", unboundedAlpha))},
		})
	}
}
