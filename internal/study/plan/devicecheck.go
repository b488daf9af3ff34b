package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/scenario"
	"weft/units"
)

// Bounds of devices: a port or a cage of OSFP or QSFP-DD has eight lanes of 200 Gb/s at most. The longest copper cables have
// 10 Gb/s and are 10 m long.
const (
	mostSplit  = 8
	mostCage   = mostSplit * 200 * units.Gbps
	mostCopper = 10 * units.Metre
)

// fault adds a problem of a field.
type fault func(field, format string, args ...any)

// contradictions are what cannot be of a device.
func (d *Device) contradictions(kind catalog.Kind) (out []scenario.Problem) {
	bad := func(field, format string, args ...any) {
		out = append(out, scenario.Problem{Path: field, Err: fmt.Errorf(format, args...)})
	}
	for _, other := range []catalog.Kind{catalog.Switch, catalog.NIC, catalog.Cable} {
		if _, err := catalog.Lookup(other, d.Name); err == nil {
			bad("name", "the catalog has a %s %q: choose another name", other, d.Name)
		}
	}
	_, unknown := catalog.Lookup(kind, d.Like)
	switch {
	case d.Name == "" || strings.ContainsAny(d.Name, " /,\t\n\"'") || strings.ToLower(d.Name) != d.Name:
		bad("name", "%q: want a word of small letters, digits and dashes, such as acme-51t", d.Name)
	case d.Like == "":
		bad("like", "want the entry of the catalog that it is like (weft catalog %s)", kind)
	case unknown != nil:
		bad("like", "%w", unknown)
	case kind != catalog.Cable && d.Vendor == "":
		bad("vendor", "want the maker of %s", d.Name)
	}
	if d.MaxWatts > 0 && d.Watts > d.MaxWatts {
		bad("watts", "%s typical is more than the %s at most", d.Watts, d.MaxWatts)
	}
	if d.Each != "" {
		if p, err := amount(d.Each, ""); err != nil || p.Known && p.Value == 0 {
			bad("each", "%q: want an amount of USD above 0, such as 45000", d.Each)
		}
	}
	for _, x := range []struct {
		field string
		given bool
		of    catalog.Kind
	}{
		{"ports", d.Ports > 0, catalog.Switch},
		{"split", d.Split > 0, catalog.Switch},
		{"cages", d.Cages > 0, catalog.Switch},
		{"latency", d.Latency > 0, catalog.Switch},
		{"reach", d.Reach > 0, catalog.Cable},
		{"links", d.Links > 0, catalog.Cable},
		{"part", d.Part != "", catalog.Cable},
		{"nic-part", d.NICPart != "", catalog.Cable},
	} {
		if x.given && x.of != kind {
			bad(x.field, "a %s has none", kind)
		}
	}
	if kind == catalog.Cable && d.MaxWatts > 0 {
		bad("max-watts", "a cable has none: want its watts")
	}
	if len(out) > 0 {
		return out
	}
	if want, ok := hasLink(d.rate(kind)); !ok {
		bad("rate", "no link has %s: want one of %s", d.Rate, want)
		return out
	}
	switch kind {
	case catalog.Switch:
		d.checkSwitch(bad)
	case catalog.NIC:
		d.checkNIC(bad)
	default:
		d.checkCable(bad)
	}
	return out
}

// hasLink reports whether a link of the catalog or a port of the fastest switch has a rate, and lists these rates.
func hasLink(rate units.Rate) (list string, ok bool) {
	var rates []units.Rate
	for _, e := range catalog.Entries(catalog.Link) {
		if r := linkRate(e.Name); r >= 10*units.Gbps && !slices.Contains(rates, r) {
			rates = append(rates, r)
			list += r.String() + ", "
		}
	}
	return list + mostCage.String(), rate == mostCage || slices.Contains(rates, rate)
}

// rate is the rate of a port: the device's, or that of the entry that it is like.
func (d *Device) rate(kind catalog.Kind) units.Rate {
	return cmp.Or(d.Rate, rateOf(kind, d.Like, "rate"))
}

// perPort is what the switch that the device is like has for each of its ports, for the ports of the device; 0 if that is no
// whole number.
func (d *Device) perPort(field string) int {
	e := d.like(catalog.Switch)
	if of := number(e, "ports"); of > 0 && number(e, field)*d.Ports%of == 0 {
		return number(e, field) * d.Ports / of
	}
	return 0
}

// cages are the cages of a switch, and split its most ports.
func (d *Device) cages() int { return cmp.Or(d.Cages, d.perPort("about.cages")) }
func (d *Device) split() int { return max(d.Ports, cmp.Or(d.Split, d.perPort("max-ports"))) }

func (d *Device) checkSwitch(bad fault) {
	e, rate, ports, cages := d.like(catalog.Switch), d.rate(catalog.Switch), d.Ports, d.cages()
	has := switchModel{entry: e, ports: scenario.Switch{Ports: number(e, "ports"), Rate: rateOf(catalog.Switch, d.Like, "rate")}}
	chip := fmt.Sprintf("%s (%s)", d.Like, module(e, "about.asic"))
	bits := float64(ports) * float64(rate)
	switch {
	case ports == 0:
		bad("ports", "want the ports at %s", rate)
	case rate > has.ports.Rate:
		bad("rate", "%s is more than the %s of a port of %s: want another entry to be like", rate, has.ports.Rate, chip)
	case bits > has.capacity():
		bad("ports", "%d ports of %s are more than the chip of %s has: want %d at most, or another entry to be like", ports, rate, chip, int(has.capacity()/float64(rate)))
	case d.Split > 0 && d.Split < ports:
		bad("split", "%d ports at lower rates are fewer than the %d at the full rate", d.Split, ports)
	case d.Split > mostSplit*ports:
		bad("split", "%d ports at lower rates are more than %d for each of the %d: a port has so many lanes at most", d.Split, mostSplit, ports)
	case cages == 0:
		bad("cages", "want the cages of its %d ports", ports)
	case cages > ports:
		bad("cages", "%d cages are more than the %d ports", cages, ports)
	case ports%cages != 0:
		bad("cages", "%d ports do not divide among %d cages", ports, cages)
	case bits/float64(cages) > float64(mostCage):
		bad("cages", "%d ports of %s in each cage are more than its %s", ports/cages, rate, mostCage)
	}
	if least := frugal(catalog.Switch, bits); d.Watts > 0 && int64(d.Watts) < least {
		bad("watts", "%s is less than %s: want %s or more", d.Watts, frugalWhy, units.Power(least))
	}
}

func (d *Device) checkNIC(bad fault) {
	e, rate := d.like(catalog.NIC), d.rate(catalog.NIC)
	bus, _ := catalog.Lookup(catalog.PCIe, module(e, "about.pcie"))
	if most := busRate(bus); rate > most && most > 0 {
		bad("rate", "%s is more than the %s of %s, the bus of %s: want another entry to be like", rate, most, bus.Title, d.Like)
	}
	if module(e, "about.protocols") == "" {
		bad("like", "%s is a part of its cloud and names no protocol: want another entry", d.Like)
	}
	if least := frugal(catalog.NIC, float64(rate)); d.Watts > 0 && int64(d.Watts) < least {
		bad("watts", "%s is less than %s: want %s or more", d.Watts, frugalWhy, units.Power(least))
	}
}

// busRate is the rate of a slot.
func busRate(bus catalog.Entry) units.Rate {
	return units.Rate(number(bus, "lanes")) * rateOf(catalog.PCIe, bus.Name, "lane-rate")
}

func (d *Device) checkCable(bad fault) {
	e, rate := d.like(catalog.Cable), d.rate(catalog.Cable)
	links := cmp.Or(d.Links, number(e, "cage-links"))
	switch items := Items(); {
	case d.Part == "":
		bad("part", "want its name in bills")
	case slices.Contains(items, d.Part):
		bad("part", "the catalog has a part %q: choose another name", d.Part)
	case slices.Contains(items, d.NICPart) && d.Watts > 0:
		bad("nic-part", "the catalog has a part %q with a power of its own: choose another name, or leave out watts", d.NICPart)
	case rate*units.Rate(links) > mostCage:
		bad("links", "%d links of %s are more than the %s of a cage", links, rate, mostCage)
	case d.Reach > mostCopper && strings.HasSuffix(module(e, "medium"), "copper"):
		bad("reach", "%s is a copper cable and reaches no %s: want %s at most, or an optical one to be like", d.Like, d.Reach, mostCopper)
	}
}
