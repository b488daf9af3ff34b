package scenario

import (
	"reflect"
	"strings"

	"weft/internal/sim/catalog"
)

// Reading is another value that a field of a fabric may have in truth: the catalog's value is an
// assumption, sources differ, or a manual can be read in two ways.
type Reading struct {
	Path   string // of the field below the fabric: switch.latency
	Own    string // the value in use
	Value  string // the other value, as a scenario writes it
	Source string // with the tag of the catalog
}

// rangeField begins the facts of the catalog that list the other values of a field.
const rangeField = "about.range."

// Readings are the other values that the catalog knows for the fields of a fabric of a scenario, one field at a
// time. A field has none if the scenario states a value that is not the catalog's.
func Readings(r *Resolved, fabric int) (all []Reading) {
	f := &r.Fabrics[fabric]
	d := newDecoder("")
	d.rate = f.Link.Rate()
	for _, e := range entriesOf(f) {
		for _, fact := range e.Facts {
			field, ok := strings.CutPrefix(fact.Field, rangeField)
			if !ok {
				continue
			}
			path, usual := join(e.section, field), field
			if _, ok := e.Get("about." + field); ok { // a NIC's usual congestion control is the fabric's
				path, usual = field, "about."+field
			}
			own, known := f.Text(path)
			if fact, stated := e.Get(usual); !known || stated && d.textOf(f, path, fact.Value) != own {
				continue
			}
			for _, value := range strings.Split(strings.Trim(fact.Value, "[]"), ",") {
				if text := d.textOf(f, path, strings.TrimSpace(value)); text != own {
					all = append(all, Reading{path, own, text, string(fact.Tag) + ": " + fact.Source})
				}
			}
		}
	}
	return all
}

// entry is an entry of the catalog from which a section of a fabric starts; the section is empty for
// the fabric itself.
type entry struct {
	catalog.Entry
	section string
}

// entriesOf are the entries of a fabric, the most special first.
func entriesOf(f *Fabric) (all []entry) {
	for _, e := range []struct {
		kind    catalog.Kind
		name    string
		section string
	}{
		{catalog.Switch, f.Switch.Model, "switch"},
		{catalog.NIC, f.NIC.Model, "nic"},
		{catalog.CC, f.CC.Preset, "cc"},
		{catalog.Link, f.Link.Generation, "link"},
		{catalog.Host, string(f.Host.Path), "host"},
		{catalog.Fabric, f.Preset, ""},
	} {
		if found, err := catalog.Lookup(e.kind, e.name); err == nil {
			all = append(all, entry{found, e.section})
		}
	}
	return all
}

// SourceOf says where a value of a fabric comes from: the tag and the source of the catalog, or "the
// scenario" if it is not the catalog's.
func (r *Resolved) SourceOf(fabric int, path string) string {
	f := &r.Fabrics[fabric]
	d := newDecoder("")
	d.rate = f.Link.Rate()
	own, known := f.Text(path)
	for _, e := range entriesOf(f) {
		field := path
		if e.section != "" {
			var below bool
			if field, below = strings.CutPrefix(path, e.section+"."); !below {
				continue
			}
		}
		if fact, stated := e.Get(field); stated && known && d.textOf(f, path, fact.Value) == own {
			return string(fact.Tag) + ": " + fact.Source
		}
	}
	return "the scenario, or derived"
}

// textOf is a value of the catalog in the form of Text, for the field at a path of a fabric.
func (d *decoder) textOf(f *Fabric, path, value string) string {
	at := f.at(path)
	if _, named := presets[at.Type()]; named {
		return value
	}
	v := reflect.New(at.Type()).Elem()
	d.value(path, factNode("catalog", value), v, "")
	return writeScalar(v)
}

// WithReading is a scenario with one of the fabrics alone, in which a field has the value of a
// reading. Every other field keeps its value. A value that weft derived from the field is not derived again.
func WithReading(r *Resolved, fabric int, reading Reading) (*Resolved, error) {
	own := *r
	own.Fabrics = []Fabric{r.Fabrics[fabric]}
	text, err := own.MarshalYAML()
	if err != nil {
		return nil, err
	}
	root, errs := parse("the scenario", text)
	if err := errs.err(); err != nil {
		return nil, err
	}
	file := &File{Name: "the scenario", root: root} // not Decode, which resolves it once more
	return file.Resolve(Override{Path: "fabrics[0]." + reading.Path, Value: reading.Value, Origin: "a reading of the catalog"})
}
