package ncclxml

import (
	"strings"

	"weft/internal/formats/source"
)

// xgmiRates are the rates of a link in each direction by architecture, all of 16 lanes; the catalog has
// that of gfx942. Sources: rocm.docs.amd.com, reference/gpu-arch: mi250 (25 GT/s), mi100 (23 GT/s);
// MI355X's product page (153.6 GB/s in both directions together).
var xgmiRates = map[string]string{"gfx90a": "50GB/s", "gfx908": "46GB/s", "gfx950": "76.8GB/s"}

// otherXGMI is the rate of architectures whose rate is not known.
const otherXGMI = "46GB/s"

// hives are the links between the GPUs of the file.
type hives struct {
	least, most int // links of a GPU
	pair        int // the most links between two GPUs
	pairs       int // GPUs that are joined
	groups      int // of GPUs that are joined, perhaps over others
	beyond      int // links that lead to no GPU of the file
}

// hives counts the links between the GPUs.
func (r *reader) hives() (h hives) {
	at := make(map[string]int, len(r.gpus))
	for i := range r.gpus {
		at[r.gpus[i].bus] = i
	}
	group := make([]int, len(r.gpus))
	for i := range group {
		group[i] = i
	}
	for i := range r.gpus {
		links := 0
		for bus, n := range r.gpus[i].xgmi { // sums and greatest values, so that the order does not matter
			other, known := at[bus]
			if !known || other == i {
				h.beyond += n
				continue
			}
			links += n
			h.pair = max(h.pair, n)
			if _, back := r.gpus[other].xgmi[r.gpus[i].bus]; i < other || !back {
				h.pairs++
			}
			from, to := group[other], group[i]
			for k := range group {
				if group[k] == from {
					group[k] = to
				}
			}
		}
		if h.most = max(h.most, links); i == 0 || links < h.least {
			h.least = links
		}
	}
	for i := range group {
		if group[i] == i {
			h.groups++
		}
	}
	return h
}

// infinityFabric writes the network between AMD's GPUs.
func (r *reader) infinityFabric(c *source.Cluster) {
	h, gcn := r.hives(), r.gpus[0].gcn
	if h.beyond > 0 {
		c.Assume("%d xGMI links lead to no GPU of the file: they are left out", h.beyond)
	}
	switch {
	case h.most == 0 && gcn == "":
		c.Assume("the xGMI links of the GPUs are unknown: the default's stay; give them under cluster.node.scale-up")
		return
	case h.most == 0:
		r.pcie(c)
		c.Assume("GPUs have no xGMI links: they talk over PCIe")
		return
	case h.groups > 1:
		r.pcie(c)
		c.Assume("xGMI joins GPUs within %d groups, and between the groups they talk over PCIe: weft's node has one network between its GPUs, and what passes all of them is bound by PCIe, which is taken", h.groups)
		return
	}
	rate := ""
	if !strings.HasPrefix(gcn, "gfx94") {
		known := xgmiRates[gcn]
		if known == "" {
			known = otherXGMI
			c.Assume("the rate of an xGMI link of these GPUs is not known: it is taken as the MI100's, %s", known)
		}
		rate = ", link-rate: " + known
		c.Assume("packets and latency of xGMI are those of the MI300X")
	}
	c.Field("    scale-up: {generation: xgmi-mi300, links: %d, pair-links: %d%s}", h.least, h.pair, rate)
	if h.least < h.most {
		c.Assume("the GPUs have %d to %d xGMI links to one another: the least is taken", h.least, h.most)
	}
	if all := len(r.gpus) * (len(r.gpus) - 1) / 2; h.pairs < all {
		c.Assume("xGMI joins %d of %d pairs of GPUs: it is taken as a full mesh", h.pairs, all)
	}
}
