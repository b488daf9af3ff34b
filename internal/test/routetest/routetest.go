package routetest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
	"weft/units"
)

//go:embed testdata
var files embed.FS

// Fabrics is the names of the fabrics.
var Fabrics = []string{"ft2-16", "ft3-k8-128", "torus2d-4x4", "torus3d-4x4x4", "dragonfly-p2a4h2", "real-plafrim"}

// Build is the subnet of a graph without LIDs; all links are equal.
func Build(t testing.TB, spec topology.Spec, link subnet.Link) *subnet.Subnet {
	t.Helper()
	g, err := spec.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := subnet.FromGraph(g, link)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// FirstCable is the first cable between switches.
func FirstCable(s *subnet.Subnet) subnet.End {
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			peer := s.Nodes[i].Ports[p].Peer
			if s.Nodes[i].Kind == subnet.Switch && peer.Exists() && s.Nodes[peer.Node].Kind == subnet.Switch {
				return subnet.End{Node: int32(i), Port: uint16(p)}
			}
		}
	}
	return subnet.None
}

// Fabric reads a fabric, with the LIDs that OpenSM gave it.
func Fabric(t testing.TB, name string) *subnet.Subnet {
	t.Helper()
	s, _, err := format.ReadTopo(name, open(t, name+"/topo.gz"), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Tables reads the tables of an engine for a fabric, and sets the LIDs of these tables in the
// fabric. If lanes is set, the tables have OpenSM's service level of each path and its SL2VL
// tables.
func Tables(t testing.TB, s *subnet.Subnet, fabric, engine string, lanes bool) *subnet.Tables {
	t.Helper()
	name := fabric + "/" + engine
	l, _, err := format.ReadLFTs(name, open(t, name+".lfts.gz"), s)
	if err != nil {
		t.Fatal(err)
	}
	if strangers := l.Assign(s); strangers > 0 {
		t.Fatalf("%s: %d LIDs of ports that the fabric does not have", name, strangers)
	}
	if lanes {
		readLevels(t, name, l.Tables)
		readLanes(t, name, s, l.Tables)
	}
	return l.Tables
}

// Has reports whether there are tables of an engine for a fabric.
func Has(fabric, engine string) bool {
	_, err := files.Open("testdata/" + fabric + "/" + engine + ".lfts.gz")
	return err == nil
}

// Hops reads the LID matrix of an engine for a fabric; nil if there is none.
func Hops(t testing.TB, s *subnet.Subnet, fabric, engine string) *subnet.Hops {
	t.Helper()
	name := fabric + "/" + engine + ".hops.gz"
	if _, err := files.Open("testdata/" + name); err != nil {
		return nil
	}
	hops, _, err := format.ReadLIDMatrix(name, open(t, name), s)
	if err != nil {
		t.Fatal(err)
	}
	return hops
}

// Verdict is ibdmchk's verdict on the credit loops of an engine's tables.
type Verdict struct {
	Fabric, Engine string
	Lanes          bool // with the lanes that the engine assigned; false: all on one lane
	Loop           bool
}

// Verdicts is the verdicts of all engines and fabrics.
func Verdicts(t testing.TB) []Verdict {
	t.Helper()
	text, err := files.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []Verdict
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		all = append(all, Verdict{f[0], f[1], f[2] == "lanes", f[3] == "loop"})
	}
	return all
}

func open(t testing.TB, name string) io.Reader {
	t.Helper()
	packed, err := files.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readLevels reads the service levels of paths: source LID, destination LID,
// status, SL. With a status other than 0, OpenSM does not give out the path.
func readLevels(t testing.TB, name string, tables *subnet.Tables) {
	t.Helper()
	levels := map[[2]units.LID]units.SL{}
	for in := bufio.NewScanner(open(t, name+".paths.gz")); in.Scan(); {
		var src, dst units.LID
		var status string
		var sl units.SL
		if n, _ := fmt.Sscan(in.Text(), &src, &dst, &status, &sl); n == 4 && status == "0x0" {
			levels[[2]units.LID{src, dst}] = sl
		}
	}
	tables.SL = func(src, dst units.LID) units.SL { return levels[[2]units.LID{src, dst}] }
}

// readLanes reads opensm-sl2vl.dump.
func readLanes(t testing.TB, name string, s *subnet.Subnet, tables *subnet.Tables) {
	t.Helper()
	byGUID := map[units.GUID]int32{}
	for i := range s.Nodes {
		byGUID[s.Nodes[i].GUID] = int32(i)
	}
	tables.SL2VL = make([]subnet.SLMap, len(tables.Switch))
	var m *subnet.SLMap
	for in := bufio.NewScanner(open(t, name+".sl2vl.gz")); in.Scan(); {
		line := strings.ReplaceAll(in.Text(), ":", " ")
		var guid units.GUID
		if n, _ := fmt.Sscanf(line, "Switch 0x%x", &guid); n == 1 {
			d := tables.Dense[byGUID[guid]]
			tables.SL2VL[d] = subnet.NewSLMap(s.Nodes[tables.Switch[d]].NumPorts())
			m = &tables.SL2VL[d]
			continue
		}
		if strings.HasPrefix(line, "Channel") {
			m = nil
		}
		var inPort, outPort uint8
		var vl [16]units.VL
		args := []any{&inPort, &outPort}
		for i := range vl {
			args = append(args, &vl[i])
		}
		if n, _ := fmt.Sscan(line, args...); n == len(args) && m != nil {
			for sl, lane := range vl {
				m.Set(inPort, outPort, units.SL(sl), lane)
			}
		}
	}
}
