package report

import (
	"bytes"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

// slowNIC is a NIC that pauses its leaf; therefore the leaf pauses two senders.
func slowNIC() *runstore.Pauses {
	ms := int64(units.Millisecond)
	return &runstore.Pauses{
		SlicePs: ms,
		Links: []runstore.PausedLink{
			{Name: "leaf port 1", By: "slow", Priority: 3, Pauses: 1, PausedPs: 4 * ms, After: -1, Timeline: []int{0, 100, 100, 50}},
			{Name: "a port 1", By: "leaf", Priority: 3, Pauses: 2, PausedPs: 3 * ms, Cause: "leaf port 1", Share: 1, Timeline: []int{0, 0, 100, 50}},
			{Name: "b port 1", By: "leaf", Priority: 3, Pauses: 2, PausedPs: 2 * ms, Cause: "leaf port 1", Share: 0.9, Timeline: []int{0, 0, 100, 0}},
		},
		Flows: []runstore.PausedFlow{
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
	p := &runstore.Pauses{SlicePs: 1, Links: []runstore.PausedLink{
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

// The picture has a box for each run of equal slices that are not empty.
func TestThePictureOfPausesShowsThemInTime(t *testing.T) {
	svg := string(drawPauses(slowNIC(), 0))
	if boxes := strings.Count(svg, "<rect"); boxes != 5 {
		t.Errorf("%d boxes, want 5: two shares on the first row, two on the second, one on the third", boxes)
	}
	for _, want := range []string{"slow does not receive at line rate", "4.00 ms"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if note := victimNote(slowNIC()); note != "Victims: flows slowed although they never cross the congested port: b to c (3.00 ms)." {
		t.Errorf("the note is %q", note)
	}
}
