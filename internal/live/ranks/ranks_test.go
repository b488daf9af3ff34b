package ranks

import (
	"context"
	"io"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/internal/sim/collective"
	"weft/units"
)

// freePort is a free UDP port: several runs of the tests may be active at once.
func freePort(t testing.TB) uint16 {
	t.Helper()
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr).AddrPort().Port()
}

// groupHere is a group whose ranks are goroutines of the test, with sockets of
// their own.
func groupHere(t testing.TB, n int, s Spec) *Group {
	t.Helper()
	return groupOf(t, slices.Repeat([]context.Context{context.Background()}, n), s)
}

// groupOf is groupHere with a context for each rank.
func groupOf(t testing.TB, of []context.Context, s Spec) *Group {
	t.Helper()
	n, port := len(of), freePort(t)
	var members []Member
	for i := range n {
		s.Addrs = append(s.Addrs, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, byte(n), byte(i + 1)}), port))
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := Serve(of[i], inR, outW); err != nil {
				t.Error(err)
			}
		}()
		t.Cleanup(func() {
			_ = inW.Close()
			<-done
		})
		members = append(members, Member{inW, outR})
	}
	g, err := NewGroup(members, s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAnAllReduceAddsUpTheVectorsOfAllRanks(t *testing.T) {
	for _, c := range []struct {
		algo  collective.Algo
		ranks int
		chunk int64
	}{
		{collective.Ring, 2, 0},
		{collective.Ring, 3, 1 << 14},
		{collective.Ring, 4, 0},
		{collective.HalvingDoubling, 4, 0},
		{collective.Tree, 4, 1 << 14},
	} {
		t.Run(c.algo.String(), func(t *testing.T) {
			const most = 1 << 18
			g := groupHere(t, c.ranks, Spec{Algo: c.algo, Chunk: c.chunk, Max: most})
			received := int64(0)
			for _, bytes := range []int{4, 64, 4096, 100_000, most} {
				for _, inPlace := range []bool{true, false} {
					r, err := g.AllReduce(bytes, 5, 1, true, inPlace)
					if err != nil {
						t.Fatal(err)
					}
					if r.Wrong != 0 {
						t.Errorf("%d ranks, %d bytes: %d elements are wrong", c.ranks, bytes, r.Wrong)
					}
					// Each rank must get (n-1)/n of the vector twice, in each of 7 operations.
					if least := int64(7 * 2 * (c.ranks - 1) * (bytes / 4 / c.ranks * 4)); r.Received-received < least {
						t.Errorf("%d ranks, %d bytes: the devices received %d bytes, less than %d", c.ranks, bytes, r.Received-received, least)
					}
					received = r.Received
				}
			}
		})
	}
}

func TestAPairIsMeasuredBetweenCollectives(t *testing.T) {
	g := groupHere(t, 3, Spec{Algo: collective.Ring, Max: PairBytes})
	for range 2 {
		rounds, err := g.Pairs()
		if err != nil || len(rounds) != PairRounds {
			t.Fatal(len(rounds), err)
		}
		for _, p := range rounds {
			// 1 s for 8 bytes, and 1 Mb/s, are far outside of any machine's range.
			if p.Latency <= 0 || p.Latency > units.Second || p.Rate < units.Mbps {
				t.Errorf("a pair has %v and %v", p.Latency, p.Rate)
			}
		}
		if r, err := g.AllReduce(1<<16, 2, 0, true, true); err != nil || r.Wrong != 0 {
			t.Errorf("after it: %d wrong, %v", r.Wrong, err)
		}
	}
}

func TestRanksOfOneMachineAreKnownToShareIt(t *testing.T) {
	g := groupHere(t, 3, Spec{Algo: collective.Ring, Max: 64})
	if m := g.Machines(); len(m) != 1 || m[0].Ranks != 3 || m[0].Processors != runtime.GOMAXPROCS(0) {
		t.Errorf("3 ranks of this machine are on %+v", m)
	}
}

func TestOneRankIsNoPair(t *testing.T) {
	g := groupHere(t, 1, Spec{Algo: collective.Ring, Max: PairBytes})
	if rounds, err := g.Pairs(); err == nil {
		t.Errorf("one rank has %v", rounds)
	}
}

func TestTheCheckSeesAWrongElement(t *testing.T) {
	g := groupHere(t, 1, Spec{Algo: collective.Ring, Max: 64})
	r, err := g.AllReduce(64, 1, 0, true, true)
	if err != nil || r.Wrong != 0 {
		t.Fatalf("one rank: %d wrong, %v", r.Wrong, err)
	}
	if value(1, 5) == value(2, 5) || value(0, 1) == value(0, 2) {
		t.Error("values do not depend on the rank and the place")
	}
}

// BenchmarkAllReduce is the bytes of the vector over the time of an operation; all
// ranks share the cores of this process.
func BenchmarkAllReduce(b *testing.B) {
	const bytes = 16 << 20
	for _, n := range []int{2, 4} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			g := groupHere(b, n, Spec{Algo: collective.Ring, Chunk: 1 << 20, Max: bytes})
			b.SetBytes(bytes)
			b.ResetTimer()
			if _, err := g.AllReduce(bytes, b.N, 0, false, true); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func TestAGroupOfWhichARankHasGoneEndsSoon(t *testing.T) {
	// The test ends the other ranks when it is over.
	others, release := context.WithCancel(context.Background())
	gone, leave := context.WithCancel(context.Background())
	g := groupOf(t, []context.Context{others, gone, others}, Spec{Algo: collective.Ring, Max: 1 << 20})
	t.Cleanup(release)
	time.AfterFunc(100*time.Millisecond, leave)
	start := time.Now()
	_, err := g.AllReduce(1<<20, 1_000_000, 0, false, true)
	if err == nil || !strings.Contains(err.Error(), "rank 1: context canceled") {
		t.Errorf("with a rank that has gone: %v", err)
	}
	if took := time.Since(start); took > patience/2 {
		t.Errorf("it took %v to notice; a rank waits %v for an operation", took, patience)
	}
}
