package live

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/live/ranks"
	"weft/units"
)

// predicted is the output, as text and as JSON, of a prediction from given pairs.
func predicted(t *testing.T, algo string, pair ...ranks.Pair) (string, *liveRecord) {
	t.Helper()
	l := &liveRun{ranks: 4, algo: algo, chunk: "256K", predict: true}
	e := simulator.New(&process.Env{Now: time.Now, StderrTerminal: true, Stderr: io.Discard}, nil)
	took := &ranks.Result{Time: time.Millisecond}
	rows := []liveRow{{4 << 10, [2]*ranks.Result{took, took}}, {64 << 10, [2]*ranks.Result{took, took}}}
	var text bytes.Buffer
	p, why, err := l.withPrediction(t.Context(), e, &text, pair, nil, rows)
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), liveJSON(l, nil, rows, p, why)
}

// followsTwice: every schedule takes at least as long as two messages in sequence.
func followsTwice(t *testing.T, algo string, s *liveSize, latency int64) {
	t.Helper()
	if least := 2 * latency * 99 / 100; s.Predicted < least {
		t.Errorf("%s of %d bytes: predicted %d ps, want at least %d", algo, s.Bytes, s.Predicted, least)
	}
}

func TestThePredictionIsInCommentLines(t *testing.T) {
	for _, algo := range []string{"ring", "tree", "halving-doubling"} {
		text, record := predicted(t, algo, ranks.Pair{Latency: 20 * units.Microsecond, Rate: 10 * units.Gbps})
		if record.Prediction == nil || !strings.Contains(text, "# Predicted, not fitted") {
			t.Fatalf("%s: no prediction in\n%s", algo, text)
		}
		for i := range record.Sizes {
			followsTwice(t, algo, &record.Sizes[i], record.Prediction.PairLatency)
		}
		allSkipped(t, text)
	}
}

func TestAPredictionHasItsRangeAndItsError(t *testing.T) {
	slow, fast := ranks.Pair{Latency: 40 * units.Microsecond, Rate: 5 * units.Gbps}, ranks.Pair{Latency: 20 * units.Microsecond, Rate: 10 * units.Gbps}
	text, record := predicted(t, "ring", slow, fast, fast)
	p := record.Prediction
	if p == nil || p.Error == nil || p.PairLatency != int64(fast.Latency) || p.MostLatency != int64(slow.Latency) || p.LeastRate != int64(slow.Rate) {
		t.Fatalf("%+v in\n%s", p, text)
	}
	for i, s := range record.Sizes {
		if s.Least != s.Predicted || s.Most < 19*s.Predicted/10 || s.Most > 21*s.Predicted/10 {
			t.Errorf("size %d: %d, from %d to %d: half the rate and twice the latency take twice as long", i, s.Predicted, s.Least, s.Most)
		}
	}
	if s, e := record.Sizes[0], p.Error; e.Sizes != 2 || e.Most != float64(s.InPlace)/float64(s.Predicted) || e.Inside != 0 {
		t.Errorf("the error is %+v for %+v", *e, record.Sizes)
	}
	for _, part := range []string{"the prediction uses only a two-rank measurement (ranks 0 and 1)", "# error: measured is ", "; 0 lie in the range"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
	allSkipped(t, text)
}

// If ranks wait for processors, no scenario fits the measured pair: the collective has
// results, and no prediction.
func TestAPairOfABusyMachineHasNoPrediction(t *testing.T) {
	text, record := predicted(t, "ring", ranks.Pair{Latency: 3 * units.Millisecond, Rate: units.Gbps})
	for _, told := range []string{text, record.Unpredicted} {
		if !strings.Contains(told, "with 3 ms one way") || !strings.Contains(told, "machines that do nothing else") {
			t.Errorf("%q lacks the reason or the remedy", told)
		}
	}
	if record.Prediction != nil || record.Sizes[0].Predicted != 0 {
		t.Errorf("there is a prediction: %+v", record)
	}
	allSkipped(t, text)
}

func TestHostsAreParsed(t *testing.T) {
	for text, want := range map[string]struct {
		host  string
		ranks int
	}{
		"a": {"a", 1}, "a:2": {"a", 2}, "192.0.2.7:64": {"192.0.2.7", 64}, "fd00::7": {"fd00::7", 1}, "[fd00::7]:3": {"fd00::7", 3},
		"": {}, "a:0": {}, "a:65": {}, "a:b": {}, ":2": {}, "a:": {}, "a:1:2": {},
	} {
		host, n, err := hostRanks(text)
		if host != want.host || n != want.ranks || (err == nil) != (want.ranks > 0) {
			t.Errorf("%q: %q with %d ranks, %v; want %q with %d", text, host, n, err, want.host, want.ranks)
		}
	}
}

func allSkipped(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			t.Errorf("a line without #: %q", line)
		}
	}
}
