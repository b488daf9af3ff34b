package catalog

import (
	"slices"
	"strings"
)

// Row is a line of the listing: what an entry is, in a few numbers.
type Row struct {
	Kind    Kind
	Name    string
	Title   string
	Numbers []Fact // the key numbers
	Softest Tag    // the least trusted of the key numbers
	Sources string // theirs, each once
}

// keyFields are what a listing shows of each kind.
var keyFields = map[Kind][]string{
	Node:     {"gpus", "gpu", "scale-up", "nics", "nic", "pcie"},
	GPU:      {"architecture", "memory", "memory-rate", "bf16", "fp8"},
	ScaleUp:  {"kind", "links", "link-rate", "switches", "latency"},
	PCIe:     {"lanes", "lane-rate", "latency"},
	NIC:      {"rate", "ports", "tx-pipeline", "rx-pipeline"},
	Switch:   {"ports", "max-ports", "rate", "latency", "buffer", "cell"},
	Cable:    {"rate", "cage-links", "reach", "ends", "protocols", "switch-power", "nic-power"},
	Vendor:   {"infiniband.nics", "infiniband.switches", "infiniband.asics", "ethernet.nics", "ethernet.switches", "ethernet.asics"},
	Link:     {"lanes", "lane-rate", "code", "fec", "fec-latency"},
	Fabric:   {"link", "switch", "mtu", "routing.mode", "cc", "host"},
	CC:       {"algorithm", "g", "decrease-period", "increase-period", "ai-rate", "hai-rate"},
	Host:     {"copies", "post", "proxy", "syscall", "per-segment", "interrupt"},
	Model:    {"layers", "hidden", "ffn", "heads", "kv-heads", "vocab", "experts"},
	Defaults: {"cluster.node", "cluster.nodes", "topology.shape", "run.limit.memory", "precision", "parallel.zero"},
}

// List is the catalog as it is listed, by kind and in the order of the data.
func List(kinds ...Kind) []Row {
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	var rows []Row
	for _, kind := range kinds {
		for _, e := range Entries(kind) {
			rows = append(rows, e.row())
		}
	}
	return rows
}

func (e Entry) row() Row {
	r := Row{Kind: e.Kind, Name: e.Name, Title: e.Title, Softest: Verified}
	var sources []string
	for _, field := range keyFields[e.Kind] {
		f, ok := e.Get(field)
		if !ok {
			continue
		}
		r.Numbers = append(r.Numbers, f)
		r.Softest = Softer(r.Softest, f.Tag)
		if !slices.Contains(sources, f.Source) {
			sources = append(sources, f.Source)
		}
	}
	r.Sources = strings.Join(sources, "; ")
	return r
}
