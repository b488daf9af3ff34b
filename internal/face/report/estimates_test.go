package report

import (
	"strings"
	"testing"

	"weft/results"
)

func TestWhatIsEstimatedIsSaid(t *testing.T) {
	e := &results.Estimate{Pieces: 64, Of: 512, What: "loops", LowPs: 990, HighPs: 1010}
	if got, want := estimateText(e), "estimated from 64 of 512 loops, ±1 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.Rails = 8
	if got, want := estimateText(e), "estimated from one of 8 alike rails and 64 of 512 loops, ±1 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.Pieces = e.Of
	r := &results.Results{Fabrics: []results.FabricResult{{Name: "ib", Points: []results.Point{{Bytes: 1 << 29, Estimate: e}, {Bytes: 1 << 30, Estimate: e}, {Bytes: 1 << 31}}}}}
	notes := strings.Join(estimateNotes(r), "\n")
	if !strings.HasPrefix(notes, "ib at 512 MiB and 1 GiB: estimated from one of 8 alike rails, ±1 %.\n") || strings.Contains(notes, "2 GiB") || !strings.Contains(notes, "--error none") {
		t.Errorf("the notes are %q", notes)
	}
	e.LowPs = e.HighPs
	if notes := strings.Join(estimateNotes(r), "\n"); !strings.HasPrefix(notes, "ib at 512 MiB and 1 GiB: simulated on one of 8 alike rails.\n") || strings.Contains(notes, "extrapolates") {
		t.Errorf("the notes of an exact time are %q", notes)
	}
}
