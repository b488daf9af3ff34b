package fabric_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// fullUET and trimmedUET are the bytes of a full and of a trimmed packet of Ultra
// Ethernet on the wire.
const (
	fullUET    = 4096 + 122
	trimmedUET = 148
)

// ultraEthernet sets NICs and switches for Ultra Ethernet: data in class 0, trimmed
// packets in 1, control in 2; a port holds this number of full packets of data.
func ultraEthernet(packets int32) func(*fabric.Builder, *fabric.NIC, *fabric.EthernetSwitch) {
	return func(b *fabric.Builder, nic *fabric.NIC, sw *fabric.EthernetSwitch) {
		b.Classes = 3
		nic.PFC, sw.PFC = fabric.PFC{}, fabric.PFC{}
		for op := range nic.Overhead {
			nic.Overhead[op] = 122
		}
		nic.Overhead[transport.SelectiveAck], nic.Overhead[transport.Nack] = 110, 84
		c := nic.Transport
		c.Delivery, c.EntropyValues, c.MaxOutstandingPackets = transport.Unordered, 256, transport.MaxReorder
		c.Marks, c.RetryTimeout = transport.MarksAcked, units.Millisecond
		sw.ECN[0] = marking.ECN{}
		sw.EgressNum, sw.EgressDen, sw.AlphaDen = 1, 1, 1
		sw.EgressLimit[0], sw.EgressLimit[1] = packets*fullUET, 1000*trimmedUET
		sw.Trim = fabric.Trim{Classes: 1, To: 1, Bytes: trimmedUET}
		sw.Schedule = arbitration.Schedule{Strict: 1 << 2, Weights: [8]int32{3 * 4200, 4200}}
	}
}

// losses is a congestion control with a fixed window that counts reported losses.
type losses struct {
	cc.Fixed
	trims int64
	lost  units.Bytes
}

func (l *losses) Acked(_ units.Time, a cc.Ack, _ *cc.Allowance) {
	l.lost += a.Lost
	if a.Trimmed {
		l.trims++
	}
}

// sprayTo posts a message of unordered delivery.
func sprayTo(f *flows, n *fabric.Network, from, to int32, size uint32, alg cc.Algorithm) error {
	id := uint64(len(f.done))
	f.done = append(f.done, units.Forever)
	c := fabric.Connection{Entropy: uint32(id), CC: alg, Reply: 2, CNP: 2}
	back := c
	back.CC = cc.NewFixed(1 << 30)
	qp, _, err := n.Connect(from, to, c, back)
	if err != nil {
		return err
	}
	return n.Partition(from).Post(from, qp, transport.WorkRequest{ID: id, Op: transport.OpWrite, Length: size})
}

// Sixteen to one through a port that holds ten packets: packets that do not fit are
// trimmed, exactly these are reported and sent again, nothing is dropped, and all messages
// arrive.
func TestPacketsWithoutRoomAreTrimmedAndSentAgainAlone(t *testing.T) {
	g, err := topology.SingleSwitch{Endpoints: 17, NodeNICs: 1, Radix: 17}.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := &flows{}
	n, err := buildWith(g, f, ultraEthernet(10))
	if err != nil {
		t.Fatal(err)
	}
	var told losses
	told.Fixed = cc.NewFixed(1 << 30)
	algs := make([]losses, 16)
	for i := range algs {
		algs[i].Fixed = told.Fixed
		if err := sprayTo(f, n, int32(i+1), 0, 40*4096, &algs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	if left := f.unfinished(); left > 0 {
		t.Fatalf("%d of 16 messages are not there", left)
	}
	for i := range algs {
		told.trims += algs[i].trims
		told.lost += algs[i].lost
	}
	s := n.Stats()
	if s.Trimmed == 0 || s.Trimmed != n.Retransmissions() || s.Trimmed != told.trims || units.Bytes(4096*s.Trimmed) != told.lost {
		t.Errorf("%d packets were trimmed, %d sent again, %d reported with %d bytes", s.Trimmed, n.Retransmissions(), told.trims, told.lost)
	}
	if s.Dropped[counts.DropBuffer] != 0 || s.LostBytes != s.Trimmed*(fullUET-trimmedUET) {
		t.Errorf("%d packets dropped, %d bytes lost, want none and the bytes of the trimmed payloads", s.Dropped[counts.DropBuffer], s.LostBytes)
	}
}

// If trimmed packets have no room either, they are dropped; the timeout repairs it.
func TestTrimmedPacketsWithoutRoomAreDropped(t *testing.T) {
	g, err := topology.SingleSwitch{Endpoints: 9, NodeNICs: 1, Radix: 9}.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := &flows{}
	n, err := buildWith(g, f, func(b *fabric.Builder, nic *fabric.NIC, sw *fabric.EthernetSwitch) {
		ultraEthernet(4)(b, nic, sw)
		sw.EgressLimit[1] = 2 * trimmedUET
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(8) {
		if err := sprayTo(f, n, i+1, 0, 20*4096, cc.NewFixed(1<<30)); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	s := n.Stats()
	if f.unfinished() > 0 || s.Dropped[counts.DropBuffer] == 0 || s.Trimmed == 0 {
		t.Errorf("%d messages are missing, %d packets dropped, %d trimmed; want none, some and some", f.unfinished(), s.Dropped[counts.DropBuffer], s.Trimmed)
	}
}

// One message of 256 packets over eight spines: with an entropy value for each every
// uplink of the leaf carries some, and without spraying one carries all.
func TestEntropyValuesSprayAMessageOverAllPaths(t *testing.T) {
	g, err := topology.TwoLevel{Endpoints: 16, NodeNICs: 1, Radix: 16, LeafEndpoints: 8, Spines: 8, Oversubscription: topology.Ratio{Down: 1, Up: 1}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ values, most, least int }{{256, 60, 8}, {1, 256, 0}} {
		f := &flows{}
		n, err := buildRouted(g, f, fabric.ECMP, func(b *fabric.Builder, nic *fabric.NIC, sw *fabric.EthernetSwitch) {
			ultraEthernet(1000)(b, nic, sw)
			nic.Transport.EntropyValues = x.values
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := sprayTo(f, n, 0, 15, 256*4096, cc.NewFixed(1<<30)); err != nil {
			t.Fatal(err)
		}
		if n.Path(0, 0) != nil {
			t.Error("a sprayed message has one path")
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		used := 0
		for link := range int32(n.Links()) {
			from, to := n.LinkEnds(link)
			if from != 16 || to < 18 { // the first leaf's links to spines
				continue
			}
			packets := int(n.LinkBytes(link) / fullUET)
			if packets > x.most || packets < x.least {
				t.Errorf("of %d values an uplink carries %d packets, want %d to %d", x.values, packets, x.least, x.most)
			}
			if packets > 0 {
				used++
			}
		}
		if want := min(8, x.values); used != want {
			t.Errorf("of %d values %d uplinks are used, want %d", x.values, used, want)
		}
	}
}
