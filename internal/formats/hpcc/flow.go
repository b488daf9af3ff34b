package hpcc

import "weft/units"

// A Flow is a line of flow.txt: one message from a host to another.
type Flow struct {
	Src, Dst int
	// Priority is the priority group, 0 to 7. Switches neither account, pause nor mark group 0.
	Priority int
	// SrcPort counts the flows of a pair of hosts from 10000; the simulator assigns it.
	SrcPort, DstPort uint16
	Bytes            units.Bytes
	// Start is exact; the simulator starts the flow at the nearest nanosecond.
	Start units.Time
}

// firstSrcPort is the source port of the first flow of each pair of hosts.
const firstSrcPort = 10000

const wantFlow = "`src dst priority dport bytes start`, such as `0 1 3 100 1000000 2.0`"

// parseFlows reads flow.txt. The topology is nil if it could not be read: then the hosts are
// unknown.
func parseFlows(file, text string, t *Topology, problems *Problems) ([]Flow, []Ignored) {
	r := &flowReader{table: table{file: file, text: text, problems: problems}, t: t, ports: map[[2]int]uint16{}}
	if t != nil {
		r.reach = newReach(t)
	}
	l, ok := r.next(1, "the number of flows")
	if !ok || l.words == nil {
		return nil, nil
	}
	n, ok := parseInt(l.words[0], 0, maxFlows)
	if !ok {
		problems.add(file, l.number, l.words[0], "the number of flows, "+wantInt(0, maxFlows))
		return nil, nil
	}
	for range n {
		if !r.flow() {
			break
		}
	}
	return r.flows, r.rest("what follows the last flow")
}

type flowReader struct {
	table
	t     *Topology
	reach *reach
	flows []Flow
	ports map[[2]int]uint16
	start units.Time
}

// flow reads one flow, and is false at the end of the file.
func (r *flowReader) flow() bool {
	l, ok := r.next(6, wantFlow)
	if !ok || l.words == nil {
		return ok
	}
	last := int64(maxNodes - 1)
	if r.t != nil {
		last = int64(r.t.Nodes - 1)
	}
	src, okSrc := parseInt(l.words[0], 0, last)
	dst, okDst := parseInt(l.words[1], 0, last)
	priority, okPriority := parseInt(l.words[2], 0, 7)
	dport, okPort := parseInt(l.words[3], 0, 65535)
	bytes, okBytes := parseInt(l.words[4], 1, maxFlowBytes)
	start, okStart := parseTime(l.words[5], units.Second, maxSeconds)
	good := true
	check := func(ok bool, word int, want string) {
		if !ok {
			r.problems.add(r.file, l.number, l.words[word], want)
			good = false
		}
	}
	check(okSrc && r.host(src), 0, "the id of a host, "+wantInt(0, last)+" and no switch")
	check(okDst && r.host(dst), 1, "the id of a host, "+wantInt(0, last)+" and no switch")
	check(okPriority, 2, "a priority group, "+wantInt(0, 7))
	check(okPort, 3, "a port, "+wantInt(0, 65535))
	check(okBytes, 4, "a size in bytes, "+wantInt(1, maxFlowBytes))
	check(okStart, 5, "a start in seconds, at most 1000000")
	if good {
		check(src != dst, 1, "another host than the flow starts from")
		check(start >= r.start, 5, "a start that is not before that of the flow above")
		r.start = start
	}
	if good && r.reach != nil {
		check(r.reach.joined(int(src), int(dst)), 1, "a host that links lead to from host "+l.words[0])
	}
	if !good {
		return true
	}
	pair := [2]int{int(src), int(dst)}
	r.flows = append(r.flows, Flow{
		Src: int(src), Dst: int(dst), Priority: int(priority),
		SrcPort: firstSrcPort + r.ports[pair], DstPort: uint16(dport),
		Bytes: units.Bytes(bytes), Start: start,
	})
	r.ports[pair]++
	return true
}

func (r *flowReader) host(id int64) bool { return r.t == nil || !r.t.isSwitch[id] }

// reach answers whether two hosts are connected. Hosts do not forward, so a host can be on several
// islands of switches.
type reach struct {
	// island is the root of each switch, by union-find.
	island []int
	// neighbours are the switches and hosts at the other ends of a host's links.
	neighbours [][]int
	isSwitch   []bool
}

func newReach(t *Topology) *reach {
	r := &reach{make([]int, t.Nodes), make([][]int, t.Nodes), t.isSwitch}
	for n := range r.island {
		r.island[n] = n
	}
	for _, l := range t.Links {
		if r.isSwitch[l.A] && r.isSwitch[l.B] {
			r.island[r.root(l.A)] = r.root(l.B)
		}
		if !r.isSwitch[l.A] {
			r.neighbours[l.A] = append(r.neighbours[l.A], l.B)
		}
		if !r.isSwitch[l.B] {
			r.neighbours[l.B] = append(r.neighbours[l.B], l.A)
		}
	}
	return r
}

func (r *reach) root(n int) int {
	for r.island[n] != n {
		r.island[n] = r.island[r.island[n]]
		n = r.island[n]
	}
	return n
}

func (r *reach) joined(a, b int) bool {
	for _, x := range r.neighbours[a] {
		if x == b {
			return true
		}
		for _, y := range r.neighbours[b] {
			if r.isSwitch[x] && r.isSwitch[y] && r.root(x) == r.root(y) {
				return true
			}
		}
	}
	return false
}
