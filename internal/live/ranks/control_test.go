package ranks

import (
	"bytes"
	"context"
	"encoding/json"
	"net/netip"
	"testing"

	"weft/internal/sim/collective"
)

// FuzzOrders checks that a rank answers every line with one line, and that a remote order opens no
// device at another address than its own.
func FuzzOrders(f *testing.F) {
	for _, text := range []string{
		`{"do":"open","rank":0,"addrs":["127.0.0.1:4791"],"bytes":64}`, `{"do":"run","bytes":64,"iters":9}`,
		`{"do":"ping"}`, `{"do":"connect"}` + "\n" + `{"do":1}`, `{"do":"open","rank":-1,"bytes":1073741824,"chunk":1}`, "[]",
	} {
		f.Add([]byte(text))
	}
	nowhere := netip.MustParseAddr("192.0.2.1")
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("192.0.2.1")) || bytes.Contains(text, []byte("\r")) {
			return
		}
		lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		if len(text) == 0 {
			lines = nil
		}
		var out bytes.Buffer
		if err := (&rank{only: nowhere}).serve(context.Background(), bytes.NewReader(text), &out, 0, 0); err != nil {
			t.Fatal(err)
		}
		answers := bytes.Count(out.Bytes(), []byte("\n"))
		if answers != len(lines) {
			t.Fatalf("%d orders have %d answers", len(lines), answers)
		}
		for line := range bytes.Lines(out.Bytes()) {
			var p reply
			if err := json.Unmarshal(line, &p); err != nil || p.Error == "" {
				t.Fatalf("%q is answered %q, %v", text, line, err)
			}
		}
	})
}

// FuzzPlans checks that the plan of an order stays within the bounds, whatever its chunk.
func FuzzPlans(f *testing.F) {
	f.Add(2, 0, 64, int64(1), uint8(0))
	f.Add(MaxRanks, 63, MaxVector, int64(1), uint8(1))
	f.Add(3, 1, 1<<20, int64(-4), uint8(2))
	f.Fuzz(func(t *testing.T, ranks, rank, size int, chunk int64, algo uint8) {
		if ranks < 1 || ranks > MaxRanks || rank < 0 || rank >= ranks || size < elementBytes || size > MaxVector {
			return
		}
		p, err := newPlan(collective.Algo(algo), ranks, rank, size, chunk)
		if err != nil {
			return
		}
		steps := 0
		for _, lane := range p.lanes {
			steps += len(lane)
		}
		if len(p.lanes) > maxLanes || steps > maxPlan {
			t.Fatalf("%d ranks, %d bytes, chunks of %d: %d lanes, %d steps", ranks, size, chunk, len(p.lanes), steps)
		}
	})
}
