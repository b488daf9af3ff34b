package results

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"weft/internal/test/golden"
	"weft/units"
)

func sample() *Results {
	return &Results{
		Version: ResultsVersion, Scenario: "two nodes <&>", Seed: 7, Workload: "all-reduce", Ranks: 16, Nodes: 2,
		Fabrics: []FabricResult{
			{Name: "infiniband-ndr", Protocol: "infiniband", Rate: 400 * units.Gbps, Points: []Point{{
				Bytes: 1024, Algorithm: "tree", Wire: "LL128", Channels: 8, Time: 12_345_678, Seeds: &Seeds{[]int64{12_345_677, 12_345_679}, 12_345_665, 12_345_691, &Draws{Hash: true, Like: "roce-v2 0123abcd"}}, AlgBW: 0.08294480, BusBW: 0.1555215,
				Flows:  Distribution{N: 3, Mean: 1, P50: 2, P99: 3, P999: 4, Max: 5},
				Counts: Counts{Packets: 12, CreditStalls: 3},
				Hottest: []HotLink{{
					Name: "leaf-0:1 → nic-3", Bytes: 4096, Busy: 0.5, Tier: "leaf to NIC", Mean: 2048, Flows: []string{"nic-1 to nic-3"},
					Transfers: []LinkTransfer{{1, 3, "pipeline", []int32{0, 2}, 3900}}, More: 1, MoreBytes: 10, Senders: 2, Receivers: 1, Sprayed: true,
					Sources: []LinkSource{{"all-reduce", 4000}, {"storage", 96}},
				}},
			}}},
			{Name: "tcp-400g", Protocol: "tcp", Rate: 400 * units.Gbps, Points: []Point{{Bytes: 1024, Failure: "deadlock", Hottest: []HotLink{}}}},
		},
	}
}

func TestResultsAreStableText(t *testing.T) {
	text, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/results.json", string(text))
}

func TestResultsReadBack(t *testing.T) {
	text, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeResults(text)
	if err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("read back: %v\n got %+v\nwant %+v", err, got, sample())
	}
}

// TestEventsAreNoResult: their number may depend on the cores.
func TestEventsAreNoResult(t *testing.T) {
	r := sample()
	r.Fabrics[0].Points[0].Counts.Events = 40
	r.Fabrics[1].Points[0].Counts.Events = 2
	if n := r.Events(); n != 42 {
		t.Errorf("%d events in all, want 42", n)
	}
	with, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	without, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(with, without) {
		t.Errorf("results.json depends on the number of events:\n%s", with)
	}
}

func TestFloatsOfResultsAreRounded(t *testing.T) {
	r := sample()
	p := &r.Fabrics[0].Points[0]
	p.AlgBW, p.BusBW, p.Hottest[0].Busy = 1.0/3, math.NaN(), 2.0/3
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"algbw_gbytes_per_s": 0.3333333,`, `"busbw_gbytes_per_s": 0,`, `"busy": 0.66667`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestResultsOfAnotherKindAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": 3}`:                  "version 3",
		`{"version": 0}`:                  "version 0",
		`{}`:                              "states no version",
		`[`:                               "not the results of a run",
		`{"version": 1, "nonsense": 3}`:   "nonsense",
		`{"version": 1, "fabrics": []} x`: "results",
		`{"version": 1, "fabrics": [{"points": [{"bytes": 1, "time": 3}]}]}`: "time",
	} {
		if _, err := DecodeResults([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

// Version 1 has fewer fields, with the same meaning.
func TestResultsOfVersion1AreRead(t *testing.T) {
	r, err := DecodeResults([]byte(`{"version": 1, "seed": 3, "fabrics": [{"name": "a", "points": [{"bytes": 8, "time_ps": 5}]}]}`))
	if err != nil || r.Fabrics[0].Points[0].Time != 5 || r.Fabrics[0].Points[0].Seeds != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// FuzzDecodeResults checks that accepted results can be written, and are the same when
// they are read again.
func FuzzDecodeResults(f *testing.F) {
	text, err := sample().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version": 1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := DecodeResults(text)
		if err != nil {
			return
		}
		first, err := r.Encode()
		if err != nil {
			t.Fatalf("accepted results cannot be written: %v", err)
		}
		again, err := DecodeResults(first)
		if err != nil {
			t.Fatalf("written results are refused: %v", err)
		}
		second, err := again.Encode()
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("written twice: %v\n%s\n%s", err, first, second)
		}
	})
}

// Values that take some bytes in a file, and much memory, are bounded in number.
func TestResultsOfMoreValuesThanARunHasAreRefused(t *testing.T) {
	text := `{"version": 1, "fabrics": [{"name": "a", "points": [` + strings.Repeat("null,", mostValues) + `null]}]}`
	if _, err := DecodeResults([]byte(text)); err == nil || !strings.Contains(err.Error(), "values") {
		t.Errorf("%d points: %v", mostValues, err)
	}
}
