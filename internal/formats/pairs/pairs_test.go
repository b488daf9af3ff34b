package pairs

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
)

func read(t *testing.T, name string) *Set {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := Read(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEachFormGivesItsPairs has the same nodes in the forms that tools write. The matrices of clusterkit have the form
// that wuchanghui5220/pot, ck-bench, reads.
func TestEachFormGivesItsPairs(t *testing.T) {
	for name, want := range map[string]string{
		"bandwidth.txt": "12 pairs; GPU-1 to GPU-2 in line 3: 2663.424 Gb/s, 0 us",
		"latency.txt":   "6 pairs; GPU-1 to GPU-2 in line 2: 0 Gb/s, 1.79 us",
		"matrix.csv":    "6 pairs; n1 to n2 in line 2: 392.1 Gb/s, 0 us",
		"list.csv":      "5 pairs; n1 to n2 in line 2: 392.1 Gb/s, 0 us",
		"lines.txt":     "3 pairs; n1 to n2 in line 1: 0 Gb/s, 1.91 us",
		"pairs.json":    "2 pairs; n1 to n2 in line 0: 392.1 Gb/s, 0 us",
		"matrix.json":   "6 pairs; n1 to n2 in line 0: 392.1 Gb/s, 0 us",
	} {
		s := read(t, name)
		p := s.Pairs[0]
		if got := fmt.Sprintf("%d pairs; %s to %s in line %d: %.7g Gb/s, %g us", len(s.Pairs), p.From, p.To, p.Line, p.Gbps, p.Micros); got != want {
			t.Errorf("%s: %s\nwant %s; notes %v", name, got, want, s.Notes)
		}
	}
	if s := read(t, "list.csv"); len(s.Notes) != 1 || s.Notes[0].Line != 3 || !strings.Contains(s.Notes[0].Text, `"fast" is no number`) {
		t.Errorf("the notes are %v, want one of line 3", s.Notes)
	}
}

func TestNumbersThatTouchAreParted(t *testing.T) {
	s, err := Read("bandwidth.txt", strings.NewReader("Rank: 0 1 2\n 0 (a):  0.0332928.0331907.2\n 1 (b): 332928.0 0.0333100.9\n 2 (c): 331907.2 333100.9 0.0\n"))
	if err != nil || len(s.Pairs) != 6 || math.Abs(s.Pairs[1].Gbps-2655.2576) > 1e-6 || s.Pairs[1].To != "c" {
		t.Errorf("%v, %+v: want six pairs, a to c with 331907.2 MB/s", err, s)
	}
}

func TestAFileThatCannotBeUsedSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "x: there are no pairs",
		"rx_bytes: 17\n":             "x: there are no pairs",
		",n1,n2\nn1,,5\nn2,5,\n":     "x:2: the matrix says no unit: want it in the corner",
		"Gb/s,n1,n2\nn1,5\n":         "x:2: the row of n1 has 1 values, want one for each of the 2 hosts",
		"from,to,bandwidth\na,b,5\n": "x:2: the column of the value says no unit",
		"Rank: 0 1\n 0 (a): 0.0\n":   "x:2: the row of rank 0 (a) has 1 values, want 2",
		`{"nodes": ["a"`:             "no valid JSON",
		`{"nodes": ["a", "b"], "m": [[0, 1], [1, 0]]}`: "the matrix m says no unit",
		"Gb/s,n1,n2\nn1,,-5\n":                         "x:2: n1 to n2 has no measurement",
		"a\x00b":                                       "this is not text",
	} {
		_, err := Read("x", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, ErrNone) {
			t.Errorf("%q: the error is %v, want %q", text, err, want)
		}
	}
}

// fleet is the bandwidths of all pairs of nodes, each a few permille off.
func fleet(nodes int, seed uint64, gbps func(a, b int) float64) *Set {
	random := rand.New(rand.NewPCG(seed, 1))
	s := &Set{}
	for a := range nodes {
		for b := range nodes {
			if a != b {
				s.Pairs = append(s.Pairs, Pair{From: fmt.Sprintf("n%02d", a), To: fmt.Sprintf("n%02d", b), Gbps: gbps(a, b) * (1 + .004*random.NormFloat64())})
			}
		}
	}
	return s
}

// names are the slow nodes and slow pairs.
func names(j *Judged) string {
	var out []string
	for _, n := range j.SlowNodes {
		out = append(out, n.Name)
	}
	for _, p := range j.SlowPairs {
		out = append(out, p.From+"-"+p.To)
	}
	return strings.Join(out, " ")
}

// TestASlowNodeIsToldFromASlowPath plants faults in fleets of twelve nodes, by arithmetic.
func TestASlowNodeIsToldFromASlowPath(t *testing.T) {
	for seed := range uint64(20) {
		healthy := func(int, int) float64 { return 392 }
		if bw, lat := fleet(12, seed, healthy).Judge(); names(bw) != "" || lat != nil {
			t.Errorf("seed %d: of a healthy fleet %q is slow", seed, names(bw))
		}
		node := func(a, b int) float64 {
			if a == 3 || b == 3 {
				return 196
			}
			return 392
		}
		if bw, _ := fleet(12, seed, node).Judge(); names(bw) != "n03" || math.Abs(bw.SlowNodes[0].Ratio-.5) > .02 {
			t.Errorf("seed %d: %q is slow, want n03 at a half", seed, names(bw))
		}
		path := func(a, b int) float64 {
			if a == 3 && b == 7 {
				return 250
			}
			return 392
		}
		if bw, _ := fleet(12, seed, path).Judge(); names(bw) != "n03-n07" || math.Abs(bw.SlowPairs[0].Ratio-250./392) > .02 {
			t.Errorf("seed %d: %q is slow, want n03-n07", seed, names(bw))
		}
	}
}

func TestTwoNodesAccuseNone(t *testing.T) {
	s := &Set{Pairs: []Pair{{From: "a", To: "b", Gbps: 100}, {From: "a", To: "b", Micros: 9}, {From: "b", To: "a", Gbps: 392}}}
	bw, lat := s.Judge()
	if names(bw)+names(lat) != "" || bw.Pairs != 2 || lat.Pairs != 1 {
		t.Errorf("%q and %q are slow of %d and %d pairs, want none of 2 and 1", names(bw), names(lat), bw.Pairs, lat.Pairs)
	}
}

func TestBothDirectionsAreAnotherQuantityThanOne(t *testing.T) {
	s := fleet(6, 1, func(int, int) float64 { return 392 })
	for i := range s.Pairs {
		s.Pairs[i].together = true
		s.Pairs[i].Gbps *= 2
	}
	s.Pairs = append(s.Pairs, Pair{From: "n00", To: "n01", Gbps: 392})
	if bw, _ := s.Judge(); names(bw) != "" || bw.Pairs != 30 {
		t.Errorf("%q is slow of %d pairs, want none of 30", names(bw), bw.Pairs)
	}
}

func TestTheTablesOfALogArePairs(t *testing.T) {
	perftest := " RDMA_Write BW Test\n #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n 65536 1000 %g %g 0.1\n----------\n"
	log := "$ ssh root@n1 ib_write_bw -d mlx5_0 n2\n" + fmt.Sprintf(perftest, 98., 97.) + "[root@n3 ~]# ib_write_bw n2\n" + fmt.Sprintf(perftest, 49., 48.) +
		"$ mpirun -np 2 -host n1:1,n3:1 ./osu_latency\n# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n8 1.5\n16 1.6\n"
	l, err := logfile.Read("log", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range FromLog(l).Pairs {
		got = append(got, fmt.Sprintf("%s:%d %s-%s %g %g", p.File, p.Line, p.From, p.To, p.Gbps, p.Micros))
	}
	if want := "log:3 n1-n2 97 0; log:8 n3-n2 48 0; log:13 n1-n3 0 1.5"; strings.Join(got, "; ") != want {
		t.Errorf("the pairs are %s, want %s", strings.Join(got, "; "), want)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no files in testdata: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Read("bandwidth", bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, p := range s.Pairs {
			if p.From == "" || p.To == "" || p.From == p.To || !(p.Gbps > 0) == !(p.Micros > 0) {
				t.Errorf("the pair %+v measures nothing", p)
			}
		}
		s.Judge()
	})
}

func TestMessagesOfNCCLAreNoPairs(t *testing.T) {
	text := "from,to,gbps\nn1,n2,392\nn1:1:1 [0] NCCL INFO bandwidth n1 - n2 : 392.10 Gbps\nn1,n3,391\n"
	s, err := Read("list", strings.NewReader(text))
	if err != nil || len(s.Pairs) != 2 || s.Pairs[1].Line != 4 {
		t.Errorf("the pairs are %+v, %v; want those of lines 2 and 4", s, err)
	}
}
