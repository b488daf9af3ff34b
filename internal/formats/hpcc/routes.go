package hpcc

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/base/sorting"
	"weft/units"
)

// Routes are the tables of all nodes: for each destination host the interfaces of equal cost, in
// the order of the simulator's tables.
type Routes struct {
	// MaxRTT and MaxBDP are the largest base round trip and bandwidth-delay
	// product of any two hosts: with GLOBAL_T, every window is MaxBDP.
	MaxRTT units.Time
	MaxBDP units.Bytes

	hosts    []int32 // the column of a node, -1 for a switch
	columns  int
	table    []uint32 // per node and column: the number of a list
	lists    [][]uint16
	isSwitch []bool
}

// At is the interfaces of a node towards a host, nil when there is none. It
// must not be changed.
func (r *Routes) At(node, host int) []uint16 {
	column := r.hosts[host]
	if column < 0 {
		return nil
	}
	return r.lists[r.table[node*r.columns+int(column)]]
}

// Pick is the interface on which a node sends a packet of this key towards a
// host, 0 when there is none.
func (r *Routes) Pick(node, host int, k Key) int {
	ports := r.At(node, host)
	if len(ports) == 0 {
		return 0
	}
	seed := uint32(node)
	if !r.isSwitch[node] {
		seed = nicSeed
	}
	return int(ports[Hash(k, seed)%uint32(len(ports))])
}

// NextHops builds the tables, as the simulator does: from each host, breadth first over the
// switches; a neighbour one step further away gets the present node as another next hop.
//
// The neighbours of a node are visited in the order of a map whose keys are pointers. Switches are
// large objects, which glibc's allocator maps at falling addresses, so the order is by falling ids:
// with it, all lines of the available paths are reproduced; with rising ids a third is not. The
// order of hosts among themselves never matters, since hosts do not forward.
func NextHops(t *Topology, payload units.Bytes) (*Routes, error) {
	hosts := t.Hosts()
	if t.Nodes*len(hosts) > maxRouteEntries {
		return nil, fmt.Errorf("the routes of %d nodes to %d hosts have %d entries, more than the %d that are built",
			t.Nodes, len(hosts), t.Nodes*len(hosts), maxRouteEntries)
	}
	r := &Routes{
		hosts: make([]int32, t.Nodes), columns: len(hosts),
		table: make([]uint32, t.Nodes*len(hosts)),
		lists: [][]uint16{nil}, isSwitch: t.isSwitch,
	}
	for n := range r.hosts {
		r.hosts[n] = -1
	}
	known := map[string]uint32{"": 0}
	s := newSearch(t, payload)
	for column, host := range hosts {
		r.hosts[host] = int32(column)
		s.from(host)
		for node := range t.Nodes {
			r.table[node*r.columns+column] = r.list(known, s.next[node])
		}
		for _, other := range hosts {
			if s.steps[other] >= 0 {
				b := s.baseline(other)
				r.MaxRTT, r.MaxBDP = max(r.MaxRTT, b.RTT), max(r.MaxBDP, b.BDP)
			}
		}
	}
	return r, nil
}

// list is the number of a list of interfaces; equal lists are one.
func (r *Routes) list(known map[string]uint32, ports []uint16) uint32 {
	name := make([]byte, 0, 2*len(ports))
	for _, p := range ports {
		name = append(name, byte(p), byte(p>>8))
	}
	if i, ok := known[string(name)]; ok {
		return i
	}
	i := uint32(len(r.lists))
	known[string(name)] = i
	r.lists = append(r.lists, slices.Clone(ports))
	return i
}

// A neighbour is a node at the other end of the last link between two nodes.
type neighbour struct {
	node int
	// port is the interface of the neighbour towards the present node.
	port  uint16
	rate  units.Rate
	delay units.Time
}

// search is a breadth-first search from one host over the whole fabric.
type search struct {
	t          *Topology
	payload    units.Bytes
	neighbours [][]neighbour

	// queue is the nodes still to visit.
	queue []int
	// Per node: the distance from the host, -1 if it is not reached; the next hops towards the
	// host; and along the first path found, the delays, the transmissions of one payload, and the
	// lowest rate.
	steps   []int
	next    [][]uint16
	delayNs []int64
	sendNs  []int64
	rate    []units.Rate
}

func newSearch(t *Topology, payload units.Bytes) *search {
	s := &search{
		t: t, payload: payload, neighbours: make([][]neighbour, t.Nodes),
		steps: make([]int, t.Nodes), next: make([][]uint16, t.Nodes),
		delayNs: make([]int64, t.Nodes), sendNs: make([]int64, t.Nodes), rate: make([]units.Rate, t.Nodes),
	}
	for _, l := range t.Links {
		s.join(l.A, neighbour{l.B, uint16(l.BPort), l.Rate, l.Delay})
		s.join(l.B, neighbour{l.A, uint16(l.APort), l.Rate, l.Delay})
	}
	for _, list := range s.neighbours {
		sorting.Func(list, func(x, y neighbour) int { return cmp.Compare(y.node, x.node) })
	}
	return s
}

// join adds a neighbour, or replaces it when an earlier link led to it.
func (s *search) join(node int, n neighbour) {
	list := s.neighbours[node]
	for i := range list {
		if list[i].node == n.node {
			list[i] = n
			return
		}
	}
	s.neighbours[node] = append(list, n)
}

func (s *search) from(host int) {
	for n := range s.t.Nodes {
		s.steps[n], s.next[n] = -1, s.next[n][:0]
	}
	s.steps[host], s.delayNs[host], s.sendNs[host], s.rate[host] = 0, 0, 0, maxRate
	s.queue = append(s.queue, host)
	for len(s.queue) > 0 {
		now := s.queue[0]
		s.queue = s.queue[1:]
		for _, n := range s.neighbours[now] {
			if s.steps[n.node] < 0 {
				s.reach(now, n)
			}
			if s.steps[n.node] == s.steps[now]+1 {
				s.next[n.node] = append(s.next[n.node], n.port)
			}
		}
	}
}

// reach adds a node that has not been seen.
func (s *search) reach(now int, n neighbour) {
	s.steps[n.node] = s.steps[now] + 1
	s.delayNs[n.node] = s.delayNs[now] + nanoseconds(n.delay)
	s.sendNs[n.node] = s.sendNs[now] + int64(s.payload)*8*1_000_000_000/int64(n.rate)
	s.rate[n.node] = min(s.rate[now], n.rate)
	if s.t.isSwitch[n.node] {
		s.queue = append(s.queue, n.node)
	}
}

// nanoseconds is a time on that simulator's clock.
func nanoseconds(t units.Time) int64 {
	return int64((t + units.Nanosecond/2) / units.Nanosecond)
}

// A Baseline is computed by the simulator for two hosts, from the delays and rates of one shortest
// path.
type Baseline struct {
	// RTT is twice the delays plus the transmissions of one payload.
	RTT units.Time
	// Rate is the lowest on the path.
	Rate units.Rate
	// BDP is RTT times Rate.
	BDP units.Bytes
	// Standalone is the completion time of the flow alone: RTT plus its bytes and 48 more per
	// packet at Rate.
	Standalone units.Time
}

// baseline is the baseline of a host towards the search's host, without a flow.
func (s *search) baseline(host int) Baseline {
	ns := 2*s.delayNs[host] + s.sendNs[host]
	rate := s.rate[host]
	return Baseline{
		RTT:  units.Time(ns) * units.Nanosecond,
		Rate: rate,
		BDP:  units.Bytes(mulDiv(uint64(ns), uint64(rate), 8_000_000_000)),
	}
}

// headerBytes is the overhead per packet in the simulator's completion time of a flow alone:
// Ethernet 14, IPv4 20, UDP 8, sequence number and priority 6. Its packets carry 36.
const headerBytes = 48

// Baselines is the baseline of each flow.
func (c *Case) Baselines() []Baseline {
	out := make([]Baseline, len(c.Flows))
	byDst := make([]int, len(c.Flows))
	for i := range byDst {
		byDst[i] = i
	}
	sorting.StableFunc(byDst, func(x, y int) int { return cmp.Compare(c.Flows[x].Dst, c.Flows[y].Dst) })
	s := newSearch(&c.Topology, c.Config.Payload)
	dst := -1
	for _, i := range byDst {
		f := &c.Flows[i]
		if f.Dst != dst {
			dst = f.Dst
			s.from(dst)
		}
		b := s.baseline(f.Src)
		packets := (f.Bytes-1)/c.Config.Payload + 1
		// the simulator uses 32 bits, so the value wraps here too
		total := uint32(f.Bytes + packets*headerBytes)
		b.Standalone = b.RTT + units.Time(mulDiv(uint64(total), 8_000_000_000, uint64(b.Rate)))*units.Nanosecond
		out[i] = b
	}
	return out
}
