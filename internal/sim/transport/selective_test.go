package transport

import (
	"strings"
	"testing"
)

// A caller that holds packets back when enough are in flight lets one more go behind a
// repetition: only by it the requester learns that the repetition was lost, too.
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
	want("with a loss that nobody knows of", false, false)
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
		t.Errorf("it took until %v: a timeout was waited for", now)
	}
	if n := s.qp["a"].Pending(); n != 0 {
		t.Errorf("%d work requests are not finished", n)
	}
}
