package cm_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/internal/test/wiretest"
	"weft/wire"
	"weft/wire/cm"
)

// recorded are the messages between Linux's connection managers in the captures of
// package wire's tests.
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
	t.Helper()
	for _, p := range wiretest.Packets(t, in) {
		var c wire.RoCEv2
		if c.Parse(p.Data[wire.EthernetBytes:]) == nil && c.Packet.BTH.DestQP == 1 {
			list = append(list, c.Packet.Payload)
		}
	}
	return list
}

// message is the interface of all messages.
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
	case cm.AttrMra:
		return new(cm.Mra)
	case cm.AttrRtu, cm.AttrDreq, cm.AttrDrep:
		return new(cm.Pair)
	case cm.AttrSidrReq:
		return new(cm.SidrReq)
	case cm.AttrSidrRep:
		return new(cm.SidrRep)
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
			t.Errorf("message %d has attribute %#x", i, h.Attribute)
			continue
		}
		seen[h.Attribute]++
		if err := m.Parse(body); err != nil {
			t.Fatal(err)
		}
		if again := m.AppendTo(h.AppendTo(nil)); !bytes.Equal(again, b) {
			t.Errorf("message %d, attribute %#x:\nread    %x\nwritten %x", i, h.Attribute, b, again)
		}
	}
	for _, a := range []cm.Attribute{cm.AttrReq, cm.AttrRep, cm.AttrRtu, cm.AttrDreq, cm.AttrDrep, cm.AttrSidrReq, cm.AttrSidrRep} {
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

func TestARecordedResolutionNamesItsQueuePair(t *testing.T) {
	var q cm.SidrReq
	var p cm.SidrRep
	for _, b := range recorded(t) {
		var h cm.Header
		body, err := h.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		switch h.Attribute {
		case cm.AttrSidrReq:
			err = q.Parse(body)
		case cm.AttrSidrRep:
			err = p.Parse(body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// udaddy uses port 7174 and the Q_Key of RDMA_PS_UDP.
	if q.Service != cm.DatagramServiceID(7174) || p.Service != q.Service || p.Request != q.Request {
		t.Errorf("the service %#x of request %#x is answered with %#x of %#x", q.Service, q.Request, p.Service, p.Request)
	}
	if p.Status != cm.SidrValid || p.QPN == 0 || p.QKey != 0x0123_4567 {
		t.Errorf("status %d, queue pair %d, Q_Key %#x", p.Status, p.QPN, p.QKey)
	}
	var ip cm.IPHeader
	if err := ip.Parse(q.Private[:]); err != nil || ip.Src.String() != "10.77.0.1" || ip.Dst.String() != "10.77.0.2" {
		t.Errorf("from %v to %v (%v)", ip.Src, ip.Dst, err)
	}
}

func TestAMessageThatIsCutIsRefused(t *testing.T) {
	for _, a := range []cm.Attribute{cm.AttrReq, cm.AttrMra, cm.AttrRep, cm.AttrRej, cm.AttrRtu, cm.AttrSidrReq, cm.AttrSidrRep} {
		whole := of(a).AppendTo(nil)
		for n := range whole {
			if err := of(a).Parse(whole[:n]); !errors.Is(err, cm.ErrMessage) {
				t.Fatalf("attribute %#x, %d of %d bytes: %v, want %v", a, n, len(whole), err, cm.ErrMessage)
			}
		}
	}
}

// Offsets and widths are from IBA vol. 1, 12.6.6. Linux sends no MRA by itself, so the
// captures have none.
func TestAnMRAHasItsFieldsInTheirPlaces(t *testing.T) {
	m := cm.Mra{Local: 0x01020304, Remote: 0x05060708, Of: cm.OfRep, Timeout: 18}
	want := append([]byte{1, 2, 3, 4, 5, 6, 7, 8, 1 << 6, 18 << 3}, make([]byte, 222)...)
	if got := m.AppendTo(nil); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if got := cm.Timeout(18); got != 1073741824*time.Nanosecond {
		t.Errorf("code 18 reads as %v", got)
	}
}

// The request for XRC has its service in two places, and the answer its queue pair in the context's (IBA vol. 1, 12.6.5 and
// 12.6.8; Linux's ibta_vol1_c12.h).
func TestMessagesOfXRCHaveTheirFieldsInTheirPlaces(t *testing.T) {
	req := cm.Req{Service: cm.IBServiceID(7471), Service2: 3, Extended: 1, MaxRetries: 15}
	if b := req.AppendTo(nil); b[13] != 0x3f || b[12] != 1 || b[43] != 3<<1 || b[51] != 0xf1 {
		t.Errorf("the service, its type and the extended type are %x, %x, %x", b[8:16], b[43], b[51])
	}
	rep := cm.Rep{EEC: 0x123456, SRQ: true}
	if b := rep.AppendTo(nil); !bytes.Equal(b[12:20], []byte{0, 0, 0, 0, 0x12, 0x34, 0x56, 0}) {
		t.Errorf("the numbers of the queue pair and of the context are %x", b[12:20])
	}
	for _, m := range []message{&req, &rep} {
		got := reflect.New(reflect.TypeOf(m).Elem()).Interface().(message)
		if err := got.Parse(m.AppendTo(nil)); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v comes back as %+v (%v)", m, got, err)
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
		if !reflect.DeepEqual(again, m) {
			t.Fatalf("read %+v, after writing it reads %+v", m, again)
		}
	})
}
