package sniff

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"weft/internal/test/wiretest"
	"weft/wire"
	"weft/wire/pcap"
)

// record is a frame in a record of an Endace card, with extension headers.
func record(kind byte, extensions int, frame []byte) []byte {
	head := make([]byte, erfBytes)
	head[8] = kind
	if extensions > 0 {
		head[8] |= erfMore
	}
	for i := range extensions {
		e := make([]byte, erfExtension)
		if i < extensions-1 {
			e[0] = erfMore
		}
		head = append(head, e...)
	}
	binary.BigEndian.PutUint16(head[14:], uint16(len(frame)))
	if erfEthernet[kind] {
		head = append(head, make([]byte, erfPad)...)
	}
	return append(head, frame...)
}

// A capture of RoCE v2 by an Endace card says what a capture by tcpdump says.
func TestACaptureCardsRecordsAreReadAsTheirFrames(t *testing.T) {
	file := wiretest.Captures(t)["cm_ib_send_R.pcap"]
	plain, card := NewTracker(), NewTracker()
	for i, p := range wiretest.Packets(t, bytes.NewReader(file)) {
		plain.Take(&p)
		p.Data = record(2, i%3, p.Data)
		p.Link, p.Length = pcap.ERF, len(p.Data)
		card.Take(&p)
	}
	if card.Packets == 0 || card.Packets != plain.Packets || card.Counts != plain.Counts || len(card.Flows()) != len(plain.Flows()) {
		t.Errorf("%d packets, %+v by the card; %d, %+v by tcpdump", card.Packets, card.Counts, plain.Packets, plain.Counts)
	}
}

func TestWhatIsNotDecodedIsCountedByItsKind(t *testing.T) {
	roce1 := (&wire.EthernetHeader{Type: wire.EtherTypeRoCEv1}).AppendTo(nil)
	tagged := (&wire.EthernetHeader{Tagged: true, Type: wire.EtherTypeRoCEv1}).AppendTo(nil)
	for _, c := range []struct {
		name string
		link pcap.LinkType
		data []byte
		want Foreign
	}{
		{"an LRH", pcap.InfiniBand, make([]byte, 64), InfiniBand},
		{"a card's InfiniBand", pcap.ERF, record(erfInfiniBand, 1, make([]byte, 64)), InfiniBand},
		{"a card's link of InfiniBand", pcap.ERF, record(erfInfiniBandLink, 0, make([]byte, 64)), InfiniBand},
		{"a card's ATM", pcap.ERF, record(3, 0, make([]byte, 64)), OtherLink},
		{"RoCE v1", pcap.Ethernet, append(roce1, make([]byte, 64)...), RoCEv1},
		{"RoCE v1 in a VLAN", pcap.Ethernet, append(tagged, make([]byte, 64)...), RoCEv1},
		{"RoCE v1 by a card", pcap.ERF, record(2, 0, append(roce1, make([]byte, 64)...)), RoCEv1},
		{"Wi-Fi", 105, make([]byte, 64), OtherLink},
		{"a short frame", pcap.Ethernet, make([]byte, 8), NotForeign},
		{"a short record", pcap.ERF, make([]byte, 8), NotForeign},
	} {
		tr := NewTracker()
		if _, ok := tr.Take(&pcap.Packet{Link: c.link, Data: c.data, Length: len(c.data)}); ok || tr.Other != 1 || tr.Foreign[c.want] != 1 {
			t.Errorf("%s is counted as %v, want one of %v", c.name, tr.Foreign, strings.TrimSpace(c.want.String()))
		}
	}
}
