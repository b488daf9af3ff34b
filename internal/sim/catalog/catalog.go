package catalog

import (
	"crypto/sha256"
	"embed"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed data/*.csv
var data embed.FS

// Kind is a kind of entry; each has a data file.
type Kind string

// The kinds of entries.
const (
	GPU      Kind = "gpu"
	Model    Kind = "model"
	Stack    Kind = "stack"
	ScaleUp  Kind = "scale-up"
	PCIe     Kind = "pcie"
	NIC      Kind = "nic"
	Switch   Kind = "switch"
	Link     Kind = "link"
	Node     Kind = "node"
	Fabric   Kind = "fabric"
	CC       Kind = "cc"
	Host     Kind = "host"
	Cable    Kind = "cable"
	Vendor   Kind = "vendor"
	Defaults Kind = "default"
)

// Kinds is every kind, in the order in which they are listed.
func Kinds() []Kind {
	return []Kind{Node, GPU, ScaleUp, PCIe, NIC, Switch, Link, Cable, Fabric, CC, Host, Vendor, Model, Stack, Defaults}
}

// Tag is the confidence in a fact.
type Tag string

// The tags, from the firmest to the softest.
const (
	Verified   Tag = "V"          // read at its source
	Secondary  Tag = "S"          // read in a secondary source
	Derived    Tag = "D"          // computed from facts above
	Recalled   Tag = "R"          // known, not retrieved
	Assumption Tag = "assumption" // nothing was found
)

// tags orders them by trust.
var tags = []Tag{Verified, Secondary, Derived, Recalled, Assumption}

// Fact is one value of an entry with its source.
type Fact struct {
	Field  string `json:"field"` // path within the entry: latency, ib.buffer
	Value  string `json:"value"` // as in a scenario
	Tag    Tag    `json:"trust"`
	Source string `json:"source"`
	From   string `json:"from"` // the entry that states it: another one if it is inherited
}

// Entry is a device or preset: its facts, inherited ones first, each field
// once.
type Entry struct {
	Kind     Kind   `json:"type"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	Abstract bool   `json:"-"` // no title: only a base for others
	Base     string `json:"-"` // of a user's entry: the catalog's entry that it is like
	Facts    []Fact `json:"facts"`
}

// Get is the fact of a field.
func (e Entry) Get(field string) (Fact, bool) {
	for _, f := range e.Facts {
		if f.Field == field {
			return f, true
		}
	}
	return Fact{}, false
}

// Softer is the less trusted of two tags.
func Softer(a, b Tag) Tag {
	if slices.Index(tags, b) > slices.Index(tags, a) {
		return b
	}
	return a
}

// Unknown is the value of a fact that was looked for and not found. The fact's tag is [Assumption];
// no calculation uses it.
const Unknown = "unknown"

// Known is the fact of a field whose value is known.
func (e Entry) Known(field string) (Fact, bool) {
	f, ok := e.Get(field)
	return f, ok && f.Value != Unknown
}

// On is the fact of a field in a case, a protocol of links (ethernet) or a connector (qsfp112): what
// the entry states for that case (about.ethernet.rate), or else what it states for all (rate).
func (e Entry) On(of, field string) (Fact, bool) {
	if f, ok := e.Known("about." + of + "." + field); ok {
		return f, true
	}
	return e.Known(field)
}

// UnknownError is the error for a name that the catalog does not have.
type UnknownError struct {
	Kind    Kind
	Name    string
	Nearest string   // by typing errors; "" if no name is near
	Near    []string // names with a word of it
	Known   []string
}

func (e *UnknownError) Error() string {
	switch {
	case len(e.Near) > 1:
		return fmt.Sprintf("%s %q is not known: near are %s; weft catalog %[1]s NAME shows in what they differ", e.Kind, e.Name, strings.Join(e.Near, ", "))
	case len(e.Near) == 1:
		return fmt.Sprintf("%s %q is not known: did you mean %q?", e.Kind, e.Name, e.Near[0])
	case e.Nearest != "":
		return fmt.Sprintf("%s %q is not known: did you mean %q?", e.Kind, e.Name, e.Nearest)
	}
	if len(e.Known) > mostNamed {
		return fmt.Sprintf("%s %q is not known: weft catalog %[1]s lists the %[3]d names, %[4]s and others", e.Kind, e.Name, len(e.Known), strings.Join(e.Known[:3], ", "))
	}
	return fmt.Sprintf("%s %q is not known: the catalog has %s", e.Kind, e.Name, strings.Join(e.Known, ", "))
}

// mostNamed is the number of names that an error lists.
const mostNamed = 12

// Lookup finds an entry by kind and name.
func Lookup(kind Kind, name string) (Entry, error) {
	for _, e := range all()[kind] {
		if e.Name == name && !e.Abstract {
			return e, nil
		}
	}
	known := Names(kind)
	return Entry{}, &UnknownError{Kind: kind, Name: name, Nearest: Nearest(name, known), Near: near(name, known), Known: known}
}

// Entries are a kind's entries in the order of the data file.
func Entries(kind Kind) []Entry {
	return slices.DeleteFunc(slices.Clone(all()[kind]), func(e Entry) bool { return e.Abstract })
}

// Names are the names of a kind's entries.
func Names(kind Kind) []string {
	var names []string
	for _, e := range Entries(kind) {
		names = append(names, e.Name)
	}
	return names
}

// Digest identifies the catalog's content, for a run's meta data.
func Digest() string {
	h := sha256.New()
	for _, kind := range Kinds() {
		text, _ := data.ReadFile(file(kind))
		fmt.Fprintf(h, "%s %d\n", kind, len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func file(kind Kind) string { return "data/" + string(kind) + ".csv" }

// own is the catalog of the program by kind. The data are part of the program: an error in them is a defect, and
// the tests read every line.
var own = sync.OnceValue(func() map[Kind][]Entry {
	m := map[Kind][]Entry{}
	for _, kind := range Kinds() {
		text, err := data.ReadFile(file(kind))
		if err != nil {
			panic(err)
		}
		entries, err := parse(kind, string(text))
		if err != nil {
			panic(err)
		}
		m[kind] = entries
	}
	return m
})

// parse reads a data file: a row per fact, the rows of an entry together, a base above the entries
// that extend it.
func parse(kind Kind, text string) ([]Entry, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = 5
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file(kind), err)
	}
	var entries []Entry
	for i, row := range rows[1:] {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("%s: row %d: %s", file(kind), i+2, fmt.Sprintf(format, args...))
		}
		name, field, value := row[0], row[1], row[2]
		if len(entries) == 0 || entries[len(entries)-1].Name != name {
			if slices.ContainsFunc(entries, func(e Entry) bool { return e.Name == name }) {
				return nil, fail("the facts of %s are not in consecutive rows", name)
			}
			entries = append(entries, Entry{Kind: kind, Name: name, Abstract: true})
		}
		e := &entries[len(entries)-1]
		if field == "extends" {
			base := slices.IndexFunc(entries, func(b Entry) bool { return b.Name == value })
			if base < 0 || len(e.Facts) > 0 {
				return nil, fail("%s extends %s, which is not above", name, value)
			}
			e.Facts = inherited(kind, entries[base])
			continue
		}
		f := Fact{Field: field, Value: value, Tag: Tag(row[3]), Source: row[4], From: name}
		if !slices.Contains(tags, f.Tag) || f.Source == "" {
			return nil, fail("%s of %s has no tag or no source", field, name)
		}
		if err := e.add(f); err != nil {
			return nil, fail("%s", err)
		}
	}
	return entries, nil
}

// inherited are the facts of a base.
func inherited(kind Kind, base Entry) []Fact {
	if slices.Contains([]Kind{Node, NIC, Switch, GPU}, kind) {
		return softened(base.Facts)
	}
	return slices.Clone(base.Facts)
}

// softened are the facts of a device for another one: what was read of one is not read of another, for which it is derived at best.
func softened(facts []Fact) []Fact {
	facts = slices.Clone(facts)
	for i, f := range facts {
		if soft := Softer(f.Tag, Derived); soft != f.Tag {
			facts[i].Tag, facts[i].Source = soft, "as the "+f.From+", of which it was read: "+f.Source
		}
	}
	return facts
}

// add states a fact of the entry's own, in place of an inherited one. A nested preset (switch)
// removes the facts inherited below it (switch.latency).
func (e *Entry) add(f Fact) error {
	if f.Field == "title" {
		e.Title, e.Abstract = f.Value, false
		return nil
	}
	e.Facts = slices.DeleteFunc(e.Facts, func(old Fact) bool {
		return old.From != e.Name && strings.HasPrefix(old.Field, f.Field+".")
	})
	at := slices.IndexFunc(e.Facts, func(old Fact) bool { return old.Field == f.Field })
	switch {
	case at < 0:
		e.Facts = append(e.Facts, f)
	case e.Facts[at].From == e.Name:
		return fmt.Errorf("%s of %s is stated twice", f.Field, e.Name)
	default:
		e.Facts[at] = f
	}
	return nil
}
