package htsim

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"weft/internal/formats/source"
	"weft/units"
)

// tier is a level of switches of a fat tree, 0 the leaves.
type tier struct {
	given                  bool
	gbps, down, up, bundle int
	oversubscribed         int
	linkNs, switchNs       int
}

// tree is a topology file: a fat tree of two or three levels (FatTreeTopology::load).
type tree struct {
	lines                *source.Lines
	nodes, tiers, podded int
	levels               [3]tier
	at                   *tier // the present section
}

// RecogniseTopology reports whether a text begins as a topology does.
func RecogniseTopology(head []byte) bool {
	found := make(map[string]bool)
	for line := range bytes.Lines(head) {
		if words := bytes.Fields(line); len(words) > 0 {
			found[strings.ToLower(string(words[0]))] = true
		}
	}
	return found["nodes"] && found["tiers"] && found["podsize"]
}

// ReadTopology reads a topology; file is its display name.
func ReadTopology(file string, in io.Reader) (*source.Cluster, *source.Problem) {
	t := &tree{lines: source.NewLines(file, in)}
	for {
		ok, p := t.lines.Next()
		if p != nil {
			return nil, p
		}
		if !ok {
			break
		}
		words := strings.Fields(t.lines.Text)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if p := t.line(words); p != nil {
			return nil, p
		}
	}
	if p := t.complete(); p != nil {
		return nil, p
	}
	return t.cluster()
}

// line reads a key and its number.
func (t *tree) line(words []string) *source.Problem {
	r := reader{lines: t.lines}
	if len(words) != 2 {
		return t.lines.Problem(t.lines.Text, "a key and a number")
	}
	key := strings.ToLower(words[0])
	n, p := r.number(words[1], maxNodes, words[0])
	if p != nil {
		return p
	}
	if key == "tier" {
		if n >= uint64(len(t.levels)) || t.levels[n].given {
			return t.lines.Problem(words[1], "a tier from 0 to 2, once")
		}
		t.at = &t.levels[n]
		*t.at = tier{given: true, bundle: 1, oversubscribed: 1}
		return nil
	}
	to := map[string]*int{"nodes": &t.nodes, "tiers": &t.tiers, "podsize": &t.podded}[key]
	if t.at != nil {
		to = map[string]*int{
			"downlink_speed_gbps": &t.at.gbps, "radix_down": &t.at.down, "radix_up": &t.at.up, "bundle": &t.at.bundle,
			"oversubscribed": &t.at.oversubscribed, "downlink_latency_ns": &t.at.linkNs, "switch_latency_ns": &t.at.switchNs,
		}[key]
	}
	if to == nil {
		return t.lines.Problem(words[0], "Nodes, Tiers and Podsize, then Tier 0, 1 and 2 with Downlink_speed_Gbps, Radix_Down, Radix_Up, Bundle, Oversubscribed, Downlink_Latency_ns and Switch_Latency_ns")
	}
	*to = int(n)
	return nil
}

// complete checks that all values are given.
func (t *tree) complete() *source.Problem {
	if t.nodes < 1 || t.podded < 1 || t.tiers < 2 || t.tiers > len(t.levels) {
		return t.lines.Problem("", "Nodes and Podsize above 0, and Tiers of 2 or 3")
	}
	for i := range t.tiers {
		l := &t.levels[i]
		top := i == t.tiers-1
		if l.gbps < 1 || l.down < 1 || l.linkNs < 1 || l.oversubscribed < 1 || l.bundle < 1 || !top && l.up < 1 {
			return t.lines.Problem("", fmt.Sprintf("Tier %d with Downlink_speed_Gbps, Radix_Down, Downlink_Latency_ns and, below the top, Radix_Up above 0", i))
		}
		if l.gbps != t.levels[0].gbps || l.switchNs != t.levels[0].switchNs {
			return t.lines.Problem("", fmt.Sprintf("one Downlink_speed_Gbps and one Switch_Latency_ns in all tiers, as a fabric of weft has: tier 0 has %d and %d, tier %d %d and %d",
				t.levels[0].gbps, t.levels[0].switchNs, i, l.gbps, l.switchNs))
		}
	}
	return nil
}

// counts are the numbers of switches, as in FatTreeTopology::set_custom_params: the leaves of a
// pod, its spines, and the cores of each of its spines.
func (t *tree) counts() (spines, cores int, p *source.Problem) {
	leaf, spine := &t.levels[0], &t.levels[1]
	pods := t.nodes / t.podded
	uplinks := t.nodes / leaf.oversubscribed
	bad := func(what string) *source.Problem {
		return &source.Problem{File: t.lines.File, Want: what}
	}
	switch {
	case t.nodes%t.podded != 0 || t.podded%leaf.down != 0:
		return 0, 0, bad(fmt.Sprintf("a Podsize that divides Nodes and that tier 0's Radix_Down divides: %d nodes, %d in a pod, %d on a leaf", t.nodes, t.podded, leaf.down))
	case t.nodes%leaf.oversubscribed != 0 || uplinks%(pods*spine.down) != 0 || leaf.down%leaf.oversubscribed != 0:
		return 0, 0, bad(fmt.Sprintf("leaf uplinks (%d nodes / %d) that fill tier 1's Radix_Down of %d in each of %d pods", t.nodes, leaf.oversubscribed, spine.down, pods))
	}
	spines = uplinks / (pods * spine.down)
	if t.tiers == 2 {
		if pods > 1 {
			return 0, 0, bad("a Podsize of all Nodes where there are 2 Tiers")
		}
		return spines, 0, nil
	}
	core := &t.levels[2]
	if up := uplinks / spine.oversubscribed; uplinks%spine.oversubscribed != 0 || up%(core.down*spines) != 0 {
		return 0, 0, bad(fmt.Sprintf("spine uplinks (%d / %d) that fill tier 2's Radix_Down of %d for each of the %d spines of a pod", uplinks, spine.oversubscribed, core.down, spines))
	}
	return spines, uplinks / spine.oversubscribed / (core.down * spines), nil
}

// cluster is the tree as a scenario.
func (t *tree) cluster() (*source.Cluster, *source.Problem) {
	spines, cores, p := t.counts()
	if p != nil {
		return nil, p
	}
	leaf := &t.levels[0]
	c := &source.Cluster{Format: "htsim topology", File: t.lines.File, Nodes: t.nodes, Units: []string{"speeds: Gb/s", "latencies: nanoseconds"}}
	c.Field("cluster:")
	c.Field("  nodes: %d", t.nodes)
	c.Field("  node: {gpus: 1, nics: 1, nic: {rate: %dGbps}}", leaf.gbps)
	c.Field("topology:")
	c.Field("  shape: fat-tree")
	c.Field("  levels: %d", t.tiers)
	radix := leaf.down + leaf.down/leaf.oversubscribed
	for i := 1; i < t.tiers; i++ {
		l := &t.levels[i]
		if i < t.tiers-1 {
			radix = max(radix, l.down+l.down/l.oversubscribed)
		} else {
			radix = max(radix, l.down)
		}
	}
	c.Field("  radix: %d", radix)
	c.Field("  hosts-per-leaf: %d", leaf.down)
	c.Field("  spines: %d", spines)
	c.Field("  oversubscription: %d:1", leaf.oversubscribed)
	cables := []string{cable("node-leaf", leaf.linkNs), cable("leaf-spine", t.levels[1].linkNs)}
	if t.tiers == 3 {
		c.Field("  cores: %d", cores)
		c.Field("  spine-oversubscription: %d:1", t.levels[1].oversubscribed)
		cables = append(cables, cable("spine-core", t.levels[2].linkNs))
	}
	c.Field("  cables: {%s}", strings.Join(cables, ", "))
	rate := units.Rate(leaf.gbps) * units.Gbps
	source.Fabrics(c, rate, fmt.Sprintf("switch: {ports: %d, max-ports: %[1]d, rate: %s, latency: %dns}", radix, rate.Exact(), leaf.switchNs))
	c.Assume("a node has one GPU and one NIC; the rest of it is the default's")
	c.Assume("latencies of links become cables at %d ns a metre; switches have no other latency than the file's, on both fabrics", source.NsPerMetre)
	c.Assume("queues, transport and congestion control are not in the file: they are those of weft's presets for InfiniBand and RoCE v2")
	return c, nil
}

// cable is a length as YAML.
func cable(name string, ns int) string {
	return fmt.Sprintf("%s: %s", name, source.Cable(units.Time(ns)*units.Nanosecond))
}
