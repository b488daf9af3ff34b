package transport

import (
	"errors"
	"testing"

	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// TestEachDeliveryTakesAPacketAheadInItsWay gives a responder its second packet first.
func TestEachDeliveryTakesAPacketAheadInItsWay(t *testing.T) {
	const nak, ack, none = wire.NAKSequence, wire.ACKNoLimit, wire.Syndrome(0xff)
	for _, c := range []struct {
		delivery Delivery
		verdict  Verdict
		answer   wire.Syndrome
	}{
		{InOrder, Dropped, nak},
		{EndToEnd, Dropped, nak},
		{SelectiveHeld, Held, nak},
		{Selective, PlaceWrite, nak},
		{OutOfOrder, PlaceWrite, none},
		{WriteOnly, PlaceWrite, none},
		{Unordered, PlaceWrite, ack},
	} {
		cfg := &Config{
			PathMTU: 16, AckEvery: 1, RetryTimeout: units.Millisecond, RetryCount: 7, ImplicitRecv: true,
			Delivery: c.delivery, EntropyValues: 1, MaxOutstandingPackets: 100,
		}
		q, err := newQP(cfg, RC, 1, cc.NewFixed(1000))
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Connect(0, 2, 0, 0); err != nil {
			t.Fatal(err)
		}
		p := Packet{Op: wire.RCWriteOnly, PSN: 1, Length: 16, DMALen: 16, Flags: FlagAckReq}
		var b Batch
		verdict, answer := q.Receive(0, &p, &b), none
		if len(b.Packets) > 0 {
			answer = b.Packets[0].Syndrome
		}
		if verdict != c.verdict || answer != c.answer {
			t.Errorf("delivery %d: verdict %d and answer %#x, want %d and %#x", c.delivery, verdict, answer, c.verdict, c.answer)
		}
	}
}

// TestDuplicatesAreAnsweredAsTheConfigurationSays repeats a packet that does not ask,
// where every third packet is acknowledged.
func TestDuplicatesAreAnsweredAsTheConfigurationSays(t *testing.T) {
	for mode, want := range map[Duplicates][3]int{
		DuplicatesCounted: {0, 1, 0},
		DuplicatesAcked:   {1, 1, 1},
		DuplicatesDropped: {0, 0, 0},
	} {
		_, b := pair(t, &Config{PathMTU: 16, AckEvery: 3, ImplicitRecv: true, Duplicates: mode}, RC)
		var batch Batch
		p := Packet{Op: wire.RCWriteFirst, PSN: b.Expected(), Length: 16, DMALen: 32}
		b.Receive(0, &p, &batch)
		for i, n := range want {
			batch.Reset()
			again := p
			b.Receive(0, &again, &batch)
			if len(batch.Packets) != n {
				t.Errorf("duplicates %d: repetition %d draws %d answers, want %d", mode, i+1, len(batch.Packets), n)
			}
		}
	}
}

// TestMarksAreAnsweredAsTheConfigurationSays marks a packet that draws no acknowledgement
// of its own.
func TestMarksAreAnsweredAsTheConfigurationSays(t *testing.T) {
	for mode, want := range map[Marks][]wire.Opcode{
		MarksNotified: {wire.CNP},
		MarksEchoed:   nil,
		MarksAcked:    {wire.RCAcknowledge},
	} {
		_, b := pair(t, &Config{PathMTU: 16, AckEvery: 9, ImplicitRecv: true, Marks: mode}, RC)
		var batch Batch
		b.Receive(0, &Packet{Op: wire.RCWriteFirst, PSN: b.Expected(), Length: 16, DMALen: 32, Flags: FlagCE}, &batch)
		if len(batch.Packets) != len(want) || len(want) > 0 && (batch.Packets[0].Op != want[0] || batch.Packets[0].Flags&FlagCNP == 0) {
			t.Errorf("marks %d: answers %+v, want %v", mode, batch.Packets, want)
		}
	}
}

func TestUnknownModesAreRefused(t *testing.T) {
	for _, c := range []*Config{{Delivery: numDeliveries}, {Duplicates: numDuplicates}, {Marks: numMarks}} {
		c.PathMTU = 16
		if err := c.Check(); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v, want ErrConfig", c, err)
		}
	}
}
