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
	"sync/atomic"
	"time"

	"weft/internal/sim/collective"
	"weft/verbs"
)

// Member is the caller's view of a rank: the stream that it reads, and the stream that it writes.
type Member struct {
	In  io.Writer
	Out io.Reader
}

// Group is the ranks of a collective, on one or several machines.
type Group struct {
	members  []Member
	lines    []*bufio.Scanner
	machines []Machine
	addrs    []netip.AddrPort
	stats    atomic.Pointer[[]reply] // of the last measurement
}

// Devices are the counters of the ranks' devices at the end of the last measurement. Any goroutine may ask.
func (g *Group) Devices() (list []Device) {
	if replies := g.stats.Load(); replies != nil {
		for i, r := range *replies {
			list = append(list, Device{g.addrs[i].Addr(), r.Stats, verbs.PortActive})
		}
	}
	return list
}

// Device is the counters of the device at an address.
type Device struct {
	Addr netip.Addr
	verbs.Stats
	State verbs.PortState
}

// Machine is a machine that ranks run on.
type Machine struct {
	Name       string
	Ranks      int
	Processors int // processors that each of its ranks may use
}

// Machines are the machines of the group's ranks, in the order of their first rank.
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

// Spec holds the parameters of a group.
type Spec struct {
	Algo  collective.Algo
	Chunk int64 // the largest message, see collective.Spec
	Max   int   // bytes of the longest vector
	Addrs []netip.AddrPort
	// Capture is a file for every packet of a rank's device, as pcapng. The rank's number goes
	// before the extension: run.0.pcapng for run.pcapng. Ranks of other hosts refuse it.
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
	g := &Group{members: members, addrs: s.Addrs}
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

// answer is a rank's reply to an order, or its error.
type answer struct {
	rank int
	reply
	err error
}

// all gives every rank an order at the same time, and waits for all. After a failure the others
// have only a short time left: they may wait for the failed rank.
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
	Time     time.Duration // of one operation, mean over the ranks
	Wrong    int64         // wrong elements over all ranks, from the check
	Received int64         // bytes received by the ranks' devices since they were opened
	Again    int64         // packets retransmitted
}

// AllReduce measures iterations on vectors of the given size in bytes.
func (g *Group) AllReduce(bytes, iters, warmup int, check, inPlace bool) (*Result, error) {
	replies, err := g.all(func(int) order {
		return order{Do: "run", Bytes: bytes, Iters: iters, Warmup: warmup, Check: check, InPlace: inPlace}
	})
	if err != nil {
		return nil, err
	}
	g.stats.Store(&replies)
	r := &Result{}
	for _, p := range replies {
		r.Time += p.Time
		r.Wrong += p.Wrong
		r.Received += p.Stats.BytesReceived
		r.Again += p.Stats.Repeated
	}
	r.Time /= time.Duration(max(1, iters*len(replies)))
	return r, nil
}
