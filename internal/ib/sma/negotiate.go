package sma

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// Three things are told of a port: what it supports, what of that is enabled, and what is active.
// Training makes the best active that both ends have enabled and the cable carries (IBA vol. 1,
// 14.2.5.6, LinkWidth… and LinkSpeed…). So a link that a file shows as slower than its ports stays so:
// its cable carries no more.

// model is nodes of one make: a switch alone, adapters by their IDs.
type model struct {
	guid   units.GUID // of a switch, or of an adapter without IDs
	vendor uint32
	device uint16
}

func modelOf(n *subnet.Node) model {
	if n.Kind == subnet.Adapter && n.DeviceID != 0 {
		return model{vendor: n.VendorID, device: n.DeviceID}
	}
	return model{guid: n.GUID}
}

// modelsOf is what each model supports: the greatest width and speed that one of its links has, or
// could have.
func modelsOf(s *subnet.Subnet) map[model]subnet.Link {
	models := make(map[model]subnet.Link, len(s.Nodes))
	for i := range s.Nodes {
		n := &s.Nodes[i]
		m := models[modelOf(n)]
		for p := range n.Ports {
			for _, l := range [...]subnet.Link{n.Ports[p].Link, n.Ports[p].Could} {
				m.Width, m.Speed = max(m.Width, l.Width), max(m.Speed, l.Speed)
			}
		}
		models[modelOf(n)] = m
	}
	return models
}

// supports is the greatest width and speed of a node's ports: 4x and SDR if no link shows more.
func (f *Fabric) supports(i int32) subnet.Link {
	best := f.models[modelOf(&f.sub.Nodes[i])]
	if best.Width == 0 {
		best.Width = 4
	}
	best.Speed = max(best.Speed, subnet.SDR)
	return best
}

// activate makes a width and a speed active.
func (q *port) activate(link subnet.Link) {
	s := speedOf(link.Speed)
	q.info.LinkWidthActive = widthBit(link.Width)
	q.info.LinkSpeedActive, q.info.LinkSpeedExtActive, q.info.LinkSpeedExt2Active = 1<<(s.legacy-1), 1<<s.extended>>1, s.second
	if s.second > 0 { // one speed is active
		q.info.LinkSpeedExtActive = 0
	}
}

// enables reports whether a port has a speed enabled.
func (q *port) enables(speed subnet.Speed) bool {
	s := speedOf(speed)
	switch {
	case s.second > 0:
		return q.info.LinkSpeedExt2On&q.info.LinkSpeedExt2Cap&s.second != 0
	case s.extended > 0:
		return q.info.LinkSpeedExtOn&q.info.LinkSpeedExtCap>>(s.extended-1)&1 == 1
	case speed == subnet.FDR10 && !q.fdr10:
		return false
	}
	return q.info.LinkSpeedEnabled&q.info.LinkSpeedSupported>>(s.legacy-1)&1 == 1
}

// negotiate makes the best width and speed of a cable active at both of its ends. It reports false if
// they have none in common: then the link stays down.
func (f *Fabric) negotiate(a, b subnet.End) bool {
	x, y := &f.nodes[a.Node].ports[a.Port], &f.nodes[b.Node].ports[b.Port]
	one, other := f.sub.Port(a).Link, f.sub.Port(b).Link
	cable := subnet.Link{Width: min(one.Width, other.Width), Speed: min(one.Speed, other.Speed)}
	if cable.Rate() == 0 { // not known
		cable = subnet.Link{Width: 12, Speed: subnet.XDR}
	}
	var link subnet.Link
	for _, w := range []subnet.Width{12, 8, 4, 2, 1} {
		if w <= cable.Width && x.info.LinkWidthEnabled&y.info.LinkWidthEnabled&widthBit(w) != 0 {
			link.Width = w
			break
		}
	}
	for s := cable.Speed; s > subnet.SpeedUnknown; s-- {
		if x.enables(s) && y.enables(s) {
			link.Speed = s
			break
		}
	}
	if link.Width == 0 || link.Speed == subnet.SpeedUnknown {
		return false
	}
	x.activate(link)
	y.activate(link)
	return true
}
