package pipeline

import (
	"fmt"
	"testing"
)

// shapes are the schedules of each kind with numbers of stages, chunks and micro-batches.
func shapes() (list []Schedule) {
	for _, p := range []int{1, 2, 3, 4, 5, 8, 16} {
		for _, m := range []int{1, 2, 3, 5, 8, 10, 13, 16, 17, 20, 35, 64} {
			list = append(list, Schedule{OneFOneB, p, 1, m, false}, Schedule{ZBH1, p, 1, m, false}, Schedule{ZBH2, p, 1, m, false})
			for _, v := range []int{1, 2, 3, 8} {
				list = append(list, Schedule{OneFOneB, p, v, m, true}, Schedule{OneFOneB, p, v, m, false})
			}
			for _, kind := range []Kind{ZBV, DualPipe, DualPipeV} {
				list = append(list, Schedule{kind, p, 2, m, false})
			}
		}
	}
	return list
}

// Every schedule that exists takes every micro-batch through every part of the model once each way,
// finds for each piece of work what it needs, and ends. A refusal has a reason in its numbers, never
// a stage that waits.
func TestSchedulesAreCompleteAndEnd(t *testing.T) {
	exist := make(map[Kind]int)
	for _, s := range shapes() {
		possible := s.Stages > 1 || s.Kind == OneFOneB && s.Chunks == 1
		switch s.Kind {
		case OneFOneB:
			possible = possible && (s.Chunks == 1 || s.Micros >= s.Stages) && (!s.Pairs || s.Chunks > 1 || s.Stages == 1)
		case ZBV, DualPipeV:
			possible = possible && s.Micros >= 2*s.Stages
		case DualPipe:
			possible = possible && s.Micros >= 2*s.Stages && s.Stages%2 == 0 && s.Micros%2 == 0
		}
		if err := s.Check(); (err == nil) != possible {
			t.Errorf("%+v: %v", s, err)
		} else if possible {
			exist[s.Kind]++
		}
	}
	for kind := range DualPipeV + 1 {
		if exist[kind] < 10 {
			t.Errorf("%d schedules %s", exist[kind], kind)
		}
	}
}

// The work before and after a chunk are at the neighbours in the model.
func TestNextAndBeforeAreNeighbours(t *testing.T) {
	for _, s := range shapes() {
		if s.Check() != nil {
			continue
		}
		for stage := range s.Stages {
			for chunk := range s.Chunks {
				if next, c, ok := s.Next(stage, chunk); ok {
					if s.Place(next, c) != s.Place(stage, chunk)+1 {
						t.Fatalf("%+v: after chunk %d of stage %d comes chunk %d of stage %d", s, chunk, stage, c, next)
					}
					if back, b, ok := s.Before(next, c); !ok || back != stage || b != chunk {
						t.Fatalf("%+v: before chunk %d of stage %d comes chunk %d of stage %d", s, c, next, b, back)
					}
				} else if s.Place(stage, chunk) != s.Places()-1 {
					t.Fatalf("%+v: nothing after chunk %d of stage %d", s, chunk, stage)
				}
			}
		}
	}
}

// bubble is the longest time without work of a stage: until the last stage ends, and between the
// stage's own first and last work.
func bubble(t *testing.T, s Schedule, f, b, w int) (whole, own int) {
	t.Helper()
	spells, err := s.run([numPasses]int{Forward: f, Backward: b, Inputs: b - w, Weights: w}, f+b)
	if err != nil {
		t.Fatal(err)
	}
	end := 0
	for _, x := range spells {
		end = max(end, x.to)
	}
	for _, x := range spells {
		whole, own = max(whole, end-x.busy), max(own, x.to-x.from-x.busy)
	}
	return whole, own
}

// The bubbles are those of the publications. B is the whole backward work, W its gradients of
// weights. 1F1B: (p-1)(F+B); interleaved 1F1B: the same with the times of a chunk (Narayanan et al.
// 2021, section 2.2). ZB-H1: (p-1)(F+B-2W), ZB-H2: (p-1)(F+B-3W) (Qi et al. 2024, table 2, there
// with B without W). DualPipe: (p/2-1)(F&B+B-3W) (deepseek-ai/DualPipe, README), drawn there with
// F = B-W, and shorter otherwise.
func TestBubblesAreThePublications(t *testing.T) {
	for _, times := range [][3]int{{4, 8, 4}, {5, 9, 4}, {10, 21, 9}} {
		f, b, w := times[0], times[1], times[2]
		for _, c := range []struct {
			s    Schedule
			want int
		}{
			{Schedule{OneFOneB, 4, 1, 12, false}, 3 * (f + b)},
			{Schedule{OneFOneB, 8, 1, 40, false}, 7 * (f + b)},
			{Schedule{OneFOneB, 4, 2, 12, false}, 3 * (f + b)},
			{Schedule{OneFOneB, 16, 8, 16, false}, 15 * (f + b)},
			{Schedule{OneFOneB, 4, 3, 10, false}, 3 * (f + b)}, // figure 6 of Llama 3: groups of five
			{Schedule{OneFOneB, 4, 2, 12, true}, 3 * (f + b)},
			{Schedule{ZBH1, 4, 1, 12, false}, 3 * (f + b - 2*w)},
			{Schedule{ZBH1, 8, 1, 24, false}, 7 * (f + b - 2*w)},
			{Schedule{DualPipe, 8, 2, 20, false}, 3 * (f + b + b - 3*w)},
			{Schedule{DualPipe, 16, 2, 64, false}, 7 * (f + b + b - 3*w)},
			{Schedule{DualPipeV, 4, 2, 10, false}, 3 * (f + b + b - 3*w)},
			{Schedule{DualPipeV, 8, 2, 40, false}, 7 * (f + b + b - 3*w)},
		} {
			got, _ := bubble(t, c.s, f, b, w)
			if shorter := c.s.Kind >= DualPipe && f != b-w && got < c.want; got != c.want && !shorter {
				t.Errorf("%+v, times %v: a bubble of %d, want %d", c.s, times, got, c.want)
			}
		}
		for _, p := range []int{4, 8} {
			if _, got := bubble(t, Schedule{ZBH2, p, 1, 4 * p, false}, f, b, w); got != (p-1)*(f+b-3*w) {
				t.Errorf("zb-h2 of %d stages, times %v: a bubble of %d, want %d", p, times, got, (p-1)*(f+b-3*w))
			}
		}
	}
	if _, got := bubble(t, Schedule{ZBV, 4, 2, 12, false}, 1, 2, 1); got != 0 {
		t.Errorf("zb-v with equal passes has a bubble of %d, want 0 (arXiv 2401.10241, section 6)", got)
	}
}

// The first stage of 1F1B keeps as many micro-batches as there are stages, the last one;
// interleaving keeps 1 + (p-1)/(p·v) times as much (Korthikanti et al. 2022, section 4.2.3). Every
// stage of ZB-H1 keeps p, of ZB-H2 2p-1 (Qi et al. 2024, table 2), of ZB-V 2p halves, of DualPipe
// p+1 (DeepSeek-V3, table 2).
func TestActivationsInFlight(t *testing.T) {
	for _, c := range []struct {
		s    Schedule
		want string
	}{
		{Schedule{OneFOneB, 4, 1, 16, false}, "[4 3 2 1]"},
		{Schedule{OneFOneB, 4, 1, 2, false}, "[2 2 2 1]"},
		{Schedule{OneFOneB, 1, 1, 8, false}, "[1]"},
		{Schedule{OneFOneB, 1, 1, 8, true}, "[2]"},
		{Schedule{OneFOneB, 4, 2, 16, false}, "[11 9 7 5]"},
		{Schedule{OneFOneB, 4, 2, 16, true}, "[12 10 8 6]"},
		{Schedule{ZBH1, 4, 1, 16, false}, "[4 4 4 4]"},
		{Schedule{ZBH2, 4, 1, 16, false}, "[7 7 7 7]"},
		{Schedule{ZBV, 4, 2, 16, false}, "[8 8 8 8]"},
		{Schedule{DualPipe, 4, 2, 16, false}, "[5 5 5 5]"},
		{Schedule{DualPipeV, 2, 2, 8, false}, "[5 5]"},
	} {
		var got []int
		for stage := range c.s.Stages {
			got = append(got, c.s.InFlight(stage))
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v: %v, want %s", c.s, got, c.want)
		}
	}
}
