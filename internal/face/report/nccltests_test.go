package report

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"weft/internal/test/golden"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

func ncclTable(t *testing.T, o NCCLTests) []byte {
	t.Helper()
	r := fabricate(threeFabrics[:1], sizesOf())
	text, _ := ncclPrinted(t, o, r)
	return []byte(text)
}

// ncclPrinted is the whole table of a run's first fabric.
func ncclPrinted(t *testing.T, o NCCLTests, r *results.Results) (text string, met bool) {
	t.Helper()
	var b bytes.Buffer
	table, err := o.Start(&b, r.Ranks, r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Fabrics[0].Points {
		if err := table.Row(p); err != nil {
			t.Fatal(err)
		}
	}
	met, err = table.End(r.Partial, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), met
}

var allReduce = NCCLTests{
	Weft: "test", MinBytes: units.KiB, MaxBytes: 256 * units.MiB, Step: 2, Factor: true, Iters: 1, Check: true,
	Collect: scenario.AllReduce, Op: "sum", Datatype: "float", GPUs: 8, GPU: "NVIDIA H100", Host: (&scenario.Cluster{}).HostName,
}

func TestNCCLTestsTable(t *testing.T) {
	golden.File(t, "testdata/all-reduce.txt", string(ncclTable(t, allReduce)))
}

// The heading in the documentation of nccl-tests.
func TestNCCLTestsHeaderIsNCCLTests(t *testing.T) {
	want := `#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
`
	if got := string(ncclTable(t, allReduce)); !strings.Contains(got, want) {
		t.Errorf("the heading differs from the heading of nccl-tests:\n%s", got)
	}
}

// Rows as real clusters print them: nccl-tests issue threads show 27.80, 162.1,
// 2360.9 and 12646 microseconds.
func TestNCCLTestsTimesHaveItsDecimals(t *testing.T) {
	for us, want := range map[float64]string{27.8: "  27.80", 162.06: "  162.1", 2360.94: " 2360.9", 12646.3: "  12646", 1234567.8: "1234568"} {
		if got := TestTime(us); got != want {
			t.Errorf("TestTime(%v) = %q, want %q", us, got, want)
		}
	}
}

// The ways in which acceptance scripts of clusters read nccl-tests: the AWS
// script takes the field before the last, OCI's searches for the average,
// others split a row into its 13 columns.
func TestNCCLTestsTableIsReadByScripts(t *testing.T) {
	text := ncclTable(t, allReduce)
	for _, c := range []struct{ script, want string }{
		{`grep 'Avg bus bandwidth' | awk '{print $NF}'`, "120.895"},
		{`grep 'Avg bus bandwidth' | awk -F: '{print $2}' | tr -d ' '`, "120.895"},
		{`awk '/Avg bus bandwidth/ {print $6}'`, "120.895"},
		{`grep -E '^ *268435456 ' | awk '{print $(NF-1)}'`, "361.16"},
		{`grep -v '^#' | awk '{print NF}' | sort -u`, "13"},
		{`grep -v '^#' | awk '$1 == 1048576 {print $2, $3, $4, $5, $6, $8, $9}'`, "262144 float sum -1 33.05 62.95 0"},
		{`grep -c 'Out of bounds values : 0 OK'`, "1"},
		{`grep -cE '^#  Rank +[0-9]+ Group +[0-9]+ Pid +[0-9]+ on +node[0-9]+ device +[0-9] '`, "128"},
	} {
		cmd := exec.Command("sh", "-c", c.script)
		cmd.Stdin = bytes.NewReader(text)
		out, err := cmd.Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s gives %q (%v), want %q", c.script, got, err, c.want)
		}
	}
}

func TestNCCLTestsColumnsDependOnTheOperation(t *testing.T) {
	for _, c := range []struct {
		collect scenario.Collective
		want    string // count, type, redop, root of the row of 1 MiB on 128 ranks; then in-place #wrong
	}{
		{scenario.AllReduce, "262144 float sum -1 0"},
		{scenario.AllGather, "2048 float none -1 0"},
		{scenario.ReduceScatter, "2048 float sum -1 0"},
		{scenario.Broadcast, "262144 float none 3 0"},
		{scenario.AllToAll, "2048 float none -1 N/A"},
		{scenario.SendRecv, "262144 float sum -1 N/A"},
	} {
		o := allReduce
		o.Collect, o.Root = c.collect, 3
		for line := range strings.Lines(string(ncclTable(t, o))) {
			f := strings.Fields(line)
			if len(f) == 13 && f[0] == strconv.Itoa(1<<20) {
				if got := strings.Join(append(f[1:5:5], f[12]), " "); got != c.want {
					t.Errorf("%s: %q, want %q", c.collect, got, c.want)
				}
			}
		}
	}
}

func TestNCCLTestsMinimumBandwidth(t *testing.T) {
	r := fabricate(threeFabrics[:1], sizesOf())
	for _, c := range []struct {
		least float64
		ok    bool
		word  string
	}{{90, true, "OK"}, {134, true, "OK"}, {135, false, "FAILED"}} {
		o := allReduce
		o.MinBusBW, o.HasMinBus = c.least, true
		text, ok := ncclPrinted(t, o, r)
		if ok != c.ok || !strings.Contains(text, "# Avg bus bandwidth    : 120.895 "+c.word+"\n") {
			t.Errorf("NCCL_TESTS_MIN_BW=%v: ok %v, want %v and %s", c.least, ok, c.ok, c.word)
		}
	}
}

func TestNCCLTestsFailedSizeIsAComment(t *testing.T) {
	r := fabricate(threeFabrics[:1], sizesOf()[:3])
	r.Fabrics[0].Points[1].Failure = "deadlock:\na waits for b"
	r.Partial = true
	text, _ := ncclPrinted(t, allReduce, r)
	for _, want := range []string{"# no result at 2048 B: deadlock:\n# a waits for b\n", "# partial: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
