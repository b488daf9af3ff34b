package nccl

import (
	"strings"
	"testing"

	"weft/internal/sim/collective"
)

// The first line that fits and that NCCL enables holds; other sizes, operations and clusters keep
// NCCL's choice.
func TestATunersLineReplacesNCCLsChoice(t *testing.T) {
	c := b200
	for _, line := range []string{
		"allreduce,0,67108864,tree,simple,2,2,-1",              // two nodes
		"allreduce,0,67108864,tree,simple,2,-1,-1,-1,1",        // registered buffers
		"allreduce,0,67108864,collnet_direct,simple,2,-1,-1",   // not enabled
		"allreduce, 1048576, 67108864, ring, ll128, -1, 1, 8,", // -1: NCCL's channels
		"allreduce,67108865,4294967295,ring,simple,16,-1,-1,1,0",
	} {
		r, err := ParseRule(strings.TrimSuffix(line, ","))
		if err != nil {
			t.Fatal(err)
		}
		c.Tuner = append(c.Tuner, r)
	}
	for _, x := range []struct {
		op       collective.Op
		bytes    int64
		algo     Algo
		proto    Proto
		channels int
	}{
		{collective.AllReduce, 1 << 20, Ring, LL128, 32},
		{collective.AllReduce, 64 << 20, Ring, LL128, 32},
		{collective.AllReduce, 1 << 30, Ring, Simple, 16},
		{collective.AllReduce, 8 << 30, NVLS, Simple, 24},
		{collective.AllReduce, 1 << 10, Ring, LL, 1},
	} {
		ch, err := c.Choose(x.op, x.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if ch.Algo != x.algo || ch.Proto != x.proto || ch.Channels != x.channels {
			t.Errorf("%d bytes go by %v %v on %d channels, not %v %v on %d", x.bytes, ch.Algo, ch.Proto, ch.Channels, x.algo, x.proto, x.channels)
		}
	}
}

func TestATunersBadLineIsNamed(t *testing.T) {
	for line, want := range map[string]string{
		"allreduce,0,1,ring,ll":             "5 fields",
		"alltoall,0,1,ring,ll,-1,-1,-1":     "collective_type",
		"allreduce,0,1,star,ll,-1,-1,-1":    "algorithm",
		"allreduce,0,1,ring,lll,-1,-1,-1":   "protocol",
		"allreduce,0,x,ring,ll,-1,-1,-1":    "max_bytes",
		"allreduce,2,1,ring,ll,-1,-1,-1":    "sizes from 2 to 1",
		"allreduce,0,1,ring,ll,65,-1,-1":    "65 channels",
		"allreduce,0,1,ring,ll,-1,-1,-7":    "nRanks",
		"allreduce,0,1,ring,ll,,,,,,,":      "12 fields",
		"allreduce,0,1,ring,ll,-1,-1,-1,-2": "numPipeOps",
	} {
		if _, err := ParseRule(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, which does not say %q", line, err, want)
		}
	}
}
