package exchange_test

import (
	"math"
	"testing"

	"weft/units"
)

// Inside a node a token goes over NVLink once to each other rank that has one of its experts: of 8
// ranks with 8 of 256 experts each rank is hit with 1 - (224 over 8)/(256 over 8), and the time is
// that of the bytes at the copy rate, with those for the own rank, an eighth of all, within the imbalance of 3 %.
func TestThroughputKernelsOfANodeTakeTheirCopies(t *testing.T) {
	p := exchanged(t, 1, "infiniband-ndr", "moe-dispatch", "kernel: throughput, software: 0, copy-rate: 100GB/s")
	missed := 1.0
	for i := range 8 {
		missed *= float64(224-i) / float64(256-i)
	}
	const token = 7168 + 56*4 + 8 + 8*4 + 8*4 // with its source, and the numbers and weights of its experts
	copies := 4096 * 7 * (1 - missed)
	want := copies * math.Ceil(token/16.) * 16
	if e := p.Exchange; e.NetworkBytes != 0 || math.Abs(float64(e.NVLinkBytes)-want) > 0.01*want {
		t.Errorf("a rank sends %d B over NVLink and %d B through NICs, want %.0f and none", e.NVLinkBytes, e.NetworkBytes, want)
	}
	least := units.Time(float64(p.Exchange.NVLinkBytes) * 8 / 7 / 100e9 * 1e12 * 0.995) // a draw's share of own tokens is not exactly an eighth
	if p.Time < least || p.Time > least*103/100 {
		t.Errorf("%v for copies that take %v at their rate", p.Time, least)
	}
}

// Of two nodes nearly every token has experts on both: it crosses once, whatever the number of its
// experts there, and is passed on over NVLink.
func TestATokenCrossesTheNetworkOnceForANode(t *testing.T) {
	for _, exchange := range []string{"moe-dispatch", "moe-combine"} {
		many := exchanged(t, 2, "infiniband-ndr", exchange, "kernel: throughput, tokens: 512").Exchange
		slow := exchanged(t, 2, "infiniband-ndr", exchange, "kernel: low-latency, tokens: 512, count: 256").Exchange
		token := float64(many.NetworkBytes) / 512
		if token < 0.98*float64(many.TokenBytes) || token > 1.02*float64(many.TokenBytes) {
			t.Errorf("%s: %.0f B cross for a token of %d B", exchange, token, many.TokenBytes)
		}
		if share := float64(slow.NetworkBytes) / float64(many.NetworkBytes); share < 3.8 || share > 4.2 {
			t.Errorf("%s: low-latency kernels send %.2f times as much as throughput kernels, want 4 tokens for one", exchange, share)
		}
	}
}

// A chunk of each of 12 channels has 16 tokens: 512 tokens are 32 WRITEs and 3 messages.
func TestChunksAreWRITEs(t *testing.T) {
	e := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "kernel: throughput, tokens: 512").Exchange
	if e.Messages != 32 {
		t.Errorf("%d WRITEs for 512 tokens in chunks of 16, want 32", e.Messages)
	}
}

// A token of at most two nodes crosses at most as often: of four nodes, with a limit of one, three of
// four tokens cross once.
func TestThroughputKernelsSendLessWithANodeLimit(t *testing.T) {
	one := exchanged(t, 4, "infiniband-ndr", "moe-dispatch", "kernel: throughput, tokens: 512, node-limit: 1").Exchange
	free := exchanged(t, 4, "infiniband-ndr", "moe-dispatch", "kernel: throughput, tokens: 512").Exchange
	if r := float64(free.NetworkBytes) / float64(one.NetworkBytes); r < 3.2 || r > 4 {
		t.Errorf("without a limit %.2f times as much crosses as with one node, want nearly 4: 3 nodes against 3/4", r)
	}
}

// A receiver with room for one chunk has the sender wait for a way there and back with each; with more room it waits less.
func TestSendersWaitForRoom(t *testing.T) {
	for _, exchange := range []string{"moe-dispatch", "moe-combine"} {
		took := func(more string) units.Time {
			return exchanged(t, 2, "infiniband-ndr", exchange, "kernel: throughput, tokens: 2048"+more).Time
		}
		free, usual, narrow := took(""), took(", receive-tokens: 128"), took(", receive-tokens: 16")
		if usual < free || narrow <= usual || narrow < free*105/100 {
			t.Errorf("%s: %v with any room, %v with 128 tokens of a channel, %v with 16", exchange, free, usual, narrow)
		}
	}
}
