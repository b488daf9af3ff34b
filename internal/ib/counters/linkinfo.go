package counters

import (
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
)

// iblinkinfo's lines are taken apart by package format, which makes a subnet of them. Here each line
// is a reading: a file that lists a part of the ports is enough.

func isLinkInfo(text string) bool {
	return format.Detect([]byte(head(text))) == format.LinkInfo
}

func readLinkInfo(in *portstate.Input) {
	var own portstate.Port // of the last «Switch: …» or «CA: …»
	for line := range in.Lines() {
		name, rest, _ := strings.Cut(line, ": ")
		switch {
		case name == "Switch" && strings.HasPrefix(rest, "0x"):
			guid, title, _ := strings.Cut(rest, " ")
			g, _ := portstate.ParseGUID(guid)
			own = portstate.Port{GUID: g, Node: g, Device: strings.TrimSuffix(title, ":"), Role: cabling.Switch}
		case name == "CA" || name == "Router":
			own = portstate.Port{Device: strings.TrimSuffix(rest, ":"), Role: cabling.Host}
		case strings.Contains(line, "=="):
			linkLine(in, line, own)
		}
	}
}

// linkLine adds the reading of a line.
func linkLine(in *portstate.Input, line string, own portstate.Port) {
	row, ok := parseLinkRow(line)
	if !ok {
		in.Note("expected a link as in «11 4[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 24 1[  ] \"h1\" ( )», not %q", short(line))
		return
	}
	p := own
	p.Number, p.LID = row.Number, uint32(row.LID)
	if row.GUID != 0 {
		p.GUID = row.GUID
	}
	if row.Named { // line mode: the line has the name, and no kind
		p.Device, p.Role, p.Node = row.Name, cabling.Unknown, 0
	}
	if p.GUID == 0 && p.Device == "" {
		in.Note("the line is in no node: expected «Switch: 0x… name:» or «CA: name:» above it")
		return
	}
	row.into(in, in.Reading(p))
}

// linkRow is a line of iblinkinfo.
type linkRow struct{ format.LinkRow }

func parseLinkRow(line string) (linkRow, bool) {
	row, ok := format.ParseLinkRow(line)
	return linkRow{row}, ok
}

// into stores what the line says of the link.
func (row linkRow) into(in *portstate.Input, r *portstate.Reading) {
	r.Physical = row.Physical
	switch {
	case row.State == subnet.Disabled:
		r.State = portstate.Say(in, portstate.Disabled)
	case row.Up, row.Physical == "LinkUp": // the other end can be unknown: «Port not available»
		r.State = portstate.Say(in, portstate.Up)
	default:
		r.State = portstate.Say(in, portstate.Down)
	}
	if row.Link.Rate() > 0 && row.Up {
		r.Link = portstate.Say(in, linkOf(row.Link))
		could := row.Link
		if row.Could != (subnet.Link{}) {
			could = row.Could
		}
		r.Could = portstate.Say(in, linkOf(could))
	}
	if row.Up {
		r.HasPeer = true
		r.Cabled = portstate.Say(in, true)
		r.Peer = portstate.Port{GUID: row.PeerGUID, LID: uint32(row.PeerLID), Device: row.PeerName, Number: row.PeerNumber}
	}
}

// linkOf is a link of a subnet as portstate has it.
func linkOf(l subnet.Link) portstate.Link {
	lane := subnet.Link{Width: 1, Speed: l.Speed}
	return portstate.Link{Lanes: int(l.Width), Lane: lane.Rate(), Speed: l.Speed.String()}
}

// linkFrom reads a width such as 4x and a lane's speed in Gb/s as ibdiagnet writes it, coding
// included or not: 100 is NDR.
func linkFrom(width, speed string) (portstate.Link, bool) {
	w, okWidth := subnet.ParseWidth(strings.TrimSpace(width))
	f, err := strconv.ParseFloat(strings.TrimSpace(speed), 64)
	if !okWidth || err != nil {
		s, ok := subnet.ParseSpeed(strings.TrimSpace(speed))
		if !okWidth || !ok {
			return portstate.Link{}, false
		}
		return linkOf(subnet.Link{Width: w, Speed: s}), true
	}
	s, ok := laneSpeeds[f]
	if !ok {
		return portstate.Link{}, false
	}
	return linkOf(subnet.Link{Width: w, Speed: s}), true
}

// laneSpeeds are the speeds by the number that ibdiagnet prints for a lane (.net_dump, column LSA).
var laneSpeeds = map[float64]subnet.Speed{
	2.5: subnet.SDR, 5: subnet.DDR, 10: subnet.QDR, 14: subnet.FDR, 14.0625: subnet.FDR,
	25: subnet.EDR, 25.78125: subnet.EDR, 50: subnet.HDR, 53.125: subnet.HDR, 100: subnet.NDR, 106.25: subnet.NDR,
	200: subnet.XDR, 212.5: subnet.XDR,
}
