package flight

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
)

func read(t *testing.T, name string) *Fleet {
	t.Helper()
	f := &Fleet{}
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Read(name, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestADumpOfTheFlightRecorder has the fields of pytorch/pytorch's test_c10d_nccl.py, in which ranks are text.
func TestADumpOfTheFlightRecorder(t *testing.T) {
	f := read(t, "trace_rank_3.json")
	want := []Event{
		{Who: Member{Rank: 3}, Call: Call{Group: "0 [0,1,2,3]", Seq: 1, Op: "all_reduce"}, Bytes: 48, Created: 1752867229235059, Micros: 36, Done: true},
		{Who: Member{Rank: 3}, Call: Call{Group: "0 [0,1,2,3]", Seq: 2, Op: "all_reduce"}, Bytes: 48, Created: 1752867229235159},
	}
	if len(f.Events) != 2 {
		t.Fatalf("%d events, want the two collectives: %+v", len(f.Events), f.Events)
	}
	for i, e := range f.Events {
		e.Micros = math.Round(e.Micros)
		if e != want[i] {
			t.Errorf("event %d is\n%+v, want\n%+v", i, e, want[i])
		}
	}
}

// TestTheRecordsOfNCCLInspector has those of its README, and one whose time is the host's.
func TestTheRecordsOfNCCLInspector(t *testing.T) {
	f := read(t, "inspector.log")
	want := Event{Who: Member{2, "node01", 1639453}, Call: Call{Group: "0x7f8c496ae9f661", Seq: 1407, Op: "AllReduce"}, Bytes: 16 << 30, Micros: 61974, Done: true}
	if len(f.Events) != 1 || f.Events[0] != want {
		t.Errorf("the events are %+v, want %+v", f.Events, want)
	}
	if len(f.Notes) != 1 || f.Notes[0].Line != 3 || !strings.Contains(f.Notes[0].Text, "collective_cpu") {
		t.Errorf("the notes are %+v, want one of the record that begins in line 3", f.Notes)
	}
}

func TestOtherFilesAreRefusedWithTheWayOut(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		is               error
	}{
		{"trace_0", "\x80\x02}q\x00", "python3 -c 'import json,pickle,sys", ErrPickle},
		{"x", "", "it is no record", ErrNone},
		{"x", "rx_bytes: 1\n", "it is no record", ErrNone},
		{"x", `{"a": 1}`, "it is no record", ErrNone},
		{"trace_1.json", "{\"pg_config\": {},\n \"entries\": [", "trace_1.json:2: this dump of the flight recorder is cut", nil},
		{"trace.json", `{"pg_config": {}, "entries": []}`, "want the rank at its end", nil},
		{"x", "\n{\"coll_perf\": 1}", "x:2: this file of NCCL Inspector is cut or no valid JSON", nil},
	} {
		err := new(Fleet).Read(c.name, strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s, %q: the error is %v, want %q", c.name, c.text, err, c.want)
		}
	}
}

// made is a fleet by arithmetic: ranks arrive at a collective early or late, and all leave it together.
type made struct {
	ranks, calls int
	own          float64                // us of the collective itself
	arrival      func(rank int) float64 // us after the first one
	clock        func(rank int) float64 // us that a host's clock is ahead
	random       *rand.Rand
	skipped      map[int]bool // ranks that record no duration
}

// dumps are the flight recorder's dumps of the fleet.
func (m *made) dumps(t *testing.T) *Fleet {
	t.Helper()
	f := &Fleet{}
	texts := make([]strings.Builder, m.ranks)
	for call := range m.calls {
		arrivals := make([]float64, m.ranks)
		last := 0.0
		for r := range arrivals {
			arrivals[r] = m.arrival(r) * (1 + .1*m.random.NormFloat64())
			last = max(last, arrivals[r])
		}
		for r, a := range arrivals {
			duration := last - a + m.own*(1+.01*m.random.NormFloat64())
			field := fmt.Sprintf(`, "duration_ms": %.4f`, duration/1e3)
			if m.skipped[r] {
				field = ""
			}
			created := 1.7e15 + float64(call)*1e6 + a
			if m.clock != nil {
				created += m.clock(r)
			}
			fmt.Fprintf(&texts[r], `%s{"process_group": ["0", "dp"], "collective_seq_id": %d, "profiling_name": "nccl:all_reduce", "time_created_ns": %.0f, "state": "completed"%s}`,
				map[bool]string{true: "", false: ",\n"}[call == 0], call+1, created*1e3, field)
		}
	}
	for r := range texts {
		text := `{"pg_config": {"0": {"ranks": "[0]"}}, "entries": [` + texts[r].String() + "]}"
		if err := f.Read(fmt.Sprintf("dump_%d.json", r), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// ranks are the late ranks.
func ranks(s *Stragglers) (out []int) {
	for _, l := range s.Late {
		out = append(out, l.Rank)
	}
	return out
}

// TestTheRankThatAllWaitForIsNamed plants ranks in fleets of 16, by arithmetic.
func TestTheRankThatAllWaitForIsNamed(t *testing.T) {
	for seed := range uint64(20) {
		for _, c := range []struct {
			name    string
			arrival func(rank int) float64
			want    string
			wait    float64 // of the first one
		}{
			{"none", func(int) float64 { return 10 }, "[]", 0},
			{"one", func(r int) float64 { return map[bool]float64{true: 800, false: 10}[r == 5] }, "[5]", 790},
			{"a node of eight", func(r int) float64 { return map[bool]float64{true: 800, false: 10}[r >= 8] }, "", 0},
			{"two of a kind", func(r int) float64 { return map[int]float64{3: 900, 9: 400}[r] + 10 }, "[3 9]", 890},
		} {
			m := &made{ranks: 16, calls: 30, own: 500, arrival: c.arrival, random: rand.New(rand.NewPCG(seed, 2))}
			s := m.dumps(t).Stragglers()
			got := fmt.Sprint(ranks(s))
			if c.want != "" && got != c.want || c.want == "" && len(s.Late) != 8 {
				t.Errorf("seed %d, %s: late are %s, want %s", seed, c.name, got, c.want)
			}
			if c.wait > 0 && math.Abs(s.Late[0].Wait/c.wait-1) > .1 {
				t.Errorf("seed %d, %s: the others wait %g us, want some %g", seed, c.name, s.Late[0].Wait, c.wait)
			}
			if s.ByClock || s.Collectives != 30 || s.Ranks != 16 {
				t.Errorf("seed %d, %s: %d collectives of %d ranks, by clock %v, want 30 of 16 by duration", seed, c.name, s.Collectives, s.Ranks, s.ByClock)
			}
		}
	}
}

// TestARankThatIsLateNowAndThenIsNotNamed has rank 2 late in every fourth collective.
func TestARankThatIsLateNowAndThenIsNotNamed(t *testing.T) {
	calls := 0
	m := &made{ranks: 8, calls: 40, own: 500, random: rand.New(rand.NewPCG(1, 1))}
	m.arrival = func(r int) float64 {
		if r == 0 {
			calls++
		}
		if r == 2 && calls%4 == 0 {
			return 900
		}
		return 10
	}
	s := m.dumps(t).Stragglers()
	if len(s.Late) != 0 {
		t.Errorf("late are %v, want none", ranks(s))
	}
	for _, l := range s.All {
		if l.Rank == 2 && l.LateIn != 10 {
			t.Errorf("rank 2 is late in %d of %d, want 10", l.LateIn, l.Collectives)
		}
	}
}

// TestWithoutDurationsTheClocksOfHostsAreCompared has a clock that is 1 ms ahead, which accuses nobody, and a rank that is
// 50 ms late.
func TestWithoutDurationsTheClocksOfHostsAreCompared(t *testing.T) {
	all := map[int]bool{}
	for r := range 8 {
		all[r] = true
	}
	m := &made{ranks: 8, calls: 10, own: 500, skipped: all, random: rand.New(rand.NewPCG(1, 1))}
	m.clock = func(r int) float64 { return map[int]float64{4: 1000}[r] }
	m.arrival = func(r int) float64 { return map[int]float64{6: 50e3}[r] + 10 }
	if s := m.dumps(t).Stragglers(); !s.ByClock || fmt.Sprint(ranks(s)) != "[6]" || s.Typical != 0 {
		t.Errorf("by clock %v, late are %v, want rank 6 by clock", s.ByClock, ranks(s))
	}
}

func TestARankThatHangsIsBehind(t *testing.T) {
	f := &Fleet{}
	for r, last := range []int{7, 7, 5, 7} {
		var entries []string
		for seq := 1; seq <= 8; seq++ {
			state := map[bool]string{true: "completed", false: "started"}[seq <= last]
			entries = append(entries, fmt.Sprintf(`{"process_group": ["0", ""], "collective_seq_id": %d, "profiling_name": "nccl:all_gather", "state": %q, "duration_ms": 1}`, seq, state))
		}
		if err := f.Read(fmt.Sprintf("dump_%d", r), strings.NewReader(`{"pg_config": {"0": [0,1,2,3]}, "entries": [`+strings.Join(entries, ",")+"]}")); err != nil {
			t.Fatal(err)
		}
	}
	s := f.Stragglers()
	if len(s.Behind) != 1 || s.Behind[0] != (Behind{Member{Rank: 2}, "0 [0,1,2,3]", 5, 7}) {
		t.Errorf("behind are %+v, want rank 2 at 5 of 7", s.Behind)
	}
}

func TestOneRankAloneSaysNothing(t *testing.T) {
	if s := read(t, "inspector.log").Stragglers(); s != nil {
		t.Errorf("the stragglers are %+v, want none", s)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"trace_rank_3.json", "inspector.log"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("\x80\x02}q\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		fleet := &Fleet{}
		if fleet.Read("dump_3", bytes.NewReader(text)) != nil {
			return
		}
		for i := range 3 { // more ranks with the same record
			for _, e := range fleet.Events {
				e.Who.Rank += i
				e.Micros += float64(i)
				fleet.add(&e)
			}
			if len(fleet.Events) > 1<<12 {
				break
			}
		}
		if s := fleet.Stragglers(); s != nil {
			for _, l := range s.All {
				if math.IsNaN(l.Wait) || l.LateIn > l.Collectives {
					t.Errorf("%+v is no answer", l)
				}
			}
		}
	})
}
