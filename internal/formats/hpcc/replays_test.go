package hpcc

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"weft/units"
)

// setupStreams is the number of random streams that the simulator has used when the
// first flow starts: nine per node for its network stack, and two. It was found by
// trial on the five cases with marking: one formula fits all five, and each is
// reproduced to the nanosecond.
func setupStreams(nodes int) int { return 9*nodes + 2 }

// The assumptions of this package's documentation and of the simulator's models
// reproduce the cases: every completion to the nanosecond and in its place, and every
// PFC frame.
func TestReplayReproducesTheReferences(t *testing.T) {
	for _, dir := range references(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c := mustRead(t, dir)
			want, err := ParseFCT("fct.txt", text(t, dir, "fct.txt"))
			if err != nil {
				t.Fatal(err)
			}
			frames, complete, err := parsePFC("pfc.txt", text(t, dir, "pfc.txt"))
			if err != nil {
				t.Fatal(err)
			}
			r := newReplay(c)
			g := newMRG(setupStreams(c.Topology.Nodes))
			r.draw, r.pfcFrame = g.draw, g.skip
			r.run()
			if !slices.Equal(r.fct, want) {
				t.Errorf("completions\n got %v\nwant %v", r.fct, want)
			}
			if len(r.pfc) < len(frames) || complete && len(r.pfc) != len(frames) || !slices.Equal(r.pfc[:len(frames)], frames) {
				t.Errorf("%d PFC frames, want %d that begin alike", len(r.pfc), len(frames))
			}
		})
	}
}

// The 32:1 incast of 1 MB at 100 Gb/s into 4 MiB of buffer, with the reference's numbers.
func TestReplayOfAnIncastPausesAsTheReference(t *testing.T) {
	const senders = 32
	topology := fmt.Sprintf("%d 1 %d\n%d\n", senders+2, senders+1, senders+1)
	for h := range senders + 1 {
		topology += fmt.Sprintf("%d %d 100Gbps 0.001ms 0\n", h, senders+1)
	}
	flows := fmt.Sprintf("%d\n", senders)
	for h := range senders {
		flows += fmt.Sprintf("%d %d 3 100 1000000 2.0\n", h, senders)
	}
	config := strings.NewReplacer("ENABLE_QCN 1", "ENABLE_QCN 0", "BUFFER_SIZE 32", "BUFFER_SIZE 4").
		Replace(text(t, "testdata/fct/star100_inc2_1MB_dcqcn_buf32", ConfigFile))
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	c, err := Read(fstest.MapFS{ConfigFile: file(config), topologyName: file(topology), flowName: file(flows)})
	if err != nil {
		t.Fatal(err)
	}
	r := newReplay(c)
	r.run()
	start := 2 * units.Second
	if len(r.pfc) != 1784 || r.drops != 0 {
		t.Fatalf("%d PFC frames and %d drops, want 1784 and 0", len(r.pfc), r.drops)
	}
	if want := (PFC{start + 8227*units.Nanosecond, 10, false, 1, true}); r.pfc[0] != want {
		t.Errorf("first PFC frame %+v, want %+v", r.pfc[0], want)
	}
	if first, last := r.fct[0].Duration, r.fct[senders-1].Duration; first != 2626310*units.Nanosecond || last != 2660091*units.Nanosecond {
		t.Errorf("completions from %v to %v, want 2626.310 µs to 2660.091 µs", first, last)
	}
}
