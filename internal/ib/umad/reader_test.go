package umad_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"weft/internal/ib/format"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/ib/umad"
	"weft/units"
	"weft/wire/mad"
)

// watched is a kernel that notes the methods of all datagrams, and loses some.
type watched struct {
	kernel
	methods map[mad.Method]int
	lose    func(number int) bool
	mute    func(*mad.MAD) bool
	sent    int
}

func (w *watched) Write(b []byte) (int, error) {
	m := mad.MAD(b[64:])
	w.methods[m.Method()]++
	if w.sent++; w.lose != nil && w.lose(w.sent) || w.mute != nil && w.mute(&m) {
		return len(b), nil
	}
	return w.kernel.Write(b)
}

// explored is what an explorer finds over the interface.
func explored(t *testing.T, w *watched) (*subnet.Subnet, *sm.Explorer) {
	t.Helper()
	port, err := umad.NewReader(w)
	if err != nil {
		t.Fatal(err)
	}
	x := sm.NewExplorer(sm.Exploration{})
	var batch sm.Batch
	now := units.Time(0)
	x.Start(now, &batch)
	for range 20000 {
		for i := range batch.Send {
			if err := port.Send(&umad.Datagram{LID: batch.Send[i].DLID, MAD: batch.Send[i].MAD}); err != nil {
				t.Fatal(err)
			}
		}
		batch.Reset()
		if x.Done() {
			return x.Subnet(), x
		}
		now += units.Microsecond
		got, err := port.Receive()
		switch {
		case errors.Is(err, io.EOF):
			now = max(now, x.NextTimeout())
			x.Timeout(now, &batch)
		case err != nil:
			t.Fatal(err)
		case !got.TimedOut:
			x.Receive(now, &sm.Packet{SLID: got.LID, MAD: got.MAD}, &batch)
		}
	}
	t.Fatal("the explorer does not end")
	return nil, nil
}

// linesOf are the lines of a subnet's file in order, without those that name the origin.
func linesOf(t *testing.T, s *subnet.Subnet) []string {
	t.Helper()
	var text strings.Builder
	if err := format.WriteTopo(&text, s); err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(text.String(), "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
	slices.Sort(lines)
	return lines
}

// without are the lines of a that b does not have.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(l string) bool { return slices.Contains(b, l) })
}

// TestAReaderFindsTheFabricAndWritesNothing: nodes, names, cables and LIDs as they are, by one agent and requests that read.
func TestAReaderFindsTheFabricAndWritesNothing(t *testing.T) {
	for name, lose := range map[string]func(int) bool{
		"all arrive":      nil,
		"each fifth lost": func(n int) bool { return n%5 == 0 },
	} {
		s := ringOf(5)
		if err := s.AssignLIDs(0); err != nil {
			t.Fatal(err)
		}
		fabric, err := sma.New(s)
		if err != nil {
			t.Fatal(err)
		}
		w := &watched{kernel: kernel{fabric: fabric, at: subnet.End{Node: 7, Port: 1}}, methods: map[mad.Method]int{}, lose: lose}
		got, x := explored(t, w)
		for i := range s.Nodes { // as the agents have them
			s.Nodes[i].SystemGUID = s.Nodes[i].GUID
			for p := range s.Nodes[i].Ports {
				s.Nodes[i].Ports[p].LID = fabric.LID(subnet.End{Node: int32(i), Port: s.Nodes[i].Base()})
				if p != int(s.Nodes[i].Base()) {
					s.Nodes[i].Ports[p].LID = 0
				}
			}
		}
		if a, b := linesOf(t, got), linesOf(t, s); !slices.Equal(a, b) {
			t.Errorf("%s: %d lines found, %d wanted; not found: %q; only found: %q", name, len(a), len(b), without(b, a), without(a, b))
		}
		if own := got.Port(got.Origin).GUID; own != s.Nodes[7].Ports[1].GUID {
			t.Errorf("%s: the origin is %v", name, own)
		}
		if len(w.methods) != 1 || w.methods[mad.Get] == 0 || x.Missed() != 0 {
			t.Errorf("%s: methods %v, %d requests missed: want Gets alone, and all answered", name, w.methods, x.Missed())
		}
		if w.agents != 1 {
			t.Errorf("%s: %d agents are registered, want 1: a manager's would exclude the fabric's own", name, w.agents)
		}
	}
}

// TestSilentNodesAreLeftOut: nodes whose answers are lost are not in the result, the others are, and the silence is counted.
func TestSilentNodesAreLeftOut(t *testing.T) {
	s := ringOf(4)
	fabric, err := sma.New(s)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{kernel: kernel{fabric: fabric, at: subnet.End{Node: 4, Port: 1}}, methods: map[mad.Method]int{}}
	w.mute = func(m *mad.MAD) bool { // what is three hops away says who it is, and nothing more: s2, and the hosts of s1 and s3
		return m.Attribute() != mad.AttrNodeInfo && m.HopCount() == 3
	}
	got, x := explored(t, w)
	var names []string
	for i := range got.Nodes {
		names = append(names, got.Nodes[i].Name)
	}
	slices.Sort(names)
	if want := []string{"h0 mlx5_0", "s0", "s1", "s3"}; !slices.Equal(names, want) || x.Missed() == 0 {
		t.Errorf("found %v with %d requests missed, want %v", names, x.Missed(), want)
	}
}
