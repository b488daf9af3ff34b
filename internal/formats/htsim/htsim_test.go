package htsim

import (
	"os"
	"strings"
	"testing"

	"weft/internal/sim/workload"
	"weft/units"
)

// A real permutation is read unmodified.
func TestARealMatrixIsRead(t *testing.T) {
	f, err := os.Open("testdata/perm_32n_32c_2MB.cm")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := Read("perm.cm", f)
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	if w.Ranks != 32 || w.Ops() != 64 {
		t.Errorf("%d ranks, %d operations, want 32 and 64", w.Ranks, w.Ops())
	}
	if o := w.Graph.Ranks[16][len(w.Graph.Ranks[16])-1]; o.Kind != workload.Send || o.Peer != 22 || o.Bytes != 2_000_000 {
		t.Errorf("the last of 16 is %+v", o)
	}
}

// Times of a graph by hand: a message takes 10 ns.
func timeline(t *testing.T, text string) (*workload.Graph, *workload.Timeline) {
	t.Helper()
	w := Read("a.cm", strings.NewReader(text))
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	line, err := workload.Replay(w.Graph, func(int32, int) units.Time { return 10 * units.Nanosecond })
	if err != nil {
		t.Fatal(err)
	}
	return w.Graph, line
}

// A start counts picoseconds. A trigger starts a connection when another is done: at once
// at the same node, after an empty message at another.
func TestStartsAndTriggers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		end        units.Time
	}{
		{"a start", "Nodes 2\nConnections 1\n0->1 start 5000.000000 size 8\n", 15 * units.Nanosecond},
		{"an answer", "Nodes 2\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 8 recv_done_trigger 7\n1->0 id 2 trigger 7 size 8\ntrigger id 7 oneshot\n", 20 * units.Nanosecond},
		{"a trigger at another node", "Nodes 3\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 8 recv_done_trigger 7\n2->0 id 2 trigger 7 size 8\ntrigger id 7 multishot\n", 30 * units.Nanosecond},
		{"a barrier", "Nodes 3\nConnections 3\nTriggers 1\n0->1 id 1 start 0 size 8 recv_done_trigger 7\n2->1 id 2 start 4000 size 8 recv_done_trigger 7\n1->0 id 3 trigger 7 size 8\ntrigger id 7 count 2 barrier\n", 24 * units.Nanosecond},
	} {
		if _, line := timeline(t, c.text); line.End != c.end {
			t.Errorf("%s: it takes %v, want %v", c.name, line.End, c.end)
		}
	}
}

// Every mistake is reported with its line.
func TestAMistakeHasItsPlace(t *testing.T) {
	const head = "Nodes 4\nConnections 1\n"
	for _, c := range []struct{ name, text, want string }{
		{"cut", "Nodes 4\nConnections 2\n0->1 start 0 size 8\n", "a.cm:3: expected 2 connections as the header announces, but the file ends after 1"},
		{"no such node", head + "0->4 start 0 size 8\n", `a.cm:3: "0->4": expected two nodes from 0 to 3`},
		{"itself", head + "1->1 start 0 size 8\n", "expected two nodes"},
		{"endless", head + "0->1 start 0 size 0\n", "sends to the end of an htsim run"},
		{"no start", head + "0->1 size 8\n", "either start or trigger"},
		{"a foreign word", head + "0->1 start 0 colour 3\n", `a.cm:3: "colour": expected start`},
		{"a foreign line", head + "hello\n", `a.cm:3: "hello": expected Nodes`},
		{"no number", head + "0->1 start\n", "a number after it"},
		{"no trigger", head + "0->1 trigger 3 size 8\n", `a.cm:3: "trigger 3": expected a trigger that the file has`},
		{"a trigger without a connection", "Nodes 4\nConnections 1\nTriggers 1\n0->1 trigger 3 size 8\ntrigger id 3 oneshot\n", "a trigger that some connection activates"},
		{"two connections activate one trigger", "Nodes 4\nConnections 3\nTriggers 1\n0->1 start 0 size 8 send_done_trigger 3\n1->2 start 0 size 8 send_done_trigger 3\n0->1 trigger 3 size 8\ntrigger id 3 oneshot\n", "known only in the run"},
	} {
		w := Read("a.cm", strings.NewReader(c.text))
		if w.Stopped == nil || !strings.Contains(w.Stopped.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, w.Stopped, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/perm_32n_32c_2MB.cm")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("Nodes 3\nConnections 3\nTriggers 1\n0->1 id 1 start 0 size 8 recv_done_trigger 7\n2->1 id 2 start 4000 size 8 recv_done_trigger 7\n1->0 id 3 trigger 7 size 8\ntrigger id 7 count 2 barrier\n")
	f.Fuzz(func(t *testing.T, text string) {
		w := Read("f", strings.NewReader(text))
		if w.Ranks > 1<<10 {
			return
		}
		_ = w.Graph.Check() // triggers may go round
		g, left := w.Graph.Matched()
		if g.Ops()+left != w.Ops() {
			t.Fatalf("%d operations of %d are left, and %d left out", g.Ops(), w.Ops(), left)
		}
	})
}
