package transport

import (
	"reflect"
	"testing"

	"weft/internal/sim/transport/cc"
	"weft/units"
)

// pair connects two queue pairs of one configuration.
func pair(t testing.TB, cfg *Config, s Service) (a, b *QP) {
	t.Helper()
	a, err := newQP(cfg, s, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err = newQP(cfg, s, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Connect(0, 2, 100, 200); err != nil {
		t.Fatal(err)
	}
	if err := b.Connect(0, 1, 200, 100); err != nil {
		t.Fatal(err)
	}
	return a, b
}

// benchmarkWrite moves WRITEs with immediate data of 256 packets, each packet
// acknowledged at once; one op is one data packet with its share of the
// acknowledgements, posts and completions.
func benchmarkWrite(b *testing.B, cfg *Config, alg cc.Algorithm) {
	req, resp := pair(b, cfg, RC)
	if alg != nil {
		req = new(QP)
		if err := req.Setup(cfg, RC, 1, alg); err != nil {
			b.Fatal(err)
		}
		if err := req.Connect(0, 2, 100, 200); err != nil {
			b.Fatal(err)
		}
	}
	var p Packet
	var out, back Batch
	now, sent := units.Time(0), 0
	wr := WorkRequest{ID: 1, Op: OpWriteImm, Length: uint32(256 * cfg.PathMTU)}
	step := func() {
		if req.Pending() == 0 {
			if err := req.PostSend(now, wr); err != nil {
				b.Fatal(err)
			}
		}
		now = max(now, req.Ready(now))
		if !req.Next(now, &p) {
			b.Fatal("nothing to send")
		}
		resp.Receive(now, &p, &out)
		for i := range out.Packets {
			req.Receive(now, &out.Packets[i], &back)
		}
		out.Reset()
		back.Reset()
		if req.NextTimeout() <= now {
			req.Timeout(now, &back)
		}
		now += 80 * units.Nanosecond
		sent++
	}
	for range 1000 {
		step()
	}
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
	if req.State() != StateRTS || resp.State() != StateRTS {
		b.Fatal(req.State(), resp.State())
	}
}

func BenchmarkRCWrite(b *testing.B) {
	for _, c := range []struct {
		name string
		cfg  Config
	}{
		{"ack1", Config{AckEvery: 1}},
		{"ack32", Config{AckEvery: 32}},
		{"ooo", Config{AckEvery: 1, Delivery: OutOfOrder}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.cfg.PathMTU, c.cfg.ImplicitRecv, c.cfg.RetryTimeout, c.cfg.RetryCount = 4096, true, RetryTime(14), 7
			benchmarkWrite(b, &c.cfg, nil)
		})
	}
	b.Run("dcqcn", func(b *testing.B) {
		p, err := cc.DCQCNPreset("firmware", 400*units.Gbps)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkWrite(b, &Config{
			PathMTU: 4096, AckEvery: 1, ImplicitRecv: true, RetryTimeout: RetryTime(14), RetryCount: 7, PacedOverhead: 82,
		}, cc.NewDCQCN(&p, 0))
	})
}

func TestSizesStayCompact(t *testing.T) {
	for _, c := range []struct {
		of   reflect.Type
		most uintptr
	}{
		{reflect.TypeFor[Packet](), 56},
		{reflect.TypeFor[QP](), 376}, // the first work request included
		{reflect.TypeFor[sendWork](), 40},
	} {
		t.Logf("%v: %d bytes", c.of, c.of.Size())
		if c.of.Size() > c.most {
			t.Errorf("%v is %d bytes, want at most %d", c.of, c.of.Size(), c.most)
		}
	}
}
