package collective

// Circular is a program in which all ranks do the same: it has the same steps if it begins some nodes further.
type Circular interface {
	Program
	Regular
	// Turns reports whether each rank has the steps of the rank a number of nodes behind it, with peers that are as far
	// ahead, modulo the number of ranks; only the places of the data differ. On a channel, a rank sends to one rank in
	// all its steps.
	Turns(nodes int) bool
}

// Turns implements Circular. All chunks must have one size, and the nodes be as they were: NCCL's rings alternate between
// odd and even ones.
func (p *ringAllReduce) Turns(nodes int) bool {
	for lane := range p.Lanes() {
		if lo, hi, _ := p.loop(lane); p.chunk(lo, hi)*int64(p.Ranks()) != hi-lo {
			return false
		}
	}
	return p.l.turns(nodes)
}

// turnsBy is Turns of a program of these shards. Programs of other steps have them too, so it has another name.
func (p *ringShards) turnsBy(nodes int) bool {
	return p.bytes%(int64(p.Ranks())*p.elem) == 0 && p.l.turns(nodes)
}

// Turns implements Circular.
func (p *ringAllGather) Turns(nodes int) bool { return p.turnsBy(nodes) }

// Turns implements Circular.
func (p *ringReduceScatter) Turns(nodes int) bool { return p.turnsBy(nodes) }

// turns reports whether the rings are the same if they begin some nodes further.
func (l Layout) turns(nodes int) bool {
	return nodes > 0 && l.Nodes%nodes == 0 && (nodes%2 == 0 || !l.ring(0).alternate)
}

// wound is a circular program on its first ranks alone: what goes to the next ones comes back to the first.
type wound struct {
	Circular
	ranks int
}

// Wind is the program of the first nodes of a circular program that stand for all: with as many steps of the same sizes
// as the whole has, and peers modulo the number of their ranks. The program must turn by this number of nodes.
func Wind(p Circular, nodes, perNode int) Program { return &wound{p, nodes * perNode} }

// Ranks implements Program.
func (w *wound) Ranks() int { return w.ranks }

// Step implements Program.
func (w *wound) Step(rank, lane, k int, s *Step) bool {
	ok := w.Circular.Step(rank, lane, k, s)
	for i := range s.Sends {
		s.Sends[i].Peer %= int32(w.ranks)
	}
	return ok
}
