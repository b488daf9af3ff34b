package faultcost

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/roce/lint"
	"weft/internal/sim/cabled"
)

// leaves are n leaves with k hosts of one NIC each at the ports Ethernet0, Ethernet1, …
func leaves(n, k int) *cabled.Placed {
	p := &cabled.Placed{Nodes: n * k, NICs: 1, PortNames: map[string]map[string]int{}}
	for i := range n * k {
		p.Devices = append(p.Devices, cabled.Device{Name: fmt.Sprintf("h%d", i)})
	}
	for leaf := range n {
		name := fmt.Sprintf("leaf%d", leaf)
		p.Devices = append(p.Devices, cabled.Device{Name: name})
		p.PortNames[name] = map[string]int{}
		for i := range k {
			p.PortNames[name][fmt.Sprintf("Ethernet%d", i)] = i + 1
			p.Links = append(p.Links, cabled.Link{A: leaf*k + i, PortA: 1, B: n*k + leaf, PortB: i + 1})
		}
	}
	return p
}

// TestIncastsCrossThePortsWithFindings: two findings on leaf2, one on leaf1 and one on a spine. Host 21 is at a port with findings.
func TestIncastsCrossThePortsWithFindings(t *testing.T) {
	reports := []*lint.Report{
		{Name: "leaf1", Findings: []lint.Finding{{Where: []string{"Ethernet0"}}}},
		{Name: "leaf2", Findings: []lint.Finding{{Where: []string{"Ethernet5"}}, {Where: []string{"Ethernet5"}}}},
		{Name: "spine1", Findings: []lint.Finding{{Where: []string{"Ethernet0"}}, {Where: []string{"Ethernet1"}}, {Where: []string{"Ethernet2"}}}},
	}
	name, text := Incasts(leaves(5, 8), reports, "1MiB")
	if name != "incasts of 16 senders to each of 4 hosts, 1MiB each" {
		t.Errorf("the workload is called %q", name)
	}
	for want, n := range map[string]int{
		"dst: 16, bytes: 1MiB}": 16, "dst: 9, bytes: 1MiB}": 16, // the first hosts of leaf2 and leaf1 at ports without findings
		"dst: 21, bytes: 1MiB}": 16, "dst: 8, bytes: 1MiB}": 16, // and at ports with findings
		"{src: 21, dst: 16,": 1, "{src: 21, dst: 8,": 1, // at the port with two findings
		"{src: 8, dst: 16,": 1, "{src: 8, dst: 8,": 0, // nobody sends to itself
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q is there %d times, want %d: %s", want, got, n, text)
		}
	}
}

// TestAnIncastOverFewHostsIsOfAll: of three hosts without a finding at a leaf the first receives; one host has none to send to.
func TestAnIncastOverFewHostsIsOfAll(t *testing.T) {
	name, text := Incasts(leaves(1, 3), nil, "2MiB")
	if want := "{pattern: flows, flows: [{src: 1, dst: 0, bytes: 2MiB}, {src: 2, dst: 0, bytes: 2MiB}]}"; text != want || name != "incast of 2 senders, 2MiB each" {
		t.Errorf("%s: %s, want %s", name, text, want)
	}
	if _, text := Incasts(leaves(1, 1), nil, "2MiB"); text != "" {
		t.Errorf("one host: %s", text)
	}
}

// TestNotAllSendersAreAtPortsWithFindings: of sixteen at most eight.
func TestNotAllSendersAreAtPortsWithFindings(t *testing.T) {
	var where []string
	for i := range 8 {
		where = append(where, fmt.Sprintf("Ethernet%d", i))
	}
	var reports []*lint.Report
	for _, leaf := range []string{"leaf0", "leaf1"} {
		reports = append(reports, &lint.Report{Name: leaf, Findings: []lint.Finding{{Where: where}}})
	}
	_, text := Incasts(leaves(8, 8), reports, "1MiB")
	near := 0
	for nic := range 16 {
		near += strings.Count(text, fmt.Sprintf("{src: %d, dst: 0,", nic))
	}
	if all := strings.Count(text, "dst: 0,"); all != 16 || near > 12 || near < 8 {
		t.Errorf("%d of %d senders are at ports with findings", near, all)
	}
}

// TestAShiftIsForFindingsAboutPaths: four messages of each NIC to the one half of all further; without such a finding there is none.
func TestAShiftIsForFindingsAboutPaths(t *testing.T) {
	of := func(rule string) []*lint.Report {
		return []*lint.Report{{Name: "leaf1", Findings: []lint.Finding{{Rule: rule}}}}
	}
	name, text := Shift(leaves(2, 2), of("paths-few"), 4)
	if !strings.HasPrefix(name, "shift by half of the hosts: 4 messages from each of 4, 4MiB each") || strings.Count(text, "{src: 3, dst: 1, bytes: 4MiB}") != 4 || strings.Count(text, "src:") != 16 {
		t.Errorf("%s: %s", name, text)
	}
	if _, text := Shift(leaves(2, 2), of("mtu"), 4); text != "" {
		t.Errorf("without a finding about paths: %s", text)
	}
	_, text = Shift(leaves(40, 8), of("hash-addresses"), 4)
	if strings.Count(text, "src:") != 4*mostShifted {
		t.Errorf("%d messages, want %d from each of %d", strings.Count(text, "src:"), ofEach, mostShifted)
	}
}
