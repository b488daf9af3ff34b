package ranks

import (
	"fmt"

	"weft/internal/sim/collective"
)

// plan is a rank's part in an operation on a vector of one size.
type plan struct {
	bytes    int
	lanes    [][]step
	channels int
	window   int
}

// step is a step of a lane.
type step struct {
	sends  []send
	recvs  int
	reduce bool
	from   []arrival // location of the data that arrives in this step, by peer
}

// send is a message.
type send struct {
	peer     int
	src, dst int64
	bytes    int64
	reduced  bool // reduced at the receiver, so it goes into scratch
	lane     int
	step     int // of the peer
}

// arrival is a message that a step waits for.
type arrival struct {
	peer  int
	dst   int64
	bytes int64
}

// elementBytes is the size of a vector's element.
const elementBytes = 4

// newPlan computes a rank's part of an all-reduce.
func newPlan(algo collective.Algo, ranks, rank, bytes int, chunk int64) (*plan, error) {
	program, err := collective.New(collective.Spec{
		Op: collective.AllReduce, Algo: algo, Layout: collective.Layout{Nodes: ranks, PerNode: 1},
		Bytes: int64(bytes), Chunk: chunk, Elem: elementBytes,
	})
	if err != nil {
		return nil, err
	}
	if program.Lanes() > maxLanes {
		return nil, fmt.Errorf("ranks: %d lanes: at most %d: use larger chunks", program.Lanes(), maxLanes)
	}
	p := &plan{bytes: bytes, lanes: make([][]step, program.Lanes()), channels: program.Channels(), window: program.Window()}
	var s collective.Step
	total := 0
	for lane := range p.lanes {
		for k := 0; program.Step(rank, lane, k, &s); k++ {
			if total++; k == maxSteps || total > maxPlan {
				return nil, fmt.Errorf("ranks: more than %d steps in a lane or %d in all: use larger chunks", maxSteps, maxPlan)
			}
			p.lanes[lane] = append(p.lanes[lane], step{recvs: s.Recvs, reduce: s.Reduce})
		}
	}
	for peer := range ranks {
		for lane := range p.lanes {
			p.exchange(program, rank, peer, lane)
		}
	}
	return p, nil
}

// exchange adds the messages between the rank and a peer in a lane.
func (p *plan) exchange(program collective.Program, rank, peer, lane int) {
	var s, there collective.Step
	for k := 0; peer == rank && program.Step(rank, lane, k, &s); k++ {
		for _, t := range s.Sends {
			program.Step(int(t.Peer), lane, int(t.PeerStep), &there)
			p.lanes[lane][k].sends = append(p.lanes[lane][k].sends, send{
				peer: int(t.Peer), src: t.Src, dst: t.Dst, bytes: t.Bytes, reduced: there.Reduce, lane: lane, step: int(t.PeerStep),
			})
		}
	}
	for k := 0; peer != rank && program.Step(peer, lane, k, &s); k++ {
		for _, t := range s.Sends {
			if int(t.Peer) == rank {
				at := &p.lanes[lane][t.PeerStep]
				at.from = append(at.from, arrival{peer: peer, dst: t.Dst, bytes: t.Bytes})
			}
		}
	}
}

// reducers are the peers whose messages this rank adds up.
func (p *plan) reducers() map[int]bool {
	set := map[int]bool{}
	for _, lane := range p.lanes {
		for _, s := range lane {
			for _, a := range s.from {
				if s.reduce {
					set[a.peer] = true
				}
			}
		}
	}
	return set
}
