package prove

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/roce/lint"
	"weft/internal/roce/sonic"
)

// unshown are the rules that no simulation shows: an invalid configuration cannot be run, nor a port
// without any; a missing watchdog matters when an adapter breaks; a switch that drops all needs no proof; the rest is not in the simulator.
var unshown = map[string]bool{
	"invalid": true, "qos-missing": true, "buffer-missing": true, "switches-differ": true, "gid-v1": true, "pfc-asym": true, "egress-lossy": true,
	"fec": true, "drops": true, "paths-few": true, "hash-addresses": true, "red-switch": true, "watchdog-missing": true, "watchdog-action": true, "watchdog-slow": true,
}

func TestEveryRuleIsProvedOrKnownNotToBe(t *testing.T) {
	for _, r := range lint.Rules {
		if _, shown := rules[r.Name]; shown == unshown[r.Name] {
			t.Errorf("%s is shown: %v, and known not to be: %v", r.Name, shown, unshown[r.Name])
		}
	}
	for name := range rules {
		found := false
		for _, r := range lint.Rules {
			found = found || r.Name == name
		}
		if !found {
			t.Errorf("%s is no rule", name)
		}
	}
}

// config is the switch of sonic's tests.
func config(t *testing.T) *sonic.Config {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "sonic", "testdata", "config_db.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := sonic.Read("config_db.json", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhatHasNoProofIsRefusedWithTheReason(t *testing.T) {
	lossless := lint.Traffic{What: "NCCL", DSCP: 3, Mended: 3, CNP: 48, MendedCNP: 48}
	for _, c := range []struct {
		finding lint.Finding
		want    string
	}{
		{lint.Finding{Rule: "invalid", Traffic: lossless, Where: []string{"Ethernet0"}}, "no simulation"},
		{lint.Finding{Rule: "dscp-lossy", Where: []string{"Ethernet0"}}, "on no port does a DSCP lead to this class"},
		{lint.Finding{Rule: "dscp-lossy", Traffic: lossless}, "on no port does a DSCP lead to this class"},
		{lint.Finding{Rule: "cnp-in-data", Traffic: lossless, Where: []string{"Ethernet0"}}, "no other queue for notifications"},
		{lint.Finding{Rule: "watchdog-short", Traffic: lossless, Where: []string{"Ethernet0"}}, "no valid detection time"},
		{lint.Finding{Rule: "cable-differs", Traffic: lossless, Where: []string{"Ethernet0"}}, "speed of the port is not known"},
		{lint.Finding{Rule: "headroom-total", Traffic: lossless, Where: []string{"Ethernet0"}}, "no size of the pool"},
		{lint.Finding{Rule: "headroom-total", Traffic: lossless, Where: []string{"Ethernet0"}, Fixes: []lint.Fix{{On: "host"}}}, "too few ports"},
	} {
		r := &lint.Report{Name: "leaf1", Findings: []lint.Finding{c.finding}}
		_, err := Of(r, &c.finding, config(t), config(t))
		var refusal Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.finding.Rule, err, c.want)
		}
	}
}

// The side as configured reads the configuration unchanged, the other side the fixed one.
func TestAProofHasBothConfigurations(t *testing.T) {
	f := lint.Finding{
		Rule: "dscp-lossy", Where: []string{"Ethernet0"}, Traffic: lint.Traffic{What: "NCCL", DSCP: 26, Mended: 26, CNP: 48, MendedCNP: 48},
		Fixes: []lint.Fix{{On: "leaf1", Lines: []string{sonic.Patch("DSCP_TO_TC_MAP", "AZURE", "26", "3")}}},
	}
	p, err := Of(&lint.Report{Name: "leaf1", Findings: []lint.Finding{f}}, &f, config(t), config(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		side *Side
		want int
	}{{&p.Before, 1}, {&p.After, 3}} {
		sw, _ := sonic.Examine(s.side.Config)
		if got := sw.Ports[0].ClassOf(26).TC; got != s.want {
			t.Errorf("%s: DSCP 26 is in class %d, want %d", s.side.Name, got, s.want)
		}
	}
	for _, want := range []string{"sonic: before.json, sonic-port: Ethernet0", "sonic: after.json", "node-leaf: 40000mm", "pattern: incast, fan-in: 16"} {
		if !strings.Contains(p.Scenario(), want) {
			t.Errorf("no %q in\n%s", want, p.Scenario())
		}
	}
}
