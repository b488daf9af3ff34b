package simai

import (
	"fmt"
	"strings"

	"weft/internal/workload/source"
	"weft/units"
)

// rails is a topology as a rail-optimised fabric: the i-th GPUs of the servers of a
// unit are on one leaf, and every leaf has as many links to every spine.
type rails struct {
	*topology
	nvlink, nic, up link           // one of each kind: all are alike
	leafOf          []int          // by GPU
	hosts           map[int]int    // by leaf: its GPUs
	uplinks         map[[2]int]int // by leaf and spine: links between them
	spines          map[int]bool
}

// other is the problem of a topology of another form.
func (t *topology) other(format string, args ...any) *source.Problem {
	return &source.Problem{File: t.lines.File, Want: "a rail-optimised fabric of one leaf for each rail and unit, with every leaf on every spine alike: " + fmt.Sprintf(format, args...)}
}

// rails finds the form of the topology.
func (t *topology) rails() (*rails, *source.Problem) {
	r := &rails{topology: t, leafOf: make([]int, t.gpus()), hosts: make(map[int]int), uplinks: make(map[[2]int]int), spines: make(map[int]bool)}
	for i := range r.leafOf {
		r.leafOf[i] = -1
	}
	for _, l := range t.links {
		var kind *link
		switch {
		case l.a < t.gpus() && l.b >= t.firstSwitch():
			if r.leafOf[l.a] >= 0 {
				return nil, t.other("GPU %d has two NICs", l.a)
			}
			kind, r.leafOf[l.a] = &r.nic, l.b
			r.hosts[l.b]++
		case l.a < t.gpus() && l.b >= t.gpus():
			kind = &r.nvlink
		case l.a >= t.firstSwitch() && l.b >= t.firstSwitch():
			kind, r.spines[l.b] = &r.up, true
			r.uplinks[[2]int{l.a, l.b}]++
		default:
			return nil, t.other("nodes %d and %d are joined", l.a, l.b)
		}
		if kind.rate == 0 {
			*kind = l
		} else if kind.rate != l.rate || kind.latency != l.latency {
			return nil, t.other("the link of %d and %d has another rate or latency than those of its kind", l.a, l.b)
		}
	}
	p := r.regular()
	return r, p
}

// regular checks that leaves and spines are alike.
func (r *rails) regular() *source.Problem {
	for g, leaf := range r.leafOf {
		if leaf < 0 {
			return r.other("GPU %d has no NIC", g)
		}
		unit := r.hosts[leaf] * r.perServer // GPUs of one
		first := g/unit*unit + g%r.perServer
		switch {
		case r.hosts[leaf] != r.hosts[r.leafOf[0]]:
			return r.other("leaf %d has %d GPUs and leaf %d %d", leaf, r.hosts[leaf], r.leafOf[0], r.hosts[r.leafOf[0]])
		case r.spines[leaf]:
			return r.other("switch %d has GPUs and is a spine", leaf)
		case leaf != r.leafOf[first]:
			return r.other("GPU %d is not on leaf %d as GPU %d, the first of its rail and unit", g, r.leafOf[first], first)
		}
	}
	if len(r.uplinks) != len(r.hosts)*len(r.spines) || len(r.spines) == 0 {
		return r.other("%d leaves and %d spines have %d pairs that are joined", len(r.hosts), len(r.spines), len(r.uplinks))
	}
	first := -1
	for _, n := range r.uplinks { // all are the same, in any order
		if first >= 0 && n != first {
			return r.other("some leaves have more links to a spine than others")
		}
		first = n
	}
	if r.nvlink.rate == 0 || r.up.rate%r.nic.rate != 0 {
		return r.other("links between switches have %s and NICs %s: weft's fabrics have one rate, and take the former as bundles of the latter", r.up.rate, r.nic.rate)
	}
	return nil
}

// nsPerMetre is a round propagation that turns latencies into lengths of cable.
const nsPerMetre = 10

// cable is a length as YAML has it.
func cable(latency units.Time) string {
	return units.Length(int64(latency) / nsPerMetre).Exact()
}

// models are SimAI's names of GPUs that the catalog has.
var models = map[string]string{"A100": "a100", "H100": "h100", "H200": "h200"}

// cluster is the topology as a scenario has it.
func (t *topology) cluster() (*source.Cluster, *source.Problem) {
	r, p := t.rails()
	if p != nil {
		return nil, p
	}
	c := &source.Cluster{Format: "SimAI topology", File: t.lines.File, Nodes: t.servers(), Units: []string{"rates and latencies have theirs in the file"}}
	bundle := int(r.up.rate / r.nic.rate)
	down := r.hosts[r.leafOf[0]]
	up := len(r.uplinks) / len(r.hosts) * bundle * r.uplinks[[2]int{r.up.a, r.up.b}]
	model := ""
	if m := models[t.gpu]; m != "" {
		model = ", gpu: " + m
	} else {
		c.Assume("the catalog has no %s: the model of the default's GPUs stays", t.gpu)
	}
	c.Field("cluster:")
	c.Field("  nodes: %d", t.servers())
	c.Field("  node: {gpus: %d%s, nics: %d, nic: {rate: %s}, scale-up: {links: 1, link-rate: %s, switches: 1, latency: %s}}",
		t.perServer, model, t.perServer, r.nic.rate.Exact(), r.nvlink.rate.Exact(), (2 * r.nvlink.latency).Exact())
	c.Field("topology:")
	c.Field("  shape: rail-optimised")
	c.Field("  nodes-per-unit: %d", down)
	c.Field("  radix: %d", max(down+up, len(r.hosts)*up/len(r.spines)))
	c.Field("  spines: %d", len(r.spines))
	c.Field("  oversubscription: %d:%d", down, up)
	c.Field("  cables: {node-leaf: %s, leaf-spine: %s}", cable(r.nic.latency), cable(r.up.latency))
	c.Field("fabrics:")
	for _, preset := range []string{"infiniband-ndr", "roce-v2-400g"} {
		c.Field("  - preset: %s", preset)
		c.Field("    name: %s", strings.NewReplacer("-ndr", "", "-400g", "").Replace(preset))
		c.Field("    link: {lanes: 1, lane-rate: %s, code: 1, fec-latency: 0ns, per-metre: %dns}", r.nic.rate.Exact(), nsPerMetre)
	}
	if bundle > 1 {
		c.Assume("a link of %s between switches is %d of %s, as fast together; one flow takes one of them", r.up.rate, bundle, r.nic.rate)
	}
	c.Assume("latencies of links become cables at %d ns a metre; switches have the latency of weft's presets", nsPerMetre)
	c.Assume("queues, transport and congestion control are not in the file: they are those of weft's presets for InfiniBand and RoCE v2")
	return c, nil
}
