package proof

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

// drawSubnet is a random subnet: switches with random cables, sometimes several
// between two switches; adapters with one or two ports; some islands.
func drawSubnet(t *testing.T, r *rand.Rand) *subnet.Subnet {
	t.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	switches, ports := 2+r.IntN(12), 8+r.IntN(80)
	for i := range switches {
		s.Add(subnet.Node{Kind: subnet.Switch, GUID: units.GUID(1000 + i), Name: fmt.Sprintf("sw%d", i)}, ports)
		s.Nodes[i].Ports[0].GUID = units.GUID(1000 + i)
	}
	free := func(node int32) (subnet.End, bool) {
		for range 20 {
			if e := (subnet.End{Node: node, Port: uint16(1 + r.IntN(ports))}); !s.Peer(e).Exists() {
				return e, true
			}
		}
		return subnet.None, false
	}
	for range switches * 2 {
		a, okA := free(int32(r.IntN(switches)))
		b, okB := free(int32(r.IntN(switches)))
		if okA && okB && a.Node != b.Node {
			s.Connect(a, b, subnet.Link{})
		}
	}
	for i := range 3 + r.IntN(20) {
		at := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(i * 8), Name: fmt.Sprintf("h%d", i)}, 2)
		for p := 1; p <= 1+r.IntN(2); p++ {
			s.Nodes[at].Ports[p].GUID = units.GUID(i*8 + p)
			if e, ok := free(int32(r.IntN(switches))); ok {
				s.Connect(subnet.End{Node: at, Port: uint16(p)}, e, subnet.Link{})
			}
		}
	}
	if err := s.AssignLIDs(uint8(r.IntN(2))); err != nil {
		t.Fatal(err)
	}
	return s
}

// drawTables are tables of random shortest paths; some entries are then overwritten with
// random ports.
func drawTables(s *subnet.Subnet, r *rand.Rand) *subnet.Tables {
	t := subnet.NewTables(s)
	n := newNetwork(s)
	for lid := range n.owner {
		root, port := n.root(lid)
		if root < 0 {
			continue
		}
		roots := [block]int32{root}
		for i := 1; i < block; i++ {
			roots[i] = -1
		}
		d := newDistances(n)
		d.search(n, &roots)
		for u := range n.sw {
			if int32(u) == root {
				t.LFT[u][lid] = port
				continue
			}
			var ways []uint8
			for p := range n.stride {
				if v := n.to[u*n.stride+p]; v >= 0 && d.of(0)[u] != farAway && d.of(0)[v] < d.of(0)[u] {
					ways = append(ways, uint8(p))
				}
			}
			if len(ways) > 0 {
				t.LFT[u][lid] = ways[r.IntN(len(ways))]
			}
		}
	}
	for range r.IntN(4) {
		u := r.IntN(len(t.LFT))
		t.LFT[u][r.IntN(len(t.LFT[u]))] = uint8(r.IntN(256))
	}
	drawLanes(s, t, r)
	return t
}

func drawLanes(s *subnet.Subnet, t *subnet.Tables, r *rand.Rand) {
	if r.IntN(2) == 0 {
		return
	}
	salt, lanes := r.Uint32(), 1+r.IntN(4)
	t.SL = func(src, dst units.LID) units.SL {
		return units.SL((uint32(src)*2654435761 ^ uint32(dst)*40503 ^ salt) >> 7 % uint32(lanes))
	}
	if r.IntN(2) == 0 {
		return
	}
	t.SL2VL = make([]subnet.SLMap, len(t.LFT))
	for i := range t.SL2VL {
		m := subnet.NewSLMap(s.Nodes[t.Switch[i]].NumPorts())
		for j := range m.VL {
			m.VL[j] = units.VL(r.IntN(lanes))
			if r.IntN(500) == 0 {
				m.VL[j] = 15
			}
		}
		t.SL2VL[i] = m
	}
}

// twin walks every path from every end to every LID.
type twin struct {
	s     *subnet.Subnet
	t     *subnet.Tables
	reach Reach
	hops  map[int]int64
	loads map[subnet.End]int64
	waits map[Hold]map[Hold]bool
}

func (w *twin) walk(src subnet.End, dst int, owner subnet.End) {
	w.reach.Pairs++
	at := w.s.Peer(src)
	sl := units.SL(0)
	if w.t.SL != nil {
		sl = w.t.SL(w.s.Port(src).LID, units.LID(dst))
	}
	var holds []Hold
	lost := false
	for hop := 1; ; hop++ {
		d := w.t.Dense[at.Node]
		out := w.t.LFT[d][dst]
		here := subnet.End{Node: at.Node, Port: uint16(out)}
		if hop > 300 {
			w.reach.Looping++
			return
		}
		if out == 0 || int(out) >= len(w.s.Nodes[at.Node].Ports) {
			w.reach.Lost++
			return
		}
		vl := units.VL(0)
		if w.t.SL2VL != nil {
			vl = w.t.SL2VL[d].At(uint8(at.Port), out, sl)
		} else if w.t.SL != nil {
			vl = units.VL(sl)
		}
		peer := w.s.Peer(here)
		if peer == owner {
			w.reach.Arrive++
			w.hops[hop]++
			break
		}
		if !peer.Exists() || w.s.Nodes[peer.Node].Kind != subnet.Switch {
			w.reach.Lost++
			return
		}
		lost = lost || vl == 15
		if !lost {
			holds = append(holds, Hold{here, vl})
		}
		at = peer
	}
	at = w.s.Peer(src)
	for { // loads do not depend on lanes
		here := subnet.End{Node: at.Node, Port: uint16(w.t.LFT[w.t.Dense[at.Node]][dst])}
		if at = w.s.Peer(here); at == owner {
			break
		}
		w.loads[here]++
	}
	for i := 1; i < len(holds); i++ {
		if w.waits[holds[i-1]] == nil {
			w.waits[holds[i-1]] = map[Hold]bool{}
		}
		w.waits[holds[i-1]][holds[i]] = true
	}
}

// girth is the length of the shortest cycle, 0 without a cycle.
func (w *twin) girth() int {
	best := 0
	for start := range w.waits {
		depth := map[Hold]int{start: 1}
		queue := []Hold{start}
		for len(queue) > 0 {
			u := queue[0]
			queue = queue[1:]
			for v := range w.waits[u] {
				if v == start && (best == 0 || depth[u] < best) {
					best = depth[u]
				}
				if depth[v] == 0 {
					depth[v] = depth[u] + 1
					queue = append(queue, v)
				}
			}
		}
	}
	return best
}

func newTwin(s *subnet.Subnet, t *subnet.Tables) *twin {
	w := &twin{s: s, t: t, hops: map[int]int64{}, loads: map[subnet.End]int64{}, waits: map[Hold]map[Hold]bool{}}
	owners := s.Owners()
	for lid, src := range owners {
		if !src.Exists() || s.Nodes[src.Node].Kind == subnet.Switch {
			continue
		}
		if int(s.Port(src).LID) != lid {
			continue
		}
		for dst, owner := range owners {
			if !owner.Exists() || s.Nodes[owner.Node].Kind == subnet.Switch || owner == src {
				continue
			}
			w.walk(src, dst, owner)
		}
	}
	return w
}

func TestCheckAgreesWithWalkingEachPath(t *testing.T) {
	loops := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := drawSubnet(t, r)
		tables := drawTables(s, r)
		got, err := Check(s, tables, Options{Workers: 1 + int(seed%3)})
		if err != nil {
			t.Fatal(err)
		}
		w := newTwin(s, tables)
		compareWithTwin(t, seed, got, w)
		if got.Deadlocks() {
			loops++
		}
		if t.Failed() {
			return
		}
	}
	if loops < 20 || loops > 380 {
		t.Errorf("%d of 400 subnets had credit loops: too few or too many to test", loops)
	}
}

func compareWithTwin(t *testing.T, seed uint64, got *Report, w *twin) {
	t.Helper()
	lost := got.EndToEnd
	lost.Lost += lost.Islands // the twin does not tell islands apart
	lost.Islands = 0
	if lost.Lost+lost.Looping != w.reach.Lost+w.reach.Looping || lost.Arrive != w.reach.Arrive || lost.Pairs != w.reach.Pairs {
		t.Errorf("seed %d: %+v, and one by one %+v", seed, got.EndToEnd, w.reach)
	}
	for hops, n := range got.Hops {
		if n != w.hops[hops] {
			t.Errorf("seed %d: %d paths of %d hops, and one by one %d", seed, n, hops, w.hops[hops])
		}
	}
	most := int64(0)
	for _, n := range w.loads {
		most = max(most, n)
	}
	if got.Balance.Max != most {
		t.Errorf("seed %d: most loaded cable has %d paths, and one by one %d", seed, got.Balance.Max, most)
	}
	for _, l := range got.Balance.Worst {
		if w.loads[l.Port] != l.Paths {
			t.Errorf("seed %d: %v has %d paths, and one by one %d", seed, l.Port, l.Paths, w.loads[l.Port])
		}
	}
	girth := 0
	for _, c := range got.Cycles {
		if girth == 0 || len(c.Holds) < girth {
			girth = len(c.Holds)
		}
		for i, h := range c.Holds {
			if next := c.Holds[(i+1)%len(c.Holds)]; !w.waits[h][next] {
				t.Errorf("seed %d: no path waits at %v for %v", seed, h, next)
			}
		}
	}
	if want := w.girth(); girth != want {
		t.Errorf("seed %d: shortest credit loop of %d, and one by one %d", seed, girth, want)
	}
}

func TestDiffCountsWhatChanges(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 11))
		s := drawSubnet(t, r)
		a, b := drawTables(s, r), drawTables(s, r)
		d, err := Diff(s, a, b)
		if err != nil {
			t.Fatal(err)
		}
		entries, before, after := 0, newTwin(s, a), newTwin(s, b)
		for u := range a.LFT {
			for lid := range a.LFT[u] {
				if a.LFT[u][lid] != b.LFT[u][lid] {
					entries++
				}
			}
		}
		if d.Entries != entries {
			t.Errorf("seed %d: %d entries differ, and one by one %d", seed, d.Entries, entries)
		}
		if d.Pairs+d.Lost != before.reach.Arrive || d.Pairs+d.Gained != after.reach.Arrive {
			t.Errorf("seed %d: %+v; %d arrive before and %d after", seed, d, before.reach.Arrive, after.reach.Arrive)
		}
		for _, l := range d.Loads {
			if before.loads[l.Port] != l.Old || after.loads[l.Port] != l.New {
				t.Errorf("seed %d: %+v, and one by one %d and %d", seed, l, before.loads[l.Port], after.loads[l.Port])
			}
		}
		if same, err := Diff(s, a, a); err != nil || same.Entries != 0 || same.Moved != 0 || len(same.Loads) != 0 {
			t.Errorf("seed %d: tables differ from themselves: %+v, %v", seed, same, err)
		}
	}
}

func TestTablesOfAnotherSubnetAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := drawSubnet(t, r)
	other := drawSubnet(t, r)
	if _, err := Check(s, subnet.NewTables(other), Options{}); err == nil {
		t.Error("tables of another subnet were checked")
	}
}

func TestLIDsThatNoPortCanHaveAreRefused(t *testing.T) {
	s := drawSubnet(t, rand.New(rand.NewPCG(1, 1)))
	tables := subnet.NewTables(s)
	for _, p := range []subnet.Port{{LID: 0xffff, LMC: 7}, {LID: 0xc000}, {LID: 1, LMC: 8}} {
		bad := s.Clone()
		bad.Nodes[0].Ports[0].LID, bad.Nodes[0].Ports[0].LMC = p.LID, p.LMC
		if _, err := Check(bad, tables, Options{}); err == nil {
			t.Errorf("LID %d with LMC %d was accepted", p.LID, p.LMC)
		}
	}
}

func TestPortsThatClaimOneLIDAreFound(t *testing.T) {
	s := drawSubnet(t, rand.New(rand.NewPCG(2, 1)))
	tables := drawTables(s, rand.New(rand.NewPCG(3, 1)))
	s.Nodes[1].Ports[0].LID = s.Nodes[0].Ports[0].LID
	r, err := Check(s, tables, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Proven() {
		t.Error("a LID with two owners was proven")
	}
}

func TestReportsDoNotDependOnCores(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := drawSubnet(t, r)
		tables := drawTables(s, r)
		one, err := Check(s, tables, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{2, 3, 7} {
			if got, err := Check(s, tables, Options{Workers: workers}); err != nil || !reflect.DeepEqual(got, one) {
				t.Errorf("seed %d: with %d cores %+v, %v, with one %+v", seed, workers, got, err, one)
			}
		}
	}
}
