package roceexport

import (
	"weft/internal/roce"
	"weft/units"
)

// role is a kind of switch of the fabric, whose switches have one configuration.
type role struct {
	name string // leaf, spine or core; "" for the only one of the fabric
	// cables are the lengths by port. A port without a cable has the longest of the role.
	cables []units.Length
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
			r = &role{name: levels[n.Level], cables: make([]units.Length, p.Ports)}
			byLevel[n.Level] = r
		}
		for port, c := range n.Cables {
			if c >= 0 && port < len(r.cables) {
				r.cables[port] = max(r.cables[port], g.Cables[c].Length)
			}
		}
	}
	var all []role
	for level := int8(1); level <= 3; level++ {
		if r := byLevel[level]; r != nil {
			r.fill()
			all = append(all, *r)
		}
	}
	if len(all) == 1 {
		all[0].name = ""
	}
	return all, nil
}

// fill gives ports without a cable the longest of the role.
func (r *role) fill() {
	longest := units.Length(0)
	for _, c := range r.cables {
		longest = max(longest, c)
	}
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
