package transport

import (
	"testing"

	"weft/units"
	"weft/wire"
)

// FuzzReceive feeds packets that make no sense to queue pairs of all services:
// nothing panics, and the requester's PSNs stay in order.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{0, 0, 0x06, 0, 0, 0, 0x11, 1, 0x60, 0})
	f.Add([]byte{12, 5, 0x0c, 0, 0, 9, 0x0d, 2, 0, 1, 0x0e, 0, 0, 0})
	f.Add([]byte{0, 0x21, 0xc0, 0x40, 3, 0, 0xc1, 0x80, 2, 1, 0x0a, 0x10, 4, 0x83, 0xc0, 0, 31, 2})
	f.Add([]byte{0, 7, 0x11, 0, 0x2e, 0, 0x11, 0, 0x62, 0})
	deliveries := []Delivery{InOrder, SelectiveHeld, Selective, OutOfOrder, WriteOnly}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) < 2 {
			return
		}
		cfg := &Config{
			PathMTU: 16, RetryTimeout: units.Microsecond, RetryCount: 3, RNRRetry: 3, Delivery: deliveries[script[0]>>2%5],
			ImplicitRecv: script[0]&2 != 0, Marks: Marks(script[0] >> 6 % 3), AckEvery: int(script[1] & 3), MaxReads: 2,
		}
		var q *QP
		if unordered := script[1]&0x20 != 0; unordered {
			cfg.Delivery, cfg.EntropyValues = Unordered, 256
			cfg.MaxOutstandingPackets, cfg.InferLoss = MaxReorder, 3
			q, _ = sprayed(t, cfg, 100)
		} else {
			q, _ = pair(t, cfg, Service(script[1]>>2%3))
		}
		var b Batch
		var out Packet
		now := units.Time(0)
		for i := range 6 {
			// Some are refused, by service.
			_ = q.PostSend(now, WorkRequest{ID: uint64(i), Op: Op(i % int(numOps)), Length: uint32(i * 9)})
			_ = q.PostRecv(now, RecvRequest{ID: uint64(i), Length: 40})
		}
		for s := script[2:]; len(s) >= 4; s = s[4:] {
			for range s[1] >> 6 {
				if q.Ready(now) <= now && !q.Next(now, &out) {
					t.Fatal("ready, and nothing to send")
				}
			}
			base := q.req.una
			if s[3]&0x80 != 0 {
				base = q.resp.epsn
			}
			q.Receive(now, &Packet{
				Op: wire.Opcode(s[0]), Flags: Flags(s[1]&15 | s[3]<<4&0x10), Syndrome: wire.Syndrome(s[2]), PSN: base.Add(int32(int8(s[3]<<1)) / 2),
				Imm: uint32(base.Add(int32(s[2] & 15))), Length: uint32(s[2] & 31), DMALen: uint32(s[2]) << (s[1] >> 4 & 3 * 8), Offset: uint32(s[2]),
			}, &b)
			b.Reset()
			now += units.Time(s[1]) * 10 * units.Nanosecond
			if q.NextTimeout() <= now {
				q.Timeout(now, &b)
			}
			b.Reset()
			if q.req.nxt.Before(q.req.una) || q.req.max.Before(q.req.nxt) || q.req.end.Before(q.req.max) || q.req.flight < 0 && cfg.Delivery != Unordered {
				t.Fatalf("una %d, nxt %d, max %d, end %d, flight %d", q.req.una, q.req.nxt, q.req.max, q.req.end, q.req.flight)
			}
		}
	})
}
