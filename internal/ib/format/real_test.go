package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"weft/internal/ib/subnet"
	"weft/units"
)

// umad2sim is the library by which the tools of InfiniBand talk to ibsim
// instead of to a device (package libumad2sim0).
const umad2sim = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"

// needTools skips the test where the real tools are not installed, and fails
// it in CI, where they must be.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	missing := ""
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing = tool
		}
	}
	if _, err := os.Stat(umad2sim); err != nil {
		missing = umad2sim
	}
	if missing == "" {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed (packages ibsim-utils, libumad2sim0, infiniband-diags)", missing)
	}
	t.Skipf("SKIPPED: %s is not installed (packages ibsim-utils, libumad2sim0, infiniband-diags)", missing)
}

// simulator serves a net by the real ibsim until the test ends, and returns a
// function that runs a tool on it.
func simulator(t *testing.T, net []byte) func(args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "net")
	if err := os.WriteFile(path, net, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	env := append(os.Environ(), fmt.Sprintf("IBSIM_SOCKNAME=weft-%d-%s", os.Getpid(), filepath.Base(dir)))
	sim := exec.CommandContext(ctx, "ibsim", "-s", "-n", "-N", "600", "-S", "200", "-P", "20000", path)
	sim.Dir, sim.Env = dir, env
	out, err := sim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	sim.Stderr = sim.Stdout
	if err := sim.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	ready := make(chan bool, 1)
	go func() { // ends with ibsim
		chunk := make([]byte, 4096)
		told := false
		for {
			n, err := out.Read(chunk)
			said.Write(chunk[:n])
			if !told && (err != nil || bytes.Contains(said.Bytes(), []byte("simulator ready"))) {
				told = true
				ready <- err == nil
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = sim.Wait() // an error: it was killed
	})
	if !<-ready {
		t.Fatalf("ibsim did not start on\n%s\nit says\n%s", net, said.String())
	}
	return func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(env, "LD_PRELOAD="+umad2sim)
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return text
	}
}

// drawNet makes a random connected subnet that ibsim 0.10 can serve:
// switches and adapters, LIDs, widths up to 12x and speeds up to HDR.
func drawNet(r *rand.Rand) *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	guid := units.GUID(0x0002c90300000000) + units.GUID(r.IntN(1<<30))<<8
	names := []string{"h1 HCA-1", "MF0;rack7:MQM9700/U1", "Voltaire 4036", "{braces}", "Quantum Mellanox Technologies", "it's"}
	links := []subnet.Link{{Width: 4, Speed: subnet.HDR}, {Width: 4, Speed: subnet.EDR}, {Width: 1, Speed: subnet.SDR}, {Width: 4, Speed: subnet.QDR}, {Width: 12, Speed: subnet.DDR}, {Width: 4, Speed: subnet.FDR}}
	var free []subnet.End // of switches in the fabric
	lid := units.LID(1)
	take := func() subnet.End {
		i := r.IntN(len(free))
		e := free[i]
		free[i] = free[len(free)-1]
		free = free[:len(free)-1]
		return e
	}
	for i := range 2 + r.IntN(40) {
		isSwitch := i == 0 || r.IntN(3) == 0
		guid += 256
		n := subnet.Node{Kind: subnet.Adapter, GUID: guid, SystemGUID: guid, VendorID: 0x2c9, DeviceID: uint16(r.IntN(1 << 16)), Name: fmt.Sprintf("%s %d", names[r.IntN(len(names))], i)}
		ports := 1 + r.IntN(2)
		if isSwitch {
			n.Kind, ports = subnet.Switch, 8+r.IntN(57)
		}
		at := s.Add(n, ports)
		end := subnet.End{Node: at, Port: uint16(1 + r.IntN(ports))}
		if i > 0 {
			s.Connect(end, take(), links[r.IntN(len(links))])
		}
		lid++
		if !isSwitch {
			p := s.Port(end)
			p.GUID, p.LID = guid+units.GUID(end.Port), lid
			continue
		}
		s.Nodes[at].Ports[0].GUID, s.Nodes[at].Ports[0].LID = guid, lid
		for p := 1; p <= ports; p++ {
			if e := (subnet.End{Node: at, Port: uint16(p)}); e != end || i == 0 {
				free = append(free, e)
			}
		}
		for range r.IntN(4) {
			if a, b := take(), take(); i > 0 {
				s.Connect(a, b, links[r.IntN(len(links))])
			}
		}
	}
	return s
}

func TestTheRealIbnetdiscoverReadsBackWhatWasWritten(t *testing.T) {
	needTools(t, "ibsim", "ibnetdiscover", "iblinkinfo")
	for seed := range uint64(6) {
		s := drawNet(rand.New(rand.NewPCG(seed, 11)))
		var net bytes.Buffer
		if err := WriteNet(&net, s); err != nil {
			t.Fatal(err)
		}
		run := simulator(t, net.Bytes())
		for _, c := range []struct {
			tool  []string
			read  func(string, io.Reader, Options) (*subnet.Subnet, *Report, error)
			keeps keeps
		}{
			{[]string{"ibnetdiscover"}, ReadTopo, keeps{node: true, lmc: true, idle: true}},
			{[]string{"ibnetdiscover", "-g"}, ReadTopo, keeps{node: true, lmc: true, idle: true}},
			{[]string{"ibnetdiscover", "-f"}, ReadTopo, keeps{node: true, lmc: true, idle: true}},
			{[]string{"ibnetdiscover", "-p"}, readPortList, keeps{}},
			{[]string{"iblinkinfo"}, readLinkInfo, keeps{}},
		} {
			text := run(c.tool...)
			got, report, err := c.read(fmt.Sprint(c.tool), bytes.NewReader(text), Options{})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if len(report.Skipped) > 0 {
				t.Errorf("seed %d: %v: unknown lines %+v", seed, c.tool, report.Skipped)
			}
			same(t, fmt.Sprintf("seed %d: %v", seed, c.tool), got, s, c.keeps)
		}
	}
}

// OpenSM reads forwarding tables and a LID matrix from files (-R file -U -M),
// programs the switches with them, and dumps the switches' tables.
func TestTheRealOpenSMLoadsTheTablesThatWereWritten(t *testing.T) {
	needTools(t, "ibsim", "opensm", "dump_fts")
	const dir = "testdata/opensm/torus2d-4x4.dfsssp"
	s, _, err := ReadTopo("topo", bytes.NewReader(gunzip(t, dir+"/ibnetdiscover.topo.gz")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	lfts, _, err := ReadLFTs("lfts", bytes.NewReader(gunzip(t, dir+"/opensm-lfts.dump.gz")), s)
	if err != nil {
		t.Fatal(err)
	}
	lfts.Assign(s)
	var net, tables, hops bytes.Buffer
	for _, err := range []error{WriteNet(&net, s), WriteLFTs(&tables, s, lfts.Tables), WriteLIDMatrix(&hops, s, subnet.LeastHops(s))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := simulator(t, net.Bytes())
	out := t.TempDir()
	for name, text := range map[string][]byte{"tables": tables.Bytes(), "hops": hops.Bytes()} {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	manager := s.Owners()[1] // OpenSM gives its own port LID 1
	run("env", "SIM_HOST="+guidID(&s.Nodes[manager.Node]), "OSM_TMP_DIR="+out, "OSM_CACHE_DIR="+out,
		"opensm", "-o", "-r", "-D", "0x43", "-d", "2", "-f", filepath.Join(out, "log"),
		"-R", "file", "-U", filepath.Join(out, "tables"), "-M", filepath.Join(out, "hops"))
	for file, want := range map[string][]byte{"opensm-lfts.dump": tables.Bytes(), "opensm-lid-matrix.dump": hops.Bytes()} {
		got, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Fatal(err)
		}
		sameText(t, file, got, want)
	}
	live, _, err := ReadLFTs("dump_fts", bytes.NewReader(run("dump_fts")), s)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := WriteLFTs(&again, s, live.Tables); err != nil {
		t.Fatal(err)
	}
	sameText(t, "dump_fts", again.Bytes(), tables.Bytes())
}

// testdata/nets holds nets with statements of ibsim that ibnetdiscover does not write.
func TestNetsAreReadAsTheRealIbsimReadsThem(t *testing.T) {
	needTools(t, "ibsim", "ibnetdiscover")
	files, err := filepath.Glob("testdata/nets/*.net")
	if err != nil || len(files) == 0 {
		t.Fatalf("no nets in testdata/nets: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := ReadTopo(path, bytes.NewReader(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		run := simulator(t, text)
		got, _, err := ReadTopo("ibnetdiscover", bytes.NewReader(run("ibnetdiscover")), Options{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, path, got, want, keeps{idle: true})
	}
}
