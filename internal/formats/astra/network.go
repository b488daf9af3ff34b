package astra

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/internal/formats/source"
	"weft/units"
)

// maxDimensions and maxNPUs bound the input: a scenario has a network in nodes and a network
// between them, and no cluster has more GPUs.
const (
	maxDimensions = 2
	maxNPUs       = 1_000_000
)

// dimension is one dimension of a network.
type dimension struct {
	kind    string
	npus    int
	rate    units.Rate
	latency units.Time
}

// list matches a line: a name, a list, and an optional comment.
var list = regexp.MustCompile(`^\s*([a-z_]+)\s*:\s*\[([^\]]*)\]\s*(#.*)?$`)

// Recognise reports whether a text is a network configuration: it names topology and
// npus_count as lists.
func Recognise(head []byte) bool {
	found := make(map[string]bool)
	for line := range bytes.Lines(head) {
		if m := list.FindSubmatch(bytes.TrimRight(line, "\r\n")); m != nil {
			found[string(m[1])] = true
		}
	}
	return found["topology"] && found["npus_count"]
}

// Read reads a configuration; file is its name for people.
func Read(file string, in io.Reader) (*source.Cluster, *source.Problem) {
	lines := source.NewLines(file, in)
	lists := make(map[string][]string)
	for {
		ok, p := lines.Next()
		if p != nil {
			return nil, p
		}
		if !ok {
			break
		}
		text, _, _ := strings.Cut(lines.Text, "#")
		if strings.TrimSpace(text) == "" {
			continue
		}
		m := list.FindStringSubmatch(lines.Text)
		if len(m) < 3 || !slices.Contains([]string{"topology", "npus_count", "bandwidth", "latency"}, m[1]) || lists[m[1]] != nil {
			return nil, lines.Problem(lines.Text, "topology, npus_count, bandwidth and latency, each once, as a list on one line")
		}
		for item := range strings.SplitSeq(m[2], ",") {
			lists[m[1]] = append(lists[m[1]], strings.TrimSpace(item))
		}
	}
	dims, want := dimensions(lists)
	if want == "" {
		want = refused(dims)
	}
	if want != "" {
		return nil, &source.Problem{File: file, Want: want}
	}
	return cluster(file, dims)
}

// dimensions are the dimensions of the lists, or the text of the expected ones.
func dimensions(lists map[string][]string) (dims []dimension, want string) {
	n := len(lists["topology"])
	for _, name := range []string{"topology", "npus_count", "bandwidth", "latency"} {
		if len(lists[name]) != n || n == 0 {
			return nil, fmt.Sprintf("%s with an element for each of the %d dimensions of topology, not %d", name, n, len(lists[name]))
		}
	}
	for i := range n {
		d := dimension{kind: lists["topology"][i]}
		npus, err := strconv.Atoi(lists["npus_count"][i])
		if err != nil || npus < 2 || npus > maxNPUs {
			return nil, fmt.Sprintf("npus_count of 2 to %d, not %q", maxNPUs, lists["npus_count"][i])
		}
		d.npus = npus
		gbytes, err := strconv.ParseFloat(lists["bandwidth"][i], 64)
		if err != nil || !(gbytes >= .001 && gbytes <= 10_000) {
			return nil, fmt.Sprintf("bandwidth of 0.001 to 10000 GB/s, not %q", lists["bandwidth"][i])
		}
		d.rate = units.Rate(math.Round(gbytes*8e3)) * units.Mbps
		ns, err := strconv.ParseFloat(lists["latency"][i], 64)
		if err != nil || !(ns >= 0 && ns <= 1e6) {
			return nil, fmt.Sprintf("latency of 0 to 1000000 ns, not %q", lists["latency"][i])
		}
		d.latency = max(units.Nanosecond, units.Time(math.Round(ns*1000)))
		dims = append(dims, d)
	}
	return dims, ""
}

// refused says which networks are valid instead; empty if this one is.
func refused(dims []dimension) string {
	if len(dims) > maxDimensions {
		return fmt.Sprintf("at most %d dimensions, the first inside the nodes, not %d", maxDimensions, len(dims))
	}
	for i, d := range dims {
		inside := i < len(dims)-1
		switch {
		case d.kind == "Switch", d.kind == "Ring" && d.npus == 2, d.kind == "FullyConnected" && inside:
		default:
			return fmt.Sprintf("a Switch, a Ring of 2, or inside nodes FullyConnected as dimension %d: weft has no network of hosts that are joined without switches, and this is %s of %d", i, d.kind, d.npus)
		}
	}
	return ""
}

// cluster is the network as a scenario: all NICs on one switch.
func cluster(file string, dims []dimension) (*source.Cluster, *source.Problem) {
	outer := dims[len(dims)-1]
	c := &source.Cluster{Format: "ASTRA-sim network configuration", File: file, Nodes: outer.npus, Units: []string{"bandwidth: GB/s of a link", "latency: nanoseconds of a link"}}
	gpus, scaleUp := 1, ""
	if len(dims) == maxDimensions {
		inner := dims[0]
		gpus = inner.npus
		kind, links := "switch", 1
		if inner.kind == "FullyConnected" {
			kind, links = "mesh", inner.npus-1
		}
		scaleUp = fmt.Sprintf(", scale-up: {kind: %s, links: %d, link-rate: %s, switches: 1, latency: %s, multicast: false}", kind, links, inner.rate.Exact(), (2 * inner.latency).Exact())
		c.Assume("the first dimension is the scale-up network of a node, the second the network between nodes, on which each GPU has a NIC")
	}
	hosts := make([]int, gpus*outer.npus)
	links := make([]source.Link, len(hosts))
	for i := range hosts {
		hosts[i] = i
		links[i] = source.Link{A: i, B: len(hosts), Rate: outer.rate, Latency: outer.latency}
	}
	f, err := source.FindLeafSpine(hosts, gpus, links)
	if err != nil {
		return nil, &source.Problem{File: file, Want: "a network of one switch: " + err.Error()}
	}
	c.Field("cluster:")
	c.Field("  nodes: %d", outer.npus)
	c.Field("  node: {gpus: %d, nics: %d, nic: {rate: %s}%s}", gpus, gpus, outer.rate.Exact(), scaleUp)
	f.Scenario(c)
	c.Assume("all NICs are on one switch, which is not blocking; a ring of two is taken as one")
	return c, nil
}
