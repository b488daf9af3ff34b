package pcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
)

// classic is a pcap file of two packets, in a byte order.
func classic(order binary.AppendByteOrder, magic uint32) []byte {
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = order.AppendUint32(b, 65535)
	b = order.AppendUint32(b, uint32(Ethernet))
	for i, data := range []string{"first", "second one"} {
		b = order.AppendUint32(b, uint32(i+1))
		b = order.AppendUint32(b, 7)
		b = order.AppendUint32(b, uint32(len(data)))
		b = order.AppendUint32(b, 100)
		b = append(b, data...)
	}
	return b
}

func readAll(t *testing.T, file []byte) (packets []Packet, last error) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	for {
		var p Packet
		if err := r.Next(&p); err != nil {
			return packets, err
		}
		p.Data = bytes.Clone(p.Data)
		packets = append(packets, p)
	}
}

func TestClassicCapturesAreReadInBothOrders(t *testing.T) {
	for _, c := range []struct {
		order binary.AppendByteOrder
		magic uint32
		unit  int64
	}{
		{binary.LittleEndian, 0xa1b2c3d4, 1000},
		{binary.BigEndian, 0xa1b2c3d4, 1000},
		{binary.LittleEndian, 0xa1b23c4d, 1},
		{binary.BigEndian, 0xa1b23c4d, 1},
	} {
		packets, err := readAll(t, classic(c.order, c.magic))
		if !errors.Is(err, io.EOF) || len(packets) != 2 {
			t.Fatalf("%v %#x: %d packets, then %v", c.order, c.magic, len(packets), err)
		}
		p := packets[1]
		if string(p.Data) != "second one" || p.Length != 100 || p.Link != Ethernet || p.TimeNs != 2e9+7*c.unit {
			t.Errorf("%v %#x: %+v", c.order, c.magic, p)
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, InfiniBand)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		if err := w.Write(int64(i)*1e9+int64(i), bytes.Repeat([]byte{byte(i)}, i)); err != nil {
			t.Fatal(err)
		}
	}
	packets, err := readAll(t, b.Bytes())
	if !errors.Is(err, io.EOF) || len(packets) != 9 {
		t.Fatalf("%d packets, then %v", len(packets), err)
	}
	for i, p := range packets {
		if p.TimeNs != int64(i)*1e9+int64(i) || p.Link != InfiniBand || !bytes.Equal(p.Data, bytes.Repeat([]byte{byte(i)}, i)) {
			t.Errorf("packet %d: %+v", i, p)
		}
	}
}

// ngBlock is a block of pcapng.
func ngBlock(order binary.AppendByteOrder, kind uint32, body []byte) []byte {
	length := uint32(12 + (len(body)+3)&^3)
	b := order.AppendUint32(order.AppendUint32(nil, kind), length)
	b = append(append(b, body...), make([]byte, -len(body)&3)...)
	return order.AppendUint32(b, length)
}

func ngSection(order binary.AppendByteOrder) []byte {
	b := order.AppendUint32(nil, byteOrderMagic)
	b = append(order.AppendUint16(order.AppendUint16(b, 1), 0), bytes.Repeat([]byte{0xff}, 8)...)
	return ngBlock(order, blockSection, b)
}

// ngInterface is an interface block with a snap length and these option bytes.
func ngInterface(order binary.AppendByteOrder, link LinkType, snap uint32, options ...byte) []byte {
	b := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, uint16(link)), 0), snap)
	return ngBlock(order, blockInterface, append(b, options...))
}

// ngPacket is an enhanced packet block of interface 0 with a timestamp.
func ngPacket(stamp uint64, data string) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 0), uint32(stamp>>32)), uint32(stamp))
	b = le.AppendUint32(le.AppendUint32(b, uint32(len(data))), uint32(len(data)))
	return ngBlock(le, blockEnhanced, append(b, data...))
}

// A pcapng file of simple packets: a section, an interface with a snap length, and packets
// with only their length on the wire.
func TestSimplePacketsAreReadInBothOrders(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		packet := func(length uint32, data string) []byte {
			return ngBlock(order, blockSimple, append(order.AppendUint32(nil, length), data...))
		}
		file := bytes.Join([][]byte{
			ngSection(order), ngInterface(order, InfiniBand, 8),
			packet(5, "whole"), packet(100, "cut at 8"), packet(3, "pad"),
		}, nil)
		packets, err := readAll(t, file)
		if !errors.Is(err, io.EOF) || len(packets) != 3 {
			t.Fatalf("%v: %d packets, then %v", order, len(packets), err)
		}
		for i, want := range []Packet{{Data: []byte("whole"), Length: 5}, {Data: []byte("cut at 8"), Length: 100}, {Data: []byte("pad"), Length: 3}} {
			if p := packets[i]; !bytes.Equal(p.Data, want.Data) || p.Length != want.Length || p.Link != InfiniBand {
				t.Errorf("%v: packet %d is %+v, want %+v", order, i, p, want)
			}
		}
		early := bytes.Join([][]byte{ngSection(order), packet(5, "whole")}, nil)
		if packets, err := readAll(t, early); err == nil || errors.Is(err, io.EOF) || len(packets) != 0 {
			t.Errorf("%v: a packet before any interface: %d packets, %v", order, len(packets), err)
		}
	}
}

// if_tsresol is a power of 10 or of 2. Times are whole nanoseconds, rounded down.
func TestTimestampsAreReadInEveryResolution(t *testing.T) {
	le := binary.LittleEndian
	for _, c := range []struct {
		resolution uint8
		stamp      uint64
		want       int64 // 0: the resolution is refused
	}{
		{0, 7, 7e9},
		{6, 1_500_000, 15e8},
		{12, 1_500_000_000_999, 15e8},
		{18, 1_500_000_000_000_000_000, 15e8},
		{20, 1, 0},
		{0x80 | 20, 1<<20 - 1, 999_999_046},
		{0x80 | 30, 1<<30 - 1, 999_999_999},
		{0x80 | 32, 1 << 31, 5e8},
		{0x80 | 63, 1, 0},
	} {
		face := ngInterface(le, Ethernet, 0, optionTsresol, 0, 1, 0, c.resolution, 0, 0, 0)
		packets, err := readAll(t, bytes.Join([][]byte{ngSection(le), face, ngPacket(c.stamp, "data")}, nil))
		if read := errors.Is(err, io.EOF) && len(packets) == 1; read != (c.want > 0) {
			t.Errorf("resolution %#x: %d packets, %v", c.resolution, len(packets), err)
		} else if read && packets[0].TimeNs != c.want {
			t.Errorf("resolution %#x: %d units are %d ns, want %d", c.resolution, c.stamp, packets[0].TimeNs, c.want)
		}
	}
}

// Lengths and counts in a file are checked before memory is allocated for them, and the
// error names the byte.
func TestHostileBlocksAreRefusedWithTheirPlace(t *testing.T) {
	le := binary.LittleEndian
	head := bytes.Join([][]byte{ngSection(le), ngInterface(le, Ethernet, 0)}, nil)
	tail := ngPacket(1, "data")
	tail[len(tail)-4]++
	for name, c := range map[string]struct{ block, want string }{
		"two lengths":            {string(tail), "at byte 48: a block of 36 bytes says 37 at its end"},
		"a block of 4 bytes":     {"\x06\x00\x00\x00\x04\x00\x00\x00", "at byte 48: a block of 4 bytes: valid are multiples of 4 from 12 to 1048576"},
		"a block of 4 GiB":       {"\x06\x00\x00\x00\xfc\xff\xff\xff", "at byte 48: a block of 4294967292 bytes: valid are multiples of 4 from 12 to 1048576"},
		"too many interfaces":    {strings.Repeat(string(ngInterface(le, Ethernet, 0)), maxInterfaces), "at byte 20508: more than 1024 interfaces"},
		"an interface not there": {string(ngBlock(le, blockEnhanced, append([]byte{1}, make([]byte, 19)...))), "at byte 48: a packet of interface 1 of 1"},
	} {
		if packets, err := readAll(t, append(bytes.Clone(head), c.block...)); len(packets) > 0 || err == nil || err.Error() != c.want {
			t.Errorf("%s: %d packets, %v, want %q", name, len(packets), err, c.want)
		}
	}
}

func TestEveryTruncationIsSaidOrEndsBetweenPackets(t *testing.T) {
	var ng bytes.Buffer
	w, _ := NewWriter(&ng, Ethernet)
	_ = w.Write(1, []byte("data"))
	for name, file := range map[string][]byte{"pcap": classic(binary.LittleEndian, 0xa1b2c3d4), "pcapng": ng.Bytes()} {
		whole, _ := readAll(t, file)
		for n := range file {
			packets, err := readAll(t, file[:n])
			if err == nil || len(packets) > len(whole) || errors.Is(err, io.EOF) && len(packets) == len(whole) {
				t.Errorf("%s cut at %d of %d: %d packets, %v", name, n, len(file), len(packets), err)
			}
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(classic(binary.LittleEndian, 0xa1b2c3d4))
	f.Add(classic(binary.BigEndian, 0xa1b23c4d))
	var ng bytes.Buffer
	w, _ := NewWriter(&ng, Ethernet)
	_ = w.Write(1, []byte("data"))
	f.Add(ng.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		var p Packet
		for n := 0; r.Next(&p) == nil; n++ {
			if n > len(file) {
				t.Fatal("more packets than bytes")
			}
		}
	})
}
