package buffer

import "testing"

// TestAPauseEndsAtXonOrAtTheOffset has SONiC's thresholds: a pause ends when the queue
// holds no more than XON, or than the threshold less its offset, whichever is more.
func TestAPauseEndsAtXonOrAtTheOffset(t *testing.T) {
	const reserve, pool = 1000, 100_000 // alpha of 1 leaves 100,000 above the reserve
	for _, c := range []struct {
		name        string
		xon, offset int32
		held        int32
		want        bool
	}{
		{"neither: at the threshold", 0, 0, reserve + pool, true},
		{"an offset: at it", 0, 3000, reserve + pool - 3000, true},
		{"an offset: a byte above", 0, 3000, reserve + pool - 2999, false},
		{"XON alone: at it", 20_000, 0, 20_000, true},
		{"XON alone: a byte above", 20_000, 0, 20_001, false},
		{"both: the offset is more", 20_000, 3000, reserve + pool - 3000, true},
		{"both: XON is more", 99_000, 10_000, 99_000, true},
		{"both: a byte above both", 99_000, 10_000, 99_001, false},
		{"within the reserve, always", 10, 0, reserve, true},
	} {
		b := Buffer{Limits: Limits{Shared: pool, Reserve: reserve, Xon: c.xon, XonOffset: c.offset}}
		g := b.NewIngress(1, 1, 0)
		g.held = c.held
		own := Ingress{held: c.held, num: 1, den: 1}.With(reserve, c.xon) // of a queue with its own
		if got := b.MayResume(&g); got != c.want || b.MayResume(&own) != c.want {
			t.Errorf("%s: a queue with %d bytes resumes: %v, want %v", c.name, c.held, got, c.want)
		}
	}
}

// The n-th of equal packets fits below the threshold of alpha times the free pool as long as n packets
// are at most alpha times the pool without them: a queue alone gets alpha/(1+alpha) of the pool.
func TestAQueueAloneGetsItsShareOfThePool(t *testing.T) {
	const pool, size = 1 << 20, 1000
	for _, alpha := range []struct{ num, den int64 }{{1, 16}, {1, 2}, {1, 1}, {8, 1}} {
		b := Buffer{Limits: Limits{Shared: pool}}
		g := b.NewIngress(alpha.num, alpha.den, 0)
		packets := int64(0)
		for !b.IsOver(&g, size) {
			b.Charge(&g, size)
			packets++
		}
		if want := pool * alpha.num / (alpha.num + alpha.den) / size; packets != want {
			t.Errorf("alpha %d/%d: %d packets fit, want %d", alpha.num, alpha.den, packets, want)
		}
		for range packets {
			if !b.TryRelease(&g, size) {
				t.Fatal("a queue without headroom and pause is not released at once")
			}
		}
		if b.Free() != pool || g.Held() != 0 {
			t.Errorf("alpha %d/%d: %d bytes are free of %d after all packets have left", alpha.num, alpha.den, b.Free(), pool)
		}
	}
}

// A lossless queue above its threshold takes from its headroom, and gives that back first.
func TestHeadroomIsUsedLastAndReleasedFirst(t *testing.T) {
	b := Buffer{Limits: Limits{Shared: 10_000, HeadroomPool: 2500}}
	g := b.NewIngress(1, 1, 3000)
	for !b.IsOver(&g, 1000) {
		b.Charge(&g, 1000)
	}
	below := g.Held()
	for range 2 {
		if !g.HasHeadroom(1000) || !b.PoolHasHeadroom(1000) {
			t.Fatal("there is no headroom for two packets")
		}
		b.ChargeHeadroom(&g, 1000)
	}
	if !g.HasHeadroom(1000) || b.PoolHasHeadroom(1000) {
		t.Error("a third packet fits into the queue's headroom, but not into the pool's")
	}
	g.Paused = true
	for range 2 {
		if held := b.Release(&g, 1000); held != below || !b.PoolHasHeadroom(1000) {
			t.Errorf("%d bytes below the threshold after a packet of the headroom has left, want %d", held, below)
		}
	}
	if held := b.Release(&g, 1000); held != below-1000 {
		t.Errorf("%d bytes are held after the headroom is empty, want %d", held, below-1000)
	}
}
