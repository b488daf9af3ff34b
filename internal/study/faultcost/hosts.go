package faultcost

import (
	"fmt"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// Setting is a field of a fabric with its value.
type Setting struct{ Field, Value string }

// settingsOf are the fields of a fabric that say how the hosts send. data is the DSCP of the data if no host says one; -1 is
// the scenario's.
func settingsOf(hosts []*host.Host, data int) (set []Setting) {
	if dscp, ok := most(hosts, dataOf); ok {
		data = dscp
	}
	if data >= 0 {
		set = append(set, Setting{"ethernet.dscp", fmt.Sprint(data)})
	}
	if cnp, ok := most(hosts, func(h *host.Host) (int, bool) { return h.CNPDSCP.Value, h.CNPDSCP.Known() }); ok {
		set = append(set, Setting{"ethernet.cnp-dscp", fmt.Sprint(cnp)})
	}
	if mtu, ok := most(hosts, payloadOf); ok {
		set = append(set, Setting{"mtu", fmt.Sprintf("%dB", mtu)})
	}
	if deaf, ok := most(hosts, deafToMarks); ok && deaf {
		set = append(set, Setting{"cc.algorithm", "none"})
	}
	return set
}

// dataOf is the DSCP of a host's data.
func dataOf(h *host.Host) (int, bool) {
	for _, s := range h.Streams() {
		if !s.Control {
			return s.DSCP, true
		}
	}
	return 0, false
}

// payloadOf is the largest payload of a host's RDMA packets in bytes.
func payloadOf(h *host.Host) (int, bool) {
	payload := host.PathMTU(h.MTU.Value)
	return int(payload), h.MTU.Known() && payload > 0
}

// deafToMarks reports whether a host sends on in spite of marks: one of its two ends of congestion control is off.
func deafToMarks(h *host.Host) (deaf, known bool) {
	dscp, ok := dataOf(h)
	if !ok {
		return false, false
	}
	priority := h.PriorityOf(dscp)
	for _, point := range []host.Said[bool]{h.NP[priority], h.RP[priority]} {
		known = known || point.Known()
		deaf = deaf || point.Known() && !point.Value
	}
	return deaf, known
}

// most is the value that most hosts have, among those that say one; of two as frequent, the first host's.
func most[T comparable](hosts []*host.Host, of func(*host.Host) (T, bool)) (value T, ok bool) {
	count := map[T]int{}
	for _, h := range hosts {
		if v, known := of(h); known {
			count[v]++
		}
	}
	for _, h := range hosts {
		if v, known := of(h); known && (!ok || count[v] > count[value]) {
			value, ok = v, true
		}
	}
	return value, ok
}

// Protected is the lowest DSCP that a port of one of the switches protects, for data of which no host says the DSCP; -1 if
// there is none.
func Protected(switches []*sonic.Switch) int {
	for _, sw := range switches {
		for _, p := range sw.Ports {
			for dscp := range 64 {
				if p.Up && p.Used() && p.Lossless(p.ClassOf(dscp).Group) {
					return dscp
				}
			}
		}
	}
	return -1
}
