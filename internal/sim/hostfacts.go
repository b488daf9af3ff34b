package sim

import (
	"fmt"

	"weft/internal/catalog"
	"weft/scenario"
	"weft/units"
)

// readTerms are the host's terms of a READ: the reader posts a request without
// data, and what happens in the remote NIC, to which the fabric's NIC gives no
// time of its own, follows the response. The terms that take turns at a copier
// do so at the reader.
func readTerms(f *scenario.Fabric, n *scenario.Node) (send, receive []hostTerm) {
	out, in := hostTerms(f, n)
	remote := map[string]bool{"NIC reads the data over PCIe": true, "host memory answers": true}
	for _, t := range out {
		if !t.work.turn() && !remote[t.name] {
			send = append(send, t)
		}
		if remote[t.name] || t.name == "NIC transmit pipeline" {
			t.name = "remote " + t.name
			receive = append(receive, t)
		}
	}
	return send, append(receive, in...)
}

// readPath is the host's path of a READ: nothing takes turns.
func readPath(f *scenario.Fabric, n *scenario.Node, bytes int64) hostPath {
	send, receive := readTerms(f, n)
	return hostPath{send: sum(send, false, 0), receive: sum(receive, false, 0) + sum(receive, true, bytes)}
}

// Source is where a number comes from.
type Source struct {
	Field string // nic connectx-7 tx-pipeline
	Value string
	Tag   string // of the catalog, or "scenario"
	Text  string
}

// sourceOf is where the value of an entry's field comes from: the catalog, if that is
// what it says, or the scenario.
func sourceOf(kind catalog.Kind, entry, field, value string) Source {
	return hostFact{kind, entry, field, value}.source()
}

// source finds the fact in the catalog, unless the scenario says otherwise.
func (h hostFact) source() Source {
	s := Source{Field: fmt.Sprintf("%s %s %s", h.kind, h.entry, h.field), Value: h.value, Tag: "scenario", Text: "the scenario says so"}
	if h.kind == catalog.Defaults {
		s.Field = h.field
	}
	entry, err := catalog.Lookup(h.kind, h.entry)
	if err != nil {
		return s
	}
	if f, ok := entry.Get(h.field); ok && sameValue(f.Value, h.value) {
		s.Tag, s.Text = string(f.Tag), f.Source
	}
	return s
}

// sameValue reports whether two texts are the same quantity.
func sameValue(a, b string) bool {
	if x, err := units.ParseTime(a); err == nil {
		y, err := units.ParseTime(b)
		return err == nil && x == y
	}
	if x, err := units.ParseRate(a); err == nil {
		y, err := units.ParseRate(b)
		return err == nil && x == y
	}
	if x, err := units.ParseLength(a); err == nil {
		y, err := units.ParseLength(b)
		return err == nil && x == y
	}
	return a == b
}

// nanoseconds is a time to the picosecond.
func nanoseconds(t units.Time) string {
	return fmt.Sprintf("%d.%03d ns", t/units.Nanosecond, t%units.Nanosecond)
}

// hostFact is the field of the scenario that a number comes from.
type hostFact struct {
	kind  catalog.Kind
	entry string // of the catalog, that the scenario starts from
	field string
	value string // in the scenario
}
