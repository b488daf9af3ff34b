package transport

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// What a requester awaits is what its peer sends next. When a response is missing, it awaits nothing.
func TestARequesterAwaitsTheResponsesThatItsPeerSendsNext(t *testing.T) {
	const mtu = 16
	rapid.Check(t, func(rt *rapid.T) {
		cfg := &Config{PathMTU: mtu, RetryTimeout: units.Second, RetryCount: 1, Delivery: SelectiveHeld, ImplicitRecv: true}
		a, b := pair(t, cfg, RC)
		var batch Batch
		for i := range rapid.IntRange(1, 8).Draw(rt, "requests") {
			op := rapid.SampledFrom([]Op{OpRead, OpRead, OpWrite, OpSend}).Draw(rt, "op")
			length := uint32(rapid.IntRange(1, 5*mtu).Draw(rt, "length"))
			if err := a.PostSend(0, WorkRequest{ID: uint64(i), Op: op, Length: length}); err != nil {
				rt.Fatal(err)
			}
		}
		var p Packet
		for a.Next(0, &p) {
			b.Receive(0, &p, &batch)
		}
		var sent []Packet
		for b.Next(0, &p) {
			if p.Length > 0 {
				sent = append(sent, p)
			}
		}
		lost := rapid.IntRange(0, len(sent)).Draw(rt, "lost")
		for i := range sent {
			if i > lost+1 {
				if _, ok := a.Awaits(0); ok {
					rt.Fatalf("response %d is lost, %d came behind it, and the next is awaited", lost, i-lost-1)
				}
			} else if got, want := awaited(a), sent[min(i, lost):]; !sameResponses(got, want) {
				rt.Fatalf("after %d responses %v are awaited, and the peer sends %v", i, got, want)
			}
			if i != lost {
				a.Receive(0, &sent[i], &batch)
				batch.Reset()
			}
		}
	})
}

// awaited is the PSNs and offsets of all responses that are awaited.
func awaited(q *QP) (all [][2]uint32) {
	for i := 0; ; i++ {
		a, ok := q.Awaits(i)
		if !ok {
			return all
		}
		for ; a.Offset < a.Length; a.Offset += a.MTU {
			all = append(all, [2]uint32{uint32(a.PSN), a.Offset})
			a.PSN = a.PSN.Add(1)
		}
	}
}

func sameResponses(got [][2]uint32, want []Packet) bool {
	if len(got) != len(want) {
		return false
	}
	for i, p := range want {
		if got[i] != [2]uint32{uint32(p.PSN), p.Offset} {
			return false
		}
	}
	return true
}

// Before its request is sent, and after the queue pair has ended, no response is awaited.
func TestNothingIsAwaitedOfAReadThatIsNotInFlight(t *testing.T) {
	a, _ := pair(t, &Config{PathMTU: 16}, RC)
	if err := a.PostSend(0, WorkRequest{ID: 1, Op: OpRead, Length: 40}); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Awaits(0); ok {
		t.Error("responses to a request that has not been sent are awaited")
	}
	var p Packet
	var b Batch
	a.Next(0, &p)
	if got, ok := a.Awaits(0); !ok || got != (Awaited{ID: 1, PSN: 100, Length: 40, MTU: 16}) {
		t.Errorf("%+v, %v is awaited, want 40 bytes of READ 1 from PSN 100 on", got, ok)
	}
	a.BecomeErr(&b)
	if _, ok := a.Awaits(0); ok {
		t.Error("a queue pair that has ended awaits responses")
	}
}

// Responses taken at once leave the state that they leave one by one. Those that end a READ, or that something else is
// awaited before, are not taken, and change nothing.
func TestResponsesTakenAtOnceAreAsTakenOneByOne(t *testing.T) {
	const mtu = 16
	rapid.Check(t, func(rt *rapid.T) {
		flow := &FlowControl{Initial: 16, Most: 64, FirstTimeout: units.Second, LeastTimeout: units.Millisecond}
		cfg := &Config{PathMTU: mtu, RetryTimeout: units.Second, RetryCount: 1, Delivery: SelectiveHeld, ImplicitRecv: true, Flow: flow}
		lengths := rapid.SliceOfN(rapid.IntRange(1, 8*mtu), 1, 2).Draw(rt, "lengths")
		var ends [2]*QP
		var responses []Packet
		var b Batch
		for i := range ends {
			a, peer := pair(t, cfg, RC)
			ends[i], responses = a, nil
			for id, n := range lengths {
				if err := a.PostSend(0, WorkRequest{ID: uint64(id), Op: OpRead, Length: uint32(n)}); err != nil {
					rt.Fatal(err)
				}
			}
			var p Packet
			for a.Next(0, &p) {
				peer.Receive(0, &p, &b)
			}
			for peer.Next(0, &p) {
				responses = append(responses, p)
			}
		}
		single, many := ends[0], ends[1]
		from := rapid.IntRange(0, len(responses)-1).Draw(rt, "taken before")
		n := rapid.IntRange(1, len(responses)-from).Draw(rt, "taken at once")
		for i := range from {
			for _, q := range ends {
				p := responses[i]
				q.Receive(1, &p, &b)
			}
		}
		if many.TakeAwaited(2, responses[from].PSN.Add(1), 1) {
			rt.Fatal("a response behind the awaited one was taken")
		}
		ended := false
		for i := range n {
			ended = ended || responses[from+i].Op.Last()
		}
		if taken := many.TakeAwaited(2, responses[from].PSN, int32(n)); taken == ended {
			rt.Fatalf("taken: %v, and the end of a READ is among them: %v", taken, ended)
		}
		for i := 0; i < n && !ended; i++ {
			p := responses[from+i]
			single.Receive(2, &p, &b)
		}
		if got, want := awaited(many), awaited(single); !slices.Equal(got, want) {
			rt.Fatalf("%v are awaited, and one by one %v", got, want)
		}
		if got, want := [...]any{many.Outstanding(), many.NextTimeout(), many.RetransmitAt(), many.Ready(2)}, [...]any{single.Outstanding(), single.NextTimeout(), single.RetransmitAt(), single.Ready(2)}; got != want {
			rt.Fatalf("in flight and deadlines are %v, and one by one %v", got, want)
		}
	})
}
