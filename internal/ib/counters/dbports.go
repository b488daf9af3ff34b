package counters

import (
	"fmt"
	"strconv"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/internal/ib/subnet"
)

// dbLink reads a row of LINKS. Each link is there once, from one of its ends.
func (d *dbReader) dbLink(row dbRow) {
	a, okA := d.at(dbRow{}, row.get("nodeguid1"), row.get("portnum1", "portnumber1"))
	b, okB := d.at(dbRow{}, row.get("nodeguid2"), row.get("portnum2", "portnumber2"))
	if !okA || !okB {
		d.Note("expected two nodes with their ports in a row of LINKS")
		return
	}
	r := d.Reading(a)
	r.Peer, r.HasPeer, r.Cabled = b, true, portstate.Say(d.Input, true)
	r = d.Reading(b)
	r.Peer, r.HasPeer, r.Cabled = a, true, portstate.Say(d.Input, true)
}

// port reads a row of PORTS: PortInfo in decimal codes (IBA vol. 1, 14.2.5.6). ibdiagnet puts the
// extended speeds above the first eight bits and FDR10 above those, so that one number has all.
func (d *dbReader) port(row dbRow) {
	p, ok := d.of(row)
	if !ok {
		return
	}
	r := d.Reading(p)
	state, okState, _ := portstate.ParseCount(row.get("portstate"))
	physical, okPhysical, _ := portstate.ParseCount(row.get("portphystate", "portphysicalstate"))
	if okPhysical && p.Number > 0 {
		r.Physical = physicalStates[physical]
	}
	switch {
	case p.Number == 0: // the switch itself
	case okPhysical && physical == 3:
		r.State = portstate.Say(d.Input, portstate.Disabled)
	case okState && state >= 2 || okPhysical && physical == 5:
		r.State = portstate.Say(d.Input, portstate.Up)
	case okState && state == 1:
		r.State = portstate.Say(d.Input, portstate.Down)
	}
	width, speed := bits(row.get("linkwidthactv")), bits(row.get("linkspeedactv"))
	if r.State.Value == portstate.Up {
		if link := bestLink(width, speed); link.Rate() > 0 {
			r.Link = portstate.Say(d.Input, link)
		}
	}
	if link := bestLink(bits(row.get("linkwidthsup")), bits(row.get("linkspeedsup"))); link.Rate() > 0 {
		r.Supports = portstate.Say(d.Input, link)
	} else if link := bestLink(bits(row.get("linkwidthsup", "linkwidthen")), bits(row.get("linkspeeden"))); link.Rate() > 0 {
		r.Supports = portstate.Say(d.Input, link) // speeds that are switched on
	}
}

// physicalStates are the codes of PortPhysicalState (IBA vol. 1, 14.2.5.6).
var physicalStates = map[uint64]string{1: "Sleep", 2: "Polling", 3: "Disabled", 4: "Training", 5: "LinkUp", 6: "Recovery", 7: "PhyTest"}

// nodeType is the role of a NodeType.
func nodeType(code string) cabling.Role {
	switch code {
	case "1", "CA", "HCA":
		return cabling.Host
	case "2", "SW", "Switch":
		return cabling.Switch
	case "3", "RT", "Router":
		return cabling.Router
	}
	return cabling.Unknown
}

func bits(text string) uint64 {
	n, ok, _ := portstate.ParseCount(text)
	if !ok {
		return 0
	}
	return n
}

var widthBits = []struct {
	bit   uint64
	lanes subnet.Width
}{{8, 12}, {4, 8}, {2, 4}, {16, 2}, {1, 1}}

var speedBits = []struct {
	bit   uint64
	speed subnet.Speed
}{
	{1 << 12, subnet.XDR},
	{1 << 11, subnet.NDR},
	{1 << 10, subnet.HDR},
	{1 << 9, subnet.EDR},
	{1 << 8, subnet.FDR},
	{1 << 16, subnet.FDR10},
	{1 << 2, subnet.QDR},
	{1 << 1, subnet.DDR},
	{1 << 0, subnet.SDR},
}

// bestLink is the widest and fastest link of two masks.
func bestLink(width, speed uint64) portstate.Link {
	var link subnet.Link
	for _, w := range widthBits {
		if width&w.bit != 0 {
			link.Width = w.lanes
			break
		}
	}
	for _, s := range speedBits {
		if speed&s.bit != 0 {
			link.Speed = s.speed
			break
		}
	}
	return linkOf(link)
}

// pm reads a row of PM_INFO: a column for each counter, the 64-bit ones with Ext or Extended in the
// name. The wider counter counts, unless the device does not have it.
func (d *dbReader) pm(row dbRow) {
	p, ok := d.of(row)
	if !ok {
		return
	}
	r := d.Reading(p)
	r.Reader += " " + d.section // two sections of one file are no two times
	type best struct {
		text     string
		extended bool
	}
	found := map[string]best{}
	for column, i := range row.columns {
		name, extended, ok := counterName(column)
		if !ok {
			continue
		}
		if _, ok, valid := portstate.ParseCount(row.cells[i]); !ok && valid {
			continue
		}
		if b, has := found[name]; !has || extended && !b.extended {
			found[name] = best{row.cells[i], extended}
		}
	}
	for _, name := range sortedKeys(found) {
		count(d.Input, r, name, found[name].text, found[name].extended)
	}
}

// errorRates reads a row of PHY_DB or PHY_INFO whose columns have names.
func (d *dbReader) errorRates(row dbRow) {
	p, ok := d.of(row)
	if !ok {
		return
	}
	r := d.Reading(p)
	for _, v := range []struct {
		to    *portstate.Said[float64]
		names []string
	}{
		{&r.Raw, []string{"rawber", "prefecber"}},
		{&r.Effective, []string{"effectiveber", "effber", "postfecber"}},
		{&r.Symbol, []string{"symbolber", "symber"}},
	} {
		if f, _, ok := portstate.ParseFloat(row.get(v.names...)); ok {
			setRate(d.Input, v.to, f)
		}
	}
}

// numberedRates reads a row of PHY_DB16, whose columns have numbers: mantissa and negative exponent of
// the raw, the effective and the symbol error rate are field12 to field17 (notes of a public reader).
// An exponent of more than three digits stands for no value.
func (d *dbReader) numberedRates(row dbRow) {
	p, ok := d.of(row)
	if !ok {
		return
	}
	r := d.Reading(p)
	for _, v := range []struct {
		to                 *portstate.Said[float64]
		mantissa, exponent string
	}{
		{&r.Raw, "field12", "field13"}, {&r.Effective, "field14", "field15"}, {&r.Symbol, "field16", "field17"},
	} {
		m, okM, _ := portstate.ParseCount(row.get(v.mantissa))
		e, okE, _ := portstate.ParseCount(row.get(v.exponent))
		if !okM || !okE || e > 999 || m > 999 {
			continue
		}
		if f, err := strconv.ParseFloat(fmt.Sprintf("%de-%d", m, e), 64); err == nil {
			setRate(d.Input, v.to, f)
		}
	}
}

// setRate stores an error rate; what is no share of bits is left out.
func setRate(in *portstate.Input, to *portstate.Said[float64], f float64) {
	if f < 0 || f > 1 {
		in.Note("the error rate %g is left out: expected a number from 0 to 1", f)
		return
	}
	*to = portstate.Say(in, f)
}
