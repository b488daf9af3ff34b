package route_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/internal/ib/subnet"
	"weft/units"
)

// simulatedMADs is the library through which OpenSM talks to ibsim: package libumad2sim0.
const simulatedMADs = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"

// needOpenSM skips a test on a machine without the real tools; in CI it fails.
func needOpenSM(t *testing.T) {
	t.Helper()
	missing := ""
	for _, tool := range []string{"opensm", "ibsim"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing = tool
		}
	}
	if _, err := os.Stat(simulatedMADs); err != nil {
		missing = simulatedMADs
	}
	switch {
	case missing == "":
	case os.Getenv("CI") != "":
		t.Fatalf("%s is missing: install the packages opensm and ibsim-utils", missing)
	default:
		t.Skipf("SKIPPED, NOTHING COMPARED WITH OPENSM: %s is missing (packages opensm and ibsim-utils)", missing)
	}
}

// dump holds the files of an OpenSM about the subnet that it brought up.
type dump struct {
	used string // engine in use, by its log
	log  string
	lids map[units.GUID]units.LID
	lft  map[units.GUID]map[units.LID]uint8   // by the switch's NodeGUID
	hops map[units.GUID]map[units.LID][]uint8 // by the switch's NodeGUID and a switch's LID
}

// bringUp has the real OpenSM bring up a subnet that the real ibsim serves.
func bringUp(t *testing.T, s *subnet.Subnet, args ...string) *dump {
	t.Helper()
	dir := t.TempDir()
	net := filepath.Join(dir, "fabric.net")
	if err := os.WriteFile(net, []byte(netFile(s)), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	socket := fmt.Sprintf("IBSIM_SOCKNAME=weft-%d-%s", os.Getpid(), filepath.Base(filepath.Dir(dir))+filepath.Base(dir))
	nodes, ports := len(s.Nodes), 0
	for i := range s.Nodes {
		ports += len(s.Nodes[i].Ports)
	}
	sim := exec.CommandContext(ctx, "ibsim", "-s", "-n", "-N", strconv.Itoa(nodes+10), "-S", strconv.Itoa(s.Switches()+10),
		"-P", strconv.Itoa(ports+nodes+100), "-L", "49151", net)
	sim.Env = append(os.Environ(), socket)
	out, err := sim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	sim.Stderr = sim.Stdout
	if err := sim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = sim.Wait() }()
	ready := bufio.NewScanner(out)
	said := ""
	for ready.Scan() && !strings.Contains(ready.Text(), "simulator ready") {
		said += ready.Text() + "\n"
	}
	if ready.Text() == "" {
		t.Fatalf("ibsim did not start:\n%s", said)
	}
	go func() {
		for ready.Scan() { // ibsim stops when nobody reads what it says
		}
	}()
	n := &s.Nodes[s.Origin.Node]
	sm := exec.CommandContext(ctx, "opensm", append([]string{
		"-o", "-r", "-D", "0x43", "-d", "2", "-f", filepath.Join(dir, "osm.log"),
		"-g", s.Port(s.Origin).GUID.String(),
	}, args...)...)
	sm.Dir = dir
	sm.Env = append(os.Environ(), socket, "SIM_HOST="+nodeID(n), "OSM_TMP_DIR="+dir, "OSM_CACHE_DIR="+dir, "LD_PRELOAD="+simulatedMADs)
	if text, err := sm.CombinedOutput(); err != nil {
		t.Fatalf("opensm %v: %v\n%s", args, err, text)
	}
	return readDump(t, dir)
}

func nodeID(n *subnet.Node) string {
	switch n.Kind {
	case subnet.Switch:
		return "S-" + n.GUID.Digits()
	case subnet.Router:
		return "R-" + n.GUID.Digits()
	}
	return "H-" + n.GUID.Digits()
}

// netFile is a subnet in the form that ibsim reads.
func netFile(s *subnet.Subnet) string {
	var b strings.Builder
	for i := range s.Nodes {
		n := &s.Nodes[i]
		fmt.Fprintf(&b, "vendid=0x2c9\ndevid=0x1\nsysimgguid=0x%x\n", uint64(n.SystemGUID))
		switch n.Kind {
		case subnet.Switch:
			fmt.Fprintf(&b, "switchguid=0x%x(%x)\nSwitch\t%d \"%s\"\t\t# \"%s\" base port 0 lid 0 lmc 0\n",
				uint64(n.GUID), uint64(n.Ports[0].GUID), n.NumPorts(), nodeID(n), n.Name)
		case subnet.Router:
			fmt.Fprintf(&b, "rtguid=0x%x\nRt\t%d \"%s\"\t\t# \"%s\"\n", uint64(n.GUID), n.NumPorts(), nodeID(n), n.Name)
		default:
			fmt.Fprintf(&b, "caguid=0x%x\nCa\t%d \"%s\"\t\t# \"%s\"\n", uint64(n.GUID), n.NumPorts(), nodeID(n), n.Name)
		}
		for p := 1; p < len(n.Ports); p++ {
			peer := n.Ports[p].Peer
			if !peer.Exists() {
				continue
			}
			guid := ""
			if n.Kind != subnet.Switch {
				guid = fmt.Sprintf("(%x)", uint64(n.Ports[p].GUID))
			}
			fmt.Fprintf(&b, "[%d]%s\t\"%s\"[%d]\t\t# \"%s\" lid 0 4xHDR\n", p, guid, nodeID(&s.Nodes[peer.Node]), peer.Port, s.Nodes[peer.Node].Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// readDump reads the files that OpenSM left in a directory.
func readDump(t *testing.T, dir string) *dump {
	t.Helper()
	d := &dump{lids: map[units.GUID]units.LID{}, lft: map[units.GUID]map[units.LID]uint8{}, hops: map[units.GUID]map[units.LID][]uint8{}}
	number := func(text string, base, bits int) uint64 {
		v, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), base, bits)
		if err != nil {
			t.Fatalf("%s: %v", dir, err)
		}
		return v
	}
	each := func(file string, do func(words []string)) {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if words := strings.Fields(line); len(words) > 0 {
				do(words)
			}
		}
	}
	each("guid2lid", func(w []string) {
		d.lids[units.GUID(number(w[0], 16, 64))] = units.LID(number(w[1], 16, 16))
	})
	var lft map[units.LID]uint8
	each("opensm-lfts.dump", func(w []string) {
		switch {
		case w[0] == "Unicast":
			lft = map[units.LID]uint8{}
			d.lft[units.GUID(number(w[8], 16, 64))] = lft
		case strings.HasPrefix(w[0], "0x"):
			lft[units.LID(number(w[0], 16, 16))] = uint8(number(w[1], 10, 8))
		}
	})
	var matrix map[units.LID][]uint8
	each("opensm-lid-matrix.dump", func(w []string) {
		if w[0] == "Switch:" {
			matrix = map[units.LID][]uint8{}
			d.hops[units.GUID(number(w[2], 16, 64))] = matrix
			return
		}
		var row []uint8
		for _, h := range w[1:] {
			if h == "#" {
				break
			}
			row = append(row, uint8(number(h, 16, 8)))
		}
		matrix[units.LID(number(strings.TrimSuffix(w[0], ":"), 16, 16))] = row
	})
	log, err := os.ReadFile(filepath.Join(dir, "osm.log"))
	if err != nil {
		t.Fatal(err)
	}
	d.log = string(log)
	for line := range strings.Lines(d.log) {
		if _, after, ok := strings.Cut(line, "osm_ucast_mgr_process: "); ok {
			d.used, _, _ = strings.Cut(after, " tables configured")
		}
	}
	return d
}
