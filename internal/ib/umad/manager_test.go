package umad_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"weft/internal/ib/route"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/ib/umad"
	"weft/units"
	"weft/wire/mad"
)

// kernel is Linux's side of the interface at one port of a fabric whose agents answer: it sets the upper half of requests'
// numbers, and gives requests without an answer back.
type kernel struct {
	fabric *sma.Fabric
	at     subnet.End
	agents uint32
	out    [][]byte
}

func (k *kernel) Control(_ uintptr, arg []byte) error {
	if len(arg) > 0 {
		k.agents++
		binary.NativeEndian.PutUint32(arg, k.agents)
	}
	return nil
}

func (k *kernel) Write(b []byte) (int, error) {
	p := sma.Packet{DLID: units.LID(binary.BigEndian.Uint16(b[28:])), MAD: mad.MAD(b[64:])}
	if p.MAD.Answers() {
		return len(b), nil
	}
	p.MAD.SetTID(0x7700<<32 | p.MAD.TID()&(1<<32-1))
	request := p.MAD
	f := append([]byte(nil), b...)
	if _, outcome := k.fabric.Carry(k.at, &p); outcome == sma.Answered {
		binary.BigEndian.PutUint16(f[28:], uint16(p.SLID))
		copy(f[64:], p.MAD[:])
	} else {
		binary.NativeEndian.PutUint32(f[4:], 110)
		copy(f[64:], request[:])
	}
	k.out = append(k.out, f)
	return len(b), nil
}

func (k *kernel) Read(b []byte) (int, error) {
	if len(k.out) == 0 {
		return 0, io.EOF
	}
	next := k.out[0]
	k.out = k.out[1:]
	return copy(b, next), nil
}

func (k *kernel) SetReadDeadline(time.Time) error { return nil }
func (k *kernel) Close() error                    { return nil }

// ringOf is a ring of switches with a host on each.
func ringOf(switches int) *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	link := subnet.Link{Width: 4, Speed: subnet.HDR}
	for i := range switches {
		at := s.Add(subnet.Node{Kind: subnet.Switch, GUID: units.GUID(0x100 + i), Name: fmt.Sprint("s", i)}, 4)
		s.Nodes[at].Ports[0].GUID = s.Nodes[at].GUID
	}
	for i := range int32(switches) {
		s.Connect(subnet.End{Node: i, Port: 1}, subnet.End{Node: (i + 1) % int32(switches), Port: 2}, link)
		h := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(0x1000 + 16*i), Name: fmt.Sprintf("h%d mlx5_0", i)}, 1)
		s.Nodes[h].Ports[1].GUID = s.Nodes[h].GUID + 1
		s.Connect(subnet.End{Node: i, Port: 3}, subnet.End{Node: h, Port: 1}, link)
	}
	return s
}

// TestTheManagerBringsAFabricUpOverTheInterface: discovery, LIDs, tables and states over the frames of umad.
func TestTheManagerBringsAFabricUpOverTheInterface(t *testing.T) {
	s := ringOf(5)
	fabric, err := sma.New(s)
	if err != nil {
		t.Fatal(err)
	}
	port, err := umad.New(&kernel{fabric: fabric, at: subnet.End{Node: 5, Port: 1}})
	if err != nil {
		t.Fatal(err)
	}
	m := sm.New(sm.Config{Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
		r, err := route.Proved(s, "nue", route.Options{})
		if err != nil {
			return nil, "", err
		}
		return r.Tables, "", nil
	}})
	var batch sm.Batch
	now, up := units.Time(0), false
	m.Start(now, &batch)
	for range 20000 {
		for i := range batch.Send {
			p := &batch.Send[i]
			if err := port.Send(&umad.Datagram{LID: p.DLID, MAD: p.MAD}); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range batch.Events {
			up = up || e.Kind == sm.SubnetUp
		}
		batch.Reset()
		if up {
			break
		}
		now += units.Microsecond
		got, err := port.Receive()
		switch {
		case errors.Is(err, io.EOF):
			now = max(now, m.NextTimeout())
			m.Timeout(now, &batch)
		case err != nil:
			t.Fatal(err)
		case !got.TimedOut:
			m.Receive(now, &sm.Packet{SLID: got.LID, MAD: got.MAD}, &batch)
		}
	}
	if !up {
		t.Fatal("the subnet is not up")
	}
	lids := map[units.LID]bool{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		lid := fabric.LID(subnet.End{Node: int32(i), Port: n.Base()})
		if lid == 0 || lids[lid] {
			t.Errorf("%s has LID %d", n.Name, lid)
		}
		lids[lid] = true
	}
}
