package ibsim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/internal/sma"
	"weft/internal/subnet"
	"weft/internal/topology"
)

// The real programs, from Debian's packages opensm, ibsim-utils and
// infiniband-diags. Continuous integration has them; elsewhere their tests are
// skipped.

// preload is the library that redirects a program's InfiniBand to a simulator.
func preload(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/*/umad2sim/libumad2sim.so")
	if len(found) == 0 {
		missing(t, "libumad2sim.so")
	}
	return found[0]
}

// program is the path of a program.
func program(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/bin") {
		if path := filepath.Join(dir, name); executable(path) {
			return path
		}
	}
	missing(t, name)
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed: packages opensm, ibsim-utils, infiniband-diags", what)
	}
	t.Skipf("SKIPPED: %s is not installed: packages opensm, ibsim-utils, infiniband-diags", what)
}

var sockets atomic.Int32

// socketName is a name that no other test has.
func socketName() string { return fmt.Sprintf("weft-test-%d-%d", os.Getpid(), sockets.Add(1)) }

// bench is a fabric that is served, and where programs run.
type bench struct {
	t       testing.TB
	server  *Server
	subnet  *subnet.Subnet
	socket  string
	dir     string
	library string
}

// serve serves a fabric until the test ends.
func serve(t testing.TB, s *subnet.Subnet) *bench {
	t.Helper()
	b := &bench{t: t, subnet: s, socket: socketName(), dir: t.TempDir(), library: preload(t)}
	f, err := sma.New(s)
	if err != nil {
		t.Fatal(err)
	}
	if b.server, err = Listen(b.socket, f); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- b.server.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return b
}

// build is the subnet of a graph, with all links alike.
func build(t testing.TB, spec topology.Spec, link subnet.Link) *subnet.Subnet {
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

// command is a program that is attached at a node.
func (b *bench) command(ctx context.Context, node int, name string, args ...string) *exec.Cmd {
	b.t.Helper()
	dir, err := os.MkdirTemp(b.dir, name)
	if err != nil {
		b.t.Fatal(err)
	}
	n := &b.subnet.Nodes[node]
	host := "H-" + n.GUID.Digits()
	if n.Kind == subnet.Switch {
		host = "S-" + n.GUID.Digits()
	}
	c := exec.CommandContext(ctx, program(b.t, name), args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "LD_PRELOAD="+b.library, "IBSIM_SOCKNAME="+b.socket, "SIM_HOST="+host,
		"OSM_TMP_DIR="+b.dir, "OSM_CACHE_DIR="+b.dir)
	c.WaitDelay = time.Second
	return c
}

// run runs a program to its end and returns what it printed.
func (b *bench) run(node int, name string, args ...string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	c := b.command(ctx, node, name, args...)
	var out, stderr strings.Builder
	c.Stdout, c.Stderr = &out, &stderr
	if err := c.Run(); err != nil {
		b.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), stderr.String())
	}
	return out.String()
}

// opensm runs the real Subnet Manager on a node until the test ends, and waits
// until it says that the subnet is up.
func (b *bench) opensm(node int, args ...string) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	logFile := filepath.Join(b.dir, "osm.log")
	c := b.command(ctx, node, "opensm", append([]string{"-r", "-s", "0", "-D", "0x43", "-d", "2", "-f", logFile}, args...)...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		cancel()
		var exit *exec.ExitError
		if err := c.Wait(); err != nil && !errors.As(err, &exit) && !errors.Is(err, context.Canceled) {
			b.t.Errorf("opensm: %v", err)
		}
	})
	deadline := time.Now().Add(90 * time.Second)
	for time.Now().Before(deadline) {
		text, _ := os.ReadFile(logFile)
		if strings.Contains(string(text), "SUBNET UP") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("opensm did not bring the subnet up:\n%s", b.log())
}

// log is what opensm has logged.
func (b *bench) log() string {
	text, err := os.ReadFile(filepath.Join(b.dir, "osm.log"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// waitFor waits for something that happens elsewhere.
func waitFor(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if happened() {
			return
		}
	}
	t.Fatalf("%s did not happen", what)
}
