package collective

// A collective of a large size repeats the same work: NCCL moves it in loops, a ring in steps, an
// all-to-all in rounds. A part has the same beginning and the same end as the whole. The time of the
// whole is the time of the part plus the time of the pieces that the part leaves out.

// looped is a program whose lanes are loops: each moves a further part of the data.
type looped interface {
	Program
	// count is the number of loops. They follow each other in the order of the lanes, and each has
	// the same number of lanes.
	count() int
	// of is what a loop is.
	of() string
}

func (c *cut) count() int { return c.loops }
func (c *cut) of() string { return "loops" }

// count is the number of rounds.
func (p *allToAll) count() int { return max(p.Ranks()-1, 1) }
func (p *allToAll) of() string { return "rounds" }

// Extent is the work of a program as a number of equal pieces.
type Extent struct {
	Pieces int    // one after the other; 0 if [Part] cannot shorten the program
	Of     string // what a piece is: loops, rounds or steps
	Lanes  int    // lanes of a loop or a round, over all channels; of steps all lanes
	// Stretches is the number of parts of the work whose pieces are alike: the steps of a ring that
	// reduce, and those that distribute. Rounds have no such part: the windows of the ranks
	// interfere, and the pace of the rounds may change until the end.
	Stretches int
}

// ExtentOf is the extent of a program. A ring among many ranks has one loop of many steps.
func ExtentOf(p Program) Extent {
	l, is := p.(looped)
	if !is {
		return Extent{}
	}
	e := Extent{Pieces: l.count(), Of: l.of(), Lanes: p.Lanes() / l.count(), Stretches: 1}
	if e.Of == "rounds" {
		e.Stretches = 0
	}
	if e.Pieces == 1 {
		if of := stretchesOf(p, 0); len(of) > 0 && len(of) <= 2 {
			return Extent{Pieces: of[len(of)-1].end, Of: "steps", Lanes: p.Lanes(), Stretches: len(of)}
		}
	}
	return e
}

// Part is a program with about n of the pieces of another's work, the first and the last among
// them, and their number. It is the program itself if that has no more.
func Part(p Program, n int) (Program, int) {
	all := ExtentOf(p)
	if n >= all.Pieces {
		return p, all.Pieces
	}
	if all.Of == "steps" {
		return partOfSteps(p, n, all.Pieces)
	}
	l, _ := p.(looped)
	return partOfLoops(l, n)
}

// loopsPart is a program with some of the loops of another.
type loopsPart struct {
	Program
	loops []int // in ascending order
	lanes int   // of a loop
}

// partOfLoops takes loops that are spread evenly.
func partOfLoops(p looped, n int) (Program, int) {
	all := p.count()
	n = max(2, n)
	if n >= all {
		return p, all
	}
	out := &loopsPart{Program: p, lanes: p.Lanes() / all}
	for i := range n {
		out.loops = append(out.loops, i*(all-1)/(n-1))
	}
	return out, n
}

func (p *loopsPart) Lanes() int { return len(p.loops) * p.lanes }

func (p *loopsPart) Step(rank, lane, k int, s *Step) bool {
	return p.Program.Step(rank, p.loops[lane/p.lanes]*p.lanes+lane%p.lanes, k, s)
}

// stretch is a range of alike steps of a lane, of which a part takes the first ones.
type stretch struct{ first, end, taken int }

// stretchesOf lists the stretches of a lane's steps.
func stretchesOf(p Program, lane int) (out []stretch) {
	r, is := p.(Regular)
	if !is {
		return nil
	}
	var s Step
	for k := 0; p.Step(0, lane, k, &s); {
		end := r.Alike(lane, k)
		out = append(out, stretch{k, end, end - k})
		k = end
	}
	return out
}

// stepsPart is a program with the first steps of each stretch of another's.
type stepsPart struct {
	Program
	of []stretch
}

// partOfSteps shortens each stretch by the same factor.
func partOfSteps(p Program, n, all int) (Program, int) {
	of, taken := stretchesOf(p, 0), 0
	for i := range of {
		of[i].taken = max(1, (of[i].end-of[i].first)*n/all)
		taken += of[i].taken
	}
	return &stepsPart{Program: p, of: of}, taken
}

// whole is the step of the whole program that is step k of the part.
func (p *stepsPart) whole(k int) (step int, ok bool) {
	for _, s := range p.of {
		if k < s.taken {
			return s.first + k, true
		}
		k -= s.taken
	}
	return 0, false
}

func (p *stepsPart) Step(rank, lane, k int, s *Step) bool {
	step, ok := p.whole(k)
	if !ok || !p.Program.Step(rank, lane, step, s) {
		s.reset()
		return false
	}
	for i := range s.Sends {
		s.Sends[i].PeerStep -= int32(step - k) // the ranks of a ring leave out the same steps
	}
	return true
}
