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

// shared is the folder of libraries that the tests share.
var shared struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// need skips a test whose tools are not installed; in CI it fails.
func need(t testing.TB, programs ...string) {
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
	for header, of := range map[string]string{"verbs.h": "libibverbs-dev", "umad.h": "libibumad-dev"} {
		if _, err := os.Stat("/usr/include/infiniband/" + header); err != nil {
			missing(of)
		}
	}
}

// folderOf builds the libraries once.
func folderOf(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "weft-verbs-"); shared.err != nil {
			return
		}
		b := Builder{Source: "../../..", To: shared.dir, Getenv: os.Getenv}
		if b.Source, shared.err = filepath.Abs(b.Source); shared.err == nil {
			shared.err = b.Build(context.Background())
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.dir
}

// running is a program under way.
type running struct {
	cmd  *exec.Cmd
	out  output
	done chan struct{}
	err  error // when done is closed
}

// output is what a program has written so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// says waits until the program has written a text.
func (r *running) says(t *testing.T, text string) {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(r.out.String(), text) {
			return
		}
	}
	t.Fatalf("%s does not say %q:\n%s", strings.Join(r.cmd.Args, " "), text, r.out.String())
}

// start starts a program on weft's verbs; the test's end kills it.
func start(t testing.TB, argv ...string) *running {
	t.Helper()
	return startOn(t, nil, argv...)
}

// startOn starts a program with devices.
func startOn(t testing.TB, devices []string, argv ...string) *running {
	t.Helper()
	return startAs(t, Program{Devices: devices}, argv...)
}

// startAs starts a program with options. It explains refused calls.
func startAs(t testing.TB, p Program, argv ...string) *running {
	t.Helper()
	p.Libraries, p.Explain = folderOf(t), true
	v, err := p.Variables(func(name string) string {
		return map[string]string{emulatorVariable: os.Getenv(emulatorVariable)}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &running{cmd: exec.Command(argv[0], argv[1:]...), done: make(chan struct{})}
	r.cmd.Env = Environ(os.Environ(), v)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	r.cmd.WaitDelay = time.Second
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		r.err = r.cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.done
	})
	return r
}

// patience is how long a program may take: the machine has other work, too.
const patience = 60 * time.Second

// end waits for a program and returns its output; it must end well.
func (r *running) end(t testing.TB) string {
	t.Helper()
	out, err := r.wait()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(r.cmd.Args, " "), err, out)
	}
	return out
}

// rpingsEnd is an end of rping that is its own: its thread asks for the next event after its main thread has
// destroyed the channel. It fails then, and rping with it, after all of its work.
var rpingsEnd = regexp.MustCompile(`(?s)DISCONNECT EVENT.*rdma_get_cm_event: Bad file descriptor`)

// wait waits for a program, for at most patience.
func (r *running) wait() (string, error) {
	select {
	case <-r.done:
		if out := r.out.String(); r.err == nil || !rpingsEnd.MatchString(out) {
			return out, r.err
		}
		return r.out.String(), nil
	case <-time.After(patience):
		_ = r.cmd.Process.Kill()
		<-r.done
		return r.out.String(), errors.Join(fmt.Errorf("not done after %v", patience), r.err)
	}
}

// given are the ports that freePort has returned: tests that run beside each other listen at them later.
var given sync.Map

// freePort is a TCP port that nobody listens at, and that no other test was given.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp4", ":0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		_ = l.Close()
		if err != nil {
			t.Fatal(err)
		}
		if _, again := given.LoadOrStore(port, true); !again {
			return port
		}
	}
}

// listens waits until the program listens at a TCP port: its client would find nobody before. A
// connection to ask would be taken for the client's.
func (r *running) listens(t *testing.T, port string) {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(port, &n); err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(fmt.Sprintf(`(?m)^ *\d+: [0-9A-F]+:%04X [0-9A-F]+:0000 0A `, n))
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		select {
		case <-r.done:
			t.Fatalf("%s ends before it listens: %v\n%s", strings.Join(r.cmd.Args, " "), r.err, r.out.String())
		default:
		}
		for _, file := range []string{"tcp", "tcp6"} { // of its network namespace
			if table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", r.cmd.Process.Pid, file)); err == nil && entry.Match(table) {
				return
			}
		}
	}
	t.Fatalf("nobody listens at port %s", port)
}

// pair runs a program as server and as client, and returns both outputs. Both must end well.
func pair(t *testing.T, argv ...string) (server, client string) {
	t.Helper()
	s, c := started(t, argv...)
	client = c.end(t)
	return s.end(t), client
}

// started starts a program as server, and as client once the server listens.
func started(t *testing.T, argv ...string) (server, client *running) {
	t.Helper()
	need(t, argv[0])
	port := freePort(t)
	argv = append(argv, "-p", port)
	server = start(t, argv...)
	server.listens(t, port)
	return server, start(t, append(argv, "127.0.0.1")...)
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

// -c looks at a byte of each page that has arrived.
func TestPingpongsCarryTheirDataBothWays(t *testing.T) {
	for _, argv := range [][]string{
		{"ibv_rc_pingpong", "-c"},
		{"ibv_rc_pingpong", "-c", "-e"},
		{"ibv_rc_pingpong", "-c", "-N"}, // ibv_wr_*
		{"ibv_rc_pingpong", "-c", "-t"}, // with the device's clock at each completion
		{"ibv_rc_pingpong", "-s", "1000000", "-n", "100", "-m", "1024"},
		{"ibv_uc_pingpong", "-c"},
		{"ibv_ud_pingpong", "-c"},
		{"ibv_ud_pingpong", "-e"},
		{"ibv_srq_pingpong", "-c"},
		{"ibv_srq_pingpong", "-c", "-e"},
	} {
		t.Run(strings.Join(argv, " "), func(t *testing.T) {
			server, client := pair(t, append(argv, "-g", "0")...)
			for _, out := range []string{server, client} {
				if !regexp.MustCompile(`\d+ iters in .* usec/iter`).MatchString(out) || strings.Contains(out, "invalid data") {
					t.Errorf("not all iterations, or other data than was sent:\n%s", out)
				}
			}
		})
	}
}

// Each side sends to the shared receive queue of the other, by a connection for each way.
func TestThePingpongOfXRCSucceeds(t *testing.T) {
	for _, argv := range [][]string{{"ibv_xsrq_pingpong"}, {"ibv_xsrq_pingpong", "-e"}, {"ibv_xsrq_pingpong", "-o", "-s", "100000"}} {
		t.Run(strings.Join(argv, " "), func(t *testing.T) {
			server, client := pair(t, append(argv, "-g", "0")...)
			for _, out := range []string{server, client} {
				if !strings.HasSuffix(strings.TrimSpace(out), "success") {
					t.Errorf("no success:\n%s", out)
				}
			}
		})
	}
}

// Every program of perftest, with its services and ways of waiting, ends well and prints its row.
func TestPerftestMeasures(t *testing.T) {
	t.Parallel() // its programs wait for the greater part of their time
	for _, c := range []struct{ argv, row string }{
		{"ib_write_bw -n 1000", ` 65536 +1000 +`},
		{"ib_write_bw -n 100 -s 8388608", ` 8388608 +100 +`},
		{"ib_write_bw -n 200 -q 16 --report_gbits", ` 65536 +3200 +`},
		{"ib_write_bw -n 1000 -c UC", ` 65536 +1000 +`},
		{"ib_write_bw -n 500 -b", ` 65536 +500 +`},
		{"ib_write_bw -n 512 -l 16", ` 65536 +512 +`},
		{"ib_write_bw -n 100 -a", ` 2 +100 +(?s:.*) 8388608 +100 +`},
		{"ib_read_bw -n 1000", ` 65536 +1000 +`},
		{"ib_read_bw -n 500 -q 4 -b", ` 65536 +2000 +`},
		{"ib_send_bw -n 1000", ` 65536 +1000 +`},
		{"ib_send_bw -n 1000 -e", ` 65536 +1000 +`},
		{"ib_send_bw -n 1000 -r 1024 -c UC", ` 65536 +1000 +`},
		{"ib_send_bw -n 1000 -r 1024 -c UD", ` 4096 +1000 +`},
		{"ib_send_bw -n 1000 -r 100 --use-srq -q 4", ` 65536 +4000 +`},
		{"ib_send_bw -n 500 -c XRC", ` 65536 +500 +`},
		{"ib_write_bw -n 500 -c XRC", ` 65536 +500 +`},
		{"ib_read_bw -n 200 -c XRC", ` 65536 +200 +`},
		{"ib_atomic_bw -n 1000", ` 8 +1000 +`},
		{"ib_atomic_bw -n 1000 -A CMP_AND_SWAP", ` 8 +1000 +`},
		{"ib_write_lat -n 200", ` 2 +200 +`},
		{"ib_read_lat -n 200", ` 2 +200 +`},
		{"ib_send_lat -n 200", ` 2 +200 +`},
		{"ib_send_lat -n 200 -e", ` 2 +200 +`},
		{"ib_send_lat -n 200 -c UD", ` 2 +200 +`},
		{"ib_atomic_lat -n 200", ` 8 +200 +`},
		// Of a random sample of services, sizes, numbers of queue pairs, directions and ways of waiting.
		{"ib_write_bw -n 20 -q 128 -s 4096 -b --report_gbits", ` 4096 +2560 +`},
		{"ib_write_bw -n 200 -q 16 -s 1000 -c UC -I 64", ` 1000 +3200 +`},
		{"ib_read_bw -n 200 -q 5 -s 1000003 -c XRC -o 4", ` 1000003 +1000 +`},
		{"ib_read_bw -n 5 -s 67108864 -m 1024 -b", ` 67108864 +5 +`},
		{"ib_send_bw -n 200 -q 4 -s 1000 -b", ` 1000 +800 +`},
		{"ib_send_bw -n 200 -q 16 -s 64 -b -c UD --report_gbits", ` 64 +3200 +`},
		{"ib_send_bw -n 200 -q 5 -s 8 -l 8 -m 256", ` 8 +1000 +`},
		{"ib_atomic_bw -n 100 -q 128 --report_gbits", ` 8 +12800 +`},
		{"ib_atomic_bw -n 200 -q 4 -b", ` 8 +800 +`},
		{"ib_write_lat -n 200 -s 4097 -c UC", ` 4097 +200 +`},
		{"ib_read_lat -n 200 -s 65536 -e", ` 65536 +200 +`},
		{"ib_send_lat -n 200 -s 257 -c UC -e", ` 257 +200 +`},
		{"ib_send_lat -n 200 -s 4097 -c XRC", ` 4097 +200 +`},
		{"ib_atomic_lat -n 200 -e", ` 8 +200 +`},
	} {
		t.Run(c.argv, func(t *testing.T) {
			t.Parallel()
			_, client := pair(t, strings.Fields(c.argv)...)
			for try := 0; try < 5 && strings.Contains(client, "Correlation coefficient"); try++ {
				_, client = pair(t, strings.Fields(c.argv)...) // perftest could not take the processor's clock rate
			}
			if !regexp.MustCompile(`(?m)^` + c.row + `[\d.]+ +[\d.]*[1-9]`).MatchString(client) {
				t.Errorf("no row %q:\n%s", c.row, client)
			}
		})
	}
}
