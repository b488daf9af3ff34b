package cabled

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/wording"
	"weft/units"
)

var (
	// controllerPort is a port of a server's management controller: HPE's iLO, Dell's iDRAC, Cisco's CIMC, Lenovo's XCC, or one
	// that is called after what it is for.
	controllerPort = regexp.MustCompile(`(?i)^(ilo|idrac|drac|bmc|ipmi|cimc|xcc|imm|oob|mgmt|management)([-_ /]?(port|nic|lan|eth)?[-_ /]?\d*)$`)
	ethPort        = regexp.MustCompile(`(?i)^eth\d+$`)
)

// withoutManagement leaves out the ports for management of hosts on Ethernet, unless they are in keep. eth0 is one if the
// host has other ports, and either none of them has a name of this form or all of them are known to be faster. p gets a
// note; it may be nil.
func (s *Source) withoutManagement(p *Placed, hosts []host, keep []string) []host {
	if s.InfiniBand {
		return hosts
	}
	left, names := 0, map[string]bool{}
	var out []host
	for _, h := range hosts {
		nics := slices.DeleteFunc(slices.Clone(h.nics), func(n nic) bool {
			is := !slices.Contains(keep, n.label) && (controllerPort.MatchString(n.label) || strings.EqualFold(n.label, "eth0") && besideFabric(h.nics, n))
			if is {
				left++
				names[n.label] = true
			}
			return is
		})
		if len(nics) > 0 {
			out = append(out, host{h.name, nics})
		}
	}
	if left > 0 && p != nil {
		p.note("left out: %s of hosts for management (%s): if they carry load, write cluster.adapters with the names of all NICs",
			wording.Counted(left, "port", "ports"), strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	return out
}

// besideFabric reports whether a port that Linux calls eth0 is unlike the other ports of its host.
func besideFabric(nics []nic, eth0 nic) bool {
	others, alike, slower := 0, false, eth0.rate > 0
	for _, n := range nics {
		if n.end == eth0.end || controllerPort.MatchString(n.label) {
			continue
		}
		others++
		alike = alike || ethPort.MatchString(n.label)
		slower = slower && n.rate > eth0.rate && n.rate >= 10*units.Gbps
	}
	return others > 0 && (!alike || slower)
}
