package hpccrun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"weft/internal/formats/hpcc"
	"weft/units"
)

const hpccData = "../../formats/hpcc/testdata/fct/leafspine16_100_perm2MB_pfconly_buf32"

func hpccCase(t *testing.T, dir string) *hpcc.Case {
	t.Helper()
	c, err := hpcc.Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// edited is a case of these files with words of config.txt replaced.
func edited(t *testing.T, topology, flows string, replace ...string) *hpcc.Case {
	t.Helper()
	text, err := os.ReadFile(hpccData + "/config.txt")
	if err != nil {
		t.Fatal(err)
	}
	c, err := hpcc.Read(fstest.MapFS{
		"config.txt":   {Data: []byte(strings.NewReplacer(replace...).Replace(string(text)))},
		"topology.txt": {Data: []byte(topology)},
		"flow.txt":     {Data: []byte(flows)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// opened notes the names of opened files.
type opened struct {
	fs.FS
	names []string
}

func (o *opened) Open(name string) (fs.File, error) {
	o.names = append(o.names, path.Base(name))
	return o.FS.Open(name)
}

func TestACaseOpensItsThreeInputFilesOnly(t *testing.T) {
	folder := &opened{FS: os.DirFS(hpccData)}
	c, err := hpcc.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), c, 1, 1); err != nil {
		t.Fatal(err)
	}
	if want := []string{"config.txt", "topology.txt", "flow.txt"}; !slices.Equal(folder.names, want) {
		t.Errorf("opened %v, want %v", folder.names, want)
	}
}

// The permutation has ECMP, several switches and marks: with ECN on.
func TestResultsOfACaseDoNotDependOnTheCores(t *testing.T) {
	c := hpccCase(t, hpccData)
	c.Config.EnableQCN = true
	c.Config.Buffer = 2 << 20 // so that PFC acts
	want := ""
	for _, workers := range []int{1, 2, 3, 7} {
		r, err := Run(t.Context(), c, 5, workers)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.FCT) != len(c.Flows) || r.Unfinished != 0 {
			t.Fatalf("%d of %d flows completed", len(r.FCT), len(c.Flows))
		}
		got := fmt.Sprintf("%v %v %+v", r.FCT, r.PFC, r.Stats)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers differ from 1", workers)
		}
	}
}

// Hosts at 100 Gb/s under links at 400 Gb/s, as in HPCC's own fat tree: the
// sender's packets take 82.88 ns on its own link and 20.72 ns on each of the
// two others.
func TestLinksOfSeveralRates(t *testing.T) {
	c := edited(t, "5 3 4\n2 3 4\n0 2 100Gbps 0.001ms 0\n2 4 400Gbps 0.001ms 0\n4 3 400Gbps 0.001ms 0\n3 1 100Gbps 0.001ms 0\n",
		"1\n0 1 3 100 1000000 2.0\n", "ENABLE_QCN 0", "ENABLE_QCN 1")
	r, err := Run(t.Context(), c, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	const data, ack = 1036 * 80, 48 * 80
	want := units.Time(1000*data + 2*data/4 + data + 4*1_000_000 + 2*ack + 2*ack/4 + 4*1_000_000)
	if got := r.FCT[0].Duration; got != want {
		t.Errorf("the flow took %d ps, want %d ps", got, want)
	}
}

func TestAllUnsupportedSettingsAreRefusedTogether(t *testing.T) {
	c := edited(t, "3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbps 0.001ms 0.001\n", "1\n0 1 0 100 1000000 2.0\n",
		"CC_MODE 1", "CC_MODE 3", "RATE_BOUND 1", "RATE_BOUND 0", "L2_ACK_INTERVAL 1", "L2_ACK_INTERVAL 0")
	_, err := Run(t.Context(), c, 1, 1)
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"CC_MODE 3", "RATE_BOUND 0", "L2_ACK_INTERVAL 0", "loses packets", "priority 0"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not mention %s: %v", part, err)
		}
	}
}

func TestAStoppedCaseKeepsTheCompletedFlows(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Run(ctx, hpccCase(t, hpccData), 1, 1)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if r == nil || !r.Partial {
		t.Errorf("a stopped run is not partial: %+v", r)
	}
}
