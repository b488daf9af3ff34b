package transport

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// A caller that holds packets back when enough are in flight lets one more go behind a
// repetition: only by this packet the requester learns that the repetition was lost, too.
func TestOneNewPacketBehindARepetitionShowsThatItWasLost(t *testing.T) {
	s := newScript()
	do := func(commands ...string) {
		t.Helper()
		for _, c := range commands {
			if err := s.Command(strings.Fields(c)); err != nil {
				t.Fatalf("%s: %v", c, err)
			}
		}
	}
	want := func(when string, repeating, probing bool) {
		t.Helper()
		a := s.qp["a"]
		if a.Repeating() != repeating || a.Probing() != probing {
			t.Errorf("%s: repeating %v, probing %v, want %v and %v", when, a.Repeating(), a.Probing(), repeating, probing)
		}
	}
	do("new rc selective hold", "post a write len=8192")
	do("emit a 4", "drop 0")
	want("with a loss that is not known yet", false, false)
	do("deliver")
	want("when later packets have come", true, false)
	do("emit a 1", "drop 0")
	want("when the lost one was sent again", false, true)
	do("emit a 1")
	want("with a new packet behind it", false, false)
	if p := s.net[0].p; p.Flags&FlagAckReq == 0 {
		t.Error("the packet behind a repetition asks for no acknowledgement")
	}
	do("deliver")
	want("when that has come and the repetition has not", true, false)
	do("run")
	if now := s.now; now != 0 {
		t.Errorf("it took until %v: it waited for a timeout", now)
	}
	if n := s.qp["a"].Pending(); n != 0 {
		t.Errorf("%d work requests are not finished", n)
	}
}

// TestAPassSendsEachMissingPacketOnce has a requester alone. Packets arrive in any order;
// the twin is the set of packets that have arrived.
func TestAPassSendsEachMissingPacketOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "packets")
		r := requester{endpoint: endpoint{cfg: &Config{PathMTU: 16, Delivery: Selective}, state: StateRTS}}
		first := units.PSN(0).Add(-5) // the PSNs wrap
		r.begin(0, first)
		if err := r.post(0, WorkRequest{Op: OpWrite, Length: uint32(16 * n)}); err != nil {
			t.Fatal(err)
		}
		var p Packet
		for r.sendable() {
			r.nextRequest(0, &p)
		}
		came := map[int]bool{}
		last := 0
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(1, n-1), 1, n-1, rapid.ID[int]).Draw(t, "came") {
			came[i], last = true, max(last, i)
			r.scoreboard().refusedAhead(&r, 0, first.Add(int32(i)))
		}
		if got := r.outstanding(); got != int32(n-len(came)) {
			t.Fatalf("%d packets are outstanding, want %d", got, n-len(came))
		}
		for i := range last {
			if came[i] {
				continue
			}
			if !r.lost {
				t.Fatalf("nothing is lost, but packet %d has not come, and %d has", i, last)
			}
			if r.board.emit(&r, 0, &p); p.PSN != first.Add(int32(i)) {
				t.Fatalf("packet %d is sent again, want %d", p.PSN.Sub(first), i)
			}
		}
		if r.lost {
			t.Fatal("a packet counts as lost after all missing packets were sent again")
		}
	})
}
