package plan

import (
	"fmt"
	"strconv"
	"strings"

	"weft/internal/sim/catalog"
	"weft/scenario"
	"weft/units"
)

// Devices are a user's devices, beside those of the catalog.
type Devices struct {
	// Switches, NICs and Cables are the devices by kind.
	Switches []Device `yaml:"switches"`
	NICs     []Device `yaml:"nics"`
	Cables   []Device `yaml:"cables"`
}

// Device is a device that is like another of the catalog but for what it states.
type Device struct {
	// Name is for requests and price files.
	Name string `yaml:"name"`
	// Like is the catalog's entry that has what is not stated here. Power, price and maker are not taken from it.
	Like string `yaml:"like"`
	// Title is for bills.
	Title string `yaml:"title"`
	// Vendor is the maker.
	Vendor string `yaml:"vendor"`
	// Ports are the ports of a switch at its rate, and Split the most ports that it divides into at lower rates.
	Ports int `yaml:"ports" range:"0..4096"`
	Split int `yaml:"split" range:"0..16384"`
	// Cages are the cages of a switch.
	Cages int `yaml:"cages" range:"0..4096"`
	// Rate is of a port; of a cable, of a link.
	Rate units.Rate `yaml:"rate" range:"0bps..100Tbps"`
	// Latency is of a switch.
	Latency units.Time `yaml:"latency" range:"0..1s"`
	// Watts is the typical power, of a cable at each end, and MaxWatts the most.
	Watts    units.Power `yaml:"watts" range:"0W..100kW"`
	MaxWatts units.Power `yaml:"max-watts" range:"0W..100kW"`
	// Each is the price of a piece in USD.
	Each string `yaml:"each"`
	// Reach is of a cable, and Links are those of a cage.
	Reach units.Length `yaml:"reach" range:"0..100km"`
	Links int          `yaml:"links" range:"0..16"`
	// Part is the name of a cable's part at switches in bills, and NICPart at NICs.
	Part    string `yaml:"part"`
	NICPart string `yaml:"nic-part"`
}

// mostDevices bounds a user's file.
const mostDevices = 1000

// ReadDevices reads a file of devices. Devices that contradict themselves are errors.
func ReadDevices(name string, text []byte) ([]catalog.Entry, error) {
	var f Devices
	doc, err := scenario.ReadDocument(name, text, &f)
	if err != nil {
		return nil, err
	}
	var out []catalog.Entry
	var problems []scenario.Problem
	seen := map[string]bool{}
	for _, group := range []struct {
		field string
		kind  catalog.Kind
		list  []Device
	}{{"switches", catalog.Switch, f.Switches}, {"nics", catalog.NIC, f.NICs}, {"cables", catalog.Cable, f.Cables}} {
		for i, d := range group.list {
			path := fmt.Sprintf("%s[%d]", group.field, i)
			if len(seen) == mostDevices {
				return nil, doc.ErrorAt(path, fmt.Errorf("more than %d devices: want fewer", mostDevices))
			}
			if seen[d.Name] {
				problems = append(problems, scenario.Problem{Path: path + ".name", Err: fmt.Errorf("%q is there twice", d.Name)})
			}
			seen[d.Name] = true
			if bad := d.contradictions(group.kind); len(bad) > 0 {
				for _, b := range bad {
					problems = append(problems, scenario.Problem{Path: path + "." + b.Path, Err: b.Err})
				}
				continue
			}
			e, err := d.entry(group.kind, name)
			if err != nil {
				problems = append(problems, scenario.Problem{Path: path, Err: err})
				continue
			}
			out = append(out, e)
		}
	}
	return out, doc.ErrorsAt(problems)
}

// entry is the device as an entry of the catalog.
func (d *Device) entry(kind catalog.Kind, file string) (catalog.Entry, error) {
	var facts []catalog.Fact
	put := func(field, value string, given bool) {
		if given {
			facts = append(facts, catalog.Fact{Field: field, Value: value, Tag: catalog.Verified, Source: file})
		}
	}
	number := func(field string, n int) { put(field, strconv.Itoa(n), n > 0) }
	put("about.vendor", d.Vendor, d.Vendor != "")
	put("rate", d.Rate.Exact(), d.Rate > 0)
	put("about.price", d.Each, d.Each != "")
	switch kind {
	case catalog.Switch:
		number("ports", d.Ports)
		number("max-ports", max(d.Split, d.Ports))
		number("about.cages", d.Cages)
		put("latency", d.Latency.Exact(), d.Latency > 0)
		put("about.power", d.Watts.Exact(), d.Watts > 0)
		put(powerMost, d.MaxWatts.Exact(), d.MaxWatts > 0)
	case catalog.NIC:
		put("about.power", d.Watts.Exact(), d.Watts > 0)
		put(powerMost, d.MaxWatts.Exact(), d.MaxWatts > 0)
	default:
		put("reach", d.Reach.Exact(), d.Reach > 0)
		number("cage-links", d.Links)
		put("switch-module", d.Part, d.Part != "")
		put("nic-module", d.NICPart, d.NICPart != "")
		put("switch-power", d.Watts.Exact(), d.Watts > 0)
		put("nic-power", d.Watts.Exact(), d.Watts > 0)
	}
	title := d.Title
	if title == "" {
		title = d.Name
	}
	return catalog.Derive(kind, d.Name, d.Like, title, []string{"about.power", powerMost, "about.price", "about.vendor", "about.withdrawn"}, facts)
}

// Bounds of devices: a port of OSFP or QSFP-DD has eight lanes, and no copper cable is longer than those of 10 Gb/s.
const (
	mostSplit  = 8
	mostCopper = 10 * units.Metre
)

// copper reports whether the entry that a cable is like is of copper.
func (d *Device) copper() bool {
	e, err := catalog.Lookup(catalog.Cable, d.Like)
	medium := module(e, "medium")
	return err == nil && strings.HasSuffix(medium, "copper")
}

// contradictions are what cannot be of a device.
func (d *Device) contradictions(kind catalog.Kind) (out []scenario.Problem) {
	bad := func(field, format string, args ...any) {
		out = append(out, scenario.Problem{Path: field, Err: fmt.Errorf(format, args...)})
	}
	switch {
	case d.Name == "" || strings.ContainsAny(d.Name, " /,\t\n\"'") || strings.ToLower(d.Name) != d.Name:
		bad("name", "%q: want a word of small letters, digits and dashes, such as acme-51t", d.Name)
	case d.Like == "":
		bad("like", "want the entry of the catalog that it is like (weft catalog %s)", kind)
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
	if kind != catalog.Switch {
		for field, given := range map[string]bool{"ports": d.Ports > 0, "split": d.Split > 0, "cages": d.Cages > 0, "latency": d.Latency > 0} {
			if given {
				bad(field, "a %s has none", kind)
			}
		}
		if d.Reach > mostCopper && kind == catalog.Cable && d.copper() {
			bad("reach", "%s is a copper cable and reaches no %s: want %s at most, or an optical one to be like", d.Like, d.Reach, mostCopper)
		}
		return out
	}
	switch {
	case d.Ports == 0:
		bad("ports", "want the ports at %s", d.Rate)
	case d.Split > 0 && d.Split < d.Ports:
		bad("split", "%d ports at lower rates are fewer than the %d at the full rate", d.Split, d.Ports)
	case d.Split > mostSplit*d.Ports:
		bad("split", "%d ports at lower rates are more than %d for each of the %d: a port has so many lanes at most", d.Split, mostSplit, d.Ports)
	case d.Cages > d.Ports:
		bad("cages", "%d cages are more than the %d ports", d.Cages, d.Ports)
	case d.Cages > 0 && d.Ports%d.Cages != 0:
		bad("cages", "%d ports do not divide among %d cages", d.Ports, d.Cages)
	}
	return out
}
