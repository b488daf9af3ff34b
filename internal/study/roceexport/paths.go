package roceexport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/roce/sonic"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// hashFields are the fields of SWITCH_HASH by what the scenario hashes, and algorithms those of ecmp_hash_algorithm
// (sonic-net/sonic-buildimage@3fa9f2c0 src/sonic-yang-models/yang-models/sonic-hash.yang; sonic-net/SONiC
// doc/hash/hash-design.md).
var (
	hashFields = map[scenario.HashFields][]string{
		scenario.HashFlow:      {"DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT"},
		scenario.HashAddresses: {"DST_IP", "SRC_IP"},
	}
	algorithms = []string{"CRC", "XOR", "RANDOM", "CRC_32LO", "CRC_32HI", "CRC_CCITT", "CRC_XOR"}
)

// hash writes what a switch hashes, its algorithm and its seed. A scenario that does not say it leaves the switch its own. The
// table of the seed is that of sonic-mgmt-common; elsewhere the seed follows the type of the switch (dockers/docker-orchagent/
// switch.json.j2).
func (w *sonicWriter) hash(r *scenario.Routing) error {
	row := sonic.Row{Key: "GLOBAL"}
	if fields := hashFields[r.Hash]; fields != nil {
		row.Fields = append(row.Fields, sonic.Field{Name: "ecmp_hash", Value: sonic.Value{List: fields}})
	}
	if r.HashFunction != "" {
		algorithm, number, _ := strings.Cut(r.HashFunction, "/")
		known := slices.Contains(algorithms, strings.ToUpper(algorithm))
		if _, err := strconv.ParseUint(number, 10, 32); err != nil || !known && algorithm != "usual" {
			return fmt.Errorf("routing.hash-function is %s, and SONiC takes an algorithm (%s; usual: the chip's own) and a seed, such as crc/10", r.HashFunction, strings.ToLower(strings.Join(algorithms, ", ")))
		}
		if known {
			row.Set("ecmp_hash_algorithm", strings.ToUpper(algorithm))
		}
		w.row("ECMP_LOADSHARE_TABLE_SEED", "hash", "ecmp_hash_seed", number)
	}
	if len(row.Fields) > 0 {
		w.config.Add("SWITCH_HASH", row)
	}
	return nil
}

// bgp is what BGP lets the switches of a fabric use of their paths; nil if it limits nothing. Switches without a system get one
// if no switch has one: each leaf its own, those of a level and a group above one together (RFC 7938, 5.2.1).
func (p *Plan) bgp(g *topology.Graph) (*routing.Multipath, error) {
	m := network.Multipath(p.fabric, g)
	positive := func(n int) bool { return n > 0 }
	if m == nil || !slices.ContainsFunc(m.Most, positive) && !slices.ContainsFunc(m.ASN, func(n uint32) bool { return n > 0 }) {
		return nil, nil
	}
	unknown := slices.Index(m.ASN, 0)
	invented := !slices.ContainsFunc(m.ASN, func(n uint32) bool { return n > 0 })
	if unknown >= 0 && (!invented || g.Family != topology.FamilyTree) {
		return nil, fmt.Errorf("BGP limits the paths of switches, and routing.asn of %s is not known: state that of each switch in switches", g.Nodes[g.Endpoints+unknown].Name)
	}
	const firstPrivate = 4200000000 // RFC 6996
	systems := map[[3]int]uint32{}
	for i := range m.ASN {
		if !invented {
			break
		}
		n := &g.Nodes[g.Endpoints+i]
		system := [3]int{int(n.Level), int(n.Group), -1}
		if n.Level <= 1 {
			system[2] = i
		}
		if systems[system] == 0 {
			systems[system] = firstPrivate + uint32(len(systems))
		}
		m.ASN[i], m.Relax[i] = systems[system], true
	}
	return m, nil
}

// frr is FRR's configuration of a switch: its sessions over the cables to other switches, without addresses, and the limits of its
// paths. Without maximum-paths FRR uses all (MULTIPATH_NUM).
func (s *switchWriter) frr() string {
	own := s.number()
	var b strings.Builder
	relax := " bgp bestpath as-path multipath-relax\n"
	if !s.limits.Relax[own] {
		relax = " no" + relax
	}
	fmt.Fprintf(&b, "hostname %s\n!\nrouter bgp %d\n%s no bgp ebgp-requires-policy\n", s.node.Name, s.limits.ASN[own], relax)
	internal := false
	w := &sonicWriter{Plan: s.Plan, names: sonicNames(s.node)}
	for port, c := range s.node.Cables {
		if c < 0 {
			continue
		}
		far, _, _ := s.graph.Peer(topology.End{Node: topology.NodeID(s.graph.Endpoints + own), Port: int32(port)})
		if int(far.Node) < s.graph.Endpoints {
			continue
		}
		remote := "external"
		if s.limits.ASN[int(far.Node)-s.graph.Endpoints] == s.limits.ASN[own] {
			remote, internal = "internal", true
		}
		fmt.Fprintf(&b, " neighbor %s interface remote-as %s\n", w.port(port), remote)
	}
	b.WriteString(" address-family ipv4 unicast\n  redistribute connected\n")
	if most := s.limits.Most[own]; most > 0 {
		fmt.Fprintf(&b, "  maximum-paths %d\n", most)
		if internal {
			fmt.Fprintf(&b, "  maximum-paths ibgp %d\n", most)
		}
	}
	b.WriteString(" exit-address-family\n!\n")
	return b.String()
}

// number is the number of the switch among the switches.
func (s *switchWriter) number() int {
	return slices.IndexFunc(s.graph.Nodes[s.graph.Endpoints:], func(n topology.Node) bool { return n.Name == s.node.Name })
}

// pathNotes are what the files of paths ask of the site.
func (p *Plan) pathNotes(g *topology.Graph, limits *routing.Multipath) (notes []string) {
	if limits != nil {
		notes = append(notes, "sonic-switches: frr.conf has sessions over interfaces without addresses; add what the site has: bgp router-id, passwords, policies. docker_routing_config_mode split-unified has SONiC take the file instead of its template")
	}
	stated, without := false, ""
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		if p.fabric.OfSwitch(g.Nodes[i].Name).Routing.HashFunction != "" {
			stated = true
		} else {
			without = cmp.Or(without, g.Nodes[i].Name)
		}
	}
	if stated {
		notes = append(notes, "sonic-switches: the seeds of hashes are in ECMP_LOADSHARE_TABLE_SEED, which SONiC of some vendors alone reads; in others the seed follows the type of the switch: set it there by its type, or by the vendor's means")
	}
	if stated && without != "" {
		notes = append(notes, fmt.Sprintf("sonic-switches: some switches have a routing.hash-function and %s has none: it keeps the seed of its type in SONiC, and not a hash of its own", without))
	}
	return notes
}
