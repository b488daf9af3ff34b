package sniff

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"weft/internal/test/wiretest"
	"weft/wire"
	"weft/wire/cm"
	"weft/wire/pcap"
)

// packets are the packets of a real capture.
func packets(t *testing.T, name string) []pcap.Packet {
	t.Helper()
	return wiretest.Packets(t, bytes.NewReader(wiretest.Captures(t)[name]))
}

// taken are the anomalies found in packets, by name, and the flows.
func taken(all []pcap.Packet) (map[string]int64, *Tracker) {
	tr := NewTracker()
	for i := range all {
		tr.Take(&all[i])
	}
	found := map[string]int64{}
	tr.Counts.Each(func(one, _ string, n int64) { found[one] = n })
	return found, tr
}

// requests are the indices of the request packets.
func requests(all []pcap.Packet) (at []int) {
	tr := NewTracker()
	for i := range all {
		if e, ok := tr.Take(&all[i]); ok && e.Err == nil && !e.Packet.Packet.BTH.Opcode.Response() {
			at = append(at, i)
		}
	}
	return at
}

func TestAPacketThatIsOvertakenIsNoRetransmission(t *testing.T) {
	for _, name := range []string{"v_rc_write.pcap", "v_uc_sizes.pcap"} {
		all := packets(t, name)
		at := requests(all)
		a, b, c := at[2], at[3], at[4]
		all[a], all[b], all[c] = all[b], all[c], all[a] // the first of three comes last
		found, _ := taken(all)
		if found["packet out of order"] != 1 || found["retransmission"] != 0 || found["gap"] != 0 {
			t.Errorf("%s: found %v, want one packet out of order and no gap", name, found)
		}
	}
}

func TestReadResponsesThatAreOvertakenAreNotRepeated(t *testing.T) {
	all := packets(t, "rc_read.pcap")
	var at []int
	tr := NewTracker()
	for i := range all {
		if e, _ := tr.Take(&all[i]); e.Err == nil && e.Packet.Packet.BTH.Opcode == wire.RCReadResponseMiddle {
			at = append(at, i)
		}
	}
	all[at[0]], all[at[1]] = all[at[1]], all[at[0]]
	if found, _ := taken(all); found["packet out of order"] != 1 || found["repeated READ response"] != 0 || found["gap"] != 0 {
		t.Errorf("found %v, want one packet out of order", found)
	}
}

// A packet lost before the capture point is new to the capture when it is sent again. The NAK, or
// the time, separates it from an overtaken packet.
func TestASkippedPacketThatIsAskedForAgainIsARetransmission(t *testing.T) {
	all := packets(t, "v_rc_drop_middle_psnnak.pcap")
	want, _ := taken(all)
	first := map[uint32]int{} // by PSN
	tr := NewTracker()
	lost := -1
	for i := range all {
		e, ok := tr.Take(&all[i])
		if !ok || e.Err != nil || e.Packet.Packet.BTH.Opcode.Response() {
			continue
		}
		if e.Anomaly&Retransmission != 0 && lost < 0 {
			lost = first[uint32(e.Packet.Packet.BTH.PSN)]
		}
		first[uint32(e.Packet.Packet.BTH.PSN)] = i
	}
	if lost < 0 {
		t.Fatal("the capture has no retransmission")
	}
	without := slices.Delete(slices.Clone(all), lost, lost+1)
	if found, _ := taken(without); found["retransmission"] != want["retransmission"] || found["packet out of order"] != 0 || found["gap"] != 1 {
		t.Errorf("found %v, want %d retransmissions and a gap", found, want["retransmission"])
	}

	all = packets(t, "v_rc_write.pcap") // no NAK asks for a packet here: time alone decides
	at := requests(all)
	late := all[at[2]]
	late.TimeNs = all[at[3]].TimeNs + 2*reorderNs
	all[at[2]], all[at[3]] = all[at[3]], late
	if found, _ := taken(all); found["retransmission"] != 1 || found["gap"] != 1 {
		t.Errorf("found %v, want a gap and a retransmission", found)
	}
}

func TestALostPacketLosesAMessageOfUC(t *testing.T) {
	all := packets(t, "v_uc_sizes.pcap")
	for name, lost := range map[string]int{"alone in its message": 5, "in the middle": 13, "the first": 12, "the last": 11} {
		found, _ := taken(slices.Delete(slices.Clone(all), lost, lost+1))
		if found["lost UC message"] != 1 || found["gap"] != 1 {
			t.Errorf("a packet %s: found %v, want one lost message", name, found)
		}
	}
	if found, _ := taken(all[13:]); len(found) != 0 { // the capture begins inside a message
		t.Errorf("a capture that begins inside a message: %v", found)
	}
}

func TestHeadersAreReadOfPacketsThatAreCut(t *testing.T) {
	for _, name := range []string{"v_rc_sizes.pcap", "v_rc_drop_middle_psnnak.pcap", "v_rc_atomic.pcap"} {
		whole := packets(t, name)
		want, tr := taken(whole)
		for _, snap := range []int{82, 96, 128} {
			all := slices.Clone(whole)
			cut := int64(0)
			for i := range all {
				if len(all[i].Data) > snap {
					all[i].Data = all[i].Data[:snap]
					cut++
				}
			}
			found, got := taken(all)
			for _, n := range []string{"malformed packet", "bad ICRC", "retransmission", "NAK", "gap"} {
				if found[n] != want[n] {
					t.Errorf("%s, %d bytes: %d times %s, want %d", name, snap, found[n], n, want[n])
				}
			}
			if got.Cut != cut || len(got.Flows()) != len(tr.Flows()) || got.Flows()[0].Payload != tr.Flows()[0].Payload {
				t.Errorf("%s, %d bytes: %d cut, %d flows, payload %d; want %d, %d, %d", name, snap,
					got.Cut, len(got.Flows()), got.Flows()[0].Payload, cut, len(tr.Flows()), tr.Flows()[0].Payload)
			}
		}
		for snap := range 82 { // no read past the end
			all := slices.Clone(whole)
			for i := range all {
				all[i].Data = all[i].Data[:min(snap, len(all[i].Data))]
			}
			taken(all)
		}
	}
}

func TestRoCEIsFoundBehindTagsAndInTunnels(t *testing.T) {
	tag := func(b []byte, kind, vlan uint16) []byte {
		out := binary.BigEndian.AppendUint16(bytes.Clone(b[:12]), kind)
		return append(binary.BigEndian.AppendUint16(out, vlan), b[12:]...)
	}
	tunnel := func(b []byte) []byte { // an outer IPv4 and UDP header, then VXLAN's
		out := append(bytes.Clone(b[:12]), 0x08, 0x00)
		ip := wire.IPv4Header{TOS: 3, Length: uint16(wire.IPv4Bytes + wire.UDPBytes + vxlanBytes + len(b)), TTL: 9, Protocol: wire.ProtocolUDP}
		udp := wire.UDPHeader{Dst: vxlanPort, Length: uint16(wire.UDPBytes + vxlanBytes + len(b))}
		out = udp.AppendTo(ip.AppendTo(out))
		return append(append(out, vxlanValid, 0, 0, 0, 0, 0, 9, 0), b...)
	}
	sll2 := func(b []byte) []byte { return append(append(bytes.Clone(b[12:14]), make([]byte, 18)...), b[14:]...) }
	for name, c := range map[string]struct {
		link   pcap.LinkType
		wrap   func([]byte) []byte
		marked int64
	}{
		"two tags":          {pcap.Ethernet, func(b []byte) []byte { return tag(tag(b, 0x8100, 7), 0x88a8, 9) }, 0},
		"VXLAN":             {pcap.Ethernet, tunnel, 12},
		"a tag and VXLAN":   {pcap.Ethernet, func(b []byte) []byte { return tag(tunnel(tag(b, 0x8100, 1)), 0x8100, 2) }, 12},
		"cooked, version 2": {pcap.LinuxSLL2, sll2, 0},
	} {
		all := packets(t, "v_rc_imm.pcap")
		want, plain := taken(all)
		if plain.Packets == 0 || len(want) != 0 {
			t.Fatalf("%d packets, %v", plain.Packets, want)
		}
		for i := range all {
			all[i].Data, all[i].Link = c.wrap(all[i].Data), c.link
			all[i].Length = len(all[i].Data)
		}
		found, got := taken(all)
		marked := found["ECN mark"]
		if got.Packets != plain.Packets || len(got.Flows()) != len(plain.Flows()) || (marked > 0) != (c.marked > 0) || found["bad ICRC"] != 0 {
			t.Errorf("%s: %d packets, %d flows, %v; want %d and %d", name, got.Packets, len(got.Flows()), found, plain.Packets, len(plain.Flows()))
		}
	}
}

func TestTheConnectionManagersMessagesAreDecoded(t *testing.T) {
	kinds := map[string]int{}
	tr := NewTracker()
	for _, p := range packets(t, "cm_rping.pcap") {
		if e, ok := tr.Take(&p); ok && e.Manager != nil {
			kinds[e.Manager.Kind.String()]++
			if e.Manager.Kind == cm.AttrReq && (e.Manager.QPN == 0 || e.Manager.Service == 0 || e.Manager.Local == 0) {
				t.Errorf("a REQ says %+v", e.Manager)
			}
		}
	}
	for _, kind := range []string{"REQ", "REP", "RTU", "DREQ", "DREP"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s among %v", kind, kinds)
		}
	}
}

func TestARejectIsAnAnomalyWithItsReason(t *testing.T) {
	h := cm.Header{Transaction: 9, Attribute: cm.AttrRej}
	rej := cm.Rej{Local: 3, Remote: 4, Reason: cm.ReasonInvalidSvc}
	p := wire.RoCEv2{V4: wire.IPv4Header{TTL: 64, Src: [4]byte{10, 0, 0, 1}, Dst: [4]byte{10, 0, 0, 2}}, UDP: wire.UDPHeader{Dst: wire.RoCEv2Port}}
	p.Packet.BTH = wire.BTH{Opcode: wire.UDSendOnly, DestQP: managerQP, PKey: 0xffff}
	p.Packet.DETH = wire.DETHeader{QKey: 0x8001_0000, SrcQP: managerQP}
	p.Packet.Payload = rej.AppendTo(h.AppendTo(nil))
	b, err := p.AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	tr := NewTracker()
	e, ok := tr.Take(&pcap.Packet{Link: pcap.Raw, Data: b, Length: len(b)})
	if !ok || e.Anomaly != Rejected || e.Manager == nil {
		t.Fatalf("the event is %+v", e)
	}
	if got, want := e.Manager.String(), "CM REJ: invalid service ID, ID 0x3, peer's ID 0x4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzTake follows two packets of any kind: no packet stops the sniffer, and no payload is longer
// than its packet.
func FuzzTake(f *testing.F) {
	for name, file := range wiretest.Captures(f) {
		r, err := pcap.NewReader(bytes.NewReader(file))
		if err != nil {
			continue
		}
		var p pcap.Packet
		if r.Next(&p) == nil {
			first := bytes.Clone(p.Data)
			if r.Next(&p) == nil {
				f.Add(uint32(p.Link), first, bytes.Clone(p.Data), len(name))
			}
		}
	}
	f.Fuzz(func(t *testing.T, link uint32, a, b []byte, more int) {
		tr := NewTracker()
		for _, data := range [][]byte{a, b, a} {
			p := pcap.Packet{Link: pcap.LinkType(link), Data: data, Length: len(data) + max(0, more&1)}
			e, ok := tr.Take(&p)
			if ok && e.Err == nil && (e.Payload < 0 || !e.Cut && e.Payload > len(data)) {
				t.Fatalf("%d bytes of payload in %d", e.Payload, len(data))
			}
		}
	})
}
