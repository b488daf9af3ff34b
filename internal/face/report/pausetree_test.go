package report

import (
	"bytes"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// slowNIC is a NIC that pauses its leaf; therefore the leaf pauses two senders.
func slowNIC() *results.Pauses {
	ms := int64(units.Millisecond)
	return &results.Pauses{
		SlicePs: ms,
		Links: []results.PausedLink{
			{Name: "leaf port 1", By: "slow", Priority: 3, Pauses: 1, PausedPs: 4 * ms, After: -1, Timeline: []int{0, 100, 100, 50}},
			{Name: "a port 1", By: "leaf", Priority: 3, Pauses: 2, PausedPs: 3 * ms, Cause: "leaf port 1", Share: 1, Timeline: []int{0, 0, 100, 50}},
			{Name: "b port 1", By: "leaf", Priority: 3, Pauses: 2, PausedPs: 2 * ms, Cause: "leaf port 1", Share: 0.9, Timeline: []int{0, 0, 100, 0}},
		},
		Flows: []results.PausedFlow{
			{Name: "a to slow", TimePs: 5 * ms, Links: []int{0, 1}},
			{Name: "b to c", TimePs: 3 * ms, Links: []int{2}, Victim: true},
		},
	}
}

func TestATreeLeadsFromTheRootToTheVictim(t *testing.T) {
	var b bytes.Buffer
	if err := pauseTable(slowNIC()).Write(&b, doc.Style{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:] {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"slow does not receive at line rate",
		"└ leaf port 1 slow 3 1 4.000 ms 0",
		"├ a port 1 leaf 3 2 3.000 ms 0",
		"└ b port 1 leaf 3 2 2.000 ms 0 b to c, 3.00 ms",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the tree is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// In a circle every link waits for all others: the links are siblings, each
// once.
func TestACircleIsTheRootOfItsTree(t *testing.T) {
	p := &results.Pauses{SlicePs: 1, Links: []results.PausedLink{
		{Name: "x", Cause: "y", After: 1, Circle: true},
		{Name: "y", Cause: "x", After: 0, Circle: true},
		{Name: "sender", Cause: "x", After: 0},
		{Name: "apart", Cause: "z", After: -1},
	}}
	var got []string
	for _, r := range PauseTree(p) {
		got = append(got, r.Branch+r.Text)
	}
	want := "2 ports wait for one another in a circle|├ x|│ └ sender|└ y|more came for z than it carries|└ apart"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("rows %s, want %s", text, want)
	}
}

// The picture has a box for each run of equal slices that are not empty, at its place on the common
// axis: here the axis is twice as long as these timelines.
func TestThePictureOfPausesShowsThemInTime(t *testing.T) {
	lanes := drawPauses(slowNIC(), 8*units.Millisecond, 0)
	type box struct{ from, to, opacity float64 }
	want := [][]box{nil, {{0.125, 0.375, 1}, {0.375, 0.5, 0.575}}, {{0.25, 0.375, 1}, {0.375, 0.5, 0.575}}, {{0.25, 0.375, 1}}}
	if len(lanes) != len(want) || lanes[0].Name != "slow does not receive at line rate" || !lanes[0].Heading() || lanes[1].Level != 1 {
		t.Fatalf("the rows are %+v", lanes)
	}
	for i, row := range want[1:] {
		spans := lanes[i+1].Tracks[0]
		if len(spans) != len(row) {
			t.Fatalf("row %d has %d boxes, want %d", i+1, len(spans), len(row))
		}
		for k, w := range row {
			if got := (box{spans[k].From, spans[k].To, spans[k].Opacity}); got != w {
				t.Errorf("row %d, box %d: %v, want %v", i+1, k, got, w)
			}
		}
	}
	if note := victimNote(slowNIC()); note != "Victims: flows slowed although they never cross the congested port: b to c (3.00 ms)." {
		t.Errorf("the note is %q", note)
	}
}

// All fabrics of a page have one time axis: the longest.
func TestPausesOfAllFabricsAreOverOneAxis(t *testing.T) {
	r := fabricate(threeFabrics[:2], []int64{1 << 20})
	r.Fabrics[0].Points[0].Pauses, r.Fabrics[1].Points[0].Pauses = slowNIC(), slowNIC()
	r.Fabrics[1].Points[0].Pauses.SlicePs *= 4
	s := newComparison(r).pauses()
	if len(s.Blocks) != 1 {
		t.Fatalf("%d pictures, want one for both fabrics", len(s.Blocks))
	}
	lanes := s.Blocks[0].(doc.Lanes)
	if got := lanes.Ticks[len(lanes.Ticks)-1].Label; got != "16.0 ms" {
		t.Errorf("the axis ends at %s, want 16.0 ms", got)
	}
	if first, second := lanes.Rows[2].Tracks[0][0], lanes.Rows[7].Tracks[0][0]; second.From != 4*first.From {
		t.Errorf("the pauses begin at %v and %v of the axis, want the second at four times the first", first.From, second.From)
	}
}
