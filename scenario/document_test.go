package scenario

import (
	"errors"
	"strings"
	"testing"

	"weft/units"
)

type flavour string

func (flavour) Choices() []string { return []string{"sweet", "sour"} }

type purchase struct {
	Name  string       `yaml:"name"`
	Many  int          `yaml:"many" range:"1..9"`
	Power units.Power  `yaml:"power" range:"0W..1kW"`
	Taste flavour      `yaml:"taste"`
	Parts []purchase   `yaml:"parts"`
	Size  units.Length `yaml:"size"`

	sum int // no field of the file
}

func TestADocumentIsReadByTheRulesOfAScenario(t *testing.T) {
	into := purchase{Name: "kept", Size: units.Metre}
	doc, err := ReadDocument("order.yaml", []byte("many: 3\npower: 24.9W\nparts: [{taste: sour}]\n"), &into, Override{Path: "many", Value: "4", Origin: "--many 4"})
	if err != nil {
		t.Fatal(err)
	}
	if into.Name != "kept" || into.Many != 4 || into.Power != 24_900*units.Milliwatt || into.Parts[0].Taste != "sour" || into.Size != units.Metre {
		t.Errorf("%+v", into)
	}
	if !doc.Stated("power") || doc.Stated("name") {
		t.Error("power is stated and name is not")
	}
	for path, want := range map[string]string{
		"power":         "order.yaml:2:8: power: too much",
		"parts[0].name": "order.yaml:3:10: parts[0].name: too much",
		"many":          "--many 4: many: too much",
	} {
		if err := doc.ErrorAt(path, errors.New("too much")); err.Error() != want {
			t.Errorf("an error at %s is %q, want %q", path, err, want)
		}
	}
	if err := doc.ErrorsAt(nil); err != nil {
		t.Errorf("no problems are %v", err)
	}
}

func TestTheErrorsOfADocumentComeTogether(t *testing.T) {
	var into purchase
	_, err := ReadDocument("order.yaml", []byte("many: 10\npower: 2kW\ntaste: swet\nsice: 1m\n"), &into, Override{Path: "parts[7]", Value: "1", Origin: "--part"})
	for _, want := range []string{
		"order.yaml:1:7: many: 10 is out of range: want 1 to 9", "order.yaml:2:8: power: 2kW is out of range: want 0W to 1kW",
		`order.yaml:3:8: taste: "swet" is not known: did you mean "sweet"?`, `order.yaml:4:1: sice: there is no such field: did you mean "size"?`,
		"--part: parts[7]: the file has no list parts; [7] does not exist",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := ReadDocument("order.yaml", []byte("\"\": 3\n"), &into); err == nil || !strings.Contains(err.Error(), "order.yaml:1:1: there is no such field here: the fields are name, many, power, taste, parts, size") || into.sum != 0 {
		t.Errorf("a key without a name: %v, sum %d", err, into.sum)
	}
	if _, err := ReadDocument("order.yaml", []byte("[1]"), &into); err == nil || !strings.Contains(err.Error(), "order.yaml:1:1: a list is given") {
		t.Errorf("a list: %v", err)
	}
}
