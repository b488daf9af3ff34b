package audit

// Step is a part of a path: from a port to the port at the other end of a cable, or through a
// forwarding machine.
type Step struct {
	From string `json:"from"`
	To   string `json:"to"`
	By   string `json:"by"` // the reason why the packet may pass
}

// state is the place and form of a packet: in a VLAN outside the fabric, or at an end of a path,
// which it leaves only if out is set.
type state struct {
	node, vlan int
	out        bool
	in         int // 1 + the external cable by which it entered a device; 0: none
}

// move is a transition from one state to another.
type move struct {
	to    state
	steps func() []Step // computed only for the reported path
}

// search looks for a shortest path from the nodes of one zone to the nodes of another. next gives
// the moves from a state.
type search struct {
	next   func(s *search, at state, found func(move))
	come   map[state]arrival
	queue  []state
	states int    // visited
	ended  []bool // by node: it was reached as the end of a path
}

type arrival struct {
	from  state
	steps func() []Step
	first bool
}

// find is the steps of a path from one of the starts to one of the targets, none if there is none.
func (s *search) find(starts []state, target map[int]bool) []Step {
	s.come = make(map[state]arrival)
	for _, at := range starts {
		if _, twice := s.come[at]; !twice {
			s.come[at] = arrival{first: true}
			s.queue = append(s.queue, at)
		}
	}
	for len(s.queue) > 0 {
		at := s.queue[0]
		s.queue = s.queue[1:]
		s.states++
		var end *state
		s.next(s, at, func(m move) {
			if _, known := s.come[m.to]; known || end != nil {
				return
			}
			if m.to == (state{node: m.to.node}) {
				s.ended[m.to.node] = true
			}
			s.come[m.to] = arrival{from: at, steps: m.steps}
			s.queue = append(s.queue, m.to)
			if target[m.to.node] {
				end = &m.to
			}
		})
		if end != nil {
			return s.path(*end)
		}
	}
	return nil
}

// path goes back from a state to the start.
func (s *search) path(at state) []Step {
	var parts [][]Step
	n := 0
	for a := s.come[at]; !a.first; a = s.come[a.from] {
		part := a.steps()
		parts = append(parts, part)
		n += len(part)
	}
	steps := make([]Step, 0, n)
	for i := len(parts) - 1; i >= 0; i-- {
		steps = append(steps, parts[i]...)
	}
	return steps
}
