package pcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
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

// pcapng of simple packets: a section, an interface with a snap length, and packets that
// have no more than their length on the wire.
func TestSimplePacketsAreReadInBothOrders(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		block := func(kind uint32, body []byte) []byte {
			length := uint32(12 + (len(body)+3)&^3)
			b := order.AppendUint32(order.AppendUint32(nil, kind), length)
			b = append(append(b, body...), make([]byte, -len(body)&3)...)
			return order.AppendUint32(b, length)
		}
		section := order.AppendUint32(nil, byteOrderMagic)
		section = append(order.AppendUint16(order.AppendUint16(section, 1), 0), bytes.Repeat([]byte{0xff}, 8)...)
		face := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, uint16(InfiniBand)), 0), 8)
		packet := func(length uint32, data string) []byte {
			return block(blockSimple, append(order.AppendUint32(nil, length), data...))
		}
		file := bytes.Join([][]byte{
			block(blockSection, section), block(blockInterface, face),
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
		early := bytes.Join([][]byte{block(blockSection, section), packet(5, "whole")}, nil)
		if packets, err := readAll(t, early); err == nil || errors.Is(err, io.EOF) || len(packets) != 0 {
			t.Errorf("%v: a packet before any interface: %d packets, %v", order, len(packets), err)
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
