package format

import (
	"bytes"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

func twoNodes(t *testing.T) *subnet.Subnet {
	t.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	for i := range 2 {
		s.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(0x10 * (i + 1))}, 1)
		s.Nodes[i].Ports[1].GUID = units.GUID(0x10*(i+1) + 1)
	}
	s.Connect(subnet.End{Node: 0, Port: 1}, subnet.End{Node: 1, Port: 1}, subnet.Link{})
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestServiceLevelsOfPathsAreReadInBothForms(t *testing.T) {
	s := twoNodes(t)
	want := func(src, dst units.LID) units.SL { return units.SL(src*4 + dst) }
	var b bytes.Buffer
	if err := WritePathSL(&b, s, want); err != nil {
		t.Fatal(err)
	}
	records := "# slid dlid status sl mtu rate pkey\n1 2 0x0 6 4 16 0xffff\n2 1 0x0 9 4 16 0xffff\n1 1 0x300 3\n"
	for form, text := range map[string]string{"ibdmchk": b.String(), "records": records} {
		sl, _, err := ReadPathSL(form, strings.NewReader(text), s)
		if err != nil {
			t.Fatal(err)
		}
		if sl(1, 2) != 6 || sl(2, 1) != 9 || sl(1, 1) != 0 {
			t.Errorf("%s: levels %d, %d, %d, want 6, 9, 0", form, sl(1, 2), sl(2, 1), sl(1, 1))
		}
	}
}

func TestMalformedServiceLevelsOfPathsAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"0x10 2":          "f:1: expected «0x<node GUID>",
		"0x99 2 1":        "f:1: node 0x0000000000000099 is not in the subnet",
		"0x10 2 16":       "service level from 0 to 15",
		"\n1 60000 0x0 1": "f:2: expected two unicast LIDs",
		"1 2 0x0 x":       "service level from 0 to 15",
		"1 2 ok 1":        "and a status",
	} {
		if _, _, err := ReadPathSL("f", strings.NewReader(text), twoNodes(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
