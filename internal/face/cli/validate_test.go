package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
)

// runVerb runs one verb in process.
func runVerb(t *testing.T, verb string, args ...string) (stdout, stderr string, code exit.Code) {
	t.Helper()
	e := environment(append([]string{verb}, args...))
	code, stdout, stderr = invoke(e)
	return stdout, stderr, code
}

func TestValidatePrintsReferenceWeftErrorAndVerdict(t *testing.T) {
	out, _, code := runVerb(t, "validate", "--case", "packet/two-rates")
	if code != exit.OK {
		t.Errorf("exit code %d, want %d", code, exit.OK)
	}
	for _, part := range []string{"reference", "860.760 ns", "exact", "pass", "4 rows pass, 0 miss, 0 are not scored."} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
}

func TestValidateExitsWith3OnAMiss(t *testing.T) {
	out, _, code := runVerb(t, "validate", "--case", "fct/star100_inc32_*", "--json")
	if code != exit.Missed {
		t.Errorf("exit code %d, want %d", code, exit.Missed)
	}
	var result struct {
		Miss  int
		Cases []struct{ Verdict string }
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil || result.Miss != 1 || result.Cases[0].Verdict != "MISS" {
		t.Errorf("%v, %+v", err, result)
	}
}

// A case is reported when it is done: a run that is stopped has told what it knew.
func TestValidateReportsEachCaseWhenItIsDone(t *testing.T) {
	_, errs, code := runVerb(t, "validate", "--case", "packet")
	if want := "packet/infiniband: 9 pass, 0 miss, 0 not scored\npacket/roce/cut-through: 8 pass"; code != exit.OK || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, want %q on standard error:\n%s", code, want, errs)
	}
}

func TestValidateOfNothingIsBadInput(t *testing.T) {
	_, errs, code := runVerb(t, "validate", "--case", "nonsense")
	if code != exit.BadInput || !strings.Contains(errs, "folders such as packet, message, verbs, credits") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

func TestReplayOfAFolderWritesItsTwoFiles(t *testing.T) {
	const dir = "../../formats/hpcc/testdata/fct/star100_inc2_1MB_dcqcn_buf32"
	out := filepath.Join(t.TempDir(), "out")
	text, errs, code := runVerb(t, "replay", dir, "--out", out)
	if code != exit.OK || !strings.Contains(text, "2 of 2 completed") {
		t.Fatalf("exit code %d: %s%s", code, text, errs)
	}
	fct, err := os.ReadFile(filepath.Join(out, "fct.txt"))
	if err != nil || strings.Count(string(fct), "\n") != 2 {
		t.Errorf("%v, %q", err, fct)
	}
	if _, err := os.Stat(filepath.Join(out, "pfc.txt")); err != nil {
		t.Error(err)
	}
	if _, errs, code := runVerb(t, "replay", dir, "--out", dir); code != exit.BadInput || !strings.Contains(errs, "overwritten") {
		t.Errorf("writing into the case itself: exit code %d, %s", code, errs)
	}
	if _, _, code := runVerb(t, "replay", dir, "--cluster", "dgx-h100"); code != exit.BadInput {
		t.Errorf("a folder with --cluster: exit code %d", code)
	}
}
