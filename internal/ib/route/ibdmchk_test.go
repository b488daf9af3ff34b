package route_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/internal/base/topology"
	"weft/internal/ib/format"
	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
)

// ibdmchk runs the checker of ibutils on tables and reports whether it finds a
// credit loop. Any other finding fails the test.
func ibdmchk(t *testing.T, s *subnet.Subnet, r *route.Result) (loop bool) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, write func(io.Writer) error) string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	args := []string{
		"-s", write("opensm-subnet.lst", func(w io.Writer) error { return format.WriteSubnetList(w, s) }),
		"-f", write("opensm.fdbs", func(w io.Writer) error { return format.WriteFDBs(w, s, r.Tables, r.Hops()) }),
	}
	all := route.Group{MLID: units.FirstMulticastLID}
	for lid, e := range s.Owners() {
		if e.Exists() && s.Nodes[e.Node].Kind != subnet.Switch && int(s.Port(e).LID) == lid {
			all.Members = append(all.Members, e)
		}
	}
	if err := route.Multicast(s, r.Tables, []route.Group{all}); err != nil {
		t.Fatal(err)
	}
	args = append(args, "-m", write("opensm.mcfdbs", func(w io.Writer) error { return format.WriteMFTs(w, s, r.MFT) }))
	if r.SL != nil {
		args = append(args,
			"-c", write("psl", func(w io.Writer) error { return format.WritePathSL(w, s, r.SL) }),
			"-d", write("slvl", func(w io.Writer) error { return writeSLVL(w, s, r.Tables) }))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ibdmchk", args...).CombinedOutput()
	text := string(out)
	for line := range strings.Lines(text) {
		if strings.Contains(line, "-E-") && !strings.Contains(line, "credit loops in routing") {
			t.Errorf("ibdmchk: %s", line)
		}
	}
	switch {
	case strings.Contains(text, "no credit loops found"):
		return false
	case strings.Contains(text, "Found credit loop"):
		return true
	}
	t.Fatalf("ibdmchk says nothing about credit loops (%v):\n%s", err, text)
	return false
}

// writeSLVL writes SL2VL tables as ibdmchk reads them: a line per switch, input
// and output port, with two lanes in each byte.
func writeSLVL(w io.Writer, s *subnet.Subnet, t *subnet.Tables) error {
	for i, node := range t.Switch {
		n := &s.Nodes[node]
		for in := range n.Ports {
			for out := 1; out < len(n.Ports); out++ {
				fmt.Fprintf(w, "0x%016x %d %d", uint64(n.GUID), in, out)
				for sl := units.SL(0); sl < 16; sl += 2 {
					a, b := units.VL(sl), units.VL(sl+1)
					if t.SL2VL != nil {
						a, b = t.SL2VL[i].At(uint8(in), uint8(out), sl), t.SL2VL[i].At(uint8(in), uint8(out), sl+1)
					}
					fmt.Fprintf(w, " 0x%x%x", a, b)
				}
				fmt.Fprintln(w)
			}
		}
	}
	return nil
}

func TestIbdmchkAgreesWithTheProof(t *testing.T) {
	if _, err := exec.LookPath("ibdmchk"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("ibdmchk (package ibutils) is not installed, and CI must have it")
		}
		t.Skip("SKIPPED: ibdmchk (package ibutils) is not installed")
	}
	fabrics := map[string]*subnet.Subnet{
		"torus-5x5":       built(t, topology.Torus{Dims: []int{5, 5}, SwitchEndpoints: 1}),
		"dragonfly-3-6-3": built(t, topology.Dragonfly{P: 2, A: 6, H: 2, Groups: 7}),
	}
	for _, f := range routetest.Fabrics {
		fabrics[f] = routetest.Fabric(t, f)
	}
	for name, s := range fabrics {
		for _, x := range route.Engines() {
			o := route.Options{}
			if text, ok := torusConfs[name]; ok {
				o.Torus = conf(t, text)
			}
			r, err := route.Compute(s, x.Name, o)
			if err != nil {
				continue // an engine that refuses the fabric
			}
			p, err := proof.Check(s, r.Tables, proof.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := ibdmchk(t, s, r); got != p.Deadlocks() {
				t.Errorf("%s on %s: ibdmchk finds a credit loop %v, the proof %v %+v", x.Name, name, got, p.Deadlocks(), p.Cycles)
			}
		}
	}
}
