package socket

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weft/units"
	"weft/wire"
)

const placedBytes = 4096

// expected is a forecast of middle responses to queue pair 77 from PSN 1000 on, with their places.
func expected(memory []byte) *Forecast {
	f := &Forecast{reads: -1}
	for i := range len(memory) / placedBytes {
		f.slots = append(f.slots, slot{
			op: wire.RCReadResponseMiddle, to: 77, psn: 1000 + units.PSN(i), head: wire.BTHBytes, bytes: placedBytes,
			memory: memory[i*placedBytes:][:placedBytes:placedBytes],
		})
	}
	return f
}

// response writes a packet as the forecast expects it, with a payload of one byte.
func responsePacket(to units.QPN, psn units.PSN, fill byte, n int) []byte {
	b := make([]byte, wire.BTHBytes+n+wire.ICRCBytes)
	b[0] = byte(wire.RCReadResponseMiddle)
	binary.BigEndian.PutUint32(b[4:], uint32(to))
	binary.BigEndian.PutUint32(b[8:], uint32(psn))
	for i := range n {
		b[wire.BTHBytes+i] = fill
	}
	copy(b[wire.BTHBytes+n:], "icrc")
	return b
}

// passed sends datagrams of packets and returns what a receiver with a forecast gets.
func passed(t *testing.T, f *Forecast, datagrams ...[][]byte) (in []Incoming, err error) {
	t.Helper()
	from, to := open(t, "127.0.0.1:0"), open(t, "127.0.0.1:0")
	for _, packets := range datagrams {
		if err := from.Send([]Outgoing{{To: to.Local(), Segment: len(packets[0]), Packets: len(packets), Parts: packets}}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond)
	to.(Placer).Expect(f)
	return to.Receive()
}

func TestPayloadThatIsExpectedLandsAtItsPlace(t *testing.T) {
	memory := make([]byte, 20*placedBytes)
	f := expected(memory)
	var first, second [][]byte
	for i := range 20 {
		p := responsePacket(77, 1000+units.PSN(i), byte('a'+i), placedBytes)
		if i < 13 {
			first = append(first, p)
		} else {
			second = append(second, p)
		}
	}
	in, err := passed(t, f, first, second)
	if err != nil || len(in) != 2 || len(in[0].placed) != 13 || len(in[1].placed) != 7 {
		t.Fatalf("%d datagrams, %v: want two, of 13 and 7 packets at their places", len(in), err)
	}
	for i := range 20 {
		if want := bytes.Repeat([]byte{byte('a' + i)}, placedBytes); !bytes.Equal(memory[i*placedBytes:][:placedBytes], want) {
			t.Errorf("at the place of packet %d lies %q…", i, memory[i*placedBytes:][:8])
		}
	}
	for i, rest := 0, in[1].Data; i < 7; i++ {
		p := second[i]
		if !bytes.Equal(rest[:wire.BTHBytes], p[:wire.BTHBytes]) || string(rest[len(p)-wire.ICRCBytes:len(p)]) != "icrc" {
			t.Errorf("headers or ICRC of packet %d are wrong", i)
		}
		rest = rest[len(p):]
	}
}

// A datagram other than the expected one is received whole; the next that is expected lands at its place.
func TestAnyOtherDatagramIsReceivedWhole(t *testing.T) {
	right := func(i units.PSN) []byte { return responsePacket(77, 1000+i, 'r', placedBytes) }
	for name, other := range map[string][][]byte{
		"of another queue pair":              {responsePacket(78, 1000, 'x', placedBytes)},
		"of another place":                   {responsePacket(77, 1001, 'x', placedBytes)},
		"an earlier one":                     {responsePacket(77, 999, 'x', placedBytes)},
		"shorter":                            {responsePacket(77, 1000, 'x', 100)},
		"a few bytes":                        {[]byte("12345")},
		"longer":                             {responsePacket(77, 1000, 'x', placedBytes+4)},
		"other packets behind a right one":   {right(0), responsePacket(78, 1001, 'x', placedBytes)},
		"a shorter one behind a right one":   {right(0), responsePacket(77, 1001, 'x', 500)},
		"longer packets, the second shorter": {responsePacket(77, 1000, 'x', 2*placedBytes), responsePacket(77, 1001, 'y', placedBytes)},
		"more packets than are expected":     {right(0), right(1), right(2), right(3)},
	} {
		memory := make([]byte, 3*placedBytes)
		in, err := passed(t, expected(memory), other, [][]byte{right(0), right(1)})
		if err != nil || len(in) != 2 {
			t.Fatalf("%s: %d datagrams, %v", name, len(in), err)
		}
		if in[0].placed != nil || !bytes.Equal(in[0].Data, bytes.Join(other, nil)) {
			t.Errorf("%s: it was taken for the expected one, or other bytes arrived", name)
		}
		if len(in[1].placed) != 2 || !bytes.Equal(memory[:2*placedBytes], bytes.Repeat([]byte("r"), 2*placedBytes)) {
			t.Errorf("%s: the expected datagram behind it is not at its place", name)
		}
	}
}

// The kernel drops a datagram whose place is gone; the socket goes on.
func TestAPlaceThatIsGoneCostsOneDatagram(t *testing.T) {
	page, err := unix.Mmap(-1, 0, placedBytes, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(page) }()
	f := expected(make([]byte, placedBytes))
	f.slots = append(f.slots, slot{op: wire.RCReadResponseMiddle, to: 77, psn: 1001, head: wire.BTHBytes, bytes: placedBytes, memory: page})
	from, to := open(t, "127.0.0.1:0"), open(t, "127.0.0.1:0")
	for i := range units.PSN(3) {
		p := responsePacket(77, 1000+i, 'r', placedBytes)
		if err := from.Send([]Outgoing{{To: to.Local(), Segment: len(p), Packets: 1, Parts: [][]byte{p}}}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond)
	placer := to.(Placer)
	placer.Expect(f)
	if in, err := to.Receive(); err != nil || len(in) != 1 || !f.gone {
		t.Fatalf("%d datagrams, %v, noticed %v: want the first one, and no error", len(in), err, f.gone)
	}
	placer.Expect(nil)
	if in, err := to.Receive(); err != nil || len(in) != 1 || in[0].Data[11] != 1002&0xff {
		t.Errorf("%d datagrams, %v: want the third one", len(in), err)
	}
	if err := to.Send([]Outgoing{{To: from.Local(), Segment: 4, Packets: 1, Parts: [][]byte{[]byte("next")}}}); err != nil {
		t.Errorf("sending afterwards: %v", err)
	}
}

// Whoever is not on this machine does not write to a READ's buffer before it is checked.
func TestOnlyADeviceOfTheLoopbackPlacesAhead(t *testing.T) {
	if c := open(t, "127.0.0.1:0"); !c.(Placer).Places() {
		t.Error("a device of the loopback places nothing ahead")
	}
	c := open(t, "127.0.0.1:0").(*udpConn)
	c.local = addrPort(&unix.SockaddrInet4{Port: 4791, Addr: [4]byte{192, 0, 2, 1}})
	if c.Places() {
		t.Error("a device that others reach places ahead")
	}
}
