//go:build linux

package interop

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// tool runs on both sides as it is: on soft-RoCE in the machine, and on weft's libraries beside
// it. In its command lines %d is the device and the index of its GID, %s the server's address.
type tool struct {
	server, client string
	unreliable     bool // lost packets are not sent again
}

// perftest is one of perftest's programs.
func perftest(line string) tool {
	name, flags, _ := strings.Cut(line, " ")
	line = name + " %d -F " + flags
	if strings.Contains(line, " -R") { // the connection manager chooses the device
		line = name + " -F " + flags
	}
	return tool{server: line, client: line + " %s"}
}

// pingpong is one of the examples of libibverbs. With -c it looks at a byte of each page.
func pingpong(line string, unreliable bool) tool {
	return tool{server: line + " %d", client: line + " %d %s", unreliable: unreliable}
}

var tools = []tool{
	pingpong("ibv_rc_pingpong -n 100 -c", false),
	pingpong("ibv_uc_pingpong -n 100 -c", true),
	pingpong("ibv_ud_pingpong -n 100 -s 1024", true),
	perftest("ib_write_bw -n 100 -s 8192 -t 4"),
	perftest("ib_write_bw -n 50 -s 4096 -t 2 -q 3"),
	perftest("ib_read_bw -n 100 -s 8192 -t 4 -o 16"),
	perftest("ib_send_bw -n 100 -s 8192 -t 4"),
	perftest("ib_atomic_bw -n 100 -t 4 -o 16"),
	perftest("ib_write_lat -n 50 -s 8"),
	perftest("ib_read_lat -n 50 -s 2000 -o 16"),
	perftest("ib_send_lat -n 50 -s 2000"),
	perftest("ib_atomic_lat -n 50 -o 16"),
	perftest("ib_write_bw -R -n 100 -s 8192 -t 4"),
	perftest("ib_read_bw -R -n 100 -s 8192 -t 4 -o 16"),
	perftest("ib_send_bw -R -n 100 -s 8192 -t 4"),
	perftest("ib_atomic_bw -R -n 100 -t 4 -o 16"),
	perftest("ib_write_lat -R -n 50 -s 8"),
	perftest("ib_send_lat -R -n 50 -s 2000"),
	{server: "rping -s -S 1000 -C 20 -V", client: "rping -c -S 1000 -C 20 -V -a %s"},
	{server: "rping -s -q -C 5", client: "rping -c -q -C 5 -V -a %s"},
	{server: "udaddy", client: "udaddy -s %s", unreliable: true},
}

func TestUnmodifiedProgramsOnBothSides(t *testing.T) {
	each(t, tools, lossy{}, judge)
}

func TestUnmodifiedProgramsEndWellThoughPacketsAreLost(t *testing.T) {
	reliable := slices.DeleteFunc(slices.Clone(tools), func(x tool) bool { return x.unreliable })
	each(t, reliable, lossy{in: 41, out: 43}, judge)
}

// The emulated machine takes much longer for these messages than perftest's timeout of 67 ms.
func TestLongMessagesEndWellThoughTheMachineIsSlow(t *testing.T) {
	each(t, []tool{
		perftest("ib_read_bw -n 5 -s 8388608 -o 16"),
		perftest("ib_send_bw -n 5 -s 8388608"),
		perftest("ib_write_bw -n 5 -s 8388608"),
	}, lossy{}, judge)
}

// UC and UD do not send lost packets again, neither here nor there: the programs wait until they
// are killed.
func TestWhatUnreliableServicesLoseDoesNotCome(t *testing.T) {
	each(t, []tool{
		pingpong("timeout 10 ibv_uc_pingpong -n 100", true),
		pingpong("timeout 10 ibv_ud_pingpong -n 100 -s 1024", true),
	}, lossy{in: 41, out: 43}, func(t *testing.T, e ending) {
		t.Helper()
		if e.failed != nil {
			t.Fatal(e.failed)
		}
		if e.err == nil || e.there.Exit != 124 { // of timeout
			t.Errorf("weft's end: %v; Linux's end: %d; both should have waited\nweft:\n%s\nLinux:\n%s", e.err, e.there.Exit, e.weft, e.there.Output)
		}
		if e.dropped != 1 {
			t.Errorf("%d packets were lost, want 1: the programs stop at the first", e.dropped)
		}
	})
}

// each runs every program in both roles, with a loss, and has its end judged.
func each(t *testing.T, list []tool, l lossy, judge func(*testing.T, ending)) {
	t.Helper()
	if machine == nil {
		t.Skip("SKIPPED: make interop runs this, in a virtual machine")
	}
	for _, x := range list {
		name := strings.Join(words(strings.NewReplacer("%d", "", "%s", "").Replace(x.client)), " ")
		for role, play := range map[string]func(context.Context, tool) ending{", weft asks": ask, ", weft serves": serve} {
			t.Run(name+role, func(t *testing.T) {
				if l == (lossy{}) {
					judge(t, again(t, play, x))
					return
				}
				heal, err := machine.lose(l)
				if err != nil {
					t.Fatal(err)
				}
				e := again(t, play, x)
				if e.dropped, err = heal(); err != nil {
					t.Fatal(err)
				}
				if e.dropped == 0 {
					t.Error("nothing was lost: the test checks nothing")
				}
				judge(t, e)
			})
		}
	}
}

// missed reports whether a client came while its server was not ready for it, which the program cannot stand.
//
// perftest: with -R the server stops to listen after the connection for its exchange, says there that it is ready, and only then listens
// for the connections of the test. A client that is quicker is rejected; that of perftest 4.5-0.17
// then uses an event channel and IDs that it has freed, and crashes or hangs
// (rdma_cm_client_connection, mended in later versions).
func missed(client string) bool {
	return strings.Contains(client, "Event: RDMA_CM_EVENT_REJECTED; error: 8.")
}

// unanswered reports whether Linux's end of perftest (-R) was done and gone when weft's last SEND still had no
// acknowledgement, because that was lost: nobody answers for a queue pair of Linux that has ended.
func (e *ending) unanswered() bool {
	return e.there.Exit == 0 && strings.Contains(string(e.weft), "Failed to close connection between server and client")
}

// words splits lines of arguments.
func words(lines ...string) []string { return strings.Fields(strings.Join(lines, " ")) }

// argv is a command line with the device of a side and the address of the other.
func argv(line string, here bool, server string) []string {
	device := map[bool]string{true: "-d weft0 ", false: "-d rxe0 "}[here]
	gid := map[bool]string{true: "0", false: "1"}[here]
	flag := "-x "
	if strings.Contains(line, "ibv_") {
		flag = "-g "
	}
	return words(strings.NewReplacer("%d", device+flag+gid, "%s", server).Replace(line))
}

// onWeft is a program on weft's libraries.
func onWeft(ctx context.Context, argv []string) *exec.Cmd {
	return exec.CommandContext(ctx, os.Getenv(insideVar), append([]string{
		"verbs", "run", "--libraries", os.Getenv(librariesVar), "--device", "weft0=" + hostAddr, "--explain", "--",
	}, argv...)...)
}

// tooEarly reports whether a client has found nobody, because the server does not listen yet.
func tooEarly(out string) bool {
	return slices.ContainsFunc([]string{
		"Couldn't connect", "onnection refused", "cma event RDMA_CM_EVENT_REJECTED", "UNREACHABLE", "Unexpected CM event bl blka 8",
	}, func(s string) bool { return strings.Contains(out, s) })
}

// ending is the result of a run at both sides.
type ending struct {
	weft    []byte
	err     error
	there   Outcome
	failed  error
	dropped int
	missed  bool // the client came too early for its server
}

// again plays until neither program has met what it cannot stand.
func again(t *testing.T, play func(context.Context, tool) ending, x tool) (e ending) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	for e = play(ctx, x); (e.missed || e.unanswered()) && ctx.Err() == nil; e = play(ctx, x) {
		t.Logf("the client came before its server was ready (%v), or Linux's end left without its last acknowledgement; once more", e.missed)
	}
	return e
}

// ask runs the server in the machine and the client on weft, once the server listens.
func ask(ctx context.Context, x tool) (e ending) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := make(chan struct{})
	go func() {
		defer close(served)
		e.there, e.failed = machine.runUntil(ctx, argv(x.server, false, "")...)
	}()
	for {
		e.weft, e.err = onWeft(ctx, argv(x.client, true, guestAddr)).CombinedOutput()
		if e.err == nil || ctx.Err() != nil || !tooEarly(string(e.weft)) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if e.missed = missed(string(e.weft)); e.missed {
		cancel()
	}
	<-served
	return e
}

// serve runs the server on weft and the client in the machine.
func serve(ctx context.Context, x tool) (e ending) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := make(chan struct{})
	go func() {
		defer close(served)
		e.weft, e.err = onWeft(ctx, argv(x.server, true, "")).CombinedOutput()
	}()
	for {
		e.there, e.failed = machine.runUntil(ctx, argv(x.client, false, hostAddr)...)
		if e.failed != nil || e.there.Exit == 0 || ctx.Err() != nil || !tooEarly(e.there.Output) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if e.missed = missed(e.there.Output); e.missed {
		cancel()
	}
	<-served
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
		t.Errorf("Linux's end: %d", e.there.Exit)
	}
	for _, bad := range []string{"invalid data", "data mismatch"} {
		if strings.Contains(e.there.Output, bad) || strings.Contains(string(e.weft), bad) {
			t.Errorf("a side says %q", bad)
		}
	}
	if t.Failed() {
		t.Logf("weft:\n%s\nLinux:\n%s", e.weft, e.there.Output)
	}
}
