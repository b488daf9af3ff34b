package roceexport

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/roce"
	"weft/units"
)

// role is a kind of switch of the fabric, whose switches have one configuration.
type role struct {
	name string // leaf, spine or core; "" for the only one of the fabric
	// cables are the lengths by port. A port without a cable has the longest of the role.
	cables []units.Length
}

// file is the name of the role's file.
func (r *role) file(name, ending string) string {
	if r.name != "" {
		name += "-" + r.name
	}
	return name + ending
}

func (r *role) longest() units.Length { return slices.Max(r.cables) }

// lengths are the lengths of the role's cables, the longest first; of those that are alike in whole
// metres the longest.
func (r *role) lengths() []units.Length {
	all := slices.Clone(r.cables)
	sorting.Func(all, func(a, b units.Length) int { return cmp.Compare(b, a) })
	return slices.CompactFunc(all, func(a, b units.Length) bool { return metres(a) == metres(b) })
}

// ranges are the ports, counted from 1, with a length of cable in whole metres: 1-4, 7.
func (r *role) ranges(cable units.Length) (list []string) {
	has := func(i int) bool { return i < len(r.cables) && metres(r.cables[i]) == metres(cable) }
	for i := range r.cables {
		if !has(i) || i > 0 && has(i-1) {
			continue
		}
		last := i
		for has(last + 1) {
			last++
		}
		if last == i {
			list = append(list, fmt.Sprint(i+1))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", i+1, last+1))
		}
	}
	return list
}

// levels are the names of roles by the level of their switches.
var levels = map[int8]string{1: "leaf", 2: "spine", 3: "core"}

// roles are the kinds of switches, from the leaves up. Switches of a role whose ports differ get the
// longest cable of each port.
func (p *Plan) roles() ([]role, error) {
	g, err := p.shape.Build()
	if err != nil {
		return nil, err
	}
	byLevel := map[int8]*role{}
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		n := &g.Nodes[i]
		r := byLevel[n.Level]
		if r == nil {
			r = &role{name: cmp.Or(levels[n.Level], fmt.Sprintf("level%d", n.Level)), cables: make([]units.Length, p.Ports)}
			byLevel[n.Level] = r
		}
		for port, c := range n.Cables {
			if c >= 0 && port < len(r.cables) {
				r.cables[port] = max(r.cables[port], g.Cables[c].Length)
			}
		}
	}
	var all []role
	for _, level := range slices.Sorted(maps.Keys(byLevel)) {
		byLevel[level].fill()
		all = append(all, *byLevel[level])
	}
	if len(all) == 1 {
		all[0].name = ""
	}
	return all, nil
}

// fill gives ports without a cable the longest of the role.
func (r *role) fill() {
	longest := r.longest()
	for i, c := range r.cables {
		if c == 0 {
			r.cables[i] = longest
		}
	}
}

// hostCable is the longest cable at a host.
func (p *Plan) hostCable() units.Length {
	longest := units.Length(0)
	g, err := p.shape.Build()
	if err != nil {
		return p.Cable // the switches' files say what is wrong
	}
	for i := range g.Nodes[:g.Endpoints] {
		for _, c := range g.Nodes[i].Cables {
			if c >= 0 {
				longest = max(longest, g.Cables[c].Length)
			}
		}
	}
	return longest
}

// headroomOf is the headroom for a cable: by the vendor's formula, if the simulated one is the
// formula's for the longest cable, or else the simulated one for all.
func (p *Plan) headroomOf(cable units.Length) units.Bytes {
	simulated := p.Ethernet.PFC.Headroom
	if p.asic == nil || p.formula(p.Cable) != simulated {
		return simulated
	}
	return p.formula(cable)
}

// portMTU is the MTU of the ports of a switch, as the simulator's headroom has it.
const portMTU = 9216

// formula is the vendor's headroom for a cable; 0 if the formula refuses it.
func (p *Plan) formula(cable units.Length) units.Bytes {
	h, err := p.asic.Headroom(roce.Port{Speed: p.Speed, Cable: cable, MTU: portMTU, Lanes: p.Lanes}, roce.Harshest, false)
	if err != nil {
		return 0
	}
	return h.Xoff
}
