package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/sim/workload"
	"weft/internal/test/golden"
	"weft/results"
	"weft/units"
)

// fabricatedTraining is a job on two fabrics; the second has more exposed communication of data
// parallelism.
func fabricatedTraining(gpus int, slower float64) *results.Training {
	t := &results.Training{
		Version: 1, Scenario: "a job", Seed: 1,
		Job: results.TrainingJob{
			Model: "llama3-8b", Parameters: 8_030_000_000, GPU: "h100", GPUs: gpus, Nodes: gpus / 8, Precision: "bf16", Tensor: 4, Context: 1, Pipeline: 2, Interleave: 1, Schedule: "1f1b",
			Data: gpus / 8, Expert: 1, ZeRO: 1, Sequences: 2 * gpus, Micros: 16, Tokens: int64(2*gpus) * 8192, Memory: 80_000_000_000, Peak: 989 * units.TFLOPS,
			Stages: []results.StageMemory{{Weights: 2e9, Gradients: 4e9, Optimizer: 1e9, Activations: 9e9}, {Weights: 2e9, Gradients: 4e9, Optimizer: 1e9, Activations: 5e9, Logits: 1e9}},
		},
	}
	for i, name := range []string{"infiniband-ndr", "roce-v2-400g"} {
		data := 20e9 * (1 + slower*float64(i))
		step := 1e12 + 200e9 + data + 100e9
		f := results.TrainingFabric{
			Name: name, Protocol: "x", Rate: 400 * units.Gbps, StepPs: int64(step), ComputingPs: 1e12, BubblePs: 100e9, Communications: 1000, Simulated: 10,
			TokensPS: float64(t.Job.Tokens) / step * 1e12, MFU: 0.5,
			Purposes: []results.PurposeTime{{Purpose: "tensor", MovingPs: 300e9, ExposedPs: 200e9}, {Purpose: "data", MovingPs: 60e9, ExposedPs: int64(data)}},
			Phases: []results.TrainingPhase{
				{Name: "tensor all-gather", Purpose: "tensor", Groups: 16, Ranks: 4, Bytes: 64 << 20, Uses: 512, Algorithm: "ring", Wire: "Simple", LeastPs: 1e8, MeanPs: 1e8, MostPs: 1e8, Folded: 14},
				{Name: "data reduce-scatter", Purpose: "data", Groups: 8, Ranks: 8, Bytes: 1 << 30, Uses: 2, Algorithm: "ring", Wire: "Simple", LeastPs: 1e9, MeanPs: 2e9, MostPs: 3e9},
			},
			Hottest: []results.HotLink{{Name: "leaf port 1", Busy: 0.9}}, HottestIn: "data reduce-scatter",
			Failures: results.TrainingFailures{PerDay: 0.03, LostSeconds: 1500, Effective: 0.9995},
		}
		if i == 0 {
			same := results.Spread{MeanPs: f.StepPs, LowPs: f.StepPs, HighPs: f.StepPs, LeastPs: f.StepPs, MostPs: f.StepPs}
			f.Seeds = &results.TrainingSeeds{Seeds: 5, Step: same, StepsPs: slices.Repeat([]int64{f.StepPs}, 5)}
			f.Reduction = &results.Reduction{Trees: 8, Groups: 1, Without: 2, Why: "rail 0: another tree has the port"}
		}
		if i == 1 {
			f.Storage = &results.TrainingStorage{InputPs: 2e6, Every: 100, CheckpointBytes: 112e9, WritePs: 2e12, StallPs: 2e12, AddedPs: 2e10}
			f.StoragePs, f.StepPs = 2e10, f.StepPs+2e10
			f.Noise = &results.TrainingNoise{Draws: 20, Spread: around(f.StepPs * 11 / 10), WaitingPs: f.StepPs / 20}
			f.Seeds = &results.TrainingSeeds{Seeds: 5, Step: around(f.StepPs), StepsPs: []int64{f.StepPs * 98 / 100, f.StepPs * 99 / 100, f.StepPs, f.StepPs * 101 / 100, f.StepPs * 102 / 100}, Exposed: []results.PurposeSpread{{Purpose: "data", Spread: around(int64(data))}}}
		}
		t.Fabrics = append(t.Fabrics, f)
	}
	return t
}

// around is a spread about a time.
func around(ps int64) results.Spread {
	return results.Spread{MeanPs: ps, LowPs: ps * 98 / 100, HighPs: ps * 102 / 100, LeastPs: ps * 95 / 100, MostPs: ps * 109 / 100}
}

// If half of a step is bubbles, the report names the schedule as the reason. It does not call the
// step a lower bound of published steps, which may have another schedule.
func TestLongBubblesComeFromTheSchedule(t *testing.T) {
	few, many := fabricatedTraining(64, 0), fabricatedTraining(64, 0)
	for i := range many.Fabrics {
		f := &many.Fabrics[i]
		f.BubblePs = f.StepPs * 46 / 100
	}
	one := fabricatedTraining(64, 0)
	one.Job.Pipeline = 1
	for _, c := range []struct {
		t    *results.Training
		says bool
	}{{few, false}, {many, true}, {one, false}} {
		text := strings.Join(trainingNotes(c.t), " ")
		if said := strings.Contains(text, "46 % of the step of infiniband-ndr are bubbles of the schedule that the scenario asks for: 2 stages, 16 micro-batches to each replica, 1 chunk to each stage"); said != c.says {
			t.Errorf("bubbles of %d in %d: %s", c.t.Fabrics[0].BubblePs, c.t.Fabrics[0].StepPs, text)
		}
		if strings.Contains(text, "real steps are longer") {
			t.Errorf("the report calls steps with other schedules longer: %s", text)
		}
	}
}

func TestATrainingStepOnTheTerminal(t *testing.T) {
	var b bytes.Buffer
	for _, points := range [][]*results.Training{{fabricatedTraining(64, 2)}, {fabricatedTraining(64, 0.1), fabricatedTraining(256, 3)}} {
		scale := &results.TrainingScale{Version: 1, Points: points}
		if err := Training(scale, nil, nil).Terminal(&b, doc.Style{}); err != nil {
			t.Fatal(err)
		}
	}
	golden.File(t, "testdata/training.txt", b.String())
}

// The page has every table, both curves and the lanes of the step, and loads nothing.
func TestTheTrainingPageIsWhole(t *testing.T) {
	scale := &results.TrainingScale{Version: 1, Points: []*results.Training{fabricatedTraining(64, 0.1), fabricatedTraining(256, 3)}}
	var b bytes.Buffer
	if err := Training(scale, []*Drawn{{Fabric: "infiniband-ndr", Graph: stepOfTwo(), Line: lineOfTwo()}}, []byte("name: <a job>")).HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"Scaling efficiency", "Over 5 seeds", "communication of data parallelism", "stage 1", ">data reduce-scatter<", "name: &lt;a job&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, forbidden := range []string{"http://", "https://", "<script", "NaN"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page has %q", forbidden)
		}
	}
}

func stepOfTwo() *workload.Graph {
	return &workload.Graph{Ranks: [][]workload.Op{
		{{Name: "F0 attention", Time: units.Millisecond}, {Name: "F0 send", Kind: workload.Send, Purpose: workload.Pipeline, Peer: 1, Bytes: 8, Stream: 1}},
		{{Name: "F0 receive", Kind: workload.Recv, Purpose: workload.Pipeline, Bytes: 8, Stream: 3}, {Name: "B0 \"attention\"", Time: units.Millisecond}},
	}}
}

func lineOfTwo() *workload.Timeline {
	l := workload.NewTimeline(stepOfTwo())
	for rank, spans := range [][]workload.Span{{{Begin: 0, End: 1e9}, {Begin: 1e9, End: 2e9}}, {{Begin: 0, End: 2e9}, {Begin: 2e9, End: 3e9 + 1}}} {
		for op, s := range spans {
			l.Began(rank, int32(op), s.Begin)
			l.Over(rank, int32(op), s.End)
		}
	}
	return l
}

// A trace is JSON for Perfetto, with every operation at its time.
func TestATraceHasEveryOperation(t *testing.T) {
	var b bytes.Buffer
	if err := Trace(&b, []*Drawn{{Fabric: "infiniband-ndr", Graph: stepOfTwo(), Line: lineOfTwo()}}, func(int) string { return "a GPU" }, func(uint8) string { return "a stream" }); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Ph string
			Ts, Dur  float64
			Pid, Tid int
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	ops := 0
	for _, e := range got.TraceEvents {
		if e.Ph == "X" {
			ops++
		}
		if e.Name == `B0 "attention"` && (e.Ts != 2000 || e.Dur != 1000.000001 || e.Pid != 1) {
			t.Errorf("%+v", e)
		}
	}
	if ops != 4 {
		t.Errorf("%d operations, want 4", ops)
	}
}

// The report calls a step the fastest only if the seeds distinguish it from all others. With one
// seed, or if they do not, it says which step took the least time. Equal steps are called equal.
func TestAStepIsTheFastestOnlyIfTheSeedsSaySo(t *testing.T) {
	over := func(steps ...int64) *results.TrainingSeeds {
		s := &results.TrainingSeeds{Seeds: len(steps), StepsPs: steps}
		for _, ps := range steps {
			s.Step.MeanPs += ps / int64(len(steps))
		}
		return s
	}
	for _, c := range []struct {
		a, b    *results.TrainingSeeds
		fastest bool
		says    string
	}{
		{nil, nil, false, "This is one run (seed 7)"},
		{over(1000, 1000, 1500, 1000, 1000), over(1500, 1000, 1500, 1000, 1000), false, "do not show whether a or b is faster"},
		{over(1000, 1010, 990, 1000, 1005), over(1200, 1210, 1190, 1205, 1195), true, ""},
		{over(1000, 1500, 1000), over(1000, 1500, 1000), false, "with each seed, to the picosecond"},
	} {
		r := &results.Training{Seed: 7, Fabrics: []results.TrainingFabric{{Name: "a", StepPs: 100, Seeds: c.a}, {Name: "b", StepPs: 120, Seeds: c.b}}}
		text := strings.Join(trainingSentences(r), "\n")
		if strings.Contains(text, "a is the fastest") != c.fastest || strings.Contains(text, "a takes the least time with seed 7") == c.fastest || !strings.Contains(text, c.says) {
			t.Errorf("with %+v and %+v: %s", c.a, c.b, text)
		}
		if once := c.a == nil; strings.Contains(text, "This is one run (seed 7)") != once {
			t.Errorf("the note on a single run: want %v in\n%s", once, text)
		}
	}
}

// The MFU that a scenario's source has for the job stands beside each fabric's, with the difference of
// the steps.
func TestThePublishedMFUStandsBesideTheResult(t *testing.T) {
	r := &results.Training{
		Job:     results.TrainingJob{PublishedMFU: 0.4, PublishedSource: "a paper, table 4"},
		Fabrics: []results.TrainingFabric{{Name: "a", StepPs: 1, MFU: 0.5}, {Name: "b", StepPs: 1, MFU: 0.32}, {Name: "failed"}},
	}
	want := []string{
		"The MFU on a is 50 %, the published one 40 % (a paper, table 4): weft's step is 20 % shorter.",
		"The MFU on b is 32 %, the published one 40 % (a paper, table 4): weft's step is 25 % longer.",
	}
	if got := publishedSentences(r); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	r.Job.PublishedMFU = 0
	if got := publishedSentences(r); len(got) > 0 {
		t.Errorf("without a publication: %q", got)
	}
}

// A phase that equals an earlier one on every fabric is a use of that one, and fabrics with equal
// figures share a row.
func TestRepeatedPhasesAreOneRow(t *testing.T) {
	phase := func(name string, bytes, ps int64, uses int) results.TrainingPhase {
		return results.TrainingPhase{Name: name, Groups: 8, Ranks: 8, Bytes: bytes, Uses: uses, LeastPs: ps, MeanPs: ps, MostPs: ps}
	}
	tr := &results.Training{Fabrics: []results.TrainingFabric{
		{Name: "a", Phases: []results.TrainingPhase{phase("data", 1, 10, 1), phase("tensor", 2, 5, 7), phase("data", 1, 10, 3), phase("data", 1, 11, 2)}},
		{Name: "b", Phases: []results.TrainingPhase{phase("data", 1, 20, 1), phase("tensor", 2, 5, 7), phase("data", 1, 20, 3), phase("data", 1, 20, 2)}},
	}}
	var got []string
	for _, row := range phaseTable(tr).Rows[1:] {
		got = append(got, fmt.Sprintf("%s %s %s %s", row[0].Text, row[1].Text, row[5].Text, row[8].Text))
	}
	want := []string{"data a 4 10 ps", " b 4 20 ps", "tensor every fabric 7 5 ps", "data a 2 11 ps", " b 2 20 ps"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// The lanes of a step are at the operations' times, as shares of the longest step.
func TestTheLanesOfAStepAreAtItsTimes(t *testing.T) {
	d := &Drawn{Fabric: "a", Graph: stepOfTwo(), Line: lineOfTwo()}
	lanes := stepLanes([]*Drawn{d})[0].(doc.Lanes)
	if len(lanes.Rows) != 3 {
		t.Fatalf("%d rows, want a heading and two stages", len(lanes.Rows))
	}
	near := func(s doc.Span, from, to float64, class string) bool {
		return math.Abs(s.From-from) < 1e-6 && math.Abs(s.To-to) < 1e-6 && s.Class == class
	}
	if work, sent := lanes.Rows[1].Tracks[0][0], lanes.Rows[1].Tracks[1][0]; !near(work, 0, 1./3, "w0") || !near(sent, 1./3, 2./3, workClass(workCommunication+int(workload.Pipeline))) {
		t.Errorf("stage 0 has %+v and %+v", work, sent)
	}
	if back := lanes.Rows[2].Tracks[0][0]; !near(back, 2./3, 1, "w1") || len(lanes.Rows[2].Tracks[1]) != 0 {
		t.Errorf("stage 1 has %+v", lanes.Rows[2].Tracks)
	}
}

// A part of the difference is no larger than the whole, and it is most of it only if it is more than half.
func TestAPartOfTheDifferenceIsNoLargerThanTheWhole(t *testing.T) {
	const ms = int64(units.Millisecond)
	step := func(computing, tensor, data, waiting, bubble int64) *results.TrainingFabric {
		return &results.TrainingFabric{
			Name: "tcp", StepPs: (computing + tensor + data + waiting + bubble) * ms, ComputingPs: computing * ms, WaitingPs: waiting * ms, BubblePs: bubble * ms,
			Purposes: []results.PurposeTime{{Purpose: "tensor", ExposedPs: tensor * ms}, {Purpose: "data", ExposedPs: data * ms}},
		}
	}
	best := step(1000, 100, 50, 20, 100)
	for _, c := range []struct {
		f    *results.TrainingFabric
		want string
	}{
		{step(1000, 100, 360, 20, 90), "tcp takes 24 % longer (300 ms): 310 ms more of exposed communication of data parallelism, and 10.0 ms less of bubbles of the pipeline."},
		{step(1000, 100, 270, 100, 100), "tcp takes 24 % longer (300 ms); the most of it, 220 ms, are exposed communication of data parallelism."},
		{step(1000, 220, 150, 100, 100), "tcp takes 24 % longer (300 ms); the largest part of it, 120 ms, are exposed communication of tensor parallelism."},
		{step(1000, 100, 350, 20, 100), "tcp takes 24 % longer (300 ms); all of it is in exposed communication of data parallelism."},
		{step(1000, 100, 50, 320, 100), "tcp takes 24 % longer (300 ms); all of it is in waits for other GPUs."},
	} {
		if got := slower(best, c.f); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
