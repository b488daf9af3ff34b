package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ofOnePort reports whether a field of a fabric can differ from port to port of a switch.
func ofOnePort(path string) bool {
	switch path {
	case "switch.mtu", "ethernet.pfc.enabled", "ethernet.pfc.priorities", "ethernet.pfc.headroom", "ethernet.pfc.reserve", "ethernet.pfc.xon",
		"ethernet.pfc.alpha", "ethernet.pfc.classes", "ethernet.pfc.stops",
		"ethernet.egress-alpha", "ethernet.queues", "ethernet.ecn.enabled", "ethernet.ecn.kmin", "ethernet.ecn.kmax", "ethernet.ecn.pmax":
		return true
	}
	return false
}

// has reports whether the settings are those of a switch, port 0, or of one of its ports.
func (s *SwitchSettings) has(name string, port int) bool {
	return s.names(name) && (len(s.Ports) == 0 || port > 0 && slices.Contains(s.PortNumbers(), port))
}

// names reports whether the settings name a switch.
func (s *SwitchSettings) names(name string) bool {
	return slices.Contains(s.Names, name) ||
		slices.ContainsFunc(s.Names, func(n string) bool { return strings.Contains(n, "[") && slices.Contains(Expand([]string{n}), name) })
}

// PortNumbers are the numbers of the ports that the settings are for, counted from 1.
func (s *SwitchSettings) PortNumbers() (numbers []int) {
	for _, name := range Expand(s.Ports) {
		if n, err := strconv.Atoi(name); err == nil { // a checked scenario has numbers alone
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// OfPort is the fabric as a port of a switch has it, counted from 1. It is that of OfSwitch if the port has no settings of its
// own.
func (f *Fabric) OfPort(name string, port int) *Fabric { return f.ofPlace(name, port) }

// PortsOf are the ports of a switch that have settings of their own, in order.
func (f *Fabric) PortsOf(name string) (ports []int) {
	for i := range f.Switches {
		if s := &f.Switches[i]; len(s.Ports) > 0 && s.names(name) {
			ports = append(ports, s.PortNumbers()...)
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// portPatterns are port numbers as patterns with spaces between: [1-4] 9.
func portPatterns(ports []int) string {
	ports = slices.Clone(ports)
	slices.Sort(ports)
	ports = slices.Compact(ports)
	var parts []string
	for i := 0; i < len(ports); {
		k := i
		for k+1 < len(ports) && ports[k+1] == ports[k]+1 {
			k++
		}
		if part := strconv.Itoa(ports[i]); k == i {
			parts = append(parts, part)
		} else {
			parts = append(parts, fmt.Sprintf("[%s-%d]", part, ports[k]))
		}
		i = k + 1
	}
	return strings.Join(parts, " ")
}

// derivePorts gives ports that settings name, as the fabric's file does, their numbers: Ethernet0 is port 1. Where switches
// give a name different numbers, each has an entry of its own. Of a pattern with brackets those count that are cabled.
func (r *fabricRules) derivePorts(names map[string]map[string]int) {
	var all []SwitchSettings
	for i := range r.Switches {
		s := r.Switches[i]
		if !slices.ContainsFunc(Expand(s.Ports), func(name string) bool { _, err := strconv.Atoi(name); return err != nil }) {
			all = append(all, s)
			continue
		}
		at := map[string]int{} // by pattern of ports: index into all
		for _, name := range Expand(s.Names) {
			numbers, err := namedPorts(name, s.Ports, names[name])
			if err != nil {
				r.complain(fmt.Sprintf("switches[%d].ports", i), "%v", err)
				return
			}
			ports := portPatterns(numbers)
			k, known := at[ports]
			if !known {
				k, at[ports] = len(all), len(all)
				all = append(all, SwitchSettings{Ports: strings.Fields(ports), Set: s.Set})
			}
			all[k].Names = append(all[k].Names, name)
		}
	}
	r.Switches = all
}

// namedPorts are the numbers of ports of a switch that patterns name.
func namedPorts(of string, patterns []string, numbers map[string]int) (ports []int, err error) {
	for _, pattern := range patterns {
		found := false
		for _, name := range Expand([]string{pattern}) {
			n, err := strconv.Atoi(name)
			if err != nil {
				n = numbers[name]
			}
			if n > 0 {
				ports, found = append(ports, n), true
			}
		}
		if !found {
			return nil, fmt.Errorf("switch %s has no port %s with a cable in the fabric's file", of, abridged(pattern))
		}
	}
	return ports, nil
}
