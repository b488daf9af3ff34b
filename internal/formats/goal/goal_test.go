package goal

import (
	"os"
	"strings"
	"testing"

	"weft/internal/sim/workload"
	"weft/units"
)

func read(t *testing.T, text string) *workload.Graph {
	t.Helper()
	w := Read("a.goal", strings.NewReader(text))
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	return w.Graph
}

// A tree of four ranks: each send waits for the receives before it.
func TestAScheduleBecomesAGraph(t *testing.T) {
	text, err := os.ReadFile("testdata/tree.goal")
	if err != nil {
		t.Fatal(err)
	}
	g := read(t, string(text))
	if len(g.Ranks) != 4 || g.Ops() != 8 {
		t.Fatalf("%d ranks, %d operations, want 4 and 8", len(g.Ranks), g.Ops())
	}
	o := g.Ranks[1][2]
	if o.Kind != workload.Send || o.Peer != 3 || o.Bytes != 4096 || o.Tag != 7 || len(o.After) != 1 || o.After[0] != 1 {
		t.Errorf("rank 1's send is %+v", o)
	}
	if c := g.Ranks[1][1]; c.Kind != workload.Compute || c.Time != 250*units.Nanosecond || c.After[0] != 0 {
		t.Errorf("rank 1's calc is %+v", c)
	}
}

// A receive from any source takes a send that no named receive takes.
func TestAReceiveFromAnySourceTakesWhatIsLeft(t *testing.T) {
	g := read(t, `num_ranks 3
rank 0 {
recv 8b from -1 tag -1
recv 8b from 1 tag 2
}
rank 1 {
send 8b to 0 tag 2
}
rank 2 {
send 8b to 0 tag 9
}`)
	if o := g.Ranks[0][0]; o.Peer != 2 || o.Tag != 9 {
		t.Errorf("it is from rank %d with tag %d, want 2 and 9", o.Peer, o.Tag)
	}
}

// After irequires an operation begins with the other's beginning, through chains too.
func TestIrequiresWaitsForTheDependenciesOfTheOther(t *testing.T) {
	g := read(t, `num_ranks 1
rank 0 {
first: calc 10
b: calc 20
third: calc 30
d: calc 40
d irequires third
b requires first
third irequires b
}`)
	line, err := workload.Replay(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	for op := 1; op < 4; op++ {
		if at := line.Spans[0][op].Begin; at != 10*units.Nanosecond {
			t.Errorf("%s begins at %v, want 10 ns", g.Ranks[0][op].Name, at)
		}
	}
}

// Every mistake is reported with its line, and the operations before it are kept.
func TestAMistakeHasItsPlaceAndOperationsBeforeItAreKept(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "expected num_ranks"},
		{"foreign", "hello world\n", `a.goal:1: "hello world": expected num_ranks first`},
		{"no rank", "num_ranks 0\n", "at least one rank"},
		{"a rank beyond", "num_ranks 2\nrank 2 {\n}\n", `a.goal:2: "2": expected the number of a rank from 0 to 1`},
		{"cut in a block", "num_ranks 1\nrank 0 {\ncalc 5\n", "} at the end of the block of rank 0, but the file ends"},
		{"cut in a statement", "num_ranks 2\nrank 0 {\nsend 8b to", "a.goal:3: expected a rank"},
		{"missing", "num_ranks 3\nrank 1 {\n}\n", "missing are 0, 2"},
		{"twice", "num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", "one block for each rank"},
		{"no bytes", "num_ranks 2\nrank 0 {\nsend 8 to 1\n}\n", `a.goal:3: "to 1": expected b`},
		{"an unknown label", "num_ranks 1\nrank 0 {\nl: calc 1\nl requires m\n}\n", `a.goal:4: "m": expected a label that stands`},
		{"a label twice", "num_ranks 1\nrank 0 {\nl: calc 1\nl: calc 2\n}\n", "a label that the rank does not have yet"},
		{"an open comment", "num_ranks 1\n/* so\nrank 0 {\n", `a.goal:2: "/*": expected the end of this comment`},
		{"more on the line", "num_ranks 1\nrank 0 {\ncalc 1 tag 2\n}\n", `a.goal:3: "tag 2": expected the end of the line`},
		{"bytes", "num_ranks 1\n\x00\x01", "expected a statement"},
	} {
		w := Read("a.goal", strings.NewReader(c.text))
		if w.Stopped == nil || !strings.Contains(w.Stopped.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, w.Stopped, c.want)
		}
	}
	w := Read("a.goal", strings.NewReader("num_ranks 2\nrank 0 {\ncalc 5\nsend 8b to 1\n"))
	if w.Graph.Ops() != 2 {
		t.Errorf("%d operations are kept, want 2", w.Graph.Ops())
	}
}

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/tree.goal")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1 cpu 1 nic 0\n}\nrank 1 {\na: recv 8b from -1 tag -1\nb: calc 3\nb irequires a\n}")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "num_ranks") && len(text) > 1<<16 {
			return
		}
		w := Read("f", strings.NewReader(text))
		if w.Ranks > 1<<12 {
			return
		}
		for rank := range w.Graph.Ranks {
			for op := range w.Graph.Ranks[rank] {
				if w.Where(rank, op) == "" {
					t.Fatal("an operation without a place")
				}
			}
		}
		_ = w.Graph.Check() // may find problems, must not fail itself
		g, left := w.Graph.Matched()
		if g.Ops()+left != w.Graph.Ops() {
			t.Fatalf("%d operations of %d are left, and %d left out", g.Ops(), w.Graph.Ops(), left)
		}
	})
}
