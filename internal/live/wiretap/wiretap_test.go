package wiretap

import (
	"bytes"
	"testing"

	"weft/wire"
)

// frame is an Ethernet frame with a UDP datagram.
func frame(v6 bool, id uint16, payload []byte) []byte {
	b := append(make([]byte, 12), 0x08, 0x00)
	size := uint16(wire.UDPBytes + len(payload))
	if v6 {
		b[12], b[13] = 0x86, 0xdd
		h := wire.IPv6Header{Length: size, NextHeader: wire.ProtocolUDP, HopLimit: 64}
		b = h.AppendTo(b)
	} else {
		h := wire.IPv4Header{Length: wire.IPv4Bytes + size, ID: id, Flags: wire.DontFragment, TTL: 64, Protocol: wire.ProtocolUDP}
		b = h.AppendTo(b)
	}
	u := wire.UDPHeader{Src: 1, Dst: wire.RoCEv2Port, Length: size}
	return append(u.AppendTo(b), payload...)
}

func TestALargeDatagramIsCutAsTheWireCutsIt(t *testing.T) {
	payload := make([]byte, 2500)
	for i := range payload {
		payload[i] = byte(i * 7)
	}
	for _, v6 := range []bool{false, true} {
		var got [][]byte
		split(frame(v6, 65535, payload), 1000, func(b []byte) { got = append(got, b) })
		want := [][]byte{frame(v6, 65535, payload[:1000]), frame(v6, 0, payload[1000:2000]), frame(v6, 1, payload[2000:])}
		if len(got) != len(want) {
			t.Fatalf("IPv6 %v: %d frames, want %d", v6, len(got), len(want))
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("IPv6 %v: frame %d is\n%x, want\n%x", v6, i, got[i][:60], want[i][:60])
			}
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(frame(false, 1, make([]byte, 100)), 30)
	f.Add(frame(true, 1, make([]byte, 100)), 0)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		total := 0
		split(b, size, func(one []byte) { total += len(one) })
		if len(b) > 0 && total == 0 && size <= 0 {
			t.Error("a frame vanished")
		}
	})
}
