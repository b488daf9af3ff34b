package preload

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// compile compiles a C program of testdata that links libibverbs.
func compile(t testing.TB, name string) string {
	t.Helper()
	need(t)
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("gcc", "-Wall", "-O2", "-o", program, "testdata/"+name+".c", "-lrdmacm", "-libverbs").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// A daemon forks before it opens a device. A child that has its parent's device gets errors; the
// parent goes on.
func TestForksGetErrorsAndDoNotHang(t *testing.T) {
	start(t, compile(t, "fork")).end(t)
}

// A peer that is killed in the middle of WRITEs: the other end's work ends with an error.
func TestAKilledPeerEndsTheOthersWork(t *testing.T) {
	t.Parallel() // its programs wait for the greater part of their time
	need(t, "ib_write_bw")
	argv := []string{"ib_write_bw", "-D", "30", "-p", freePort(t)}
	s := start(t, argv...)
	s.listens(t, argv[len(argv)-1])
	c := start(t, append(argv, "127.0.0.1")...)
	time.Sleep(3 * time.Second) // perftest exchanges its parameters for a second, then it writes
	_ = s.cmd.Process.Kill()
	began := time.Now()
	out, err := c.wait()
	if took := time.Since(began); err == nil || took > 20*time.Second {
		t.Errorf("the client ended %v later with %v, want an error within the retries' 10 s:\n%s", took, err, out)
	}
	if !strings.Contains(out, "Completion with error") && !strings.Contains(out, "Failed status") {
		t.Errorf("no completion with an error:\n%s", out)
	}
}

// Registered memory that is unmapped ends the work request, not the process.
func TestUnmappedMemoryEndsTheWorkRequest(t *testing.T) {
	if out := start(t, compile(t, "unmapped")).end(t); out != "local protection error\n" {
		t.Errorf("the work request ended with %q, want a local protection error", out)
	}
}

// Wrong parameters, keys and memory, rings that are full, a completion queue that is overrun: each has the
// error that the verbs give for it.
func TestBadInputHasItsErrorAndNothingHangs(t *testing.T) {
	start(t, compile(t, "badinput")).end(t)
}

// Two processes, a device each: wrong keys, memory that is unmapped, messages without or beyond their receive, and a
// peer that is killed have the numbers of the verbs at both ends, by either way.
func TestAWrongPeerHasItsErrorAtBothEnds(t *testing.T) {
	for _, p := range []Program{{}, {SocketOnly: true}} {
		t.Run(fmt.Sprintf("by UDP alone: %v", p.SocketOnly), func(t *testing.T) {
			startAs(t, p, compile(t, "strangers")).end(t)
		})
	}
}

// rping's threads do so at the end of each connection.
func TestAThreadMayWaitAtAChannelThatIsDestroyed(t *testing.T) {
	start(t, compile(t, "channels")).end(t)
}
