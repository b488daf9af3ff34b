package adapter

import (
	"testing"

	"pgregory.net/rapid"

	"weft/internal/sim/transport/tcp"
	"weft/units"
	"weft/wire"
)

// framedByHand is the TCP payload of a message: its units one by one, each padded, then
// the notice of a WRITE.
func framedByHand(payload, unit int, sends bool) (bytes, segments int) {
	header := 14
	if sends {
		header = 18
	}
	last := 0
	for rest, first := payload, true; rest > 0 || first; first = false {
		n := min(rest, unit-2-header-4)
		rest -= n
		last = 2 + header + n
		last += -last & 3
		last += 4
		bytes += last
		segments++
	}
	if !sends {
		bytes += 2 + 18 + 4
		if last+2+18+4 > unit {
			segments++
		}
	}
	return bytes, segments
}

// A message takes the TCP payload and the segments of its units one by one, and has its
// length again at the other end.
func TestAMessageOfIWARPIsItsUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := MPA{
			Unit:  uint16(wire.MPAUnit(rapid.IntRange(536, 9000).Draw(t, "emss"), rapid.Bool().Draw(t, "room for markers"))),
			Sends: rapid.Bool().Draw(t, "sends"),
		}
		payload := rapid.IntRange(0, 100_000).Draw(t, "payload")
		stream := m.Stream(units.Bytes(payload))
		got, segments := 0, 0
		for rest := uint64(stream); rest > 0; segments++ {
			s := tcp.Segment{Length: uint16(min(rest, uint64(m.Unit)))}
			if rest -= uint64(s.Length); rest == 0 {
				s.Flags = tcp.FlagPSH
			}
			got += int(s.Length + m.Overhead(&s))
		}
		if want, n := framedByHand(payload, int(m.Unit), m.Sends); got != want || segments != n {
			t.Fatalf("%d bytes take %d in %d segments, want %d in %d", payload, got, segments, want, n)
		}
		if back := m.Payload(stream); back != units.Bytes(payload) {
			t.Fatalf("%d bytes come back as %d", payload, back)
		}
	})
}

// A stream with markers repeats blocks of 512 bytes, whose first 4 are the marker.
func TestEvery512BytesHaveAMarker(t *testing.T) {
	m := MPA{Unit: 1000, Markers: true}
	at, total := uint64(0), uint64(0)
	for _, n := range []uint16{1, 507, 1, 999, 1000, 508, 4, 1000, 1000} {
		s := tcp.Segment{Seq: at, Length: n}
		at += uint64(n)
		total += uint64(n + m.Overhead(&s))
		want := uint64(0) // the bytes of a stream with markers that carries at bytes of data
		for others := uint64(0); others < at; want++ {
			if want%512 >= 4 {
				others++
			}
		}
		if total != want {
			t.Fatalf("%d bytes of units take %d with markers, want %d", at, total, want)
		}
	}
	if s := (tcp.Segment{}); m.Overhead(&s) != 0 {
		t.Error("an acknowledgement has a marker")
	}
}
