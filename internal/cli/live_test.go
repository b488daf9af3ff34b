package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"weft/internal/sim"
)

// live runs a collective of goroutines, with the real simulator.
func live(t *testing.T, flags ...string) string {
	t.Helper()
	e := environment(append([]string{"live", "all-reduce", "--in-process", "--udp-port", freePort(t), "--iters", "2", "-w", "1"}, flags...))
	var out, errs bytes.Buffer
	e.Stdout, e.Stderr, e.Run = &out, &errs, sim.Run
	if code := Main(context.Background(), e); code != OK {
		t.Fatalf("weft live all-reduce %s: %d\n%s", strings.Join(flags, " "), code, errs.String())
	}
	return out.String()
}

func TestACollectiveIsPredictedFromOnePairOfItsRanks(t *testing.T) {
	for _, algo := range []string{"ring", "tree", "halving-doubling"} {
		var got liveRecord
		text := live(t, "-n", "4", "-b", "4K", "-e", "64K", "-f", "16", "--algo", algo, "--predict", "--json")
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(got.Sizes) != 2 || got.Prediction == nil || len(got.Devices) != 4 {
			t.Fatalf("%s: want two sizes and a prediction:\n%s", algo, text)
		}
		for _, s := range got.Sizes {
			// No schedule is done in less than two messages that follow one another.
			if least := 2 * got.Prediction.PairLatency * 99 / 100; s.Predicted < least {
				t.Errorf("%s of %d bytes: predicted %d ps, less than %d", algo, s.Bytes, s.Predicted, least)
			}
			if s.Wrong == nil || *s.Wrong != 0 || s.InPlace <= 0 || s.OutOfPlace <= 0 {
				t.Errorf("%s of %d bytes: %+v", algo, s.Bytes, s)
			}
		}
	}
}

func TestThePredictionIsInLinesThatReadersOfTheTableSkip(t *testing.T) {
	text := live(t, "-n", "2", "-b", "4K", "-e", "4K", "--predict")
	_, after, found := strings.Cut(text, "# Predicted, not fitted")
	if !found {
		t.Fatalf("no prediction in\n%s", text)
	}
	for line := range strings.Lines(after[strings.IndexByte(after, '\n')+1:]) {
		if !strings.HasPrefix(line, "#") {
			t.Errorf("a line without #: %q", line)
		}
	}
}
