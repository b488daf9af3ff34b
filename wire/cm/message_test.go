package cm_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/wire"
	"weft/wire/cm"
	"weft/wire/pcap"
	"weft/wire/wiretest"
)

// recorded are the messages between Linux's connection managers, in the captures
// that package wire is tested with.
func recorded(t testing.TB) (list [][]byte) {
	t.Helper()
	files := wiretest.Captures(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(name, "cm_") && strings.HasSuffix(name, ".pcap") {
			list = append(list, messages(t, bytes.NewReader(files[name]))...)
		}
	}
	return list
}

func messages(t testing.TB, in io.Reader) (list [][]byte) {
	r, err := pcap.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	var p pcap.Packet
	for {
		if err := r.Next(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		var c wire.RoCEv2
		if c.Parse(p.Data[wire.EthernetBytes:]) == nil && c.Packet.BTH.DestQP == 1 {
			list = append(list, bytes.Clone(c.Packet.Payload))
		}
	}
}

// message is what all messages can do.
type message interface {
	AppendTo([]byte) []byte
	Parse([]byte) error
}

func of(a cm.Attribute) message {
	switch a {
	case cm.AttrReq:
		return new(cm.Req)
	case cm.AttrRep:
		return new(cm.Rep)
	case cm.AttrRej:
		return new(cm.Rej)
	case cm.AttrRtu, cm.AttrDreq, cm.AttrDrep:
		return new(cm.Pair)
	}
	return nil
}

func TestEveryRecordedMessageIsReadAndWrittenAgain(t *testing.T) {
	seen := map[cm.Attribute]int{}
	for i, b := range recorded(t) {
		var h cm.Header
		body, err := h.Parse(b)
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		m := of(h.Attribute)
		if m == nil {
			continue // SIDR
		}
		seen[h.Attribute]++
		if err := m.Parse(body); err != nil {
			t.Fatal(err)
		}
		if again := m.AppendTo(h.AppendTo(nil)); !bytes.Equal(again, b) {
			t.Errorf("message %d, attribute %#x:\nread    %x\nwritten %x", i, h.Attribute, b, again)
		}
	}
	for _, a := range []cm.Attribute{cm.AttrReq, cm.AttrRep, cm.AttrRtu, cm.AttrDreq, cm.AttrDrep} {
		if seen[a] == 0 {
			t.Errorf("no message of attribute %#x was recorded", a)
		}
	}
}

func TestARecordedRequestNamesItsAddresses(t *testing.T) {
	for _, b := range recorded(t) {
		var h cm.Header
		var m cm.Req
		body, err := h.Parse(b)
		if err != nil || h.Attribute != cm.AttrReq {
			continue
		}
		if err := m.Parse(body); err != nil {
			t.Fatal(err)
		}
		var ip cm.IPHeader
		if err := ip.Parse(m.Private[:]); err != nil {
			t.Fatal(err)
		}
		if ip.Src.String() != "10.77.0.1" || ip.Dst.String() != "10.77.0.2" || cm.GID(ip.Src) != m.Path.LocalGID {
			t.Errorf("from %v to %v, GID %x", ip.Src, ip.Dst, m.Path.LocalGID)
		}
		var again [cm.IPBytes]byte
		ip.Put(again[:])
		if !bytes.Equal(again[:], m.Private[:cm.IPBytes]) {
			t.Errorf("read %x, written %x", m.Private[:cm.IPBytes], again)
		}
		if _, ok := cm.Port(m.Service); !ok {
			t.Errorf("the service %#x has no port", m.Service)
		}
	}
}

func FuzzMessages(f *testing.F) {
	for _, b := range recorded(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var h cm.Header
		body, err := h.Parse(b)
		if err != nil {
			return
		}
		m := of(h.Attribute)
		if m == nil || m.Parse(body) != nil {
			return
		}
		again := of(h.Attribute)
		if err := again.Parse(m.AppendTo(nil)); err != nil {
			t.Fatal(err)
		}
	})
}
