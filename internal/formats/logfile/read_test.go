package logfile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// read reads a log of testdata.
func read(t *testing.T, name string) *Log {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := Read(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// parse reads a log that is written in a test.
func parse(t *testing.T, text string) *Log {
	t.Helper()
	l, err := Read("log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestARealSweepBehindMPIsPrefixesIsReadWhole(t *testing.T) {
	l := read(t, "h200-all-gather.log")
	if len(l.Tables) != 1 || l.Partial() {
		t.Fatalf("%d tables, notes %v, want one whole table", len(l.Tables), l.Notes)
	}
	tab := l.Tables[0]
	if len(tab.Rows) != 24 || tab.Listed != 16 || len(tab.Hosts) != 2 || tab.PerHost != 8 || !slices.Equal(tab.GPUs, []string{"NVIDIA H200"}) {
		t.Errorf("%d rows of %d ranks on %v with %d each of %q", len(tab.Rows), tab.Listed, tab.Hosts, tab.PerHost, tab.GPUs)
	}
	if last := tab.Rows[23]; last.Bytes != 8589934592 || last.Micros != 24724 || last.InPlace != 24214 || last.BusGBps != 325.72 {
		t.Errorf("the last row is %+v", last)
	}
	tab.Op = "all-gather"
	if n, ok := tab.Ranks().Exact(); !ok || n != 16 {
		t.Errorf("busbw over algbw gives %+v ranks, want 16", tab.Ranks())
	}
}

func TestBandwidthsTellTheRanksWhateverTheListSays(t *testing.T) {
	tab := read(t, "h100-single.log").Tables[0]
	if tab.Listed != 1 || tab.Op != "all-reduce" || !tab.Inferred {
		t.Errorf("%d ranks are listed, operation %q (inferred: %v), want 1 and an inferred all-reduce", tab.Listed, tab.Op, tab.Inferred)
	}
	if n, ok := tab.Ranks().Exact(); !ok || n != 8 {
		t.Errorf("busbw over algbw gives %+v, want 8 ranks", tab.Ranks())
	}
}

// With NCCL_DEBUG_SUBSYS=TUNING a message cuts each row after its size and after its first half (NVIDIA/nccl issue 1453).
// A row whose end never comes is reported, and the next one is read.
func TestARowThatMessagesCutIsReadWhole(t *testing.T) {
	const info = "node-a:490:512 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}\n"
	row := func(prefix, root, wrong string) string {
		return prefix + "  1048576   262144  float  sum" + root + info + info + prefix + "  28.60   36.66   64.16" + wrong + info + prefix + "  28.89   36.30   63.53      0\n"
	}
	for _, prefix := range []string{"", " 0: ", "[1,0]<stdout>:"} {
		l := parse(t, usualHead+row(prefix, "      -1", "      0")+prefix+"  2097152   524288  float  sum  -1"+info+
			prefix+"  4194304  1048576  float  sum  -1  55.00  76.26  133.46  0  55.00  76.26  133.46  0\n"+average1)
		rows := l.Tables[0].Rows
		if len(rows) != 2 || rows[0].Bytes != 1048576 || rows[0].Micros != 28.60 || rows[0].InPlace != 28.89 || rows[1].Bytes != 4194304 || len(l.Notes) != 1 || !strings.Contains(l.Notes[0].Text, "row of size 2097152") {
			t.Errorf("%q: the rows are %+v, notes %v", prefix, rows, l.Notes)
		}
	}
}

func TestNoiseAndSeveralTablesInOneFile(t *testing.T) {
	l := read(t, "interleaved.log")
	if len(l.Tables) != 2 {
		t.Fatalf("%d tables, want 2", len(l.Tables))
	}
	first, second := l.Tables[0], l.Tables[1]
	if first.Test != "all_reduce_perf" || len(first.Rows) != 2 || first.Rows[1].Bytes != 2097152 || first.Cut != "" || len(first.Hosts) != 2 {
		t.Errorf("the first table is %+v", first)
	}
	if second.Test != "sendrecv_perf" || second.Op != "send-recv" || len(second.Rows) != 1 || second.Cut == "" || second.Listed != 0 {
		t.Errorf("the second table is %+v, want one row of sendrecv_perf without a list of ranks, and cut", second)
	}
	said := l.Said
	if said.Ranks != 2 || !slices.Equal(said.Devices, []string{"mlx5_0:1", "mlx5_1:1"}) || said.Direct != 1 || said.Bounced != 1 || len(said.Settings) != 1 || said.Settings[0].Name != "NCCL_ALGO" || said.Settings[0].Value != "Ring" {
		t.Errorf("NCCL said %+v", said)
	}
	var texts []string
	for _, n := range l.Notes {
		texts = append(texts, n.Text)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"algbw of 99.99 GB/s is not its size over its time", "size 2097152 is cut after 6"} {
		if !strings.Contains(all, want) {
			t.Errorf("the notes have no %q:\n%s", want, all)
		}
	}
	if len(said.Warnings) != 2 || said.Warnings[0].Line != 25 {
		t.Errorf("warnings %v, want NCCL's on line 25 and the time limit's", said.Warnings)
	}
}

// Before 2.0 the columns had other names and times were milliseconds; with -C 1 they are
// times of the call on the host, not of the operation.
func TestOldHeadingsAndTimesOfTheHost(t *testing.T) {
	old := "# all_reduce_perf\n#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      res\n" +
		"    10000000       2500000   float     sum    1.622   6.16  10.79    5e-07    1.610   6.21  10.87    5e-07\n"
	l := parse(t, old)
	if r := l.Tables[0].Rows[0]; r.Bytes != 10_000_000 || r.Micros != 1622 || r.InPlace != 1610 || r.BusGBps != 10.79 {
		t.Errorf("%+v, want 10 MB in 1622 us", r)
	}
	row := "     1048576        262144     float     sum      -1    54.87   19.11   35.83      0    54.87   19.11   35.83      0\n"
	heading := "#       size         count      type   redop    root  time   algbw   busbw #wrong  time   algbw   busbw #wrong\n"
	cpu := strings.ReplaceAll(heading, "time", "cputime")
	l = parse(t, cpu+row+"# Avg bus bandwidth : 1\n"+heading+row+row)
	if len(l.Tables) != 1 || len(l.Tables[0].Rows) != 2 || !slices.ContainsFunc(l.Notes, func(n Note) bool { return strings.Contains(n.Text, "of the call on the host") }) {
		t.Errorf("%d tables, notes %v: want the second alone", len(l.Tables), l.Notes)
	}
}

func TestATableThatAnotherRunCutsOffIsPartial(t *testing.T) {
	const row = "1048576 262144 float sum -1 100.00 10.49 10.49 0 100.00 10.49 10.49 0\n"
	const head = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
	l, err := Read("x", strings.NewReader(head+row+"# nThread 1 nGpus 1\n"+head+row+"# Avg bus bandwidth    : 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Tables) != 2 || l.Tables[0].Cut == "" || l.Tables[1].Cut != "" {
		t.Errorf("the first of two tables has no last line: %+v and %+v", l.Tables[0], l.Tables[1])
	}
}

func TestPerftestsColumnsAndUnits(t *testing.T) {
	l := read(t, "write-bw.log")
	if len(l.Tables) != 3 {
		t.Fatalf("%d tables, want 3", len(l.Tables))
	}
	bw, lat, old := l.Tables[0], l.Tables[1], l.Tables[2]
	if bw.Op != "write" || bw.Latency || !bw.GPUMemory || bw.MTU != 4096 || len(bw.Rows) != 2 || bw.Rows[1].Gbps != 392.08 || bw.Cut != "" {
		t.Errorf("ib_write_bw is %+v", bw)
	}
	if lat.Op != "read" || !lat.Latency || lat.GPUMemory || lat.MTU != 2048 || len(lat.Rows) != 1 || lat.Rows[0].Micros != 1.79 || lat.Rows[0].Most != 6.12 {
		t.Errorf("ib_read_lat is %+v", lat)
	}
	if want := 11000 * 8 * 1048576 / 1e9; len(old.Rows) != 1 || !near(old.Rows[0].Gbps, want) || old.Cut == "" {
		t.Errorf("a table in MB/sec is %+v, want %g Gb/s and cut", old, want)
	}
}

func TestTheReportOfClusterKit(t *testing.T) {
	l := read(t, "clusterkit.log")
	if len(l.Tables) != 2 || l.Partial() {
		t.Fatalf("%d tables, notes %v, want two whole ones", len(l.Tables), l.Notes)
	}
	bw, lat := l.Tables[0], l.Tables[1]
	if row := bw.Rows[0]; !near(row.Gbps, 336.856) || !near(row.Least, 320.232) || row.Bytes != 32<<20 {
		t.Errorf("bandwidth is %+v", row)
	}
	if !slices.Equal(bw.Suspects, []string{"hbv2vmss000006", "hbv2vmss00000b"}) {
		t.Errorf("slow nodes are %v", bw.Suspects)
	}
	if row := lat.Rows[0]; !near(row.Micros, 1.743) || !near(row.Most, 1.915) {
		t.Errorf("latency is %+v", row)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func TestALogWithoutATableIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":               "empty",
		"hello\nworld\n": "no table",
		"a\x00b":         "x:1: this is not text: there is no table of measurements in it. Read are nccl-tests",
		"\xff\xfd\n":     "x:1: this is not text",
		"\xff\xfe#\x00":  "x:1: this is text in UTF-16",
		"n:1:2 [0] NCCL WARN Cuda failure 'out of memory'\n": "x:1: there is no table",
		strings.Repeat("a", maxLine+1):                       "longer than",
		"#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n": "no table",
	} {
		l, err := Read("x", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: log %v, error %v, want one with %q", text, l, err, want)
		}
	}
}

// TestACutLogHasARunOfTheRows cuts every log at every byte: the rows that are left
// follow each other in the whole log.
func TestACutLogHasARunOfTheRows(t *testing.T) {
	for _, name := range []string{"h200-all-gather.log", "interleaved.log", "h100-single.log"} {
		whole := read(t, name)
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		rows := allRows(whole)
		for n := max(0, len(text)-2000); n < len(text); n++ { // the last rows are like the others
			l, err := Read(name, bytes.NewReader(text[:n]))
			if err != nil {
				continue
			}
			got := allRows(l)
			for i := range got {
				if got[i].InPlace == 0 { // cut there
					got[i].InPlace = rows[i].InPlace
				}
			}
			if len(got) > len(rows) || !slices.Equal(got, rows[:len(got)]) {
				t.Fatalf("%s cut at %d: %+v is no run of the rows of the whole", name, n, got)
			}
		}
	}
}

func allRows(l *Log) (out []Row) {
	for _, t := range l.Tables {
		out = append(out, t.Rows...)
	}
	return out
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no logs in testdata: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := Read("fuzz", bytes.NewReader(text))
		if err != nil {
			return
		}
		if len(l.Tables) == 0 {
			t.Fatal("neither a table nor an error")
		}
		for _, tab := range l.Tables {
			if len(tab.Rows) == 0 {
				t.Errorf("the table of line %d has no rows", tab.Line)
			}
			for _, r := range tab.Rows {
				if r.Bytes < 0 || r.Micros < 0 || r.Gbps < 0 || r.AlgGBps < 0 || r.Micros == 0 && r.Gbps == 0 && r.AlgGBps == 0 {
					t.Errorf("row %+v measures nothing", r)
				}
			}
			if n := tab.Ranks(); n.Most < 0 || n.Least < 0 {
				t.Errorf("ranks %+v", n)
			}
		}
	})
}
