package ranks

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/internal/sim/collective"
)

// Member is a rank from outside: what it reads, and what it writes.
type Member struct {
	In  io.Writer
	Out io.Reader
}

// Group is the ranks of a collective, wherever they run.
type Group struct {
	members  []Member
	lines    []*bufio.Scanner
	machines []Machine
}

// Machine is where ranks run.
type Machine struct {
	Name       string
	Ranks      int
	Processors int // that each of them may use
}

// Machines are those that the group's ranks run on, in the order of their first rank.
func (g *Group) Machines() []Machine { return g.machines }

// runsOn notes the machine of a rank.
func (g *Group) runsOn(r *reply) {
	i := slices.IndexFunc(g.machines, func(m Machine) bool { return m.Name == r.Machine })
	if i < 0 {
		i = len(g.machines)
		g.machines = append(g.machines, Machine{Name: r.Machine, Processors: r.Processors})
	}
	g.machines[i].Ranks++
}

// Spec says what a group is for.
type Spec struct {
	Algo  collective.Algo
	Chunk int64 // the largest message, see collective.Spec
	Max   int   // bytes of the longest vector
	Addrs []netip.AddrPort
	// Capture is a file for every packet of a rank's device, as pcapng; the rank's
	// number stands before the extension: run.0.pcapng of run.pcapng. Ranks of other
	// hosts refuse it.
	Capture string
}

// captureOf is the file of a rank.
func (s *Spec) captureOf(rank int) string {
	if s.Capture == "" {
		return ""
	}
	extension := filepath.Ext(s.Capture)
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(s.Capture, extension), rank, extension)
}

// NewGroup opens and connects the ranks.
func NewGroup(members []Member, s Spec) (*Group, error) {
	if len(members) != len(s.Addrs) || len(members) < 1 || len(members) > MaxRanks {
		return nil, fmt.Errorf("ranks: %d ranks: 1 to %d", len(members), MaxRanks)
	}
	g := &Group{members: members}
	for _, m := range members {
		l := bufio.NewScanner(m.Out)
		l.Buffer(nil, maxLine)
		g.lines = append(g.lines, l)
	}
	for _, do := range []string{"open", "connect"} {
		replies, err := g.all(func(rank int) order {
			return order{Do: do, Rank: rank, Addrs: s.Addrs, Algo: s.Algo, Chunk: s.Chunk, Bytes: s.Max, Capture: s.captureOf(rank)}
		})
		if err != nil {
			return nil, err
		}
		for i := range replies {
			if do == "open" {
				g.runsOn(&replies[i])
			}
		}
	}
	return g, nil
}

// answer is what came of one rank's order.
type answer struct {
	rank int
	reply
	err error
}

// all gives every rank an order at the same time, and waits for all. Once one has
// failed, the others are not waited for long: they may wait for it.
func (g *Group) all(of func(rank int) order) ([]reply, error) {
	come := make(chan answer, len(g.members))
	for i := range g.members {
		go func() {
			a := answer{rank: i}
			a.err = g.one(i, of(i), &a.reply)
			come <- a
		}()
	}
	replies, errs := make([]reply, len(g.members)), make([]error, len(g.members))
	var late <-chan time.Time
	for range g.members {
		select {
		case a := <-come:
			replies[a.rank], errs[a.rank] = a.reply, a.err
			if a.err != nil && late == nil {
				late = time.After(grace)
			}
		case <-late:
			return replies, errors.Join(errs...)
		}
	}
	return replies, errors.Join(errs...)
}

func (g *Group) one(i int, o order, r *reply) error {
	if err := writeLine(g.members[i].In, &o); err != nil {
		return fmt.Errorf("ranks: rank %d: %w", i, err)
	}
	if !g.lines[i].Scan() {
		return fmt.Errorf("ranks: rank %d has ended: %w", i, errors.Join(g.lines[i].Err(), io.ErrUnexpectedEOF))
	}
	if err := json.Unmarshal(g.lines[i].Bytes(), r); err != nil {
		return fmt.Errorf("ranks: rank %d: %w", i, err)
	}
	if r.Error != "" {
		return fmt.Errorf("rank %d: %s", i, r.Error)
	}
	return nil
}

// Result is one measurement.
type Result struct {
	Time     time.Duration // of one operation, the mean over ranks
	Wrong    int64         // elements, over all ranks; of the check
	Received int64         // bytes that the ranks' devices have received since they were opened
	Again    int64         // packets that they have sent again
}

// AllReduce measures iterations on vectors of so many bytes.
func (g *Group) AllReduce(bytes, iters, warmup int, check, inPlace bool) (*Result, error) {
	replies, err := g.all(func(int) order {
		return order{Do: "run", Bytes: bytes, Iters: iters, Warmup: warmup, Check: check, InPlace: inPlace}
	})
	if err != nil {
		return nil, err
	}
	r := &Result{}
	for _, p := range replies {
		r.Time += p.Time
		r.Wrong += p.Wrong
		r.Received += p.Bytes
		r.Again += p.Again
	}
	r.Time /= time.Duration(max(1, iters*len(replies)))
	return r, nil
}
