package format

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

// oddNames are node descriptions of sites and vendors, and worse ones.
var oddNames = []string{
	"", " ", "h1 HCA-1", "MF0;rack7:MQM9700/U1", "Voltaire 4036 # 4036-8C9E", `say "no" twice`, `" lid 7 4xEDR`,
	`x" base port 0 lid 3 lmc 0`, "a' - 'b", "it's", "'quoted'", "SwitchX -  Mellanox Technologies", "Mellanox Technologies Aggregation Node",
	"{braces}", "tab\there", "näme", "\xff\xfe raw", "# hash", "@at", " 5FB0406-spine-IB02 ", "CA 1 1 0x1", "Quantum Mellanox Technologies",
}

// draw makes a subnet at random: switches and adapters with one to four ports,
// routers, LIDs, odd names, links of all kinds, cables whose ends report different links.
func draw(r *rand.Rand, names []string) *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	guid := units.GUID(0x0002c90300000000) + units.GUID(r.IntN(1<<30))<<8
	lid := units.LID(1)
	var free []subnet.End
	for i := range 3 + r.IntN(20) {
		kind := []subnet.Kind{subnet.Switch, subnet.Adapter, subnet.Adapter, subnet.Router}[r.IntN(4)]
		ports := 1 + r.IntN(4)
		if kind == subnet.Switch {
			ports = 2 + r.IntN(64)
		}
		name := names[r.IntN(len(names))]
		if r.IntN(2) == 0 {
			name = fmt.Sprintf("%s %d", name, i)
		}
		guid += 256
		at := s.Add(subnet.Node{
			Kind: kind, GUID: guid, SystemGUID: guid + 9, VendorID: uint32(r.IntN(1 << 24)), DeviceID: uint16(r.IntN(1 << 16)),
			Revision: r.Uint32(), Name: name, Enhanced: kind == subnet.Switch && r.IntN(2) == 0,
		}, ports)
		if kind == subnet.Switch {
			s.Nodes[at].Ports[0].GUID, s.Nodes[at].Ports[0].LID = guid, lid
			lid++
		}
		for p := 1; p <= ports; p++ {
			free = append(free, subnet.End{Node: at, Port: uint16(p)})
		}
	}
	r.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	widths := []subnet.Width{0, 1, 2, 4, 8, 12}
	for cables := 0; len(free) > 1 && (cables == 0 || r.IntN(20) > 0); cables++ {
		a, b := free[0], free[1]
		free = free[2:]
		link := subnet.Link{Width: widths[r.IntN(len(widths))], Speed: subnet.Speed(r.IntN(int(subnet.XDR) + 1))}
		s.Connect(a, b, link)
		if r.IntN(8) == 0 {
			s.Port(b).Link.Speed = subnet.Speed(r.IntN(int(subnet.XDR) + 1))
		}
		for _, e := range []subnet.End{a, b} {
			if n := &s.Nodes[e.Node]; n.Kind != subnet.Switch {
				lid = (lid + 3) / 4 * 4
				s.Port(e).GUID, s.Port(e).LID, s.Port(e).LMC = n.GUID+units.GUID(e.Port), lid, 2
				lid += 4
				s.Origin = e
			}
		}
	}
	return s
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	plain := []string{"h1 HCA-1", "MF0;rack7:MQM9700/U1", "Voltaire 4036 # 4036-8C9E", "{braces}", "näme", "\xff\xfe raw", "@at", "Quantum Mellanox Technologies"}
	for _, c := range []struct {
		name  string
		names []string
		write func(io.Writer, *subnet.Subnet) error
		read  func(string, io.Reader, Options) (*subnet.Subnet, *Report, error)
		keeps keeps
	}{
		{"topo", oddNames, WriteTopo, ReadTopo, keeps{node: true, lmc: true, idle: true}},
		{"net", oddNames, WriteNet, ReadTopo, keeps{node: true, lmc: true, idle: true}},
		{"ports", plain, WritePortList, readPortList, keeps{}},
		{"iblinkinfo", plain, func(w io.Writer, s *subnet.Subnet) error { return WriteLinkInfo(w, s, false) }, readLinkInfo, keeps{}},
		{"subnet.lst", plain, WriteSubnetList, readSubnetList, keeps{cabled: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(300) {
				s := draw(rand.New(rand.NewPCG(seed, 3)), c.names)
				var first, second bytes.Buffer
				if err := c.write(&first, s); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				text := first.String()
				again, report, err := c.read("written", &first, Options{})
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, text)
				}
				if len(report.Skipped) > 0 {
					t.Fatalf("seed %d: the reader does not know weft's own lines: %+v", seed, report.Skipped)
				}
				same(t, fmt.Sprintf("seed %d", seed), again, s, c.keeps)
				if err := c.write(&second, again); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if third, _, err := c.read("written twice", &second, Options{}); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				} else if !reflect.DeepEqual(third, again) {
					t.Fatalf("seed %d: a second round trip changes the subnet", seed)
				}
				if t.Failed() {
					t.Fatalf("%s", text)
				}
			}
		})
	}
}

func TestTablesThatAreWrittenAreReadAgain(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := draw(r, oddNames[2:8])
		if s.Switches() == 0 {
			continue
		}
		tables := subnet.NewTables(s)
		sl := &SL2VL{Adapter: map[units.GUID][16]units.VL{}}
		mft := make([]map[units.LID]subnet.PortMask, len(tables.Switch))
		for i, node := range tables.Switch {
			ports := len(s.Nodes[node].Ports)
			for lid := 1; lid < len(tables.LFT[i]); lid++ {
				if r.IntN(9) > 0 {
					tables.LFT[i][lid] = uint8(r.IntN(ports))
				}
			}
			m := subnet.NewSLMap(ports - 1)
			for out := 1; out < ports; out++ {
				for in := range ports {
					for level := range 16 {
						if s.Nodes[node].Ports[out].Peer.Exists() {
							m.Set(uint8(in), uint8(out), units.SL(level), units.VL(r.IntN(16)))
						}
					}
				}
			}
			sl.Switch = append(sl.Switch, m)
			if r.IntN(2) == 0 {
				var mask subnet.PortMask
				mask.Add(uint8(r.IntN(ports)))
				mask.Add(uint8(r.IntN(ports)))
				mft[i] = map[units.LID]subnet.PortMask{units.FirstMulticastLID + units.LID(r.IntN(1000)): mask}
			}
		}
		var out bytes.Buffer
		if err := WriteLFTs(&out, s, tables); err != nil {
			t.Fatal(err)
		}
		if l, _, err := ReadLFTs("lfts", &out, s); err != nil || !reflect.DeepEqual(l.Tables, tables) {
			t.Fatalf("seed %d: forwarding tables change: %v", seed, err)
		}
		hops := subnet.LeastHops(s)
		if err := WriteFDBs(&out, s, tables, hops); err != nil {
			t.Fatal(err)
		}
		if l, _, err := readFDBs("fdbs", &out, s); err != nil || !reflect.DeepEqual(l.Tables.LFT, knownOnly(s, tables).LFT) {
			t.Fatalf("seed %d: routes change: %v", seed, err)
		}
		if err := WriteLIDMatrix(&out, s, hops); err != nil {
			t.Fatal(err)
		}
		if h, _, err := ReadLIDMatrix("matrix", &out, s); err != nil || !reflect.DeepEqual(h, reachable(hops)) {
			t.Fatalf("seed %d: hops change: %v", seed, err)
		}
		if err := WriteSL2VL(&out, s, sl); err != nil {
			t.Fatal(err)
		}
		if again, _, err := ReadSL2VL("sl2vl", &out, s); err != nil || !reflect.DeepEqual(again, sl) {
			t.Fatalf("seed %d: lanes change: %v", seed, err)
		}
		if err := WriteMFTs(&out, s, mft); err != nil {
			t.Fatal(err)
		}
		if again, _, err := ReadMFTs("mcfdbs", &out, s); err != nil || !reflect.DeepEqual(again, mft) {
			t.Fatalf("seed %d: multicast changes: %v", seed, err)
		}
	}
}

// knownOnly is the tables without the LIDs of no port, which opensm.fdbs calls
// UNREACHABLE.
func knownOnly(s *subnet.Subnet, t *subnet.Tables) *subnet.Tables {
	k := subnet.NewTables(s)
	for lid, owner := range s.Owners() {
		for i := range t.LFT {
			if owner.Exists() {
				k.LFT[i][lid] = t.LFT[i][lid]
			}
		}
	}
	return k
}

// reachable is the matrix without the rows that the file leaves out.
func reachable(h *subnet.Hops) *subnet.Hops {
	for _, rows := range h.At {
		for _, row := range rows {
			if row[0] == 255 {
				for i := range row {
					row[i] = 255
				}
			}
		}
	}
	return h
}

func TestWhatAFileCannotHoldIsRefused(t *testing.T) {
	s := &subnet.Subnet{Origin: subnet.None}
	s.Add(subnet.Node{Kind: subnet.Switch, GUID: 7, Name: "a"}, 2)
	s.Add(subnet.Node{Kind: subnet.Switch, GUID: 7, Name: "b"}, 2)
	if err := WriteTopo(io.Discard, s); err == nil {
		t.Error("two nodes with one GUID were written; they would be read as one")
	}
	s.Nodes[1].GUID, s.Nodes[1].Name = 8, "two\nlines"
	if err := WritePortList(io.Discard, s); err == nil {
		t.Error("a name with a line break was written")
	}
}
