package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
	"weft/units"
)

// levelNames is the names of the levels, by number of levels.
var levelNames = [][]string{{}, {"switch"}, {"leaf", "spine"}, {"leaf", "spine", "core"}}

func levelName(level, levels int) string {
	if levels < len(levelNames) {
		return levelNames[levels][level]
	}
	return fmt.Sprintf("level %d", level+1)
}

// tree recognises a tree of levels: at most a tenth of the links stay on one level or skip one, all
// others go one level up or down.
func (in *inspection) tree(p *island) bool {
	g, level := p.g, p.level
	if slices.Contains(level, -1) || top(level) == 0 {
		return false
	}
	flat, skip := sameLevel(g, level), skipping(g, level)
	if 10*(len(flat)+len(skip)) > links(g) {
		return false
	}
	levels := top(level) + 1
	if levels > 2 && !narrows(level) {
		return false
	}
	in.levels(p)
	tops := 0
	for _, l := range level {
		if l == levels-1 {
			tops++
		}
	}
	words := []string{"", "", "two", "three", "four", "five"}
	count := fmt.Sprintf("%d", levels)
	if levels < len(words) {
		count = words[levels]
	}
	p.about.Family, p.about.What = FatTree, fmt.Sprintf("a %s-level fat tree", count)
	if tops == 1 {
		p.about.Family, p.about.What = Tree, fmt.Sprintf("a %s-level tree with one switch at the top", count)
	} else if pods := in.pods(p); pods > 1 {
		p.about.What += fmt.Sprintf(" of %d pods", pods)
	}
	for _, pair := range flat {
		in.find(Warning, "flat-link", ends(g, pair[0], pair[1]), "%s and %s are both %s switches and joined by %s: a tree has no links within a level",
			g.name(pair[0]), g.name(pair[1]), levelName(level[pair[0]], levels), plural(g.cables(pair[0], pair[1]), "cable"))
	}
	for _, pair := range skip {
		in.find(Warning, "skipping-link", ends(g, pair[0], pair[1]), "the %s %s and the %s %s are joined by %s, which skips a level",
			levelName(level[pair[0]], levels), g.name(pair[0]), levelName(level[pair[1]], levels), g.name(pair[1]), plural(g.cables(pair[0], pair[1]), "cable"))
	}
	in.strayHosts(p)
	in.uplinks(p)
	in.cabling(p)
	return true
}

// narrows reports whether each level is at most four times as large as the level below: a line or a
// ring of switches with hosts at one end is no tree.
func narrows(level []int) bool {
	count := make([]int, top(level)+1)
	for _, l := range level {
		count[l]++
	}
	for l := 1; l < len(count); l++ {
		if count[l] > 4*count[l-1] {
			return false
		}
	}
	return true
}

// levels measures each level.
func (in *inspection) levels(p *island) {
	g, level := p.g, p.level
	levels := max(top(level), 0) + 1
	type sums struct{ down, up units.Rate }
	total := make([]sums, levels)
	out := make([]Level, levels)
	ports, up, down := make([][]int, levels), make([][]int, levels), make([][]int, levels)
	for sw := range g.node {
		l := max(level[sw], 0)
		v := &out[l]
		v.Switches++
		v.Hosts += len(g.hosts[sw])
		v.Free += len(g.freePorts(int32(sw)))
		rate, count := in.flows(g, level, int32(sw))
		v.Up += count.up
		v.Down += count.down
		ports[l] = append(ports[l], g.s.Nodes[g.node[sw]].NumPorts())
		up[l], down[l] = append(up[l], count.up), append(down[l], count.down)
		total[l].down += rate.down
		total[l].up += rate.up
		if ratio := ratioOf(rate.down, rate.up); ratio > v.Worst {
			v.Worst, v.WorstSwitch = ratio, g.name(int32(sw))
		}
	}
	for l := range out {
		v := &out[l]
		v.Name, v.UpEach, v.DownEach = levelName(l, levels), -1, -1
		v.Ports, _ = usual(ports[l])
		v.Oversubscription = ratioOf(total[l].down, total[l].up)
		if each, ok := usual(up[l]); ok {
			v.UpEach = each
		}
		if each, ok := usual(down[l]); ok {
			v.DownEach = each
		}
	}
	p.about.Levels = out
}

func ratioOf(down, up units.Rate) float64 {
	if up <= 0 {
		return 0
	}
	return float64(down) / float64(up)
}

type flow[T any] struct{ down, up T }

// flows is the data rate and the number of a switch's cables down and up. Links of unknown rate
// count as 1 Gb/s, so that the ratios of a file without speeds are ratios of cables.
func (in *inspection) flows(g *graph, level []int, sw int32) (rate flow[units.Rate], count flow[int]) {
	n := &g.s.Nodes[g.node[sw]]
	for i := range n.Ports {
		p := &n.Ports[i]
		if !p.Peer.Exists() {
			continue
		}
		r := p.Link.Rate()
		if r == 0 {
			r = units.Gbps
		}
		far := g.number(p.Peer.Node)
		switch {
		case far < 0 && isAggregation(&g.s.Nodes[p.Peer.Node]):
		case far < 0 || level[far] < level[sw]:
			rate.down += r
			count.down++
		case level[far] > level[sw]:
			rate.up += r
			count.up++
		}
	}
	return rate, count
}

// pods counts the pods of a tree: 1 for two levels.
func (in *inspection) pods(p *island) int {
	if top(p.level) < 2 {
		return 1
	}
	of, _ := podsOf(p.g, p.level, 1)
	pods := map[int32]bool{}
	for sw, part := range of {
		if p.level[sw] == 0 {
			pods[part] = true
		}
	}
	return len(pods)
}

// strayHosts reports hosts on switches above the leaves, each once.
func (in *inspection) strayHosts(p *island) {
	levels := top(p.level) + 1
	at := map[int32][]subnet.End{} // by host
	var order []int32
	for sw := range p.g.node {
		if p.level[sw] == 0 {
			continue
		}
		for _, e := range p.g.hosts[sw] {
			h := in.hostOf[e.Node]
			if at[h] == nil {
				order = append(order, h)
			}
			at[h] = append(at[h], e)
		}
	}
	for _, h := range order {
		var adapters, switches []string
		for _, e := range at[h] {
			if name := in.names.of(e.Node); !slices.Contains(adapters, name) {
				adapters = append(adapters, name)
			}
			far := in.s.Peer(e)
			switches = append(switches, fmt.Sprintf("the %s %s", levelName(p.level[p.g.number(far.Node)], levels), in.endName(far)))
		}
		hang := "hangs"
		if len(adapters) > 1 {
			hang = "hang"
		}
		in.find(Warning, "stray-host", in.bothEnds(at[h]), "%s %s on %s: hosts belong on leaves", list(adapters, 4), hang, list(switches, 4))
	}
}

// uplinks reports switches with fewer cables up than their peers.
func (in *inspection) uplinks(p *island) {
	for l := range p.about.Levels {
		v := &p.about.Levels[l]
		if v.UpEach <= 0 || l == len(p.about.Levels)-1 {
			continue
		}
		same := 0
		fewer := []int32{}
		for sw := range p.g.node {
			if p.level[sw] != l {
				continue
			}
			_, count := in.flows(p.g, p.level, int32(sw))
			if count.up == v.UpEach {
				same++
			} else if count.up < v.UpEach {
				fewer = append(fewer, int32(sw))
			}
		}
		for _, sw := range fewer {
			_, count := in.flows(p.g, p.level, sw)
			in.find(Warning, "fewer-uplinks", nil, "%s %s has %s up, %d of the %s have %d",
				v.Name, p.g.name(sw), plural(count.up, "cable"), same, plural(v.Switches, v.Name), v.UpEach)
		}
	}
}

// ends are the ports of a and b at the cables between them.
func ends(g *graph, a, b int32) []subnet.End {
	var out []subnet.End
	for _, p := range g.ports(a, b) {
		e := subnet.End{Node: g.node[a], Port: p}
		out = append(out, e, g.s.Peer(e))
	}
	sorting.StableFunc(out, func(x, y subnet.End) int { return cmp.Compare(x.Node, y.Node) })
	return out
}
