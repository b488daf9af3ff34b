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
	power := "about.power"
	switch kind {
	case catalog.Switch:
		number("ports", d.Ports)
		number("max-ports", d.split())
		number("about.cages", d.cages())
		put("latency", d.Latency.Exact(), d.Latency > 0)
	case catalog.NIC:
	default:
		power = "switch-power"
		put("reach", d.Reach.Exact(), d.Reach > 0)
		number("cage-links", d.Links)
		put("switch-module", d.Part, true)
		put("nic-module", d.NICPart, d.NICPart != "")
		put("nic-power", d.Watts.Exact(), d.Watts > 0 && (d.NICPart != "" || onePiece(module(d.like(kind), "medium"))))
	}
	put(power, d.Watts.Exact(), d.Watts > 0)
	put(powerMost, d.MaxWatts.Exact(), d.MaxWatts > 0)
	title := d.Title
	if title == "" {
		title = d.Name
	}
	return catalog.Derive(kind, d.Name, d.Like, title, d.forgotten, facts)
}

// like is the catalog's entry that the device is like.
func (d *Device) like(kind catalog.Kind) catalog.Entry {
	e, _ := catalog.Lookup(kind, d.Like)
	return e
}

// forgotten reports whether a fact of the entry that the device is like is none of the device: its maker, power and price; what a NIC
// of another rate has with a protocol or as a card of two ports; and the names of parts for other connectors.
func (d *Device) forgotten(field string) bool {
	switch field {
	case "about.power", powerMost, "about.price", "about.vendor", "about.withdrawn":
		return true
	}
	about, rest, _ := strings.Cut(field, ".")
	return about == "about" && (d.Part != "" && strings.HasSuffix(rest, "switch-module") || d.NICPart != "" && strings.HasSuffix(rest, "nic-module") ||
		d.rate(catalog.NIC) != rateOf(catalog.NIC, d.Like, "rate") && (strings.HasPrefix(rest, "two-ports") || strings.HasPrefix(rest, "ethernet.") || strings.HasPrefix(rest, "infiniband.")))
}
