package measured

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"weft/internal/sim/collective/nccl"
	"weft/scenario"
	"weft/units"
)

//go:embed *.csv
var files embed.FS

// Clusters are the embedded clusters, in the order of the file. The caller does not change them.
var Clusters = sync.OnceValue(func() []Cluster {
	var parts [4]io.Reader
	for i, name := range []string{"clusters.csv", "rows.csv", "predicted.csv", "folds.csv"} {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		parts[i] = bytes.NewReader(text)
	}
	c, err := Read(parts[0], parts[1], parts[2])
	if err != nil {
		panic(err)
	}
	folds, err := nccl.ReadFigures("folds.csv", parts[3])
	if err != nil {
		panic(err)
	}
	for id, f := range nccl.FiguresOf(folds) {
		find(c, id).Without = &f
	}
	return c
})

// The columns of the files.
const (
	clusterColumns   = "id,title,nodes,gpus,architecture,preset,cpu,nics,fabric,network,nccl,harness,protocol,fit,unscored,note,source"
	rowColumns       = "cluster,op,ranks,bytes,us,busbw,algorithm,chosen,note"
	predictedColumns = "cluster,op,ranks,bytes,algorithm,us,without"
)

// The limits of a row: no message takes less than leastTime, no GPU's links carry more than
// mostGBps.
const (
	leastTime  = 100 * units.Nanosecond
	mostGBps   = 2000 // twice NVLink 5's 900 GB/s, with room
	tolerated  = .01  // between time and bus bandwidth of a row
	mostRanks  = 1 << 20
	mostBytes  = 1 << 50
	mostMicros = 1e12
)

// Read reads clusters, their rows, and weft's times. Its errors name file, line and column.
func Read(clusters, rows, predicted io.Reader) ([]Cluster, error) {
	var out []Cluster
	err := each("clusters.csv", clusters, clusterColumns, func(l *line) {
		c := Cluster{
			ID: l.text(0), Title: l.text(1), Nodes: l.count(2, mostRanks), GPUs: l.count(3, mostRanks),
			Architecture: scenario.Architecture(l.one(4, string(scenario.Ampere), string(scenario.Hopper), string(scenario.Blackwell), string(scenario.CDNA3))),
			Preset:       l.of[5], CPU: scenario.CPUVendor(l.one(6, "", string(scenario.IntelCPU), string(scenario.AMDCPU), string(scenario.OtherCPU))),
			Fabric: l.of[8], Network: l.text(9), NCCL: l.of[10],
			Harness: scenario.Harness(l.one(11, "", string(scenario.Process), string(scenario.Thread), string(scenario.ForAll), string(scenario.Torch))), Protocol: scenario.Protocol(l.one(12, "", string(scenario.ProtoSimple), string(scenario.ProtoLL), string(scenario.ProtoLL128))),
			Fit: Fit(l.one(13, "", string(FitNode), string(FitBetween), string(FitBoth))), Unscored: l.of[14], Note: l.of[15], Source: l.text(16),
		}
		if l.of[7] != "" {
			c.NICs = l.count(7, mostRanks)
		}
		if c.Preset == "" && c.Unscored == "" {
			l.fail(14, "is empty, but the cluster has no preset and cannot be simulated")
		}
		if find(out, c.ID) != nil {
			l.fail(0, "names a second cluster")
		}
		out = append(out, c)
	})
	if err != nil {
		return nil, err
	}
	err = each("rows.csv", rows, rowColumns, func(l *line) {
		c := find(out, l.of[0])
		if c == nil {
			l.fail(0, "is no cluster of clusters.csv")
			return
		}
		r := l.row(c)
		if c.row(r.Op, r.Ranks, r.Bytes, r.Algorithm) != nil {
			l.fail(3, "stands twice for the operation, the ranks and the algorithm")
		}
		c.Rows = append(c.Rows, r)
	})
	if err != nil {
		return nil, err
	}
	for i := range out {
		if len(out[i].Rows) == 0 {
			return nil, fmt.Errorf("clusters.csv: %s has no row in rows.csv", out[i].ID)
		}
	}
	err = each("predicted.csv", predicted, predictedColumns, func(l *line) {
		var r *Row
		if c := find(out, l.of[0]); c != nil {
			r = c.row(scenario.Collective(l.of[1]), l.count(2, mostRanks), int64(l.count(3, mostBytes)), scenario.Algorithm(l.of[4]))
		}
		if r == nil {
			l.fail(0, "has no such row in rows.csv")
			return
		}
		r.Predicted = l.micros(5)
		if l.of[6] != "" {
			r.Without = l.micros(6)
		}
	})
	return out, err
}

// row reads a row of a cluster.
func (l *line) row(c *Cluster) Row {
	r := Row{
		Op:    scenario.Collective(l.one(1, string(scenario.AllReduce), string(scenario.AllGather), string(scenario.ReduceScatter), string(scenario.Broadcast), string(scenario.Reduce), string(scenario.Scatter), string(scenario.Gather), string(scenario.AllToAll), string(scenario.SendRecv))),
		Ranks: l.count(2, mostRanks), Bytes: int64(l.count(3, mostBytes)), Algorithm: scenario.Algorithm(l.of[6]),
		Chosen: l.of[7], Note: l.of[8],
	}
	if l.err != nil {
		return r
	}
	if r.Ranks < 2 || r.Ranks > c.Nodes*c.GPUs && r.Ranks%c.GPUs != 0 || r.Ranks < c.Nodes*c.GPUs && r.Ranks%c.Nodes != 0 {
		l.fail(2, fmt.Sprintf("does not fill nodes of %d GPUs", c.GPUs))
	}
	data := BusFactor(r.Op, r.Ranks) * float64(r.Bytes)
	if l.of[4] == "" && l.of[5] == "" {
		l.fail(4, "is empty, as is busbw: give one of them")
	}
	if l.of[4] != "" {
		r.Time = l.micros(4)
	}
	if l.of[5] != "" {
		gbps := l.number(5, mostGBps)
		if l.err != nil {
			return r
		}
		took := units.Time(math.Round(data / gbps * 1000))
		if r.Time == 0 {
			r.Time = took
		}
		if e := float64(took)/float64(r.Time) - 1; math.Abs(e) > tolerated {
			l.fail(5, fmt.Sprintf("and %s us of the same row differ by %.1f %%: at most %.0f %%", l.of[4], 100*math.Abs(e), 100*tolerated))
		}
	}
	if gbps := data / float64(r.Time) * 1000; l.err == nil && gbps > mostGBps {
		l.fail(4, fmt.Sprintf("is a bus bandwidth of %.0f GB/s: at most %d", gbps, mostGBps))
	}
	return r
}

// find is the cluster with an id, nil if there is none.
func find(clusters []Cluster, id string) *Cluster {
	if i := slices.IndexFunc(clusters, func(c Cluster) bool { return c.ID == id }); i >= 0 {
		return &clusters[i]
	}
	return nil
}

// row is the row of a measurement, nil if there is none.
func (c *Cluster) row(op scenario.Collective, ranks int, bytes int64, a scenario.Algorithm) *Row {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Op == op && r.Ranks == ranks && r.Bytes == bytes && r.Algorithm == a {
			return r
		}
	}
	return nil
}

// line is a line of a file. Its first error remains.
type line struct {
	file    string
	at      int
	columns []string
	of      []string
	err     error
}

// each reads a file with the columns.
func each(file string, from io.Reader, columns string, do func(*line)) error {
	in := csv.NewReader(from)
	in.FieldsPerRecord = -1
	names := strings.Split(columns, ",")
	for first := true; ; first = false {
		fields, err := in.Read()
		switch {
		case err == io.EOF && !first:
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", file, err)
		case first && !slices.Equal(fields, names):
			return fmt.Errorf("%s: the columns are %s: they must be %s", file, strings.Join(fields, ","), columns)
		case first:
			continue
		}
		at, _ := in.FieldPos(0)
		if len(fields) != len(names) {
			return fmt.Errorf("%s: line %d has %d columns: it must have %d", file, at, len(fields), len(names))
		}
		l := &line{file: file, at: at, columns: names, of: fields}
		if do(l); l.err != nil {
			return l.err
		}
	}
}

func (l *line) fail(column int, what string) {
	if l.err == nil {
		l.err = fmt.Errorf("%s: line %d: %s %q %s", l.file, l.at, l.columns[column], l.of[column], what)
	}
}

func (l *line) text(column int) string {
	if l.of[column] == "" {
		l.fail(column, "is empty")
	}
	return l.of[column]
}

func (l *line) one(column int, of ...string) string {
	if !slices.Contains(of, l.of[column]) {
		l.fail(column, "is none of "+strings.Join(of, ", "))
	}
	return l.of[column]
}

func (l *line) count(column, most int) int {
	n, err := strconv.Atoi(l.of[column])
	if err != nil || n < 1 || n > most {
		l.fail(column, fmt.Sprintf("is no number from 1 to %d", most))
	}
	return n
}

func (l *line) number(column int, most float64) float64 {
	x, err := strconv.ParseFloat(l.of[column], 64)
	if err != nil || !(x > 0) || x > most {
		l.fail(column, fmt.Sprintf("is no number above 0 and up to %g", most))
	}
	return x
}

// micros is a time in us.
func (l *line) micros(column int) units.Time {
	t := units.Time(math.Round(l.number(column, mostMicros) * float64(units.Microsecond)))
	if t < leastTime {
		l.fail(column, "is shorter than any message takes")
	}
	return t
}
