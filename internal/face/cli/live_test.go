package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft"
	"weft/internal/live/ranks"
	"weft/units"
)

// live runs a collective of goroutines, with the real simulator.
func live(t *testing.T, flags ...string) string {
	t.Helper()
	e := environment(append([]string{"live", "all-reduce", "--in-process", "--udp-port", freePort(t), "--iters", "2", "-w", "1"}, flags...))
	var out, errs bytes.Buffer
	e.Stdout, e.Stderr, e.Run = &out, &errs, weft.Run
	if code := Main(context.Background(), e); code != OK {
		t.Fatalf("weft live all-reduce %s: %d\n%s", strings.Join(flags, " "), code, errs.String())
	}
	return out.String()
}

func TestACollectiveIsPredictedFromOnePairOfItsRanks(t *testing.T) {
	for _, algo := range []string{"ring", "tree", "halving-doubling"} {
		var got liveRecord
		text := live(t, "-n", "2", "-b", "4K", "-e", "64K", "-f", "16", "--algo", algo, "--predict", "--json")
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		// On a busy machine there may be no prediction, and the output has the reason.
		if len(got.Sizes) != 2 || (got.Prediction == nil) == (got.Unpredicted == "") || len(got.Devices) != 2 {
			t.Fatalf("%s: want two sizes and a prediction:\n%s", algo, text)
		}
		for _, s := range got.Sizes {
			if p := got.Prediction; p != nil {
				followsTwice(t, algo, &s, p.PairLatency)
			}
			if s.Wrong == nil || *s.Wrong != 0 || s.InPlace <= 0 || s.OutOfPlace <= 0 {
				t.Errorf("%s of %d bytes: %+v", algo, s.Bytes, s)
			}
		}
	}
}

// followsTwice: every schedule takes at least as long as two messages in sequence.
func followsTwice(t *testing.T, algo string, s *liveSize, latency int64) {
	t.Helper()
	if least := 2 * latency * 99 / 100; s.Predicted < least {
		t.Errorf("%s of %d bytes: predicted %d ps, want at least %d", algo, s.Bytes, s.Predicted, least)
	}
}

// predicted is the output, as text and as JSON, of a prediction from given pairs.
func predicted(t *testing.T, algo string, pair ...ranks.Pair) (string, *liveRecord) {
	t.Helper()
	l := &liveRun{ranks: 4, algo: algo, chunk: "256K", predict: true}
	e := environment(nil)
	e.Run = weft.Run
	took := &ranks.Result{Time: time.Millisecond}
	rows := []liveRow{{4 << 10, [2]*ranks.Result{took, took}}, {64 << 10, [2]*ranks.Result{took, took}}}
	var text bytes.Buffer
	p, why, err := l.withPrediction(t.Context(), e, &text, pair, nil, rows)
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), liveJSON(l, nil, rows, p, why)
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

// With more ranks than processors, the measurement of two ranks does not apply.
func TestRanksThatShareProcessorsHaveNoPrediction(t *testing.T) {
	var got liveRecord
	n := runtime.GOMAXPROCS(0) + 1
	if n > ranks.MaxRanks || n < 2 {
		t.Skip("skipped: too many processors for a run with more ranks")
	}
	text := live(t, "-n", strconv.Itoa(n), "-b", "4K", "-e", "4K", "--predict", "--json")
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Prediction != nil || !strings.Contains(got.Unpredicted, "ranks share the") || got.Sizes[0].Predicted != 0 {
		t.Errorf("%d ranks on %d processors: %+v", n, n-1, got)
	}
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

func allSkipped(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			t.Errorf("a line without #: %q", line)
		}
	}
}

// liveServed is a weft live serve of the test on these addresses.
func liveServed(t *testing.T, port string, addrs string) {
	t.Helper()
	serving(t, "live", "serve", "-p", port, "--addr", addrs)
}

func TestACollectiveOfSeveralHostsHasTheRanksOfTheirServers(t *testing.T) {
	port := freePort(t)
	liveServed(t, port, "127.0.0.2")
	liveServed(t, port, "127.0.0.3,127.0.0.4")
	e := environment([]string{
		"live", "all-reduce", "--hosts", "127.0.0.2,127.0.0.3:2", "-p", port, "--udp-port", port,
		"-b", "64", "-e", "64K", "-f", "1024", "--iters", "2", "-w", "1", "--json",
	})
	var out, errs bytes.Buffer
	e.Stdout, e.Stderr = &out, &errs
	if code := Main(context.Background(), e); code != OK {
		t.Fatalf("it ended with %d\n%s", code, errs.String())
	}
	var got liveRecord
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var at []string
	for _, d := range got.Devices {
		at = append(at, d.Addr().String())
	}
	if want := []string{"127.0.0.2", "127.0.0.3", "127.0.0.4"}; !slices.Equal(at, want) {
		t.Errorf("ranks at %v, want %v", at, want)
	}
	for _, s := range got.Sizes {
		if s.Wrong == nil || *s.Wrong != 0 {
			t.Errorf("%d bytes: %+v", s.Bytes, s)
		}
	}
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
