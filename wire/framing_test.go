package wire

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
)

// A capture on a tap has neither gap nor FCS, and the kernel does not pad.
func TestRoCEv2PacketsAreAsLongAsThoseOfLinux(t *testing.T) {
	file, err := os.Open("testdata/roce_lengths.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packets := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "capture\t") {
			continue
		}
		var capture string
		var number, opcode, ip, payload, udp, frame int
		if _, err := fmt.Sscan(line, &capture, &number, &opcode, &ip, &payload, &udp, &frame); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		packets++
		op, framing := Opcode(opcode), EthernetFraming{IPv6: ip == 6}
		where := fmt.Sprintf("%s packet %d, %v with %d bytes", capture, number, op, payload)
		if got := UDPBytes + op.HeaderBytes() + padded(payload) + ICRCBytes; got != udp {
			t.Errorf("%s: UDP length %d, captured %d", where, got, udp)
		}
		want := max(frame+FCSBytes, EthernetMinFrame) + EthernetGapBytes
		if got := RoCEv2Bytes(op, payload, framing); got != want {
			t.Errorf("%s: %d bytes on the cable, captured %d", where, got, want)
		}
	}
	if packets != 84 {
		t.Errorf("%d packets compared, want 84", packets)
	}
}

// The UDP payload of a CNP, from a public vendor article ("RoCEv2 CNP Packet
// Format Example", 2018).
func TestACongestionNotificationIsAsLongAsARealOne(t *testing.T) {
	packet, err := hex.DecodeString("8100ffff400000d200000000" + "00000000000000000000000000000000" + "e42dad81")
	if err != nil {
		t.Fatal(err)
	}
	if op := Opcode(packet[0]); op != CNP || op.HeaderBytes()+ICRCBytes != len(packet) {
		t.Errorf("%v has %d bytes, the real packet %d", op, op.HeaderBytes()+ICRCBytes, len(packet))
	}
	if got, want := RoCEv2Bytes(CNP, 0, EthernetFraming{}), 14+20+8+12+16+4+4+8+12; got != want {
		t.Errorf("a CNP takes %d bytes on the cable, want %d", got, want)
	}
}

func TestFramingIsTheArithmeticOfTheSpecs(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"InfiniBand WRITE middle, MTU 4096", InfiniBandBytes(RCWriteMiddle, 4096, false), 8 + 12 + 4096 + 4 + 2},
		{"InfiniBand WRITE first, MTU 4096", InfiniBandBytes(RCWriteFirst, 4096, false), 8 + 12 + 16 + 4096 + 4 + 2},
		{"InfiniBand SEND of 1 byte is padded", InfiniBandBytes(RCSendOnly, 1, false), 8 + 12 + 4 + 4 + 2},
		{"InfiniBand acknowledgement", InfiniBandBytes(RCAcknowledge, 0, false), 8 + 12 + 4 + 4 + 2},
		{"InfiniBand SMP: UD with a MAD", InfiniBandBytes(UDSendOnly, 256, false), 8 + 12 + 8 + 256 + 4 + 2},
		{"InfiniBand UD with GRH", InfiniBandBytes(UDSendOnly, 256, true), 8 + 40 + 12 + 8 + 256 + 4 + 2},
		{"InfiniBand flow control", InfiniBandFlowControlBytes, (4+12+4+12)/8 + 2},
		{"RoCE v2 WRITE middle, MTU 4096", RoCEv2Bytes(RCWriteMiddle, 4096, EthernetFraming{}), 4096 + 82},
		{"RoCE v2 over IPv6 with a tag", RoCEv2Bytes(RCWriteMiddle, 4096, EthernetFraming{VLAN: true, IPv6: true}), 14 + 4 + 40 + 8 + 12 + 4096 + 4 + 4 + 8 + 12},
		{"RoCE v2 acknowledgement", RoCEv2Bytes(RCAcknowledge, 0, EthernetFraming{}), 14 + 20 + 8 + 12 + 4 + 4 + 4 + 8 + 12},
		{"RoCE v2 SEND of nothing is a minimum frame", RoCEv2Bytes(RCSendOnly, 0, EthernetFraming{}), 64 + 8 + 12},
		{"a tag fills the minimum frame", RoCEv2Bytes(RCSendOnly, 0, EthernetFraming{VLAN: true}), 66 + 8 + 12},
		{"RoCE v1 WRITE middle, MTU 4096", RoCEv1Bytes(RCWriteMiddle, 4096, false), 14 + 40 + 12 + 4096 + 4 + 4 + 8 + 12},
		{"RoCE v1 acknowledgement with a tag", RoCEv1Bytes(RCAcknowledge, 0, true), 14 + 4 + 40 + 12 + 4 + 4 + 4 + 8 + 12},
		{"PFC", PFCBytes, 64 + 8 + 12},
		{"TCP with 1448 bytes fills an MTU of 1500", TCPSegmentBytes(1448, EthernetFraming{}), 14 + 1500 + 4 + 8 + 12},
		{"TCP acknowledgement", TCPSegmentBytes(0, EthernetFraming{}), 14 + 20 + 20 + 12 + 4 + 8 + 12},
		{"TCP is not padded", TCPSegmentBytes(1, EthernetFraming{IPv6: true}), 14 + 40 + 20 + 12 + 1 + 4 + 8 + 12},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, c.got, c.want)
		}
	}
}

// The length of a packet in the LRH counts words of 4 bytes, VCRC excluded.
func TestAnInfiniBandPacketIsWholeWordsAndTheVCRC(t *testing.T) {
	for op := range wantHeaderBytes {
		for payload := range 70 {
			if n := InfiniBandBytes(op, payload, payload%2 == 0); n%4 != VCRCBytes {
				t.Errorf("%v with %d bytes: %d bytes", op, payload, n)
			}
		}
	}
}

func TestTheLengthOfAPacketAllocatesNothing(t *testing.T) {
	total := 0
	allocations := testing.AllocsPerRun(100, func() {
		total += InfiniBandBytes(RCWriteMiddle, 4096, false) + RoCEv2Bytes(RCWriteMiddle, 4096, EthernetFraming{})
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func BenchmarkRoCEv2Bytes(b *testing.B) {
	total := 0
	for b.Loop() {
		total += RoCEv2Bytes(RCWriteMiddle, 4096, EthernetFraming{VLAN: true})
	}
}
