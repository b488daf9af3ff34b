package cablehealth

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/base/sorting"
)

// observe collects what is no fault of a cable: congestion, packets that other links damaged, remarks.
func (j *judge) observe() {
	for _, k := range []struct{ is, what string }{
		{"PortXmitWait", "waited to send (ticks of the device): congestion, no fault of the cable"},
		{"PFC Rx", "received pause frames: what is behind the port takes data too slowly"},
		{"PFC Tx", "sent pause frames: the switch or what is behind it was full"},
		{"pause time", "were paused by the other side, for µs in all"},
		{"watermark", "had the most bytes in a buffer"},
	} {
		if text := j.most(k.is, k.what); text != "" {
			j.report.Waiting = append(j.report.Waiting, text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(elsewhere)) {
		if text := j.most(name, elsewhere[name]); text != "" {
			j.report.Elsewhere = append(j.report.Elsewhere, text)
		}
	}
	for _, r := range j.set.Remarks {
		j.report.Remarks = append(j.report.Remarks, r.Value+" ("+r.At.String()+")")
	}
}

// level is the sum of the counters of one kind at a port.
type level struct {
	port    *port
	value   uint64
	atLeast bool
	at      string
	name    string
}

// most is a sentence about the ports with the most of a kind of counter; "" if none has any.
func (j *judge) most(kind, what string) string {
	var all []level
	known := 0
	for _, p := range j.ports {
		l := level{port: p}
		has := false
		for _, name := range slices.Sorted(maps.Keys(j.known[p.id])) {
			if !ofKind(name, kind) {
				continue
			}
			m := j.known[p.id][name]
			has = true
			if kind == "watermark" {
				if m.Value > l.value {
					l.value, l.at, l.name = m.Value, m.At.String(), strings.TrimPrefix(name, "watermark ")
				}
				continue
			}
			if l.value += m.Value; l.at == "" || m.Value > 0 {
				l.at = m.At.String()
			}
			l.atLeast = l.atLeast || m.AtLeast
		}
		if has {
			known++
		}
		if l.value > 0 {
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return ""
	}
	sorting.StableFunc(all, func(a, b level) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.port.name(), b.port.name()))
	})
	var names []string
	for _, l := range all[:min(len(all), 3)] {
		names = append(names, fmt.Sprintf("%s %s%d (%s)", strings.TrimSpace(l.port.name()+" "+l.name), atLeast(l.atLeast), l.value, l.at))
	}
	return fmt.Sprintf("%s: %d of %d ports %s; most: %s", kind, len(all), known, what, strings.Join(names, ", "))
}

// ofKind reports whether a counter is of a kind: by its name, or as a priority or a queue of it.
func ofKind(name, kind string) bool {
	switch kind {
	case "PFC Rx":
		return strings.HasPrefix(name, "PFC") && strings.HasSuffix(name, " Rx")
	case "PFC Tx":
		return strings.HasPrefix(name, "PFC") && strings.HasSuffix(name, " Tx")
	case "pause time":
		return strings.HasPrefix(name, "pause time ")
	case "watermark":
		return strings.HasPrefix(name, "watermark ")
	}
	return name == kind
}
