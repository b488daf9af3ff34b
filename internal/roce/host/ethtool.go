package host

import (
	"math"
	"strings"

	"weft/units"
)

// ethtoolSettings reads the speed from the output of ethtool.
func (r *reader) ethtoolSettings() {
	for line := range r.rest() {
		if name, ok := strings.CutPrefix(line, "Settings for "); ok {
			r.host.Iface = strings.TrimSuffix(name, ":")
		}
		value, ok := strings.CutPrefix(line, "Speed: ")
		if !ok {
			continue
		}
		if value == "Unknown!" {
			return // the link is down
		}
		number, ok := strings.CutSuffix(value, "Mb/s")
		if !ok {
			r.fail("the speed is %q: expected Mb/s, such as 400000Mb/s", value)
			return
		}
		if n, ok := r.whole("the speed", number, 10, 1_600_000); ok {
			say(r, &r.host.Speed, "the speed", units.Rate(n)*units.Mbps)
		}
		return
	}
	r.fail("the output of ethtool ends before the speed: it is truncated")
}

// ethtoolPause reads ethtool -a: pause frames for all priorities at once.
func (r *reader) ethtoolPause() {
	said := 0
	for line := range r.rest() {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		which := map[string]int{"RX": 0, "TX": 1}
		i, ok := which[name]
		if !ok {
			continue
		}
		if value != "on" && value != "off" {
			r.fail("pause of %s is %q: valid are on and off", name, value)
			return
		}
		say(r, &r.host.Pause[i], "pause of "+name, value == "on")
		said++
	}
	if said < len(r.host.Pause) {
		r.fail("the output of ethtool -a ends before RX and TX: it is truncated")
	}
}

// ethtoolCounters reads ethtool -S.
func (r *reader) ethtoolCounters() {
	for line := range r.rest() {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			r.fail("%q is no counter: expected a name, a colon and a number", line)
			return
		}
		if name == "NIC statistics" || strings.HasPrefix(name, "[") {
			continue
		}
		if !r.counter(name, value) {
			return
		}
	}
}

// counter takes a counter of the adapter; it reports false if the value is no number.
func (r *reader) counter(name, value string) bool {
	n, ok := r.whole("counter "+name, value, math.MinInt64, math.MaxInt64)
	if ok {
		r.host.Counters[name] = Said[int64]{n, r.at}
	}
	return ok
}

// ipLink reads the MTU from the output of ip link.
func (r *reader) ipLink() {
	for line := range r.rest() {
		_, rest, ok := strings.Cut(line, " mtu ")
		if !ok || strings.Contains(line, "LOOPBACK") {
			continue
		}
		number, _, _ := strings.Cut(rest, " ")
		if n, ok := r.whole("the MTU", number, 68, 65535); ok {
			say(r, &r.host.MTU, "the MTU", units.Bytes(n))
		}
	}
}
