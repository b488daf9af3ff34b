package validate_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/study/measured"
	"weft/internal/study/validate"
	"weft/scenario"
	"weft/units"
)

const predictedFile = "../measured/predicted.csv"

// TestPredictedTimes simulates the measured tables up to 64 MiB with the figures in use and with
// those fitted without the table, and compares weft's times with predicted.csv. With -update and -full, or -slow nccl/,
// it simulates all sizes and rewrites the file.
func TestPredictedTimes(t *testing.T) {
	cases := slices.DeleteFunc(validate.Cases(), func(c *validate.Case) bool { return c.Cluster == nil })
	var results []validate.Result
	all := !slices.ContainsFunc(cases, func(c *validate.Case) bool { return !fully(c) })
	if all {
		results = inFull(t, cases)
	} else {
		var err error
		if results, err = validate.Run(t.Context(), cases, validate.Options{Workers: runtime.GOMAXPROCS(0), Short: true}); err != nil {
			t.Fatal(err)
		}
	}
	var clusters []measured.Cluster
	simulated := 0
	for i := range results {
		if results[i].Err != nil {
			t.Fatalf("%s: %v", results[i].Case.ID, results[i].Err)
		}
		c := results[i].Times()
		simulated += len(c.Rows)
		for j := range c.Rows {
			m, was := &c.Rows[j], stands(results[i].Case.Cluster, &c.Rows[j])
			if !*update && (!near(m.Predicted, was.Predicted) || !near(m.Without, was.Without)) {
				t.Errorf("%s, %s of %d B: weft's times are %v and %v, and predicted.csv has %v and %v; -update -full writes it", c.ID, m.Op, m.Bytes, m.Predicted, m.Without, was.Predicted, was.Without)
			}
		}
		clusters = append(clusters, c)
	}
	if simulated < 300 {
		t.Errorf("%d rows were simulated, want 300 or more", simulated)
	}
	if !all {
		return
	}
	var out bytes.Buffer
	if err := writePredicted(&out, clusters); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(predictedFile, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// stands is the same row as predicted.csv has it.
func stands(c *measured.Cluster, m *measured.Row) *measured.Row {
	i := slices.IndexFunc(c.Rows, func(r measured.Row) bool {
		return r.Kind() == m.Kind() && r.Bytes == m.Bytes && r.Algorithm == m.Algorithm
	})
	return &c.Rows[i]
}

// near reports whether two times are the same in predicted.csv.
func near(a, b units.Time) bool { return max(a-b, b-a) <= units.Nanosecond }

// TestClustersAreOfTheirArchitecture compares the columns with the catalog's node.
func TestClustersAreOfTheirArchitecture(t *testing.T) {
	for _, c := range measured.Clusters() {
		if c.Preset == "" {
			continue
		}
		s := c.Scenario(&c.Rows[0])
		f, err := scenario.New(c.ID, &s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Cluster.Node.GPUs; got != c.Rows[0].Ranks/r.Cluster.Nodes {
			t.Errorf("%s has a row of %d ranks on %d nodes, and its scenario %d GPUs a node", c.ID, c.Rows[0].Ranks, r.Cluster.Nodes, got)
		}
		if got := r.Cluster.Node.GPU.Architecture; got != c.Architecture {
			t.Errorf("%s is %s in clusters.csv, and its node is %s", c.ID, c.Architecture, got)
		}
	}
}

// TestPredictedTimesAreWrittenAsTheyAreRead writes the embedded times again.
func TestPredictedTimesAreWrittenAsTheyAreRead(t *testing.T) {
	want, err := os.ReadFile(predictedFile)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := writePredicted(&got, measured.Clusters()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("predicted.csv changes as it is written again")
	}
}

// writePredicted writes predicted.csv.
func writePredicted(w io.Writer, clusters []measured.Cluster) error {
	out := csv.NewWriter(w)
	micros := func(t units.Time) string {
		if t == 0 {
			return ""
		}
		return strconv.FormatFloat(float64(t)/1e6, 'f', 3, 64)
	}
	lines := [][]string{strings.Split("cluster,op,ranks,bytes,algorithm,us,without", ",")}
	for i := range clusters {
		for _, r := range clusters[i].Rows {
			if r.Predicted > 0 {
				lines = append(lines, []string{clusters[i].ID, string(r.Op), strconv.Itoa(r.Ranks), strconv.FormatInt(r.Bytes, 10), string(r.Algorithm), micros(r.Predicted), micros(r.Without)})
			}
		}
	}
	return out.WriteAll(lines)
}
