package checks

import (
	"testing"

	"weft/internal/face/cli/exit"
	"weft/internal/study/validate"
)

// Rows that are only shown judge nothing.
func TestAValidationWithoutAScoredRowIsNoSuccess(t *testing.T) {
	shown := validate.Row{Reference: []float64{1}, Weft: []float64{2}, Tolerance: validate.Tolerance{Kind: validate.ToleranceNone}}
	if code := exit.CodeOf(scored([]validate.Result{{Rows: []validate.Row{shown, shown}}}, false)); code != exit.NotJudged {
		t.Errorf("two rows that are shown end with code %d, want %d", code, exit.NotJudged)
	}
}
