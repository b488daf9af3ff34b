//go:build linux

package interop

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// tool is a program of Linux, and weft's command in its place. The server's address is ""
// for the side that serves.
type tool struct {
	name     string
	linux    func(server string) []string
	weft     func(server string) []string
	reliable bool          // lost packets are sent again
	hangs    time.Duration // time after which the program, which waits for ever, is killed
}

// limit is the time after which the program is killed.
func (x *tool) limit() time.Duration {
	if x.hangs > 0 {
		return x.hangs
	}
	return runTime
}

// words splits lines of arguments.
func words(lines ...string) []string { return strings.Fields(strings.Join(lines, " ")) }

// perftest is one of perftest's programs, with flags that both sides get.
func perftest(name, flags string, managed bool) tool {
	gid, cm, title := "-x 1", "", name
	if managed {
		gid, cm, title = "", "-R", name+" -R"
	}
	verb := strings.ReplaceAll(strings.TrimPrefix(name, "ib_"), "_", "-")
	return tool{
		name: title, reliable: true,
		linux: func(server string) []string { return words(name, "-d rxe0 -F", gid, cm, flags, server) },
		weft:  func(server string) []string { return words("perf", verb, "--perftest", cm, flags, server) },
	}
}

// pingpong is one of the examples of libibverbs. Connected ones check the data.
func pingpong(service, flags string, reliable bool) tool {
	name, check := "ibv_"+service+"_pingpong", ""
	if reliable {
		check = "-c"
	}
	return tool{
		name: name, reliable: reliable,
		linux: func(server string) []string { return words(name, "-d rxe0 -g 1", check, flags, server) },
		weft:  func(server string) []string { return words("pingpong", service, flags, server) },
	}
}

var tools = []tool{
	pingpong("rc", "-n 100 -s 4096", true),
	pingpong("uc", "-n 100 -s 4096", false),
	pingpong("ud", "-n 100 -s 1024", false),
	perftest("ib_write_bw", "-n 100 -s 8192 -t 4", false),
	threeQueuePairs,
	perftest("ib_read_bw", "-n 100 -s 8192 -t 4", false),
	perftest("ib_send_bw", "-n 100 -s 8192 -t 4", false),
	perftest("ib_atomic_bw", "-n 100 -t 4", false),
	perftest("ib_write_lat", "-n 50 -s 8", false),
	perftest("ib_read_lat", "-n 50 -s 2000", false),
	perftest("ib_send_lat", "-n 50 -s 2000", false),
	perftest("ib_atomic_lat", "-n 50", false),
	perftest("ib_write_bw", "-n 100 -s 8192 -t 4", true),
	perftest("ib_read_bw", "-n 100 -s 8192 -t 4", true),
	perftest("ib_send_bw", "-n 100 -s 8192 -t 4", true),
	perftest("ib_atomic_bw", "-n 100 -t 4", true),
	perftest("ib_write_lat", "-n 50 -s 8", true),
	{
		name: "rping", reliable: true,
		linux: func(server string) []string {
			if server == "" {
				return words("rping -s -S 1000 -v")
			}
			return words("rping -c -V -S 1000 -C 20 -a", server)
		},
		weft: func(server string) []string {
			if server == "" {
				return words("rping")
			}
			return words("rping -S 1000 -C 20", server)
		},
	},
}

// threeQueuePairs share a completion queue.
var threeQueuePairs = func() tool {
	x := perftest("ib_write_bw", "-n 50 -s 4096 -t 2 -q 3", false)
	x.name += " -q 3"
	return x
}()

func TestLinuxsToolsTakeWeftForSoftRoCE(t *testing.T) {
	each(t, tools, lossy{})
}

func TestLinuxsToolsTakeWeftForSoftRoCEThoughPacketsAreLost(t *testing.T) {
	var reliable []tool
	for _, x := range tools {
		if x.reliable {
			reliable = append(reliable, x)
		}
	}
	each(t, reliable, lossy{in: 41, out: 43})
}

// UC and UD do not send lost packets again. Linux's programs wait for them until they are
// killed; weft reports the loss.
func TestWhatUnreliableServicesLoseIsMissed(t *testing.T) {
	if machine == nil {
		t.Skip("SKIPPED: make interop runs this, in a virtual machine")
	}
	for _, service := range []string{"uc", "ud"} {
		x := pingpong(service, "-n 100 -s 1024", false)
		x.hangs = 10 * time.Second
		told := x.weft
		x.weft = func(server string) []string { return append(told(server), "--patience", "3s") }
		for role, play := range map[string]func(*testing.T, tool) ending{"weft asks": asked, "weft serves": served} {
			t.Run(x.name+", "+role, func(t *testing.T) {
				heal, err := machine.lose(lossy{in: 41, out: 43})
				if err != nil {
					t.Fatal(err)
				}
				e := play(t, x)
				dropped, err := heal()
				if err != nil || e.failed != nil {
					t.Fatal(err, e.failed)
				}
				if dropped != 1 {
					t.Errorf("%d packets were lost, want 1: the programs stop at the first", dropped)
				}
				if missed := " of 100 has not come within 3s: it is lost"; e.err == nil || !bytes.Contains(e.weft, []byte(missed)) {
					t.Errorf("weft ended with %v and output\n%s", e.err, e.weft)
				}
			})
		}
	}
}

// each runs every tool in both roles.
func each(t *testing.T, list []tool, l lossy) {
	t.Helper()
	if machine == nil {
		t.Skip("SKIPPED: make interop runs this, in a virtual machine")
	}
	for _, x := range list {
		for role, play := range map[string]func(*testing.T, tool){"weft asks": ask, "weft serves": serve} {
			t.Run(x.name+", "+role, func(t *testing.T) {
				if l == (lossy{}) {
					play(t, x)
					return
				}
				heal, err := machine.lose(l)
				if err != nil {
					t.Fatal(err)
				}
				play(t, x)
				dropped, err := heal()
				if err != nil {
					t.Fatal(err)
				}
				if dropped == 0 {
					t.Error("nothing was lost: the test checks nothing")
				}
			})
		}
	}
}

// inGuest runs a program in the machine beside the test, and kills it after a time.
func inGuest(limit time.Duration, argv []string) <-chan func() (Outcome, error) {
	done := make(chan func() (Outcome, error), 1)
	go func() {
		out, err := machine.runFor(limit, argv...)
		done <- func() (Outcome, error) { return out, err }
	}()
	return done
}

// weft starts the program under test.
func weft(ctx context.Context, argv []string) *exec.Cmd {
	return exec.CommandContext(ctx, os.Getenv(insideVar), append(argv, "--addr", hostAddr)...)
}

// ask runs the tool as the server and weft as the client, once the tool listens.
func ask(t *testing.T, x tool) { judge(t, asked(t, x)) }

// serve runs weft as the server and the tool as the client.
func serve(t *testing.T, x tool) { judge(t, served(t, x)) }

// ending is the result of a run at both sides.
type ending struct {
	weft   []byte
	err    error
	there  Outcome
	failed error
}

func asked(t *testing.T, x tool) (e ending) {
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	there := inGuest(x.limit(), x.linux(""))
	for {
		e.weft, e.err = weft(ctx, x.weft(guestAddr)).CombinedOutput()
		early := bytes.Contains(e.weft, []byte("connection refused")) || bytes.Contains(e.weft, []byte("nobody listens"))
		if !early || ctx.Err() != nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	e.there, e.failed = (<-there)()
	return e
}

func served(t *testing.T, x tool) (e ending) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	cmd := weft(ctx, x.weft(""))
	var said bytes.Buffer
	cmd.Stderr = &said
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(io.TeeReader(pipe, &said))
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			_ = cmd.Wait()
			t.Fatalf("weft does not serve: %s", said.Bytes())
		}
		if strings.Contains(line, "aiting for") {
			break
		}
	}
	e.there, e.failed = machine.runFor(x.limit(), x.linux(hostAddr)...)
	_, _ = io.Copy(io.Discard, lines)
	e.err = cmd.Wait()
	e.weft = said.Bytes()
	return e
}

// judge fails the test if either side reports a failure.
func judge(t *testing.T, e ending) {
	t.Helper()
	if e.failed != nil {
		t.Fatal(e.failed)
	}
	if e.err != nil {
		t.Errorf("weft: %v", e.err)
	}
	if e.there.Exit != 0 {
		t.Errorf("the tool ended with %d", e.there.Exit)
	}
	for _, bad := range []string{"invalid data", "data mismatch"} {
		if strings.Contains(e.there.Output, bad) {
			t.Errorf("the tool says %q", bad)
		}
	}
	if bytes.Contains(e.weft, []byte("bad ICRCs")) && !bytes.Contains(e.weft, []byte("; 0 bad ICRCs arrived")) {
		t.Error("there were bad ICRCs")
	}
	if t.Failed() {
		t.Logf("weft:\n%s\nthe tool:\n%s", e.weft, e.there.Output)
	}
}
