package tcp

import (
	"reflect"
	"testing"

	"weft/units"
)

// pair moves one long stream between two ends, without a network: every
// segment arrives a little later, every acknowledgement a round trip later.
type pair struct {
	a, b    *Conn
	now     units.Time
	out, in Batch
	wire    []Segment
	id      uint32
}

func newPair(cfg *Config) *pair {
	return &pair{a: New(cfg, 1), b: New(cfg, 0)}
}

// round sends up to n segments and acknowledges them a round trip later.
func (p *pair) round(n int) (sent int) {
	var seg Segment
	for range n {
		if p.a.Snapshot().Queued == 0 {
			p.id++
			_ = p.a.Send(p.now, 256*units.KiB, p.id)
		}
		if p.a.Ready(p.now) != p.now || !p.a.Next(p.now, &seg) {
			break
		}
		p.now += 30 * units.Nanosecond
		p.b.Receive(p.now, &seg, &p.in)
		sent++
	}
	p.in.Completions = p.in.Completions[:0]
	p.in.Segments, p.wire = p.wire[:0], p.in.Segments
	p.now += 20 * us
	for i := range p.wire {
		p.now += 30 * units.Nanosecond
		p.a.Receive(p.now, &p.wire[i], &p.out)
	}
	p.out.Reset()
	if w := &p.a.snd.win; w.cwnd > 300 { // a loss, for the window only
		w.ssthresh = p.a.snd.cc.threshold(w, dropped)
		w.cwnd = w.ssthresh
	}
	return sent
}

func benchmarkPair(b *testing.B, cfg Config) {
	p := newPair(&cfg)
	for range 100 {
		p.round(1000)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; {
		left -= p.round(min(left, 1000))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/segment")
}

// One data segment from Next to Receive with its share (a half) of the
// acknowledgement, at both ends.
func BenchmarkSegment(b *testing.B) {
	b.Run("cubic", func(b *testing.B) { benchmarkPair(b, Linux(9000)) })
	b.Run("dctcp", func(b *testing.B) { benchmarkPair(b, DataCenter(9000)) })
	b.Run("cubic-ack-each", func(b *testing.B) {
		cfg := Linux(9000)
		cfg.AckEvery = 1
		benchmarkPair(b, cfg)
	})
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, cfg := range []Config{Linux(1500), DataCenter(9000)} {
		p := newPair(&cfg)
		for range 100 {
			p.round(1000)
		}
		if got := testing.AllocsPerRun(100, func() { p.round(1000) }); got != 0 {
			t.Errorf("%v: %v allocations per round of segments, expected none", cfg.Algorithm, got)
		}
	}
}

func TestSizesStaySmall(t *testing.T) {
	for _, tc := range []struct {
		of   reflect.Type
		most uintptr
	}{{reflect.TypeFor[Segment](), 40}, {reflect.TypeFor[record](), 24}, {reflect.TypeFor[Conn](), 640}} {
		if got := tc.of.Size(); got > tc.most {
			t.Errorf("%v takes %d bytes, must stay within %d", tc.of, got, tc.most)
		}
	}
}
