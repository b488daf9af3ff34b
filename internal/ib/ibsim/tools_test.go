package ibsim

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/test/ibsimtest"
)

// bench is a simulated fabric, and the place where programs run on it.
type bench struct {
	t      testing.TB
	server *Server
	subnet *subnet.Subnet
	socket string
	dir    string
}

// serve serves a fabric until the test ends.
func serve(t testing.TB, s *subnet.Subnet) *bench {
	t.Helper()
	b := &bench{t: t, subnet: s, socket: ibsimtest.SocketName(), dir: t.TempDir()}
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

// node is how programs name a node.
func (b *bench) node(n int) string {
	if b.subnet.Nodes[n].Kind == subnet.Switch {
		return "S-" + b.subnet.Nodes[n].GUID.Digits()
	}
	return "H-" + b.subnet.Nodes[n].GUID.Digits()
}

// run runs a program on a node to its end and returns what it printed.
func (b *bench) run(node int, name string, args ...string) string {
	b.t.Helper()
	return ibsimtest.Run(b.t, b.dir, b.socket, b.node(node), name, args...)
}

// opensm runs the real Subnet Manager on a node until the test ends, and waits
// until it says that the subnet is up.
func (b *bench) opensm(node int, args ...string) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	logFile := filepath.Join(b.dir, "osm.log")
	c := ibsimtest.Command(ctx, b.t, b.dir, b.socket, b.node(node), "opensm", append([]string{"-r", "-s", "0", "-D", "0x43", "-d", "2", "-f", logFile}, args...)...)
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
	ibsimtest.WaitFor(b.t, "SUBNET UP", func() bool {
		text, _ := os.ReadFile(logFile) // not there yet at first
		return strings.Contains(string(text), "SUBNET UP")
	})
}

// log is what opensm has logged.
func (b *bench) log() string {
	text, err := os.ReadFile(filepath.Join(b.dir, "osm.log"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}
