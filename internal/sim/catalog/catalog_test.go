package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestEveryFactHasATagAndASource(t *testing.T) {
	for _, kind := range Kinds() {
		if len(Entries(kind)) == 0 {
			t.Errorf("no %s", kind)
		}
		for _, e := range Entries(kind) {
			for _, f := range e.Facts {
				if f.Value == "" || f.Source == "" || !slices.Contains(tags, f.Tag) {
					t.Errorf("%s %s: %s is %q, tag %q, source %q", kind, e.Name, f.Field, f.Value, f.Tag, f.Source)
				}
			}
		}
	}
}

// Entries of a kind state the same fields, so that no field stays at zero in silence:
// switches of one protocol, congestion controls of one algorithm. A node may have fewer
// rails than NICs, or set its NICs to another rate. Presets of fabrics add to their base.
func TestEntriesOfAKindStateTheSameFields(t *testing.T) {
	family := map[Kind]string{Switch: "about.protocol", CC: "algorithm"}
	for _, kind := range Kinds() {
		if kind == Fabric || kind == Defaults {
			continue
		}
		first := map[string]Entry{}
		for _, e := range Entries(kind) {
			f, _ := e.Get(family[kind])
			if _, seen := first[f.Value]; !seen {
				first[f.Value] = e
			}
			got := slices.DeleteFunc(fields(e), func(name string) bool {
				return kind == Node && (name == "nic.rate" || name == "rails")
			})
			if want := fields(first[f.Value]); !slices.Equal(got, want) {
				t.Errorf("%s %s states %v, %s states %v", kind, e.Name, got, first[f.Value].Name, want)
			}
		}
	}
}

// A RoCE v2 fabric has the congestion control of its NIC unless it names one.
func TestEachNICNamesItsCongestionControl(t *testing.T) {
	for _, e := range Entries(NIC) {
		f, _ := e.Get("about.cc")
		if _, err := Lookup(CC, f.Value); err != nil {
			t.Errorf("%s: about.cc: %v", e.Name, err)
		}
	}
}

func fields(e Entry) (names []string) {
	for _, f := range e.Facts {
		if !strings.HasPrefix(f.Field, "about.") {
			names = append(names, f.Field)
		}
	}
	slices.Sort(names)
	return names
}

func TestAnEntryHasItsBasesFactsAndItsOwn(t *testing.T) {
	e, err := Lookup(NIC, "connectx-7")
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := e.Get("rate"); f.Value != "400Gbps" || f.From != "connectx-7" {
		t.Errorf("rate %q from %s", f.Value, f.From)
	}
	if f, _ := e.Get("tx-pipeline"); f.From != "connectx-5" || f.Source == "" {
		t.Errorf("tx-pipeline from %s", f.From)
	}
}

// What was read of one device is not read of another.
func TestADeviceDoesNotInheritTrust(t *testing.T) {
	for _, c := range []struct {
		kind              Kind
		base, name, field string
	}{{Node, "dgx-h100", "hgx-h20", "cpu.clock"}, {NIC, "connectx-7", "bluefield-3", "rate"}, {Switch, "tomahawk-5", "z9864f", "about.range.latency"}, {GPU, "a100", "a800", "bf16"}} {
		base, err := Lookup(c.kind, c.base)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Lookup(c.kind, c.name)
		if err != nil {
			t.Fatal(err)
		}
		own, _ := base.Get(c.field)
		f, _ := e.Get(c.field)
		if Softer(own.Tag, Derived) == own.Tag || f.Tag != Derived || f.Value != own.Value || !strings.Contains(f.Source, "as the "+c.base) {
			t.Errorf("%s: %+v from %+v", c.name, f, own)
		}
	}
}

func TestANestedPresetDropsInheritedFieldsBelowIt(t *testing.T) {
	entries, err := parse(Node, "name,field,value,tag,source\na,title,A,V,x\na,nic,one,V,x\na,nic.rate,1,V,x\nb,extends,a,,\nb,title,B,V,x\nb,nic,two,V,x\n")
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := entries[1].Get("nic.rate"); ok {
		t.Errorf("b still has nic.rate %s of a", f.Value)
	}
}

func TestTheErrorOfAnUnknownNameSuggestsItsNeighbour(t *testing.T) {
	for name, want := range map[string]string{
		"qm970":        "qm9700",
		"QM9700":       "qm9700",
		"sn5060":       "sn5600",
		"something":    "",
		"ethernet":     "",
		"roce-v2-400g": "",
	} {
		_, err := Lookup(Switch, name)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || unknown.Nearest != want {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	if _, err := Lookup(Fabric, "roce-v2"); err == nil {
		t.Error("an abstract entry was found by its name")
	}
}

func TestBadDataIsRefusedWithItsRow(t *testing.T) {
	const head = "name,field,value,tag,source\n"
	for text, want := range map[string]string{
		"a,x,1,V,s\nb,x,1,V,s\na,y,1,V,s\n": "row 4: the facts of a are not in consecutive rows",
		"a,x,1,V,\n":                        "row 2: x of a has no tag or no source",
		"a,x,1,Z,s\n":                       "row 2: x of a has no tag or no source",
		"a,x,1,V,s\na,x,2,V,s\n":            "row 3: x of a is stated twice",
		"a,extends,b,,\n":                   "row 2: a extends b, which is not above",
	} {
		if _, err := parse(NIC, head+text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestEveryEntryHasATitleAndNumbersWithSources(t *testing.T) {
	for _, k := range Kinds() {
		for _, e := range Entries(k) {
			if e.Title == "" || len(e.Facts) == 0 {
				t.Errorf("%s %s: title %q, %d numbers", k, e.Name, e.Title, len(e.Facts))
			}
			for _, f := range e.Facts {
				if f.Source == "" {
					t.Errorf("%s %s: %s has no source", k, e.Name, f.Field)
				}
			}
		}
	}
}

func TestTheDigestIsOfTheData(t *testing.T) {
	if d := Digest(); len(d) != 64 || d != Digest() {
		t.Errorf("digest %q", d)
	}
}
