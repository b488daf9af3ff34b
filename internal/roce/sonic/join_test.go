package sonic

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// parted is a configuration whose buffer tables stand in a file of their own.
func parted(t *testing.T, name string) (qos, buffers *Config) {
	t.Helper()
	whole := read(t, name)
	split := func(mine func(table string) bool, file string) *Config {
		part := &Config{}
		for _, table := range whole.Tables {
			if mine(table.Name) {
				part.Tables = append(part.Tables, table)
			}
		}
		c, err := Read(file, strings.NewReader(written(t, part)))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	buffer := func(table string) bool { return strings.HasPrefix(table, "BUFFER") || table == "CABLE_LENGTH" }
	return split(func(table string) bool { return !buffer(table) }, "qos.json"), split(buffer, "buffers.json")
}

func TestPartsOfAConfigurationAreTheWhole(t *testing.T) {
	qos, buffers := parted(t, "config_db.json")
	if len(qos.Tables) == 0 || len(buffers.Tables) == 0 {
		t.Fatal("the configuration has no parts")
	}
	for _, order := range [][]*Config{{qos, buffers}, {buffers, qos}} {
		joined, err := Join(order...)
		if err != nil {
			t.Fatal(err)
		}
		byName := func(a, b Table) int { return strings.Compare(a.Name, b.Name) }
		got, want := withoutLines(joined), withoutLines(read(t, "config_db.json"))
		slices.SortFunc(got, byName)
		slices.SortFunc(want, byName)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s joined is not the whole", joined.File)
		}
		sw, problems := Examine(joined)
		if whole, before := Examine(read(t, "config_db.json")); len(problems) != len(before) || len(sw.Ports) != len(whole.Ports) {
			t.Errorf("joined there are %d ports and %d defects, in the whole %d and %d", len(sw.Ports), len(problems), len(whole.Ports), len(before))
		}
		for _, own := range order { // each line is in its own file
			for _, table := range own.Tables {
				file, line := sw.Place(joined.Table(table.Name).Line)
				if file != own.File || line != table.Line {
					t.Errorf("%s is in %s:%d, want %s:%d", table.Name, file, line, own.File, table.Line)
				}
			}
		}
	}
}

func TestADefectIsInTheFileThatHasIt(t *testing.T) {
	qos, err := Read("qos.json", strings.NewReader("{\n\"PORT_QOS_MAP\": {\n\"Ethernet0\": {\n\"pfc_enable\": \"9\"\n}\n}\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	buffers, err := Read("buffers.json", strings.NewReader("{\n\"BUFFER_PG\": {\n\"Ethernet0|3\": {\n\"profile\": \"nowhere\"\n}\n}\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	joined, err := Join(qos, buffers)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	_, problems := Examine(joined)
	for _, p := range problems {
		place, _, _ := strings.Cut(p.Error(), ": ")
		places = append(places, place)
	}
	slices.Sort(places)
	if want := []string{"buffers.json:4", "qos.json:4"}; !slices.Equal(places, want) {
		t.Errorf("the defects are at %v, want %v", places, want)
	}
}

func TestAnEntryInTwoFilesIsRefused(t *testing.T) {
	a, b := read(t, "buffers.json"), read(t, "buffers.json")
	b.parts[0].file = "other.json"
	_, err := Join(a, b)
	var e *Error
	if !errors.As(err, &e) || e.File != "other.json" || !strings.Contains(e.Text, "is in") {
		t.Errorf("the error is %v, want one in other.json", err)
	}
}
