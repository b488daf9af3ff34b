package plan_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"weft/internal/study/plan"
)

// By hand: 256 + 16 x 8 + 12 x 2 + 8 = 416 NICs are 13 leaves of 32; their 416 uplinks are 6.5 spines of 64 ports, and 8 divide the
// 32 uplinks of a leaf. The cages of the older machines join two NICs, those of storage have one.
func TestNodesOfOtherKindsHavePortsAndParts(t *testing.T) {
	text, err := os.ReadFile("../../../examples/plan/mixed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d := first(t, string(text))
	if d.Count.Switches != [3]int{13, 8, 0} || d.Merits.Places != 0 {
		t.Errorf("%s: %v switches, %d free ports", d.Name, d.Count.Switches, d.Merits.Places)
	}
	got := map[string]int{}
	for _, l := range d.Bill {
		if where, ok := strings.CutPrefix(l.Where, "node: "); ok {
			got[where+" "+l.Item] += l.Quantity
		}
	}
	for item, want := range map[string]int{
		"older GPUs connectx-7": 128, "older GPUs MMA4Z00-NS-FLT": 64, "older GPUs MMA4Z00-NS": 64, "older GPUs fibre-multimode": 128,
		"storage connectx-7": 24, "storage MCA7J60": 12, "CPU hosts connectx-7": 8,
	} {
		if got[item] != want {
			t.Errorf("%d of %s, by hand %d", got[item], item, want)
		}
	}
}

// NICs that have no port at the rate of the links are a constraint to relax, not a design.
func TestANICThatDoesNotFitIsRefused(t *testing.T) {
	r, err := plan.Read("plan.yaml", []byte("{gpus: 256, node: dgx-b200, fabrics: infiniband, others: [{name: old, nodes: 16, node: dgx-a100}]}"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), r, nil)
	if err != nil || len(p.Designs) > 0 {
		t.Fatalf("%d designs, %v", len(p.Designs), err)
	}
	if !strings.Contains(p.Relax[0].Breaches[0].Allowed+p.Relax[0].Breaches[0].Field, "old with connectx-6others") {
		t.Errorf("to relax %+v", p.Relax)
	}
	for text, want := range map[string]string{
		"others: [{name: a, nodes: 1}]":                                                      "others[0].nic: want a NIC",
		"others: [{name: a, nodes: 1, nic: connectx-7}]":                                     "others[0].nics: want the number",
		"others: [{name: a, nodes: 1, nic: connectx7, nics: 1}]":                             "others[0].nic",
		"others: [{nodes: 1, nic: connectx-7, nics: 1}]":                                     "others[0].name",
		"others: [{name: a, nodes: 1, node: dgx-h10}]":                                       `others[0].node: node "dgx-h10" is not known`,
		"others: [{name: a, nodes: 1, nic: efa-4, nics: 1}]":                                 "others[0].nic: efa-4 is a part of its cloud",
		"others: [{name: a, nodes: 1, node: dgx-a100, nics: 20}]":                            "others[0].nics: 20: a dgx-a100 has 8",
		"others: [{name: a, nodes: 1, node: dgx-h100}, {name: a, nodes: 1, node: dgx-h100}]": `others[1].name: "a" is there twice`,
		"others: [{name: a, nodes: 0, nic: connectx-7, nics: 1}]":                            "others[0].nodes",
		"others: [{name: a, nodes: 99999999, node: dgx-h100}]":                               "others[0].nodes",
	} {
		if _, err := plan.Read("plan.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
