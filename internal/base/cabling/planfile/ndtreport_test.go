package planfile

import (
	"os"
	"strings"
	"testing"

	"weft/internal/base/cabling"
)

// The report of UFM's NDT plugin (ufm_sdk_3.0@3e96418e, plugins/UFM_NDT_Plugin/tests/expected_report.json, a part of it,
// with a chassis and a line that is no cable): names differ in case, adapters without a name are each one, and a port that
// has two cables keeps the first.
func TestNDTReportIsTwoFabrics(t *testing.T) {
	text, err := os.ReadFile("testdata/ndt-report.json")
	if err != nil {
		t.Fatal(err)
	}
	if !IsComparison(string(text)) {
		t.Fatal("the report is not recognised")
	}
	c, err := ReadComparison("r.json", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Plan.Cables) != 4 || len(c.Real.Cables) != 4 || len(c.Second[0]) != 0 || len(c.Second[1]) != 1 || c.Second[1][0].Place.Line != 22 {
		t.Errorf("planned %q, real %q, second %v", cables(c.Plan), cables(c.Real), c.Second)
	}
	if !has(c.Plan, "DC1-R-0902-01IB0 L3/U1/20 (Blade 3_Port 1/20)", "DC1 - core L4/U2/7 (Blade 4_Port 2/7)") {
		t.Errorf("%q, want the chassis", cables(c.Plan))
	}
	unnamed := 0
	for i := range c.Real.Devices {
		if d := &c.Real.Devices[i]; strings.HasPrefix(d.Name, "MT4123") && d.Role == cabling.Host && d.Group == "" {
			unnamed++
		}
	}
	if unnamed != 2 {
		t.Errorf("%d adapters without a name, want 2 apart from each other", unnamed)
	}
	if notes := strings.Join(c.Real.Notes, "\n"); !strings.Contains(notes, `r.json:23: "garbage" is left out: expected a cable as device/port - device/port`) {
		t.Errorf("%q, want a note about line 23", notes)
	}
}

func TestNDTReportInOtherForms(t *testing.T) {
	for text, want := range map[string]string{
		`{"error": "No NDTs were uploaded for comparison", "timestamp": "x", "report": {}}`: "UFM could not compare: \"No NDTs",
		`{"error": ["a.ndt is empty"], "report": {"miss_wired": []}}`:                       "a.ndt is empty",
		`{"report": {"links": []}}`: "expected report with miss_wired",
		`{"report": {"miss_wired": [{"expected": "a"}], "missing_in_ufm": [], "missing_in_ndt": []}}`: "no cable of the report can be read",
		`{"report": {"miss_wired": [`: "r.json:1: the file ends inside a value",
	} {
		if _, err := ReadComparison("r.json", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string][2]int{
		`{"response": "NDT and UFM are fully match", "timestamp": "x"}`:                                                                                            {0, 0},
		`{"miss_wired": [], "missing_in_ibdiagnet": ["a/1 - b/2"], "missing_in_ndt": []}`:                                                                          {1, 0},
		`{"report": {"miss_wired": [], "missing_in_ufm": [{"expected": "a/1 - b/2", "actual": ""}], "missing_in_ndt": [{"expected": "", "actual": "a/3 - b/4"}]}}`: {1, 1},
	} {
		c, err := ReadComparison("r.json", strings.NewReader(text))
		if err != nil || !IsComparison(text) || len(c.Plan.Cables) != want[0] || len(c.Real.Cables) != want[1] {
			t.Errorf("%s: %+v, %v, want %v cables", text, c, err, want)
		}
	}
}

// FuzzReadComparison: no file makes the reader panic, and the fabrics have whole cables.
func FuzzReadComparison(f *testing.F) {
	text, err := os.ReadFile("testdata/ndt-report.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(`{"response": "NDT and UFM are fully match"}`)
	f.Add(`{"report": {"missing_in_ndt": [{"expected": "", "actual": "a/3 - b/4"}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadComparison("fuzz", strings.NewReader(text))
		if (c == nil) == (err == nil) {
			t.Fatalf("report %v, error %v", c != nil, err)
		}
		if err == nil {
			whole(t, c.Plan)
			whole(t, c.Real)
		}
	})
}
