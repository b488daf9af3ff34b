package preload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests of this file run Debian's own programs, as they are.

// built is the folder of libraries that the tests share.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// need skips a test whose tools are not installed; in CI it fails.
func need(t *testing.T, programs ...string) {
	t.Helper()
	missing := func(what string) {
		t.Helper()
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed: bash .ci/run tools", what)
		}
		t.Skipf("%s is not installed: bash .ci/run tools", what)
	}
	for _, p := range append(programs, "gcc") {
		if _, err := exec.LookPath(p); err != nil {
			missing(p)
		}
	}
	if _, err := os.Stat("/usr/include/infiniband/verbs.h"); err != nil {
		missing("libibverbs-dev")
	}
}

// libraries builds the libraries once.
func libraries(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "weft-verbs-"); built.err != nil {
			return
		}
		b := Builder{Source: "../../..", To: built.dir, Getenv: os.Getenv}
		if b.Source, built.err = filepath.Abs(b.Source); built.err == nil {
			built.err = b.Build(context.Background())
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

// running is a program under way.
type running struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

// start starts a program on weft's verbs; the test's end kills it.
func start(t *testing.T, argv ...string) *running {
	t.Helper()
	p := Program{Libraries: libraries(t), Explain: true}
	v, err := p.Variables(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	r := &running{cmd: exec.Command(argv[0], argv[1:]...)}
	r.cmd.Env = Environ(os.Environ(), v)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	r.cmd.WaitDelay = time.Second
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if r.cmd.ProcessState == nil {
			_ = r.cmd.Process.Kill()
			_ = r.cmd.Wait()
		}
	})
	return r
}

// patience is how long a program may take: the machine has other work, too.
const patience = 60 * time.Second

// end waits for a program and returns its output; it must end well.
func (r *running) end(t *testing.T) string {
	t.Helper()
	out, err := r.wait()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(r.cmd.Args, " "), err, out)
	}
	return out
}

// wait waits for a program, for at most patience.
func (r *running) wait() (string, error) {
	done := make(chan error, 1)
	go func() { done <- r.cmd.Wait() }()
	select {
	case err := <-done:
		return r.out.String(), err
	case <-time.After(patience):
		_ = r.cmd.Process.Kill()
		return r.out.String(), errors.Join(fmt.Errorf("not done after %v", patience), <-done)
	}
}

// freePort is a TCP port that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// listens waits until a program listens at a TCP port: its client would find nobody before. A
// connection to ask would be taken for the client's.
func listens(t *testing.T, port string) {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(port, &n); err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(fmt.Sprintf(`(?m)^ *\d+: [0-9A-F]+:%04X [0-9A-F]+:0000 0A `, n))
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			if table, err := os.ReadFile(file); err == nil && entry.Match(table) {
				return
			}
		}
	}
	t.Fatalf("nobody listens at port %s", port)
}

// pair runs a program as server and as client, and returns both outputs. Both must end well.
func pair(t *testing.T, argv ...string) (server, client string) {
	t.Helper()
	need(t, argv[0])
	port := freePort(t)
	argv = append(argv, "-p", port)
	s := start(t, argv...)
	listens(t, port)
	c := start(t, append(argv, "127.0.0.1")...)
	client = c.end(t)
	return s.end(t), client
}

func TestProgramsSeeADevice(t *testing.T) {
	need(t, "ibv_devices", "ibv_devinfo")
	if out := start(t, "ibv_devices").end(t); !strings.Contains(out, "weft0") {
		t.Errorf("ibv_devices shows no weft0:\n%s", out)
	}
	out := start(t, "ibv_devinfo", "-v").end(t)
	for _, want := range []string{`hca_id:\s+weft0`, `state:\s+PORT_ACTIVE`, `link_layer:\s+Ethernet`, `GID\[  0\]:\s+::ffff:127\.0\.\d+\.\d+, RoCE v2`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("ibv_devinfo -v shows no %s:\n%s", want, out)
		}
	}
}

// -c compares every byte that has arrived.
func TestPingpongsCarryTheirDataBothWays(t *testing.T) {
	for _, argv := range [][]string{
		{"ibv_rc_pingpong", "-g", "0", "-c"},
		{"ibv_rc_pingpong", "-g", "0", "-c", "-e"},
	} {
		t.Run(strings.Join(argv, " "), func(t *testing.T) {
			server, client := pair(t, argv...)
			for _, out := range []string{server, client} {
				if !regexp.MustCompile(`1000 iters in .* usec/iter`).MatchString(out) {
					t.Errorf("no 1000 iterations:\n%s", out)
				}
			}
		})
	}
}

func TestPerftestMeasures(t *testing.T) {
	for _, argv := range [][]string{
		{"ib_write_bw", "-n", "1000"},
	} {
		t.Run(strings.Join(argv, " "), func(t *testing.T) {
			_, client := pair(t, argv...)
			if !regexp.MustCompile(`(?m)^ 65536 +1000 +[\d.]+ +[1-9][\d.]*`).MatchString(client) {
				t.Errorf("no row of 65536 bytes with a bandwidth:\n%s", client)
			}
		})
	}
}
