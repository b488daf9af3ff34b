package inspect

import (
	"regexp"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// adapterName splits an adapter's description into host and adapter, as drivers set it, and as weft
// does for a scenario (node3/nic0).
var adapterName = regexp.MustCompile(`^(.*[^\s/])[\s/]+((?:HCA-|mlx[45]_|mlx5_bond_|mthca|hfi1_|qib|ib|nic)\d+|ibp\S+|ibs\S+)$`)

// makersName matches descriptions that a vendor gives, not a site.
var makersName = regexp.MustCompile(`Mellanox|Infiniscale|InfiniScale|Quantum|SwitchX|Switch-?IB|MT\d{4,5}|ConnectX|Voltaire|QLogic|OmniPath`)

// isAggregation reports whether an adapter is the aggregation node of a switch (SHARP), on the port
// above the switch's last external port.
func isAggregation(n *subnet.Node) bool {
	return n.Kind == subnet.Adapter && strings.Contains(n.Name, "Aggregation Node")
}

// isUnnamed reports whether a node has its vendor's default name, with or without a
// number.
func isUnnamed(n *subnet.Node) bool {
	return n.Name == "" || makersName.MatchString(n.Name) && !adapterName.MatchString(n.Name) && !strings.Contains(n.Name, "#")
}

// host is a host with its adapters.
type host struct {
	name     string
	adapters []adapter
}

// adapter is one port of a host and the switch that it is on.
type adapter struct {
	label string // name of the adapter in its host: mlx5_3, HCA-1; with the port's number if it has several
	card  string // the same without the port's number
	end   subnet.End
	sw    int32 // -1: no switch
}

// hostsOf groups the adapters of a subnet into hosts: by the host's name, else by the
// SystemImageGUID. An adapter with neither is a host of its own. of is the host of each adapter by node.
func hostsOf(g *graph) (hosts []host, of map[int32]int32) {
	of = map[int32]int32{}
	at := map[string]int{}
	for i := range g.s.Nodes {
		n := &g.s.Nodes[i]
		if n.Kind != subnet.Adapter || isAggregation(n) {
			continue
		}
		name, label := n.Name, ""
		if m := adapterName.FindStringSubmatch(n.Name); m != nil {
			name, label = m[1], m[2]
		}
		key := "name " + name
		if isUnnamed(n) {
			key = "guid " + n.GUID.String()
			if n.SystemGUID != 0 {
				key = "system " + n.SystemGUID.String()
			}
		}
		h, known := at[key]
		if !known {
			h = len(hosts)
			at[key] = h
			hosts = append(hosts, host{name: name})
		}
		of[int32(i)] = int32(h)
		for p := 1; p < len(n.Ports); p++ {
			end := subnet.End{Node: int32(i), Port: uint16(p)}
			far := g.s.Peer(end)
			if !far.Exists() {
				continue
			}
			l := label
			if len(n.Ports) > 2 {
				l += "/" + string(rune('0'+p%10))
			}
			card := label
			if name := n.PortName(uint16(p)); name != "" { // on Ethernet
				l, card = name, name
			}
			hosts[h].adapters = append(hosts[h].adapters, adapter{l, card, end, g.number(far.Node)})
		}
	}
	for i := range hosts {
		sorting.StableFunc(hosts[i].adapters, func(a, b adapter) int { return compareLabels(a.label, b.label) })
	}
	return hosts, of
}

// compareLabels orders labels by their letters, then by their number: mlx5_2
// comes before mlx5_10.
func compareLabels(a, b string) int {
	if len(a) != len(b) && strings.TrimRight(a, "0123456789") == strings.TrimRight(b, "0123456789") {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
