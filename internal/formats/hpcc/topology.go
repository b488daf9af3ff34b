package hpcc

import (
	"io"
	"strconv"

	"weft/units"
)

// A Topology is topology.txt: nodes from 0, some of which are switches, and the
// links between them.
type Topology struct {
	Nodes int
	// Switches is in the order of the file.
	Switches []int
	// Links is in the order of the file.
	Links []Link

	isSwitch []bool
}

// A Link joins interface APort of node A to interface BPort of node B.
// Interfaces count from 1, per node, in the order of the links.
type Link struct {
	A, B         int
	APort, BPort int
	Rate         units.Rate
	Delay        units.Time
	// Loss is the probability that a packet is lost; 0 leaves it to
	// ERROR_RATE_PER_LINK.
	Loss Ratio
}

// IsSwitch reports whether a node is a switch and not a host.
func (t *Topology) IsSwitch(node int) bool { return t.isSwitch[node] }

// Hosts is the nodes that are not switches, in rising order.
func (t *Topology) Hosts() []int {
	hosts := make([]int, 0, t.Nodes-len(t.Switches))
	for n := range t.Nodes {
		if !t.isSwitch[n] {
			hosts = append(hosts, n)
		}
	}
	return hosts
}

const wantLink = "`a b rate delay loss`, such as `0 2 100Gbps 0.001ms 0`"

// ReadTopology reads a topology alone; file is its display name. An error is a [*Problems].
func ReadTopology(file string, in io.Reader) (*Topology, []Ignored, error) {
	problems := &Problems{}
	text, ok := readText(in, file, problems)
	if !ok {
		return nil, nil, problems
	}
	t, ignored := parseTopology(file, text, problems)
	if !problems.none() {
		return nil, nil, problems
	}
	return t, ignored, nil
}

// parseTopology reads topology.txt. The result is complete only if it finds no problem.
func parseTopology(file, text string, problems *Problems) (*Topology, []Ignored) {
	r := &topologyReader{
		table: table{file: file, text: text, problems: problems},
		t:     &Topology{},
	}
	links, ok := r.counts()
	if !ok {
		return r.t, nil
	}
	r.switches()
	for range links {
		if !r.link() {
			break
		}
	}
	return r.t, append(r.shadowed(), r.rest("what follows the last link")...)
}

type topologyReader struct {
	table
	t         *Topology
	wantNodes int
	ports     []int
	// places is the line of each link.
	places []int
}

// counts reads `nodes switches links`, and is false if nothing can follow.
func (r *topologyReader) counts() (links int, ok bool) {
	l, ok := r.next(3, "`nodes switches links`")
	if !ok || l.words == nil {
		return 0, false
	}
	nodes, okN := parseInt(l.words[0], 1, maxNodes)
	switches, okS := parseInt(l.words[1], 0, nodes)
	n, okL := parseInt(l.words[2], 0, maxLinks)
	switch {
	case !okN:
		r.problems.add(r.file, l.number, l.words[0], "the number of nodes, "+wantInt(1, maxNodes))
	case !okS:
		r.problems.add(r.file, l.number, l.words[1], "the number of switches, "+wantInt(0, nodes))
	case !okL:
		r.problems.add(r.file, l.number, l.words[2], "the number of links, "+wantInt(0, maxLinks))
	}
	r.t.Nodes = int(nodes)
	r.wantNodes = int(switches)
	return int(n), okN && okS && okL
}

// switches reads the ids of the switches, on one line or more.
func (r *topologyReader) switches() {
	r.t.isSwitch = make([]bool, r.t.Nodes)
	r.ports = make([]int, r.t.Nodes)
	for missing := r.wantNodes; missing > 0; {
		l, ok := r.pull()
		if !ok {
			r.problems.add(r.file, 0, "", "the ids of "+strconv.Itoa(missing)+" more switches, but the file ends")
			return
		}
		if len(l.words) > missing {
			r.problems.add(r.file, l.number, join(l), "the ids of "+strconv.Itoa(missing)+" switches and no more")
			l.words = l.words[:missing]
		}
		for _, word := range l.words {
			id, ok := parseInt(word, 0, int64(r.t.Nodes-1))
			switch {
			case !ok:
				r.problems.add(r.file, l.number, word, "the id of a switch, "+wantInt(0, int64(r.t.Nodes-1)))
			case r.t.isSwitch[id]:
				r.problems.add(r.file, l.number, word, "each switch once")
			default:
				r.t.isSwitch[id] = true
				r.t.Switches = append(r.t.Switches, int(id))
			}
		}
		missing -= len(l.words)
	}
}

// link reads one link, and is false at the end of the file.
func (r *topologyReader) link() bool {
	l, ok := r.next(5, wantLink)
	if !ok || l.words == nil {
		return ok
	}
	last := int64(r.t.Nodes - 1)
	a, okA := parseInt(l.words[0], 0, last)
	b, okB := parseInt(l.words[1], 0, last)
	rate, okRate := parseRate(l.words[2])
	delay, okDelay := parseDelay(l.words[3])
	loss, okLoss := parseRatio(l.words[4], 1)
	checks := []struct {
		ok   bool
		word int
		want string
	}{
		{okA, 0, "the id of a node, " + wantInt(0, last)},
		{okB, 1, "the id of a node, " + wantInt(0, last)},
		{!okA || !okB || a != b, 1, "another node than the link starts from"},
		{okRate && rate > 0, 2, "a rate such as 100Gbps, above 0 and at most 100000Gbps"},
		{okDelay, 3, "a delay such as 0.001ms or 1us, at most 1s"},
		{okLoss, 4, "a probability of loss from 0 to 1"},
	}
	good := true
	for _, c := range checks {
		if !c.ok {
			r.problems.add(r.file, l.number, l.words[c.word], c.want)
			good = false
		}
	}
	if !good {
		return true
	}
	r.ports[a]++
	r.ports[b]++
	for _, n := range []int64{a, b} {
		if r.ports[n] == maxPorts+1 {
			r.problems.add(r.file, l.number, strconv.FormatInt(n, 10), "at most "+strconv.Itoa(maxPorts)+" links at one node")
		}
	}
	r.t.Links = append(r.t.Links, Link{int(a), int(b), r.ports[a], r.ports[b], rate, delay, loss})
	r.places = append(r.places, l.number)
	return true
}

// shadowed lists the links that another link between the same nodes replaces in
// the routes.
func (r *topologyReader) shadowed() []Ignored {
	type pair struct{ a, b int }
	last := map[pair]int{}
	var ignored []Ignored
	for i, l := range r.t.Links {
		p := pair{min(l.A, l.B), max(l.A, l.B)}
		if before, ok := last[p]; ok {
			ignored = append(ignored, Ignored{
				File: r.file, Line: r.places[before], Count: 1,
				What: "a link between " + strconv.Itoa(p.a) + " and " + strconv.Itoa(p.b) + ", because routes use the last one, of line " + strconv.Itoa(r.places[i]),
			})
		}
		last[p] = i
	}
	return ignored
}
