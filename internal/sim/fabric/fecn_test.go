package fabric_test

import (
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// becns counts notifications and reacts to none.
type becns struct{ n int }

func (b *becns) Start(_ units.Time, a *cc.Allowance) cc.Wants {
	*a = cc.Free()
	return 0
}
func (b *becns) Notified(units.Time, *cc.Allowance)      { b.n++ }
func (b *becns) Acked(units.Time, cc.Ack, *cc.Allowance) {}
func (b *becns) Sent(units.Time, *cc.Allowance)          {}
func (b *becns) Timer(units.Time, *cc.Allowance)         {}

// marked runs an incast of NICs 2 (on the far switch) and 3 to 6 on NIC 0, with
// a victim from NIC 1 on the far switch to NIC 7, and gives the notifications
// that the victim and the far contributor get, and all marks.
func marked(t *testing.T, f marking.FECN) (toVictim, toContributor int, marks int64) {
	t.Helper()
	const victim, contributor, near, far = 1, 2, 8, 9
	nic := infinibandNIC()
	nic.Transport.Marks = transport.MarksAcked
	sw := &fabric.InfiniBandSwitch{Pipeline: 200 * ns, Credits: credits(), ReadPorts: 2, FECN: f}
	b := fabric.Builder{Classes: 1, Seed: 1, App: &later{t: t}, Tables: &routing.Tables{Endpoints: 8, Switches: 2, Port: []uint16{
		0, 8, 8, 3, 4, 5, 6, 7, // near: port 8 leads to the far switch
		0, 1, 2, 0, 0, 0, 0, 0, // far: port 0 leads to the near one
	}}}
	for range 8 {
		b.NIC("nic", 1, nic)
	}
	b.InfiniBandSwitch("near", 9, 0, fabric.Static, sw)
	b.InfiniBandSwitch("far", 3, 1, fabric.Static, sw)
	rate := (400 * units.Gbps).PerByte()
	for i := range int32(8) {
		s := int32(near)
		if i == victim || i == contributor {
			s = far
		}
		b.Cable(i, 0, s, i, rate, 100*ns)
	}
	b.Cable(near, 8, far, 0, rate, 100*ns)
	n, err := b.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	var heard [7]becns
	for i := int32(victim); i < 7; i++ {
		to := int32(0)
		if i == victim {
			to = 7
		}
		qp, _, err := n.Connect(i, to, fabric.Connection{CC: &heard[i]}, fabric.Connection{})
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Partition(i).Post(i, qp, transport.WorkRequest{Op: transport.OpSend, Length: 4 << 20}); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	return heard[victim].n, heard[contributor].n, n.Stats().Marked
}

// The link between the switches is as full as the hot port, but for want of
// credits: the link is a victim of the congestion, and so is the flow that only
// crosses it. At the start there are credits, two NICs at line rate send more
// than the link can carry, and the link is a root: 2048 credits are 31 packets,
// and as many again pass until the hot port has stopped them.
func TestOnlyTheRootOfCongestionMarks(t *testing.T) {
	f := marking.FECN{Threshold: 8 << 10}
	toVictim, toContributor, marks := marked(t, f)
	if toVictim > 62 || toContributor < 1000 {
		t.Errorf("of 1024 packets each the victim got %d notifications and the contributor %d, want at most 62 and almost all", toVictim, toContributor)
	}
	f.Victims = true
	if both, _, more := marked(t, f); both < 1000 || more <= marks {
		t.Errorf("with the victim mask the victim got %d notifications of %d marks, want almost 1024, and more than %d", both, more, marks)
	}
}

// Five senders of 1024 packets keep the hot port above its threshold from the
// first packets to the last: nearly all are marked, and with a rate of 15 one in
// sixteen. Each of the two marking outputs has a count of its own.
func TestAMarkingRateOf15MarksOnePacketIn16(t *testing.T) {
	_, _, all := marked(t, marking.FECN{Threshold: 8 << 10})
	if all < 5*1024-40 || all > 5*1024+62 {
		t.Fatalf("%d marks, want about 5120", all)
	}
	_, _, some := marked(t, marking.FECN{Threshold: 8 << 10, MarkingRate: 15})
	if some < all/16-2 || some > all/16+2 {
		t.Errorf("%d marks, want one in 16 of %d", some, all)
	}
	if _, _, none := marked(t, marking.FECN{Threshold: 8 << 10, PacketSize: 5000}); none != 0 {
		t.Errorf("%d marks, want none: no packet is as large", none)
	}
	if _, _, none := marked(t, marking.FECN{}); none != 0 {
		t.Errorf("%d marks by switches that do not mark", none)
	}
}
