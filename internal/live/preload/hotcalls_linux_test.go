package preload

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A poll of an empty queue looks at memory, and a post of a pipeline makes no system call. A thread that polls in
// vain gives its processor up now and then: two programs that poll on one processor would else wait for the end of
// each other's slices of time.
func TestTheHotCallsMakeNoSystemCallButToGiveWay(t *testing.T) {
	need(t, "strace")
	calls := filepath.Join(t.TempDir(), "calls")
	start(t, "strace", "-c", "-U", "calls,name", "-o", calls, compile(t, "hotcalls")).end(t) // of the first thread, which polls and posts
	table, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	var all, gaveWay int
	for line := range strings.Lines(string(table)) {
		var n int
		var name string
		if _, err := fmt.Sscan(line, &n, &name); err != nil {
			continue // the header
		}
		switch name {
		case "total":
			all = n
		case "sched_yield":
			gaveWay = n
		}
	}
	if others := all - gaveWay; all == 0 || others > 4000 {
		t.Errorf("20,000 polls and 20,000 posts make %d system calls, want less than one in ten:\n%s", others, table)
	}
	if gaveWay == 0 {
		t.Errorf("no one of 20,000 polls of an empty queue gives its processor up:\n%s", table)
	}
}

// The median of each call, in ns.
func BenchmarkHotCalls(b *testing.B) {
	program := compile(b, "hotcalls")
	var poll, post float64
	for b.Loop() {
		out := start(b, program).end(b)
		if _, err := fmt.Sscanf(out, "poll_cq %g\npost_send %g\n", &poll, &post); err != nil {
			b.Fatalf("%v:\n%s", err, out)
		}
	}
	b.ReportMetric(poll, "ns/poll")
	b.ReportMetric(post, "ns/post")
}

// A program's handler of a signal may come at any time, and needs a stack. perftest measures for a time so (-D).
func TestSignalsComeAtAnyTime(t *testing.T) {
	program := compile(t, "hotcalls")
	for range 10 {
		start(t, program, "signals").end(t)
	}
}
