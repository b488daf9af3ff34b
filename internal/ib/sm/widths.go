package sm

import "weft/wire/mad"

// knowsExtSpeeds is the bit of PortInfo's modifier by which a manager says that it knows the fields of
// extended speeds.
const knowsExtSpeeds = 1 << 31

// writeWidthsAndSpeeds writes the widths and speeds that ports may use to both ends of each link where
// they differ from the settings at one end. Like OpenSM it does so in a Set without a change of state:
// ibsim trains a link at such a Set. A real link keeps its width and speed until it is trained again.
func (w *portSetup) writeWidthsAndSpeeds() {
	w.eachLinked(func(n int32, p uint8, here, there *mad.PortInfo) {
		peer := w.nodes[n].ports[p].peer
		want := w.enabling(end{n, p})
		if want == *here && w.enabling(peer) == *there {
			return
		}
		modifier := uint32(p)
		if want.LinkSpeedExtOn != here.LinkSpeedExtOn {
			modifier |= knowsExtSpeeds
		}
		width, speed, ext := want.LinkWidthEnabled, want.LinkSpeedEnabled, want.LinkSpeedExtOn
		unchanged(&want)
		want.LinkWidthEnabled, want.LinkSpeedEnabled, want.LinkSpeedExtOn = width, speed, ext
		w.ask(w.set(n, mad.AttrPortInfo, modifier, p, &want))
	})
}

// enabling is a port's PortInfo with the widths and speeds that it should enable. The conditions are
// those of OpenSM 3.3.23 (osm_link_mgr.c, link_mgr_set_physp_pi): widths from 2x on, and all of them,
// need a port that knows 2x; extended speeds need both ends.
func (w *portSetup) enabling(at end) mad.PortInfo {
	s, n := w.settings, w.nodes[at.node]
	want, able := n.ports[at.port].info, n.capabilities(at.port)
	if s.LinkWidth < width2x || able.CapabilityMask2&mad.Cap2Width2x != 0 {
		enable(&want.LinkWidthEnabled, s.LinkWidth, allWidths, want.LinkWidthSupported)
	}
	enable(&want.LinkSpeedEnabled, s.LinkSpeed, allSpeeds, want.LinkSpeedSupported)
	peer := n.ports[at.port].peer
	if able.CapabilityMask&w.nodes[peer.node].capabilities(peer.port).CapabilityMask&mad.CapExtSpeeds != 0 {
		enable(&want.LinkSpeedExtOn, s.LinkSpeedExt, allExtSpeeds, want.LinkSpeedExtCap)
	}
	return want
}

// width2x is PortInfo's bit of 2 lanes, the last of the widths.
const width2x = 16

// enable sets what a port enables; 0 leaves it, and all changes nothing if all that it supports is
// enabled.
func enable(enabled *uint8, to, all, supported uint8) {
	if to != 0 && (to != all || *enabled != supported) {
		*enabled = to
	}
}
