package logfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	usualHead = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
	average1  = "# Avg bus bandwidth    : 1\n"
)

// line is a row of nccl-tests: an all-reduce of 8 ranks.
func line(bytes int64, micros float64) string {
	alg := float64(bytes) / micros / 1e3
	half := fmt.Sprintf(" %.2f %.2f %.2f 0", micros, alg, alg*1.75)
	return fmt.Sprintf("%d %d float sum -1%s%s\n", bytes, bytes/4, half, half)
}

var threeRows = line(1<<20, 50) + line(4<<20, 100) + line(16<<20, 250)

// TestBadRowsAreNamed has tables with a fault; the note names the line, the reason, and the valid
// form, and the other rows remain.
func TestBadRowsAreNamed(t *testing.T) {
	csv := "size,time_us,busbw\n"
	for _, c := range []struct {
		name, log, want string
		line, rows      int
	}{
		{"negative time", usualHead + threeRows + strings.Replace(line(32<<20, 400), "400.00", "-400.00", 1), `"-400.00" is no time`, 5, 3},
		{"NaN", usualHead + threeRows + strings.Replace(line(32<<20, 400), "400.00", "nan", 1), `"nan" is no time`, 5, 3},
		{"inf", usualHead + threeRows + strings.Replace(line(32<<20, 400), "400.00", "inf", 1), `"inf" is no time`, 5, 3},
		{"a size that the count does not have", usualHead + threeRows + strings.Replace(line(1<<31, 5000), "2147483648", "2147483647", 1), "do not have this size", 5, 3},
		{"huge time", usualHead + threeRows + "33554432 8388608 float sum -1 9e12 0.00 0.00 0 9e12 0.00 0.00 0\n", "longer than an hour", 5, 3},
		{"above any wire", usualHead + threeRows + line(32<<20, 20), "above what any GPU's links have", 5, 3},
		{"no time", usualHead + threeRows + "33554432 8388608 float sum -1 0 0 0 0 0 0 0 0\n", "it has no time", 5, 3},
		{"cut file", usualHead + threeRows + "33554432 8388608 float sum -1 400.0", "is cut after 6 of 13 columns", 5, 3},
		{"other columns", usualHead + threeRows + average1 + "# size latency stddev time algbw busbw foo\n 8 1 2 3 4 5 6\n", "not nccl-tests'", 6, 3},
		{"two runs one after another", usualHead + threeRows + threeRows, "the sizes begin anew", 5, 3},
		{"CSV, a word", csv + "1048576,50,36.7\n4194304,fast,1\n", `"fast" is no positive number`, 3, 1},
		{"CSV, negative", csv + "1048576,50,36.7\n4194304,-1,1\n", `"-1" is no positive number`, 3, 1},
		{"CSV, a cell is missing", csv + "1048576,50,36.7\n4194304,100\n", "2 cells, and the table 3 columns", 3, 1},
		{"CSV, no unit", "size,time_us\n1048576,50\n\nsize,time\n1048576,50\n", "no unit", 5, 1},
		{"CSV, busbw alone", "size,time_us\n1048576,50\n\nsize,busbw\n1048576,50\n", "busbw alone gives no time", 5, 1},
		{"CSV, contradiction", "size,time_us,algbw\n1048576,50,20.97\n4194304,100,99\n", "not its size over its time", 3, 1},
		{"CSV, impossible", csv + "1048576,50,36.7\n4194304,100,9000\n", "above what any GPU's links have", 3, 1},
		{"JSON, cut", "{\"results\": [\n{\"size\": 1048576, \"time_us\": 50}]}\n{\"results\": [\n", "no valid JSON", 3, 1},
	} {
		l, err := Read("log", strings.NewReader(c.log))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := len(l.Tables[0].Rows); got != c.rows {
			t.Errorf("%s: %d rows are read, want %d; notes %v", c.name, got, c.rows, l.Notes)
		}
		if !slices.ContainsFunc(l.Notes, func(n Note) bool { return n.Line == c.line && strings.Contains(n.Text, c.want) }) {
			t.Errorf("%s: the notes are %v, want %q on line %d", c.name, l.Notes, c.want, c.line)
		}
	}
}

// TestALogOfNothingElseIsRefused has files without a usable row: the error names what would be valid.
func TestALogOfNothingElseIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"only a foreign heading": {"# size latency stddev time algbw busbw foo\n8 1 2 3 4 5 6\n", "log:1: "},
		"only bad rows":          {usualHead + strings.ReplaceAll(line(1<<20, 50), "50.00", "-1"), "log:2: "},
		"JSON without rows":      {`{"results": []}`, "size, time_us, algbw, busbw"},
		"no CSV of measurements": {"op,ranks,size\nall_reduce,8,1024\n", "log:1: "},
		"prose":                  {"all is well\n", "size, time_us, algbw, busbw"},
	} {
		if _, err := Read("log", strings.NewReader(c.log)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
	}
}

// TestOtherLayoutsAreReadRightly has the same all-reduce of 8 ranks in the layouts of several
// programs and versions.
func TestOtherLayoutsAreReadRightly(t *testing.T) {
	half := func(us float64) string { return fmt.Sprintf(" %.2f %.2f %.2f", us, 1048.576/us, 1.75*1048.576/us) }
	old := "# size count type redop time algbw busbw error time algbw busbw error\n"
	for _, c := range []struct{ name, log, op, harness string }{
		{"nccl-tests 2.0", "# nThread: 1 nGpus: 8 minBytes: 8 maxBytes: 1\n# all_reduce_perf\n" + old + "1048576 262144 float sum" + half(50) + " 1e-07" + half(50) + " 1e-07\n" + average1, "all-reduce", ""},
		{"nccl-tests 2.10, one thread for 8 GPUs", "# nThread 1 nGpus 8 minBytes 8\n# all_reduce_perf\n" + old + "1048576 262144 float sum" + half(50) + " 1e-07" + half(50) + " 1e-07\n" + average1, "all-reduce", "for-all"},
		{"nccl-tests 2.13, a thread for each GPU", "# nThread 8 nGpus 1 minBytes 8\n" + usualHead + "1048576 524288 bfloat16 sum -1" + half(50) + " N/A" + half(50) + " N/A\n" + average1, "all-reduce", "thread"},
		{"nccl-tests 2.17", "# nccl-tests version 2.17.1 nccl-headers=22803 nccl-library=22803\n# Collective test starting: all_gather_perf\n# nThread 1 nGpus 1 minBytes 8\n" + usualHead + "1048576 32768 float none -1" + strings.ReplaceAll(half(50), " 36.70", " 18.35") + " 0" + half(50) + " 0\n" + average1, "all-gather", "process"},
		{"in place alone", "# Collective test starting: all_reduce_perf\n" + usualHead + "1048576 262144 float sum -1" + strings.Repeat(" N/A", 4) + half(50) + " 0\n" + average1, "all-reduce", ""},
		{"Windows lines", strings.ReplaceAll("# Collective test starting: all_reduce_perf\n"+usualHead+line(1<<20, 50)+average1, "\n", "\r\n"), "all-reduce", ""},
		{"columns in another order", "# Collective test starting: all_reduce_perf\n# size type count redop root busbw time algbw #wrong\n1048576 float 262144 sum -1 36.70 50.00 20.97 0\n" + average1, "all-reduce", ""},
		{"rccl-tests", "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 1 minBytes 8\n#   Rank  0 Group  0 Pid 1 on gpu-1 device  0 [0000:0c:00] AMD Instinct MI300X\n" + usualHead + line(1<<20, 50) + average1, "all-reduce", "process"},
		{"all_reduce_bench.py", "- software: torch=2.9.1, nccl=(2, 27, 7)\nThe average bandwidth of all_reduce over 8 ranks (5 warmups / 20 trials):\n\n| payload |    busbw   |    algbw   |\n| ------: | ---------: | ---------: |\n|    1MiB |  36.70GBps |  20.97GBps |\n", "all-reduce", "torch"},
		{"CSV", "collective,nranks,size_bytes,avg_time_us,algbw_GBps,busbw_GBps\nall_reduce,8,1048576,50.0,20.97,36.70\n", "all-reduce", ""},
		{"CSV in ms", "op,ranks,size,time (ms)\nAllReduce,8,1M,0.05\n", "all-reduce", ""},
		{"CSV, busbw in Gb/s", "op,gpus,bytes,busbw (Gb/s)\nallreduce,8,1048576,293.6\n", "all-reduce", ""},
		{"nccl-tests -J", `{"config": {"devices": [{},{},{},{},{},{},{},{}]}, "test": "all_reduce_perf", "results": [
 {"size": 1048576, "count": 262144, "type": "float", "out_of_place": {"time": 50.0, "alg_bw": 20.97152, "bus_bw": 36.70, "nwrong": 0}, "in_place": {"time": 50.0, "alg_bw": 20.97, "bus_bw": 36.70}}]}`, "all-reduce", ""},
		{"JSON lines", "{\"op\": \"all_reduce\", \"world_size\": 8, \"size_bytes\": 1048576, \"time_us\": 50}\n", "all-reduce", ""},
	} {
		l, err := Read("log", strings.NewReader(c.log))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		tab := l.Tables[0]
		if len(l.Tables) != 1 || len(tab.Rows) != 1 || len(l.Notes) > 0 || tab.Op != c.op || tab.Harness != c.harness {
			t.Errorf("%s: %d tables, %d rows, operation %q, harness %q, notes %v", c.name, len(l.Tables), len(tab.Rows), tab.Op, tab.Harness, l.Notes)
			continue
		}
		if r := tab.Rows[0]; r.Bytes != 1<<20 || r.Micros < 49.9 || r.Micros > 50.1 || r.AlgGBps < 20.9 || r.AlgGBps > 21.1 {
			t.Errorf("%s: the row is %+v, want 1 MiB in 50 us", c.name, r)
		}
		if tab.Listed != 8 && !tab.Ranks().Allows(8) {
			t.Errorf("%s: %d ranks, %+v by the bandwidths, want 8", c.name, tab.Listed, tab.Ranks())
		}
	}
}

// TestTheReleaseOfNCCLIsReadFromEveryForm reads nccl-tests' header, NCCL's own line, and PyTorch's
// forms. Runs with several releases are noted.
func TestTheReleaseOfNCCLIsReadFromEveryForm(t *testing.T) {
	for said, want := range map[string]string{
		"# nccl-tests version 2.17.1 nccl-headers=22803 nccl-library=22803": "2.28.3",
		"node7:412:412 [0] NCCL INFO NCCL version 2.21.5+cuda12.4":          "2.21.5+cuda12.4",
		"NCCL version 2.18.3-1+cuda12.2":                                    "2.18.3-1+cuda12.2",
		"- software: torch=2.8.0, cuda=12.8, nccl=(2, 27, 3)":               "2.27.3",
		"torch 2.4, nccl: 2.20.5":                                           "2.20.5",
		"NCCL INFO nccl_net: 2 devices":                                     "",
	} {
		if l := parse(t, said+"\n"+usualHead+line(1<<20, 50)); l.Said.Version != want {
			t.Errorf("%q: NCCL's version is %q, want %q", said, l.Said.Version, want)
		}
	}
	l := parse(t, "NCCL version 2.21.5+cuda12.4\n"+usualHead+line(1<<20, 50)+"\nNCCL version 2.27.3+cuda12.9\n")
	if len(l.Notes) != 1 || !strings.Contains(l.Notes[0].Text, "2.27.3 here, and 2.21.5 above") {
		t.Errorf("the notes of two releases are %v", l.Notes)
	}
}

// TestSeveralOperationsAndNodeCountsAreSeveralTables splits a file by what its columns say.
func TestSeveralOperationsAndNodeCountsAreSeveralTables(t *testing.T) {
	l := parse(t, "op,nodes,ranks,size,time_us\nall_reduce,2,16,1M,60\nall_reduce,2,16,4M,90\nall_gather,2,16,1M,50\nall_reduce,4,32,1M,80\n")
	var got []string
	for _, tab := range l.Tables {
		got = append(got, fmt.Sprintf("%s %d/%d %d", tab.Op, tab.Nodes, tab.Listed, len(tab.Rows)))
	}
	if want := []string{"all-reduce 2/16 2", "all-gather 2/16 1", "all-reduce 4/32 1"}; !slices.Equal(got, want) {
		t.Errorf("the tables are %q, want %q", got, want)
	}
}
