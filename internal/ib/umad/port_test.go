package umad

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"weft/wire/mad"
)

// double is the kernel's side of the interface: it registers agents, sets the upper half of requests' numbers, answers
// NodeInfo, and times all other requests out.
type double struct {
	pkeys  bool
	agents map[uint32][agentSize]byte
	out    [][]byte
	sent   []frame
}

const upper = 0xabcd0000

func (d *double) Control(request uintptr, arg []byte) error {
	switch request {
	case 0x1b03: // _IO(0x1b, 3)
		d.pkeys = true
	case 0xc0281b04: // _IOWR(0x1b, 4, 40 bytes)
		if !d.pkeys || len(arg) != 40 {
			return errors.New("invalid argument")
		}
		id := uint32(len(d.agents) + 5)
		binary.NativeEndian.PutUint32(arg, id)
		d.agents[id] = [agentSize]byte(arg)
	default:
		return errors.New("inappropriate ioctl")
	}
	return nil
}

func (d *double) Write(b []byte) (int, error) {
	if len(b) != 64+256 {
		return 0, errors.New("invalid argument")
	}
	f := frame(b)
	d.sent = append(d.sent, f)
	m := f.mad()
	if m.Answers() {
		return len(b), nil
	}
	m.SetTID(upper<<32 | m.TID()&(1<<32-1))
	if m.Attribute() == mad.AttrNodeInfo {
		m.SetMethod(mad.Method(0x81))
		copy(f[64:], m[:])
	} else {
		copy(f[64:], m[:])
		binary.NativeEndian.PutUint32(f[4:], 110)
	}
	d.out = append(d.out, append([]byte(nil), f[:]...))
	return len(b), nil
}

func (d *double) Read(b []byte) (int, error) {
	if len(d.out) == 0 {
		return 0, io.EOF
	}
	next := d.out[0]
	d.out = d.out[1:]
	return copy(b, next), nil
}

func (d *double) SetReadDeadline(time.Time) error { return nil }
func (d *double) Close() error                    { return nil }

func open(t *testing.T) (*Port, *double) {
	t.Helper()
	d := &double{agents: map[uint32][agentSize]byte{}}
	p, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	return p, d
}

// TestClassesAreRegisteredAsLinuxReadsThem: queue pair, class, version and the mask of methods at their places.
func TestClassesAreRegisteredAsLinuxReadsThem(t *testing.T) {
	_, d := open(t)
	if len(d.agents) != 3 {
		t.Fatalf("%d agents, want 3", len(d.agents))
	}
	sa := d.agents[7]
	if sa[4] != 1 || sa[8] != 3 || sa[9] != 2 || binary.NativeEndian.Uint64(sa[16:]) != 1<<1|1<<2|1<<0x12|1<<0x13|1<<0x14|1<<0x15 {
		t.Errorf("subnet administration is registered as % x", sa)
	}
	if smp := d.agents[6]; smp[4] != 0 || smp[8] != 0x81 || smp[9] != 1 {
		t.Errorf("directed-route management is registered as % x", smp)
	}
}

// TestAnswersHaveTheNumberOfTheirRequest: though the kernel changes its upper half; a request without an answer comes back.
func TestAnswersHaveTheNumberOfTheirRequest(t *testing.T) {
	p, d := open(t)
	const number = 0x1122334455667788
	for _, attr := range []mad.Attribute{mad.AttrNodeInfo, mad.AttrPortInfo} {
		if err := p.Send(&Datagram{LID: 0x1234, MAD: mad.New(mad.SubnDirected, mad.Get, attr, 0, number)}); err != nil {
			t.Fatal(err)
		}
		got, err := p.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if got.MAD.TID() != number || got.LID != 0x1234 || got.TimedOut != (attr == mad.AttrPortInfo) {
			t.Errorf("attribute %v: number %x from LID %#x, timed out %t", attr, got.MAD.TID(), got.LID, got.TimedOut)
		}
	}
	if f := d.sent[0]; f[28] != 0x12 || f[29] != 0x34 || binary.NativeEndian.Uint32(f[0:]) != 6 || binary.NativeEndian.Uint32(f[8:]) == 0 || f[23] != 0 {
		t.Errorf("the header of a request is % x", f[:64])
	}
	answer := mad.New(mad.SubnAdm, mad.Method(0x81), mad.AttrNodeInfo, 0, number)
	if err := p.Send(&Datagram{LID: 9, MAD: answer}); err != nil {
		t.Fatal(err)
	}
	if f := d.sent[2]; f[23] != 1 || binary.BigEndian.Uint32(f[24:]) != 0x80010000 || binary.NativeEndian.Uint32(f[8:]) != 0 {
		t.Errorf("the header of an answer on queue pair 1 is % x", f[:64])
	}
}

// TestALateAnswerIsDropped: an answer to a request that has timed out, or to none.
func TestALateAnswerIsDropped(t *testing.T) {
	p, d := open(t)
	if err := p.Send(&Datagram{LID: 1, MAD: mad.New(mad.SubnDirected, mad.Get, mad.AttrNodeInfo, 0, 7)}); err != nil {
		t.Fatal(err)
	}
	d.out = append(d.out, d.out[0])
	if _, err := p.Receive(); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("the second answer gives %+v, %v", got, err)
	}
	if err := p.Send(&Datagram{MAD: mad.New(mad.Perf, mad.Get, mad.AttrNodeInfo, 0, 1)}); err == nil || !strings.Contains(err.Error(), "has no agent") {
		t.Errorf("a class without an agent: %v", err)
	}
}
