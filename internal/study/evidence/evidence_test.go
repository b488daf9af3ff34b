package evidence

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
)

// gathered is the evidence of texts by their names.
func gathered(t *testing.T, texts map[string]string, names ...string) *Evidence {
	t.Helper()
	open := func(name string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(texts[name])), nil }
	all, err := logfile.ReadAll(names, open)
	if all == nil {
		t.Fatal(err)
	}
	return Gather(all, open)
}

// recorded is the dump of a rank: eight collectives of a duration in ms.
func recorded(rank int, ms float64) string {
	var entries []string
	for seq := 1; seq <= 8; seq++ {
		entries = append(entries, fmt.Sprintf(`{"process_group": ["0", "default_pg"], "collective_seq_id": %d, "p2p_seq_id": 0, "op_id": %d, "profiling_name": "nccl:all_reduce",
			"time_created_ns": %d, "input_sizes": [[4]], "input_dtypes": ["Float"], "state": "completed", "duration_ms": %g, "is_p2p": false}`, seq, seq, seq*1_000_000, ms))
	}
	return fmt.Sprintf(`{"version": "2.9", "rank": %d, "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}}, "entries": [%s]}`, rank, strings.Join(entries, ",\n"))
}

var texts = map[string]string{
	"pairs.csv": "client,server,bw_gbps\nn1,n2,392\nn1,n3,196\nn1,n4,391\nn2,n3,195\nn2,n4,392\nn3,n4,196\n",
	"alike.csv": "client,server,bw_gbps\nn1,n2,392\nn1,n3,390\nn2,n3,391\n",
	"two.csv":   "client,server,bw_gbps\nn1,n2,392\n",
	"rank_0":    recorded(0, .4),
	"rank_1":    recorded(1, .1),
	"rank_2":    recorded(2, .4),
	"pickle":    "\x80\x02}q\x00.",
	"prose":     "nothing\n",
	"errors":    "Errors for 0x200000 \"Switch1\"\n   GUID 0x200000 port 1: [SymbolErrorCounter == 65535]\n\n## Summary: 1 nodes checked, 1 bad nodes found\n",
	"debug":     "n1:1:1 [0] NCCL INFO Could not find a path for pattern 1, falling back to simple order\n",
}

func TestEachFileIsReadByTheReaderOfItsKind(t *testing.T) {
	e := gathered(t, texts, "prose", "pairs.csv", "rank_0", "rank_1", "rank_2", "errors", "pickle", "debug")
	if e.Bandwidth == nil || len(e.Bandwidth.SlowNodes) != 1 || e.Bandwidth.SlowNodes[0].Name != "n3" {
		t.Errorf("the pairs are %+v, want n3 slow", e.Bandwidth)
	}
	if e.Ranks == nil || e.Records != 3 || len(e.Ranks.Late) != 1 || e.Ranks.Late[0].Rank != 1 {
		t.Errorf("the ranks are %+v, want rank 1 late of three records", e.Ranks)
	}
	if e.Ports == nil || len(e.Ports.Findings) != 1 {
		t.Errorf("the ports are %+v, want one finding", e.Ports)
	}
	if len(e.Unread) != 2 || e.Unread[0] != (Unread{File: "prose"}) || e.Unread[1].File != "pickle" || !e.Unread[1].Pickle || !strings.Contains(e.Unread[1].Why, "json.dump") {
		t.Errorf("not read are %+v, want the prose, and the pickle with its command", e.Unread)
	}
	if len(e.Signs) != 1 || e.Signs[0].File != "debug" {
		t.Errorf("the signs are %+v, want that of debug", e.Signs)
	}
	if got := fmt.Sprint(e.StandOut()); !e.Judged() || got != "[nodes slow with most of their peers by bandwidth (n3) ranks that come late (rank 1) cables or ports]" {
		t.Errorf("what stands out is %s", got)
	}
}

func TestNothingIsJudgedOfTooFewPairsOrRanks(t *testing.T) {
	for _, names := range [][]string{{"two.csv"}, {"rank_0"}} {
		if e := gathered(t, texts, names...); e.Empty() || e.Judged() || e.StandOut() != nil {
			t.Errorf("%v: empty %v, judged %v, standing out %v; want something read and nothing judged", names, e.Empty(), e.Judged(), e.StandOut())
		}
	}
	if e := gathered(t, texts, "prose"); !e.Empty() {
		t.Errorf("prose is evidence: %+v", e)
	}
	if e := gathered(t, texts, "alike.csv"); !e.Judged() || e.StandOut() != nil {
		t.Errorf("three alike nodes: judged %v, standing out %v; want them judged, and none", e.Judged(), e.StandOut())
	}
}

// A log alone has no other evidence: no line of it may look like pairs of nodes or counters.
func TestALogIsNoOtherEvidence(t *testing.T) {
	files, err := filepath.Glob("../../formats/logfile/testdata/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d logs, %v", len(files), err)
	}
	open := func(name string) (io.ReadCloser, error) { return os.Open(name) }
	for _, file := range files {
		all, err := logfile.ReadAll([]string{file}, open)
		if err != nil {
			continue
		}
		if e := Gather(all, open); !e.Empty() || slices.ContainsFunc(e.Notes, func(n logfile.Note) bool { return n.File == file }) {
			t.Errorf("%s: pairs %+v, %+v; ports %+v; notes %v", file, e.Bandwidth, e.Latency, e.Ports, e.Notes)
		}
	}
}

// between is the log of ib_write_bw between two nodes.
func between(from, to string, gbps float64) string {
	return fmt.Sprintf("[root@%s ~]# ib_write_bw -s 65536 --report_gbits %s\n #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n 65536 5000 %.2f %.2f 0.7\n", from, to, gbps, gbps)
}

func TestTablesOfASlowNodeAreNotPredictedWithTheOthers(t *testing.T) {
	open := func(name string) (io.ReadCloser, error) {
		from, to, _ := strings.Cut(name, "-")
		gbps := 394.0
		if strings.Contains(name, "n3") {
			gbps = 196
		}
		return io.NopCloser(strings.NewReader(between(from, to, gbps))), nil
	}
	for _, c := range []struct{ names, compared string }{
		{"n1-n2 n1-n3 n1-n4 n2-n3 n2-n4 n3-n4", "n1-n2 n1-n4 n2-n4"},
		{"n1-n2", "n1-n2"},
		{"n1-n3 n3-n4", "n1-n3 n3-n4"}, // nothing to compare n3 with
	} {
		names := strings.Fields(c.names)
		all, err := logfile.ReadAll(names, open)
		if err != nil {
			t.Fatal(err)
		}
		e := Gather(all, open)
		var left []string
		for i, table := range e.Compared(all.Log).Tables {
			left = append(left, table.File)
			if table.File == "" {
				left[i] = names[0]
			}
		}
		if got := strings.Join(left, " "); got != c.compared || len(e.Aside) != len(names)-len(left) {
			t.Errorf("of %s these are predicted: %s, and set aside: %v; want %s", c.names, got, e.Aside, c.compared)
		}
	}
}

func TestOfTwoLogsThatDifferTheSecondIsPredicted(t *testing.T) {
	log := func(us, alg float64) string {
		return fmt.Sprintf("$ NCCL_ALGO=Ring ./all_reduce_perf -g 8\n# size count type redop time algbw busbw #wrong time algbw busbw #wrong\n1048576 262144 float sum %.2f %.2f %.2f 0 %.2f %.2f %.2f 0\n", us, alg, alg*1.75, us, alg, alg*1.75)
	}
	texts := map[string]string{"a": log(100, 10.49), "b": log(150, 6.99), "c": log(100, 10.49)}
	for _, c := range []struct{ names, compared string }{{"a b", "b"}, {"b a", "a"}, {"a c", "a c"}} {
		names := strings.Fields(c.names)
		open := func(name string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(texts[name])), nil }
		all, err := logfile.ReadAll(names, open)
		if err != nil {
			t.Fatal(err)
		}
		compared := Gather(all, open).Compared(all.Log)
		var left []string
		for _, table := range compared.Tables {
			left = append(left, table.File)
		}
		if got := strings.Join(left, " "); got != c.compared {
			t.Errorf("of %s these are predicted: %s, want %s", c.names, got, c.compared)
		}
		for _, s := range compared.Said.Settings {
			if !slices.Contains(left, s.File) {
				t.Errorf("of %s a setting of %s counts: %+v", c.names, s.File, s)
			}
		}
	}
}
