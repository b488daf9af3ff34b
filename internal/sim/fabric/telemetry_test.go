package fabric_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// listener keeps the acknowledgements and their paths.
type listener struct {
	becns
	wants cc.Wants
	acks  []cc.Ack
	paths []cc.Path
}

func (l *listener) Start(_ units.Time, a *cc.Allowance) cc.Wants {
	*a = cc.Free()
	return l.wants
}

func (l *listener) Acked(_ units.Time, ack cc.Ack, _ *cc.Allowance) {
	l.acks = append(l.acks, ack)
	if ack.Path != nil {
		l.paths = append(l.paths, *ack.Path)
	}
}

// TestAnAcknowledgementHasThePath compares the round trip, the switches and their
// telemetry with the sum of the parts, for one message of two packets that has the
// network to itself.
func TestAnAcknowledgementHasThePath(t *testing.T) {
	const payload, switches = 4096, 5
	const data, ack = payload + 14 + 20 + 8 + 12 + 4 + 4 + 20, 14 + 20 + 8 + 12 + 4 + 4 + 4 + 20 // on the wire; the first has a RETH, too
	const perByte, links, pipeline, propagation, nic = 20, switches + 1, 500 * ns, 100 * ns, 300 * ns
	f := &flows{}
	n := mustBuild(t, topology.KAry{K: 8}, "roce", f)
	l := &listener{wants: cc.WantAcks | cc.WantRTT | cc.WantPath}
	qp, _, err := n.Connect(0, 127, fabric.Connection{CC: l}, fabric.Connection{})
	if err != nil {
		t.Fatal(err)
	}
	f.done = []units.Time{0}
	if err := n.Partition(0).Post(0, qp, transport.WorkRequest{Op: transport.OpWrite, Length: 2 * payload}); err != nil {
		t.Fatal(err)
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	if len(l.acks) != 2 || len(l.paths) != 2 {
		t.Fatalf("%d acknowledgements with %d paths, want 2 of each", len(l.acks), len(l.paths))
	}
	first := units.Time(data+16+ack)*perByte + 2*(links*propagation+switches*pipeline+nic)
	for i, want := range []units.Time{first, first - 16*perByte} {
		if a := l.acks[i]; a.RTT != want || a.Hops != switches || a.Bytes != payload {
			t.Errorf("acknowledgement %d: round trip %d ps, %d switches, %d bytes, want %d, %d and %d", i, a.RTT, a.Hops, a.Bytes, want, switches, payload)
		}
	}
	for i, p := range l.paths {
		for j, h := range p.Hop[:p.N] {
			sent, at := units.Bytes(0), units.Time(j+1)*(propagation+pipeline)
			if i == 1 { // it follows the first without a gap
				sent, at = data+16, at+(data+16)*perByte
			}
			if want := (cc.Hop{At: at, Sent: sent, Rate: 400 * units.Gbps}); h != want {
				t.Errorf("packet %d, switch %d: %+v, want %+v", i, j, h, want)
			}
		}
	}
}

// An algorithm that wants acknowledgements alone gets neither the round trip nor
// the path.
func TestTelemetryIsGivenOnlyOnRequest(t *testing.T) {
	f := &flows{done: []units.Time{0}}
	n := mustBuild(t, topology.KAry{K: 4}, "roce", f)
	l := &listener{wants: cc.WantAcks}
	qp, _, err := n.Connect(0, 15, fabric.Connection{CC: l}, fabric.Connection{})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Partition(0).Post(0, qp, transport.WorkRequest{Op: transport.OpWrite, Length: 4096}); err != nil {
		t.Fatal(err)
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	if len(l.acks) != 1 || l.acks[0].RTT != 0 || l.acks[0].Hops != 0 || l.acks[0].Path != nil {
		t.Errorf("got %+v, want one acknowledgement without round trip and path", l.acks)
	}
}
