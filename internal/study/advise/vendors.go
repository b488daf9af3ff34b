package advise

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/scenario"
)

// Makers are the makers of each part for a protocol, by the catalog.
type Makers struct {
	NICs     []Maker `json:"nics"`
	Switches []Maker `json:"switches"`
	ASICs    []Maker `json:"asics"`
}

// Maker is a company with its products and the source.
type Maker struct {
	Name   string      `json:"name"`
	What   string      `json:"what"`
	Tag    catalog.Tag `json:"tag"`
	Source string      `json:"source"`
}

// makersOf are the makers of a protocol. Resellers and former makers do not count.
func makersOf(kind scenario.FabricKind) Makers {
	prefix := protocol.Of(kind).Link() + "."
	list := func(field string) (out []Maker) {
		for _, e := range catalog.Entries(catalog.Vendor) {
			if f, ok := e.Get(prefix + field); ok && makes(f.Value) {
				out = append(out, Maker{e.Title, f.Value, f.Tag, f.Source})
			}
		}
		return out
	}
	return Makers{NICs: list("nics"), Switches: list("switches"), ASICs: list("asics")}
}

// only are the makers of switches and NICs of these names, or of everything the one maker; all without names.
func (m Makers) only(names []string, one string) Makers {
	named := func(list []Maker, names []string) []Maker {
		return slices.DeleteFunc(list, func(x Maker) bool {
			return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(x.Name, name) })
		})
	}
	if one != "" {
		names = []string{one}
		m.ASICs = named(m.ASICs, names)
	}
	return Makers{NICs: named(m.NICs, names), Switches: named(m.Switches, names), ASICs: m.ASICs}
}

func makes(value string) bool {
	return !strings.HasPrefix(value, "none") && !strings.HasPrefix(value, "resells")
}

// Text is the makers by part.
func (m Makers) Text() string {
	names := func(list []Maker) string {
		var out []string
		for _, x := range list {
			name, _, _ := strings.Cut(x.Name, " (")
			out = append(out, name)
		}
		if len(out) == 0 {
			return "none of the allowed (the machine keeps its own)"
		}
		return fmt.Sprintf("%d (%s)", len(out), strings.Join(out, ", "))
	}
	return fmt.Sprintf("makers of switches %s, of chips %s, of NICs %s", names(m.Switches), names(m.ASICs), names(m.NICs))
}

// Generation is a switch of the catalog, for the history of a protocol.
type Generation struct {
	Protocol string `json:"protocol"`
	Model    string `json:"model"`
	Title    string `json:"title"`
	Vendor   string `json:"vendor"`
	ASIC     string `json:"asic"`
	Rate     string `json:"rate"`
	Ports    string `json:"ports"`
	Power    string `json:"power"` // typical, or unknown
}

// generations are the switches that can be ordered, in the order of the catalog.
func generations() (out []Generation) {
	for _, e := range catalog.Entries(catalog.Switch) {
		value := func(field string) string {
			f, _ := e.Get(field)
			return f.Value
		}
		if value("about.vendor") != "" {
			out = append(out, Generation{value("about.protocol"), e.Name, e.Title, value("about.vendor"), value("about.asic"), value("rate"), value("ports"), value("about.power")})
		}
	}
	return out
}
