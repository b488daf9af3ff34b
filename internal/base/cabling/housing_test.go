package cabling

import "testing"

func TestAChipHasAHousingAndAPlace(t *testing.T) {
	for name, want := range map[string][2]string{
		"MF0;dc1-r-0903-01ib1-a:MCS8500/L16/U2": {"dc1-r-0903-01ib1-a", "L16/U2"},
		"MF0;sw-ndr03:MQM9700/U1":               {"sw-ndr03", "U1"},
		"MF0;a:b:SX6036/U1":                     {"a:b", "U1"},
		"leaf1":                                 {},
		"node 7; rack 3":                        {},
		"MF0;:MQM9700/U1":                       {},
	} {
		housing, place, ok := Chip(name)
		if housing != want[0] || place != want[1] || ok != (want[0] != "") {
			t.Errorf("%q: housing %q, place %q, %v", name, housing, place, ok)
		}
	}
}
