package catalog

import (
	"errors"
	"slices"
	"testing"
)

// The devices that designs of 2025 and 2026 are made of are there.
func TestTodaysDevicesAreInTheCatalog(t *testing.T) {
	for kind, names := range map[Kind][]string{
		Node:   {"gb300-nvl72", "hgx-b300", "dgx-b300", "mi355x-8", "mi350x-8", "hgx-h20", "hgx-h800", "hgx-a800", "l40s-8", "rtx-pro-6000-8"},
		Switch: {"tomahawk-6", "z9964f", "sn5610", "q3200", "q3400", "q3400-ld", "7060x6-64pe", "9364e-sg2", "z9864f", "9332d-h2r"},
		NIC:    {"thor-ultra", "pollara-400", "bluefield-3", "efa-4", "connectx-8"},
	} {
		for _, name := range names {
			if _, err := Lookup(kind, name); err != nil {
				t.Error(err)
			}
		}
	}
}

// A word of a name finds the names that have it, in whatever order the user wrote the words.
func TestAPartOfANameSuggestsTheNamesThatHaveIt(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		name string
		want []string
	}{
		{Node, "gb300", []string{"gb300-nvl72"}},
		{Node, "GB300 NVL-72", []string{"gb300-nvl72"}},
		{Node, "b300", []string{"dgx-b300", "hgx-b300", "gb300-nvl72"}},
		{Node, "mi355x", []string{"mi355x-8"}},
		{Switch, "n9364e-sg2", []string{"9364e-sg2"}},
		{Switch, "9332", []string{"9332d-h2r"}},
		{Switch, "nvidia sn5600", []string{"sn5600"}},
		{NIC, "cx7", []string{"connectx-7"}},
		{NIC, "bf3", []string{"bluefield-3"}},
		{Fabric, "ib-ndr", []string{"infiniband-ndr"}},
		{Fabric, "roce", []string{"roce-v2-25g", "roce-v2-100g", "roce-v2-200g", "roce-v2-400g"}},
	} {
		_, err := Lookup(c.kind, c.name)
		var unknown *UnknownError
		if !errors.As(err, &unknown) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := unknown.Near; unknown.Nearest != c.want[0] && !slices.Equal(got, c.want) {
			t.Errorf("%s %q: near are %v and %q, want %v", c.kind, c.name, got, unknown.Nearest, c.want)
		}
	}
}
