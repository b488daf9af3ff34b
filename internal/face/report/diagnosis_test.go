package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/formats/logfile"
	"weft/internal/study/calibrate"
	"weft/internal/test/golden"
	"weft/scenario"
	"weft/units"
)

// found is an invented diagnosis for the text and the page.
func found() *calibrate.Diagnosis {
	table := &logfile.Table{Format: logfile.NCCLTests, Line: 3, Test: "all_reduce_perf", Op: "all-reduce", Cut: "the log ends at size 67108864", Rows: make([]logfile.Row, 3)}
	task := &calibrate.Task{Table: table, Title: "all-reduce, 16 ranks on 2 node(s)", Nodes: 2, GPUs: 8, Told: []string{"the list of devices says 1 rank"}, Points: []calibrate.Point{
		{Line: 4, Bytes: 8, Measured: 26 * units.Microsecond, Factor: 1.875, Bias: .1, Known: .17},
		{Line: 5, Bytes: 1 << 20, Measured: 60 * units.Microsecond, Factor: 1.875, Bias: .3, Known: .2},
		{Line: 6, Bytes: 64 << 20, Measured: 900 * units.Microsecond, Factor: 1.875, Bias: .2, Known: .1},
	}}
	at := func(us ...units.Time) [][]units.Time {
		for i := range us {
			us[i] *= units.Microsecond
		}
		return [][]units.Time{us}
	}
	d := &calibrate.Diagnosis{
		Log:    &logfile.Log{Name: "slurm.out", Tables: []*logfile.Table{table}, Notes: []logfile.Note{{Line: 9, Text: "a row is <cut>"}}},
		Fabric: "roce-v2-400g", Tasks: []*calibrate.Task{task}, Verdict: calibrate.Explained,
		Predicted: at(26, 55, 412), Match: .454, Noise: .005, Healthy: .02, Other: .03,
		Explanations: []calibrate.Explanation{
			{
				Hypothesis: &calibrate.Hypotheses[0], Label: "4 of 8 NICs of each node in use", Posterior: .6, Match: .02, Worst: -.03, Shows: true, Predicted: at(26, 60, 890),
				Changes: []scenario.Override{{Path: "cluster.node.nics", Value: "4"}}, Evidence: "NCCL uses 4 network devices",
			},
			{Hypothesis: &calibrate.Hypotheses[1], Label: "one NIC at 100 Gb/s", Posterior: .35, Match: .022, Worst: .04, Shows: true, Predicted: at(26, 58, 910)},
			{Hypothesis: &calibrate.Hypotheses[2], Label: "the NICs of one node", Match: .6, Worst: .9, Predicted: at(26, 70, 2000)},
		},
		Untried: []calibrate.Untried{{Hypothesis: &calibrate.Hypotheses[3], Why: "a reason"}},
	}
	return d
}

func TestADiagnosisOnTheTerminal(t *testing.T) {
	var b bytes.Buffer
	if err := Diagnosis(found()).Terminal(&b, doc.Style{Details: true}); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/diagnosis.txt", b.String())
}

func TestThePageOfADiagnosisNeedsNoOtherFile(t *testing.T) {
	var b bytes.Buffer
	if err := Diagnosis(found()).HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "http://", "https://", "<cut>", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"4 of 8 NICs", "a row is &lt;cut&gt;", "NCCL uses 4 network devices", "<svg", "link-rate: a reason"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	golden.File(t, "testdata/diagnosis.html", page)
}

// TestWhatWasNotSimulatedMakesAProbabilityTheLeast: a healthy cluster can have more than it is said
// to have if something was left out.
func TestWhatWasNotSimulatedMakesAProbabilityTheLeast(t *testing.T) {
	for open, want := range map[float64]string{
		.001: "(probability 96 %)", .02: "(probability at least 96 %)",
	} {
		d := found()
		d.Verdict, d.Healthy, d.Open = calibrate.Healthy, .96, open
		if got := Finding(d); !strings.Contains(got, want) {
			t.Errorf("with %v left out the finding is %q, want %q in it", open, got, want)
		}
	}
}

func TestEveryVerdictHasASentence(t *testing.T) {
	for verdict, want := range map[calibrate.Verdict]string{
		calibrate.Healthy: "As expected: the cluster is healthy (probability", calibrate.Faster: "another cluster", calibrate.Explained: "does not exclude: slow-nic", calibrate.Undecided: "cannot distinguish these causes: fewer-rails (4 of 8 NICs of each node in use; 60 %) and slow-nic", calibrate.Unexplained: "No simulated cause explains",
	} {
		d := found()
		d.Verdict = verdict
		if got := Finding(d); !strings.Contains(got, want) {
			t.Errorf("%s: %q has no %q", verdict, got, want)
		}
	}
}

// TestAnUndecidedLogNamesTheHealthyCluster: the healthy cluster has the highest
// probability in an undecided answer. An interrupted diagnosis says so.
func TestAnUndecidedLogNamesTheHealthyCluster(t *testing.T) {
	d := found()
	d.Verdict, d.Healthy, d.Explanations[0].Posterior = calibrate.Undecided, .4, .3
	if got, want := Finding(d), "cannot tell a healthy cluster (40 %) from fewer-rails"; !strings.Contains(got, want) {
		t.Errorf("%q has no %q", got, want)
	}
	d.Partial = true
	if got, want := Finding(d), "Stopped early: not all causes were tested."; !strings.Contains(got, want) {
		t.Errorf("%q has no %q", got, want)
	}
}

// TestAStoppedDiagnosisSaysSoOnce counts the sentence in the text and in the page of
// every verdict.
func TestAStoppedDiagnosisSaysSoOnce(t *testing.T) {
	d := found()
	d.Partial = true
	for _, verdict := range []calibrate.Verdict{calibrate.Healthy, calibrate.Faster, calibrate.Explained, calibrate.Undecided, calibrate.Unexplained} {
		d.Verdict = verdict
		var text, page strings.Builder
		if err := errors.Join(Diagnosis(d).Terminal(&text, doc.Style{}), Diagnosis(d).HTML(&page)); err != nil {
			t.Fatal(err)
		}
		for what, got := range map[string]string{"text": text.String(), "page": page.String()} {
			if n := strings.Count(strings.Join(strings.Fields(got), " "), "Stopped early"); n != 1 {
				t.Errorf("%s: the %s has \"Stopped early\" %d times, want once", verdict, what, n)
			}
		}
	}
}

// TestAHealthyAnswerSaysWhenTheLogTellsLittle: the note is there if the probability is
// hardly higher than before the log was read.
func TestAHealthyAnswerSaysWhenTheLogTellsLittle(t *testing.T) {
	const little = "It was 50 % before the log was read: the log tells little."
	d := found()
	d.Verdict = calibrate.Healthy
	for share, want := range map[float64]bool{.5: true, .56: true, .7: true, .8: false, .99: false} {
		d.Healthy = share
		if got := Finding(d); strings.Contains(got, little) != want {
			t.Errorf("%g: %q", share, got)
		}
	}
}

// TestNothingIsProvedWhereSizesAreSlow: the slow sizes are named, the worst first, with how much longer
// they take than on a healthy cluster, whose bias counts; a size that is faster is not.
func TestNothingIsProvedWhereSizesAreSlow(t *testing.T) {
	for _, c := range []struct {
		us   []units.Time // predicted; the log has 26 us, 60 us and 1.5 ms
		want string
	}{
		{[]units.Time{10, 60, 1500}, "Not proved faulty, and not healthy: 8 B takes 2.35 times as long as on a healthy cluster."},
		{[]units.Time{13, 20, 1500}, "Not proved faulty, and not healthy: 1 MiB and 8 B take 2.22 and 1.81 times as long as on a healthy cluster."},
		{[]units.Time{90, 20, 1500}, "Not proved faulty, and not healthy: 1 MiB takes 2.22 times as long as on a healthy cluster."},
	} {
		d := found()
		d.Verdict, d.Healthy = calibrate.NotProved, .9
		for j, us := range c.us {
			d.Predicted[0][j] = us * units.Microsecond
		}
		if got := Finding(d); !strings.HasPrefix(got, c.want) {
			t.Errorf("predicted %v: %q, want %q", c.us, got, c.want)
		}
		const other = "A fault for which weft has no hypothesis has 95 %."
		if got := Finding(d); strings.Contains(got, other) {
			t.Errorf("another fault is less likely than a healthy cluster: %q", got)
		}
		if d.Other = .95; !strings.Contains(Finding(d), other) {
			t.Errorf("another fault is likelier: %q", Finding(d))
		}
	}
}

// TestAStoppedDiagnosisHasNoProbability: the causes that were not tested could explain the log.
func TestAStoppedDiagnosisHasNoProbability(t *testing.T) {
	d := found()
	d.Verdict, d.Healthy, d.Partial = calibrate.Healthy, 1, true
	if got := Finding(d); strings.Contains(got, "probability") || !strings.HasPrefix(got, "As expected so far: ") {
		t.Errorf("%q", got)
	}
}

// TestAStoppedDiagnosisOfAFastLogDoesNotFallShort: an interrupted diagnosis still reports a
// log that is too fast for the cluster, or a log that may be healthy.
func TestAStoppedDiagnosisOfAFastLogDoesNotFallShort(t *testing.T) {
	d := found()
	d.Partial = true
	for verdict, want := range map[calibrate.Verdict]string{calibrate.Faster: "Faster than", calibrate.Undecided: "Undecided: "} {
		d.Verdict, d.Healthy, d.Explanations[0].Posterior = verdict, .4, .3
		if got := Finding(d); !strings.HasPrefix(got, want) || strings.Contains(got, "falls short") {
			t.Errorf("%s: %q", verdict, got)
		}
	}
}
