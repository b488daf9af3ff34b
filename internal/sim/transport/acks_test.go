package transport

import (
	"testing"

	"weft/units"
	"weft/wire"
)

func TestALastingGapDrawsOneNAKAnInterval(t *testing.T) {
	const us = units.Microsecond
	for _, c := range []struct {
		interval units.Time
		want     int // at 0, 5, 10, 15 and 20 us
	}{{0, 1}, {10 * us, 3}, {1, 5}} {
		e := &endpoint{cfg: &Config{NAKInterval: c.interval}}
		var a acks
		var b Batch
		for now := units.Time(0); now <= 20*us; now += 5 * us {
			a.gap(e, now, &b)
		}
		if len(b.Packets) != c.want {
			t.Errorf("an interval of %v: %d NAKs, want %d", c.interval, len(b.Packets), c.want)
		}
		a.step(e) // the gap is filled: the next one draws a NAK at once
		if a.gap(e, 20*us, &b); len(b.Packets) != c.want+1 {
			t.Errorf("an interval of %v: %d NAKs with the next gap, want %d", c.interval, len(b.Packets), c.want+1)
		}
	}
}

// A receiver that is not ready sends one RNR NAK: it drops the following packets in silence
// until the refused packet comes again.
func TestAnRNRNAKSilencesTheNAKsOfGaps(t *testing.T) {
	e := &endpoint{cfg: &Config{NAKInterval: 1, RNRTimer: 3}}
	var a acks
	var b Batch
	a.notReady(e, &b)
	a.gap(e, units.Second, &b)
	if len(b.Packets) != 1 || b.Packets[0].Syndrome != wire.RNRNAK(3) || b.Refusals.RNRNAKs != 1 {
		t.Errorf("answers %+v, want the RNR NAK alone", b.Packets)
	}
}

// A NAK that waits behind the responses of a READ becomes an acknowledgement when the missing
// packet has come.
func TestANAKThatWaitsIsWithdrawnWhenThePacketComes(t *testing.T) {
	for _, sent := range []bool{false, true} { // whether the READ's response has gone
		q, _ := pair(t, &Config{PathMTU: 16, AckEvery: 1, ImplicitRecv: true}, RC)
		var b Batch
		var p Packet
		q.Receive(0, &Packet{Op: wire.RCReadRequest, PSN: 200, DMALen: 16}, &b)
		q.Receive(0, &Packet{Op: wire.RCWriteOnly, PSN: 202, Length: 16, DMALen: 16}, &b)
		if len(b.Packets) != 0 {
			t.Fatalf("answers overtake the READ's response: %+v", b.Packets)
		}
		if sent && (!q.Next(0, &p) || p.Op != wire.RCReadResponseOnly) {
			t.Fatalf("the first packet is %v, want the READ's response", p.Op)
		}
		q.Receive(0, &Packet{Op: wire.RCWriteOnly, PSN: 201, Length: 16, DMALen: 16, Flags: FlagAckReq}, &b)
		if !sent && (!q.Next(0, &p) || p.Op != wire.RCReadResponseOnly) {
			t.Fatalf("the first packet is %v, want the READ's response", p.Op)
		}
		if !q.Next(0, &p) || p.Syndrome != wire.ACKNoLimit || p.PSN != 201 {
			t.Errorf("behind the response goes %v for PSN %d, want the acknowledgement of 201", p.Syndrome, p.PSN)
		}
		if q.Next(0, &p) {
			t.Errorf("then goes %v, want nothing", p.Op)
		}
	}
}

// One acknowledgement carries a mark back; without an echo CNPs do, one each interval.
func TestAMarkIsAnsweredOnce(t *testing.T) {
	var b Batch
	var a acks
	e := &endpoint{cfg: &Config{Marks: MarksAcked, AckEvery: 100}}
	send := &ops[wire.RCSendOnly]
	if a.ackDue(e) {
		t.Error("an acknowledgement is due without a packet")
	}
	a.marked(e, 0, send, &b)
	if !a.ackDue(e) {
		t.Error("no acknowledgement is due after a marked packet")
	}
	a.ack(e, &b)
	a.ack(e, &b)
	if len(b.Packets) != 2 || b.Packets[0].Flags != FlagCNP || b.Packets[1].Flags != 0 {
		t.Errorf("the acknowledgements are %+v, want a mark in the first alone", b.Packets)
	}

	b.Reset()
	e.cfg = &Config{CNPInterval: 10}
	for now := range units.Time(25) {
		a.marked(e, now, send, &b)
		a.marked(e, now, &ops[wire.RCAcknowledge], &b) // draws nothing
	}
	if len(b.Packets) != 3 || b.Packets[0].Op != wire.CNP {
		t.Errorf("25 marked packets draw %d CNPs, want 3", len(b.Packets))
	}
}
