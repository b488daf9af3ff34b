package seriesfile

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"weft/results"
)

// sample is the series of a simulation with some rows of each kind.
func sample(fabric string, rows int) *results.Series {
	s := &results.Series{
		Simulation: results.SeriesSimulation{Fabric: fabric, Protocol: "roce-v2", Bytes: 1 << 20, DurationPs: 5 << 20, IntervalPs: 1 << 20, Intervals: 128, Flows: 2, FlowsKept: 1},
		Nodes:      []results.SeriesNode{{Fabric: fabric, Node: 0, Name: "node0/nic0 <b>", Kind: "nic", Group: -1}, {Fabric: fabric, Node: 1, Name: "leaf", Kind: "switch", Layer: 1}},
		Links:      []results.SeriesLink{{Fabric: fabric, Name: "a", From: 0, To: 1, Back: 1, RateBps: 4e11}, {Fabric: fabric, Link: 1, Name: "b", From: 1, Back: 0, RateBps: 4e11}},
		Flows:      []results.SeriesFlow{{To: 1, Connection: 3, Lane: 3, Bytes: 4096, StartPs: 1, EndPs: 90_000, RateGbps: 364.1}},
		Hops:       []results.SeriesHop{{Connection: 3, StartPs: 1, Hop: 1, Link: 1, QueueWaitPs: 70}},
		Pauses:     []results.SeriesPause{{Link: 1, Lane: 3, Pauses: 2, Cause: -1, After: -1, Circle: true}},
		Steps:      []results.SeriesStep{{Rank: 2, Step: 1, Lane: -1, Name: "ring", StartPs: 5, EndPs: 7}},
	}
	s.Samples = func(yield func(results.SeriesSample) bool) {
		for i := range rows {
			row := results.SeriesSample{
				Simulation: s.Simulation.Simulation, Link: int32(i % 2), Lane: 3, TimePs: int64(i) << 20, Bytes: int64(1000 + i), Utilisation: 0.5,
				QueueMean: 1.5, QueueMax: 3, Pauses: 1, PausedPs: 7, Marks: 2, Drops: 1, ReceiveDrops: 4,
			}
			if !yield(row) {
				return
			}
		}
	}
	s.Details = s.Samples
	return s
}

// written is a folder with the files of two simulations.
func written(t testing.TB, rows int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "series")
	w, err := Create(dir, About{Weft: "test", Scenario: "two", Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	order := results.SeriesOrder{Pass: w.Add}
	order.Ended(1, nil) // failed
	order.Ended(2, sample("b", rows))
	order.Ended(0, sample("a", rows))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSeriesAreReadAsTheyWereWritten(t *testing.T) {
	const rows = 3 * leastGroup
	dir := written(t, rows)
	got, err := Read[results.SeriesSample](dir, LinkSamples)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Collect(sample("a", rows).Samples)
	b := sample("b", rows)
	b.Simulation.Simulation = 2
	want = append(want, slices.Collect(b.Samples)...)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d samples, the first %+v; want %d, the first %+v", len(got), got[0], len(want), want[0])
	}
	simulations, err := Read[results.SeriesSimulation](dir, Simulations)
	if err != nil || len(simulations) != 2 || simulations[1].Simulation != 2 || simulations[1].Fabric != "b" {
		t.Errorf("simulations %+v, %v; want numbers 0 and 2, of a and b", simulations, err)
	}
	nodes, err := Read[results.SeriesNode](dir, Nodes)
	if want := append(sample("a", 0).Nodes, sample("b", 0).Nodes...); err != nil || !reflect.DeepEqual(nodes, want) {
		t.Errorf("nodes %+v, %v; want %+v", nodes, err, want)
	}
	flows, err := Read[results.SeriesFlow](dir, Flows)
	if err != nil || len(flows) != 2 || flows[1].Simulation != 2 || flows[1].Bytes != 4096 {
		t.Errorf("flows %+v, %v", flows, err)
	}
}

// thisVersion marks a file as weft's.
var thisVersion = parquet.KeyValueMetadata(keyVersion, "1")

// put writes flows.parquet with rows of a type into a new folder of series.
func put[T any](t testing.TB, rows []T, options ...parquet.WriterOption) (dir string) {
	t.Helper()
	dir = t.TempDir()
	out, err := os.Create(filepath.Join(dir, Flows))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := parquet.NewGenericWriter[T](out, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFilesThatCannotBeReadAreRefused(t *testing.T) {
	type (
		wide struct { // has bytes as text
			results.SeriesFlow
			Bytes string `parquet:"bytes"`
		}
		optional struct {
			results.SeriesFlow
			Bytes *int64 `parquet:"bytes,optional"`
		}
	)
	flow := results.SeriesFlow{Bytes: 7, RateGbps: 1}
	wrong := flow
	wrong.RateGbps = float32(math.NaN())
	known := thisVersion
	zstd := parquet.Compression(&parquet.Zstd)
	whole := put(t, []results.SeriesFlow{flow}, known, zstd)
	cut := put(t, []results.SeriesFlow{flow}, known)
	if err := os.Truncate(filepath.Join(cut, Flows), 300); err != nil {
		t.Fatal(err)
	}
	huge := slices.Repeat([]results.SeriesFlow{flow}, 2*mostGroup+1)
	for name, c := range map[string]struct{ dir, want string }{
		"a cut file":        {cut, "cut short"},
		"another program's": {put(t, []results.SeriesFlow{flow}), "weft has not written it"},
		"a newer weft's":    {put(t, []results.SeriesFlow{flow}, parquet.KeyValueMetadata(keyVersion, "3")), "it is of version 3, and this weft reads versions up to 2"},
		"an older weft's":   {put(t, []results.SeriesHop{{}}, parquet.KeyValueMetadata(keyVersion, "1")), "the column dst_node is missing: the file is of version 1, and this weft reads version 2: simulate the run again"},
		"a strange version": {put(t, []results.SeriesFlow{flow}, parquet.KeyValueMetadata(keyVersion, "x")), "no version"},
		"no file":           {t.TempDir(), "no such file"},
		"other columns":     {put(t, []results.SeriesHop{{}}, known), "the column dst_node is missing"},
		"another type":      {put(t, []wide{{SeriesFlow: flow}}, known), "the column bytes is of type STRING: want INT(64,true)"},
		"missing values":    {put(t, []optional{{SeriesFlow: flow}}, known), "the column bytes may have no value"},
		"no number":         {put(t, []results.SeriesFlow{wrong}, known, zstd), "the column rate_gbps: a value is no number"},
		"a large row group": {put(t, huge, known, zstd, parquet.MaxRowsPerRowGroup(1<<30)), "a row group of 262145 rows"},
		"another packing":   {put(t, []results.SeriesFlow{flow}, known, parquet.Compression(&parquet.Gzip)), "pages are packed by GZIP"},
		"another encoding":  {put(t, []results.SeriesFlow{flow, flow}, known, parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked)), "which weft does not write"},
	} {
		_, err := Read[results.SeriesFlow](c.dir, Flows)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), filepath.Join(c.dir, Flows)) {
			t.Errorf("%s: %v, want the file's name and %q", name, err, c.want)
		}
	}
	if got, err := Read[results.SeriesFlow](whole, Flows); err != nil || !slices.Equal(got, []results.SeriesFlow{flow}) {
		t.Error(got, err)
	}
}

// A full disk ends the writing of series, not the run.
func TestAFullDiskIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	w, err := Create(filepath.Join(t.TempDir(), "series"), About{})
	if err != nil {
		t.Fatal(err)
	}
	_ = w.samples.out.Close()
	w.samples.out = full
	w.samples.buffer.Reset(full)
	for range 20 {
		w.Add(sample("a", leastGroup))
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), LinkSamples+": ") || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Close = %v, want that %s has no space", err, LinkSamples)
	}
}

// page are the documented columns of a file, with their types.
func page(t *testing.T, name string) (columns, types []string) {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/UI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "### "+name+"\n")
	if !found {
		t.Fatalf("docs/UI.md does not describe %s", name)
	}
	section, _, _ = strings.Cut(section, "\n#")
	if strings.Contains(section, "in the columns of `link_samples`") {
		return page(t, LinkSamples)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\|").FindAllStringSubmatch(section, -1) {
		columns, types = append(columns, row[1]), append(types, row[2])
	}
	return columns, types
}

func TestThePageDescribesEveryColumn(t *testing.T) {
	kinds := map[reflect.Kind]string{reflect.Int32: "int32", reflect.Int64: "int64", reflect.Float32: "float32", reflect.String: "text", reflect.Bool: "bool"}
	for name, row := range map[string]any{
		Simulations: results.SeriesSimulation{}, Nodes: results.SeriesNode{}, Links: results.SeriesLink{},
		LinkSamples: results.SeriesSample{}, LinkDetails: results.SeriesSample{}, Flows: results.SeriesFlow{}, FlowHops: results.SeriesHop{}, Pauses: results.SeriesPause{}, Steps: results.SeriesStep{},
	} {
		columns, types := page(t, name)
		var want, wantTypes []string
		for f := range reflect.TypeOf(row).Fields() {
			column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			want, wantTypes = append(want, column), append(wantTypes, kinds[f.Type.Kind()])
		}
		if !slices.Equal(columns, want) || !slices.Equal(types, wantTypes) {
			t.Errorf("docs/UI.md describes %s with\n%v %v\nthe columns are\n%v %v", name, columns, types, want, wantTypes)
		}
	}
}
