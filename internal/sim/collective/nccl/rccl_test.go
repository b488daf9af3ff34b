package nccl

import (
	"testing"

	"weft/internal/sim/collective"
)

// mi300x are nodes of MI300X, of which some GPUs take part.
func mi300x(nodes, gpus int) Cluster {
	return Cluster{Nodes: nodes, PerNode: gpus, GPU: CDNA3, NVLinkGBps: 48 * float64(gpus-1), NICs: gpus, NICGBps: 50, CPU: Intel}
}

// README.md of RCCL and its debug output name the channels.
func TestMI300XHasRCCLsChannels(t *testing.T) {
	for _, c := range []struct{ nodes, gpus, channels int }{{1, 8, 56}, {1, 4, 24}, {1, 2, 32}, {2, 8, 64}} {
		if got := mi300x(c.nodes, c.gpus).Channels(); got != c.channels {
			t.Errorf("%d nodes with %d MI300X run %d channels, not %d", c.nodes, c.gpus, got, c.channels)
		}
	}
}

func TestRCCLChoosesAllPairsOnEightMI300X(t *testing.T) {
	for _, c := range []struct {
		cluster Cluster
		op      collective.Op
		bytes   int64
		algo    Algo
		proto   Proto
	}{
		{mi300x(1, 8), collective.AllReduce, 512, Ring, LL},
		{mi300x(1, 8), collective.AllReduce, 1 << 10, Direct, LL},
		{mi300x(1, 8), collective.AllReduce, 512<<10 - 1, Direct, LL},
		{mi300x(1, 8), collective.AllReduce, 512 << 10, Direct, Simple},
		{mi300x(1, 8), collective.AllReduce, 16<<20 + 1, Ring, Simple},
		{mi300x(1, 4), collective.AllReduce, 1 << 10, Ring, LL},
		{mi300x(2, 8), collective.AllReduce, 1 << 10, Tree, LL},
		{mi300x(2, 8), collective.AllReduce, 16 << 20, Tree, Simple},
		{mi300x(2, 8), collective.AllReduce, 1 << 30, Ring, Simple},
		{mi300x(1, 8), collective.AllGather, 1 << 20, Ring, Simple},
	} {
		ch, err := c.cluster.Choose(c.op, c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if ch.Algo != c.algo || ch.Proto != c.proto {
			t.Errorf("%v of %d bytes on %d x %d MI300X goes by %v %v, not %v %v", c.op, c.bytes, c.cluster.Nodes, c.cluster.PerNode, ch.Algo, ch.Proto, c.algo, c.proto)
		}
		if _, err := ch.Spec(); err != nil {
			t.Error(err)
		}
	}
	ring := mi300x(1, 8)
	ring.Only = func(a Algo, _ Proto) bool { return a == Ring }
	if ch, err := ring.Choose(collective.AllReduce, 1<<20); err != nil || ch.Algo != Ring {
		t.Errorf("NCCL_ALGO=Ring gives %v, %v", ch.Algo, err)
	}
}

// Times worked out by hand from RCCL's constants.
func TestRCCLsCostsAreItsFormulas(t *testing.T) {
	for _, c := range []struct {
		cluster Cluster
		algo    Algo
		proto   Proto
		bytes   int64
		want    float64 // µs
	}{
		{mi300x(1, 8), Ring, LL, 512, 12 + 14*.8 + 512/(1000*336*.08*8/14)},
		{mi300x(1, 8), Ring, Simple, 1 << 30, 17 + 14*2.1 + (1<<30)/(1000*336.*8/14)},
		{mi300x(1, 8), Tree, LL, 64, 12 + 2*7*.9 + 64/(1000*336*.06*.5*.1)},
		{mi300x(2, 8), Ring, Simple, 512 << 20, 17 + 28*3 + 2*320 + (512<<20)/(1000*336*16./30*.8)},
		{mi300x(4, 8), Tree, Simple, 4 << 20, 17 + 2*(7*2.3+2*25) + (4<<20)/(1000*336*.59*.5)},
	} {
		costs, err := c.cluster.Costs(collective.AllReduce, c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, cost := range costs {
			if cost.Proto == LL128 {
				t.Error("LL128 is not for MI300X")
			}
			if cost.Algo != c.algo || cost.Proto != c.proto {
				continue
			}
			found = true
			if !near(cost.TimeUs, c.want, 1e-9) {
				t.Errorf("%v %v of %d bytes: %g µs, not %g", c.algo, c.proto, c.bytes, cost.TimeUs, c.want)
			}
		}
		if !found {
			t.Errorf("%v %v has no cost", c.algo, c.proto)
		}
	}
}
