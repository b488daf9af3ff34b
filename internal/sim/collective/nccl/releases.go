package nccl

import (
	"fmt"
	"strconv"
	"strings"

	"weft/internal/sim/collective"
)

// Release is a release of NCCL 2 by its second number: 27 is 2.27. 0 is the newest.
type Release int

// OldestRelease and NewestRelease are the first and the last release whose constants are known here.
const (
	OldestRelease Release = 9
	NewestRelease Release = 30
)

// ParseRelease reads a version as NCCL writes it: 2.27, 2.27.3, v2.27.3-1. The empty text is the
// newest release.
func ParseRelease(text string) (Release, error) {
	if text == "" {
		return 0, nil
	}
	parts := strings.FieldsFunc(strings.TrimPrefix(text, "v"), func(r rune) bool { return r == '.' || r == '-' || r == '+' })
	if len(parts) >= 2 && parts[0] == "2" {
		if n, err := strconv.Atoi(parts[1]); err == nil && n >= int(OldestRelease) && n < 1000 {
			return Release(n), nil
		}
	}
	return 0, fmt.Errorf("%q is no version of NCCL: want 2.%d or later, such as 2.27 or 2.27.3", text, OldestRelease)
}

// since reports whether the release is n or later.
func (r Release) since(n Release) bool { return r == 0 || r >= n }

// change is the difference between a release and the one before it: before makes the older constants.
type change struct {
	at     Release
	before func(t *tuning)
}

// changes are the differences between releases, the newest first. Each is the difference of the tags
// of github.com/NVIDIA/nccl, in the files that type tuning names.
var changes = append([]change{
	{NewestRelease, func(t *tuning) {
		t.ringLL128[Blackwell] = byNodes{34.5, 34.6, 34.5}
		t.nvlsTree[Blackwell][2] = 43.8
		t.inter[Blackwell] = []float64{96, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12}
	}},
	{29, func(t *tuning) {
		t.hw[linkNet][NVLSTree][Simple] = 14
		t.ringLL128[Blackwell] = byNodes{73.4, 73.4, 73.4}
		t.nvlsTree[Blackwell][2] = 43.1
		t.intra[Blackwell] = []float64{90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18}
		t.minTraffic = 16 << 10
	}},
	{28, func(t *tuning) {
		t.treeLL128[Blackwell] = byNodes{73.4, 73.4, 58}
		t.tree[Blackwell] = byNodes{77.4, 82.8, 72}
		t.nvLink[Blackwell] = 40
		t.inter[Blackwell] = []float64{47.9, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12}
	}},
	{27, func(t *tuning) {
		t.nvlsChannels[Blackwell] = [2]int{32, 32}
		t.intra[Blackwell] = []float64{90, 80, 70, 60, 50, 40, 30, 24, 20, 19}
		t.inter[Blackwell][0] = 48
	}},
	{25, func(t *tuning) {
		t.channels = 32
		// Blackwell is not known yet, and has Hopper's constants.
		for _, of := range []*[numGPUs]byNodes{&t.llMax, &t.ringLL128, &t.treeLL128, &t.tree, &t.nvlsTree} {
			of[Blackwell] = of[Hopper]
		}
		t.intra[Blackwell], t.inter[Blackwell] = t.intra[Hopper], t.inter[Hopper]
		t.nvLink[Blackwell], t.nvlsChannels[Blackwell] = t.nvLink[Hopper], t.nvlsChannels[Hopper]
	}},
	{24, func(t *tuning) { t.pat = .85 }},
	{23, func(t *tuning) {
		t.base[Tree][Simple] = 0
		for link := range t.hw {
			t.hw[link][Tree][Simple] = 28
		}
		t.minTraffic = 512
	}},
	{22, func(t *tuning) { t.minTraffic = 1 }},
	{21, func(t *tuning) {
		t.hw[linkNVLink][NVLS][Simple], t.hw[linkNVLink][NVLSTree][Simple] = 23, 23
		t.llMax[Hopper] = t.llMax[Ampere]
		t.intra[Hopper] = []float64{60, 50, 40, 30, 24, 20, 15, 12, 6, 3}
	}},
	{20, func(t *tuning) { t.nvLink[Hopper] = 20 }},
	{19, func(t *tuning) {
		t.base[CollNetDirect], t.base[CollNetChain] = [numProtos]float64{6.8, 14, 0}, [numProtos]float64{6.8, 14, 0}
		t.hw[linkNVLink][Tree][Simple], t.hw[linkPCI][Tree][Simple], t.hw[linkNet][Tree][Simple] = 4, 6, 14
		t.hw[linkNVLink][CollNetDirect][Simple], t.hw[linkPCI][CollNetDirect][Simple], t.hw[linkNet][CollNetDirect][Simple] = 8, 8, 10.7
		t.hw[linkNVLink][CollNetChain][Simple], t.hw[linkPCI][CollNetChain][Simple], t.hw[linkNet][CollNetChain][Simple] = 4.75, 8, 14
		t.hw[linkNet][NVLSTree][Simple] = 19
		t.intra[Hopper] = []float64{60, 40, 30, 24, 20, 15, 12, 6, 3}
		t.inter[Hopper] = []float64{48, 45, 42, 40, 30, 24, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12}
	}},
}, oldChanges...)

// tunings are the constants of the releases from the oldest; the last are the newest.
var tunings = func() (all []tuning) {
	all = make([]tuning, changes[0].at-OldestRelease+1)
	t := newest
	for r, left := changes[0].at, changes; r >= OldestRelease; r-- {
		all[r-OldestRelease] = t
		if len(left) > 0 && left[0].at == r {
			t.inter[Blackwell] = append([]float64(nil), t.inter[Blackwell]...)
			left[0].before(&t)
			left = left[1:]
		}
	}
	return all
}()

// tuning is the constants of the release.
func (r Release) tuning() *tuning {
	if i := int(r - OldestRelease); r != 0 && i < len(tunings) {
		return &tunings[max(i, 0)]
	}
	return &tunings[len(tunings)-1]
}

// tuning is the constants of the cluster's release, or RCCL's.
func (c Cluster) tuning() *tuning {
	if c.GPU == CDNA3 {
		return &rcclTuning
	}
	return c.Release.tuning()
}

// llFraction is the share of a ring's bandwidth that it has with LL.
func (c Cluster) llFraction(op collective.Op) float64 {
	switch {
	case c.Release.since(21):
		return .5
	case c.Nodes > 1 || op == collective.AllReduce:
		return 1. / 4
	default:
		return 1. / 3
	}
}

// ringLL128Fraction is the share of a ring's bandwidth that it has with LL128.
func (c Cluster) ringLL128Fraction() float64 {
	if c.PerNode < 2 && !c.Release.since(23) {
		return .7
	}
	return .92
}

// Has reports whether the release has an algorithm for an operation.
func (r Release) Has(op collective.Op, a Algo) bool {
	gathers := op == collective.AllGather || op == collective.ReduceScatter
	switch {
	case a == PAT:
		return r.since(23)
	case a == CollNetDirect && gathers:
		return r.since(20)
	case a == NVLS && gathers:
		return r.since(19) || r == 17
	case a == NVLSTree:
		return r.since(18)
	case a == NVLS:
		return r.since(17)
	case a == CollNetChain:
		return r.since(14)
	}
	return true
}

// oldNVLSBusBW is the bandwidth of NVLS and NVLSTree before 2.28, as far as it differs: the speed of
// the graph and 5/6 of it for an all-reduce, or in all-gather and reduce-scatter before 2.23.
func (c Cluster) oldNVLSBusBW(op collective.Op, a Algo) float64 {
	if !c.Release.since(18) {
		g := c.ringGraph()
		return .75 * c.bounded(float64(g.Channels)*g.IntraGBps)
	}
	g := c.nvlsGraph()
	per, bw := float64(c.PerNode), min(g.IntraGBps, g.InterGBps)
	gathers := op != collective.AllReduce
	switch {
	case a == NVLSTree && c.Nodes > 2:
		bw = min(g.IntraGBps, g.InterGBps/2)
	case gathers && c.Release.since(27):
		bw = min(g.IntraGBps*(per-1)/per, g.InterGBps*collNetShards)
	}
	bw *= float64(g.Channels)
	switch nodes := float64(c.Nodes); {
	case gathers && c.Release.since(23):
		return bw
	case a == NVLSTree && !c.Release.since(19):
		return bw * .7 * nodes / (2 * (nodes - 1))
	}
	return bw * 5 / 6
}

// oldShardsBusBW is the same for all-gather and reduce-scatter by CollNet before 2.27.
func (c Cluster) oldShardsBusBW() float64 {
	w := float64(c.PerNode-1) / (8 - 1)
	return float64(c.PerNode) * c.ringGraph().IntraGBps * (w*.85 + (1-w)*.95)
}
