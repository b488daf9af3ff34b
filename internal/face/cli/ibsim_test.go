package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
	"weft/internal/test/ibsimtest"
)

const clusterScenario = `name: cluster
cluster:
  nodes: 2
  node: dgx-h100
topology:
  shape: fat-tree
  levels: 2
  radix: 16
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [1MiB]}
`

// weft ibsim serves a scenario: the real ibnetdiscover finds its adapters and switches,
// and a line on standard input removes a cable.
func TestAScenarioIsServedToRealTools(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cluster.yaml"), []byte(clusterScenario), 0o644); err != nil {
		t.Fatal(err)
	}
	socket := ibsimtest.SocketName()
	lines, console := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	out := &liveOutput{}
	e := environment([]string{"ibsim", "cluster.yaml", "--socket", socket, "--json", "--traffic"})
	e.Dir, e.Stdin, e.Stdout, e.Stderr = dir, lines, out, out
	done := make(chan exit.Code)
	go func() { done <- Main(ctx, e) }()
	t.Cleanup(func() {
		cancel()
		console.Close()
		if code := <-done; code != exit.OK {
			t.Errorf("weft ibsim exits with %d:\n%s", code, out)
		}
		if strings.Contains(out.String(), "standard input") {
			t.Errorf("an interrupt is reported as an error:\n%s", out)
		}
	})
	ibsimtest.WaitFor(t, "the server's start", func() bool { return strings.Contains(out.String(), `"ibsim_sockname":"`+socket+`"`) })
	before := ibsimtest.Run(t, dir, socket, "", "ibnetdiscover", "-p")
	if n := strings.Count(before, "\nCA "); n < 8 || !strings.Contains(before, "4x NDR") {
		t.Fatalf("ibnetdiscover -p shows %d ports of adapters, want 8 or more:\n%s", n, before)
	}
	for _, line := range []string{"nonsense", "down nobody[1]", "down node0/nic0[9]", "down node1/nic0[1]"} {
		if _, err := io.WriteString(console, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	ibsimtest.WaitFor(t, "the removal of a cable", func() bool { return strings.Contains(out.String(), "\ndown node1/nic0[1]\n") })
	for _, want := range []string{`there is no command "nonsense"`, `there is no node "nobody"`, `"node0/nic0" has no port 9`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the console lacks %s:\n%s", want, out)
		}
	}
	// The port counts the traffic of the simulated collective: it sends and receives about
	// twice 64 KiB times 15/16, in words of 4 bytes, a ring's share of its NIC.
	if _, err := io.WriteString(console, "Baselid node0/nic3[1] 9\n"); err != nil {
		t.Fatal(err)
	}
	ibsimtest.WaitFor(t, "a LID", func() bool { return strings.Contains(out.String(), "\nBaselid node0/nic3[1] 9\n") })
	var words int
	for line := range strings.Lines(ibsimtest.Run(t, dir, socket, "node0/nic3", "perfquery", "-x", "9", "1")) {
		if _, value, found := strings.Cut(line, "PortXmitData:"); found {
			words, _ = strconv.Atoi(strings.Trim(value, ". \n"))
		}
	}
	if words < 1000 || words > 1<<20 {
		t.Errorf("node0/nic3 has sent %d words, want 1000 to 2^20", words)
	}
	if after := ibsimtest.Run(t, dir, socket, "", "ibnetdiscover"); strings.Contains(after, "node1/nic0") || !strings.Contains(after, "node1/nic1") {
		t.Errorf("after the cable of node1/nic0 is gone:\n%s", after)
	}
}
