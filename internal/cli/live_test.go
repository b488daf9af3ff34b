package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
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

func TestHostsAreTakenApart(t *testing.T) {
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
