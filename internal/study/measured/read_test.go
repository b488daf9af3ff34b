package measured

import (
	"strings"
	"testing"

	"weft/scenario"
	"weft/units"
)

const (
	oneCluster = clusterColumns + "\nX,eight GPUs,1,8,hopper,dgx-h100,,,infiniband-ndr,none,,process,,,,,a page (V)\n"
	oneRow     = rowColumns + "\nX,all-reduce,8,1048576,28.56,64.24,,,\n"
	noTimes    = predictedColumns + "\n"
)

// read reads files that are texts.
func read(clusters, rows, predicted string) ([]Cluster, error) {
	return Read(strings.NewReader(clusters), strings.NewReader(rows), strings.NewReader(predicted))
}

func TestATableIsRead(t *testing.T) {
	c, err := read(oneCluster, oneRow, noTimes+"X,all-reduce,8,1048576,,30.000,31.000\n")
	if err != nil {
		t.Fatal(err)
	}
	r := c[0].Rows[0]
	if r.Time != 28_560*units.Nanosecond || r.Predicted != 30*units.Microsecond || r.Without != 31*units.Microsecond || c[0].Source != "a page (V)" {
		t.Errorf("%+v", c[0])
	}
}

// TestABadTableIsRefused changes one part of a good table, and expects the place and the reason.
func TestABadTableIsRefused(t *testing.T) {
	for _, c := range []struct{ file, from, to, want string }{
		{"clusters", "a page (V)", "", `clusters.csv: line 2: source "" is empty`},
		{"clusters", "title,", "", "clusters.csv: the columns are id,nodes"},
		{"clusters", "dgx-h100,", "", "clusters.csv: line 2 has 16 columns: it must have 17"},
		{"clusters", "dgx-h100", "", "the cluster has no preset"},
		{"clusters", "process", "mpi", `harness "mpi" is none of`},
		{"clusters", "process,,,", "process,,yes,", `fit "yes" is none of`},
		{"clusters", "process,,", "process,LL,", `protocol "LL" is none of`},
		{"clusters", ",1,8,", ",0,8,", `nodes "0" is no number from 1`},
		{"rows", "X,", "Y,", `cluster "Y" is no cluster of clusters.csv`},
		{"rows", "28.56", "29", `rows.csv: line 2: busbw "64.24" and 29 us of the same row differ by 1.5 %`},
		{"rows", "28.56,64.24", ",", "is empty, as is busbw"},
		{"rows", "28.56,64.24", "0.6,", "is a bus bandwidth of 3058 GB/s: at most 2000"},
		{"rows", "28.56,64.24", ",3058", `busbw "3058" is no number above 0 and up to 2000`},
		{"rows", "28.56", "NaN", `us "NaN" is no number`},
		{"rows", "1048576,28.56,64.24", "8,0.05,", "is shorter than any message takes"},
		{"rows", "reduce,8,", "reduce,12,", `ranks "12" does not fill nodes of 8 GPUs`},
		{"rows", "all-reduce", "allreduce", `op "allreduce" is none of`},
		{"rows", "\nX", "\nX,all-reduce,8,1048576,28.56,,,,\nX", "line 3: bytes \"1048576\" stands twice"},
		{"rows", "\nX,all-reduce,8,1048576,28.56,64.24,,,", "", "clusters.csv: X has no row"},
		{"predicted", "\n", "\nX,all-reduce,8,8,,30,\n", "predicted.csv: line 2: cluster \"X\" has no such row"},
		{"predicted", predictedColumns, "", "predicted.csv"},
	} {
		clusters, rows, predicted := oneCluster, oneRow, noTimes
		text := map[string]*string{"clusters": &clusters, "rows": &rows, "predicted": &predicted}[c.file]
		changed := strings.Replace(*text, c.from, c.to, 1)
		if changed == *text {
			t.Fatalf("%s has no %q", c.file, c.from)
		}
		*text = changed
		if _, err := read(clusters, rows, predicted); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q for %q: the error is %v, want %q", c.file, c.to, c.from, err, c.want)
		}
	}
}

// TestTheEmbeddedTablesHaveTheirRows holds counts against the sources, whose rows were counted by
// hand, and figures against them.
func TestTheEmbeddedTablesHaveTheirRows(t *testing.T) {
	rows := map[string]int{"A100": 48, "H100": 48, "B200": 48, "A4": 9, "A5": 5, "A8": 5, "V1": 5, "V4": 31, "V10": 14, "T1": 92, "T2": 43, "T8": 16, "T1-default": 44, "T1-tuned": 6}
	all := 0
	for _, c := range Clusters() {
		all += len(c.Rows)
		if want, ok := rows[c.ID]; ok && len(c.Rows) != want {
			t.Errorf("%s has %d rows, want %d", c.ID, len(c.Rows), want)
		}
		if !strings.Contains(c.Source, "(V") && !strings.Contains(c.Source, "(S") {
			t.Errorf("%s: the source %q has no tag", c.ID, c.Source)
		}
	}
	if all != 625 {
		t.Errorf("there are %d rows, want 625", all)
	}
}

// TestARowCountsIfTheLaunchIsSmall has rows of each harness at their limits.
func TestARowCountsIfTheLaunchIsSmall(t *testing.T) {
	us := units.Microsecond
	for _, x := range []struct {
		harness  scenario.Harness
		unscored string
		took     units.Time
		want     bool
	}{
		{scenario.Process, "", 5 * us, true},
		{scenario.Thread, "", 5 * us, true},
		{scenario.Process, "a fault", 500 * us, false},
		{"", "", 500 * us, false},
		{scenario.ForAll, "", 134 * us, false},
		{scenario.ForAll, "", 135 * us, true},
		{scenario.Torch, "", 199 * us, false},
		{scenario.Torch, "", 200 * us, true},
	} {
		c := Cluster{Harness: x.harness, Unscored: x.unscored, Rows: []Row{
			{Op: scenario.AllReduce, Time: 45 * us}, {Op: scenario.AllReduce, Time: x.took}, {Op: scenario.AllToAll, Time: us},
		}}
		if x.harness != scenario.ForAll {
			c.Rows = c.Rows[1:]
		}
		r := &c.Rows[len(c.Rows)-2]
		if got, why := c.Scores(r); got != x.want || got == (why != "") {
			t.Errorf("%s, %q, %v: %t, %q", x.harness, x.unscored, x.took, got, why)
		}
	}
}

// A table of one thread for all GPUs that begins at a large size has no launch in it.
func TestALargeTimeIsNoLaunch(t *testing.T) {
	c := Cluster{Harness: scenario.ForAll, Rows: []Row{{Op: scenario.AllReduce, Time: 300 * units.Microsecond}}}
	if ok, why := c.Scores(&c.Rows[0]); !ok {
		t.Error(why)
	}
}

func TestAScenarioHasTheNodesAndGPUsOfItsRow(t *testing.T) {
	for _, x := range []struct{ nodes, ranks, wantNodes, wantGPUs int }{
		{1, 8, 1, 0}, {1, 2, 1, 2}, {2, 16, 2, 0}, {2, 2, 2, 1}, {2, 48, 6, 0},
	} {
		c := Cluster{Nodes: x.nodes, GPUs: 8, Preset: "dgx-h100", Fabric: "infiniband-ndr"}
		s := c.Scenario(&Row{Op: scenario.AllReduce, Ranks: x.ranks, Bytes: 8})
		if s.Cluster.Nodes != x.wantNodes || s.Cluster.Node.GPUs != x.wantGPUs {
			t.Errorf("%d ranks on %d nodes: %d nodes of %d GPUs, want %d of %d", x.ranks, x.nodes, s.Cluster.Nodes, s.Cluster.Node.GPUs, x.wantNodes, x.wantGPUs)
		}
	}
}
