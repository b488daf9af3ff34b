package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/live/ranks"
	"weft/internal/study/predict"
)

// liveAnswer is the output of weft live all-reduce --json.
type liveAnswer struct {
	Devices []netip.AddrPort
	Sizes   []struct {
		ranks.Record
		predict.Times
	}
	Prediction  *predict.Record
	Unpredicted string
}

// liveAllReduce runs a collective of goroutines, with the real simulator.
func liveAllReduce(t *testing.T, flags ...string) string {
	t.Helper()
	e := environment(append([]string{"live", "all-reduce", "--in-process", "--udp-port", freePort(t), "--iters", "2", "-w", "1"}, flags...))
	var out, errs bytes.Buffer
	e.Stdout, e.Stderr, e.Run = &out, &errs, weft.Run
	if code := Main(context.Background(), e); code != exit.OK {
		t.Fatalf("weft live all-reduce %s: %d\n%s", strings.Join(flags, " "), code, errs.String())
	}
	return out.String()
}

func TestACollectiveIsPredictedFromOnePairOfItsRanks(t *testing.T) {
	for _, algo := range []string{"ring", "tree", "halving-doubling"} {
		var got liveAnswer
		text := liveAllReduce(t, "--ranks", "2", "-b", "4K", "-e", "64K", "-f", "16", "--algo", algo, "--predict", "--json")
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		// On a busy machine there may be no prediction, and the output has the reason.
		if len(got.Sizes) != 2 || (got.Prediction == nil) == (got.Unpredicted == "") || len(got.Devices) != 2 {
			t.Fatalf("%s: want two sizes and a prediction:\n%s", algo, text)
		}
		for _, s := range got.Sizes {
			if p := got.Prediction; p != nil { // every schedule takes at least as long as two messages in sequence
				if least := 2 * p.PairLatency * 99 / 100; s.Predicted < least {
					t.Errorf("%s of %d bytes: predicted %d ps, want at least %d", algo, s.Bytes, s.Predicted, least)
				}
			}
			if s.Wrong == nil || *s.Wrong != 0 || s.InPlace <= 0 || s.OutOfPlace <= 0 {
				t.Errorf("%s of %d bytes: %+v", algo, s.Bytes, s)
			}
		}
	}
}

// With more ranks than processors, the measurement of two ranks does not apply.
func TestRanksThatShareProcessorsHaveNoPrediction(t *testing.T) {
	var got liveAnswer
	n := runtime.GOMAXPROCS(0) + 1
	if n > ranks.MaxRanks || n < 2 {
		t.Skip("skipped: too many processors for a run with more ranks")
	}
	text := liveAllReduce(t, "--ranks", strconv.Itoa(n), "-b", "4K", "-e", "4K", "--predict", "--json")
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Prediction != nil || !strings.Contains(got.Unpredicted, "ranks share the") || got.Sizes[0].Predicted != 0 {
		t.Errorf("%d ranks on %d processors: %+v", n, n-1, got)
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
	if code := Main(context.Background(), e); code != exit.OK {
		t.Fatalf("it ended with %d\n%s", code, errs.String())
	}
	var got liveAnswer
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
