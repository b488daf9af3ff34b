package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
)

// storm is a NIC that pauses its leaf without end. Flows 0 and 1 go to it; flow 4 goes elsewhere, over their uplink.
const storm = `
name: storm
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16, hosts-per-leaf: 8, spines: 1, cables: {node-leaf: 3m, leaf-spine: 20m}}
fabrics:
  - preset: roce-v2-400g
    name: bad NIC
    cc: none
    ethernet: {ecn: {enabled: false}, pfc: {xoff: 512KiB, receivers: [{nic: 8, start: 100us, duration: 1ms}]}}
    transport: {timeout: 67ms}
workload:
  pattern: flows
  flows:
    - {src: 0, dst: 8, bytes: 8MiB}
    - {src: 1, dst: 8, bytes: 8MiB}
    - {src: 4, dst: 9, bytes: 2MiB, start: 300us}
`

// simulatedVerb is the output of a verb that simulates, in a folder with the storm.
func simulatedVerb(t *testing.T, dir string, args ...string) string {
	t.Helper()
	e := environment(args)
	e.Dir, e.Run = dir, weft.Run
	code, stdout, stderr := invoke(e)
	if code != exit.OK {
		t.Fatalf("weft %s: exit code %d: %s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// The first ten lines of weft explain say which NIC stormed, whom that stopped, and which flow suffered that never went
// there; weft run names weft explain. Without the broken NIC nobody storms, though packets queue for it.
func TestAStormIsExplained(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "storm.yaml"), []byte(storm), 0o600); err != nil {
		t.Fatal(err)
	}
	has := func(text string, patterns ...string) {
		t.Helper()
		for _, p := range patterns {
			if !regexp.MustCompile("(?m)" + p).MatchString(text) {
				t.Errorf("no match for %q in\n%s", p, text)
			}
		}
	}
	firstTen := func(text string) string {
		lines := strings.Split(text, "\n")
		return strings.Join(strings.Fields(strings.Join(lines[:min(10, len(lines))], " ")), " ")
	}
	said := []string{
		`node1/nic0 stormed on "bad NIC": from 100 us on it stopped leaf1 for 1.00 ms without a break`,
		`leaf1 stopped spine0 .*spine0 stopped leaf0 .*leaf0 stopped .*node0/nic4`,
		`Victim: node0/nic4 to node1/nic1 never crosses it, but shares leaf0 port \d+ to spine0 with traffic that does; it took [\d.]+ us, [\d.]+ times`,
	}
	has(firstTen(simulatedVerb(t, dir, "explain", "storm.yaml")), said...)
	has(simulatedVerb(t, dir, "run", "storm.yaml"), `^weft explain storm.yaml says who paused whom`)
	has(simulatedVerb(t, dir, "run", "storm.yaml", "--set", "workload.flows[0].bytes=4MiB", "--out", "run"), `^weft explain run says who paused whom`)
	has(simulatedVerb(t, dir, "explain", "run"), `weft explain run/scenario.yaml simulates it`)
	has(firstTen(simulatedVerb(t, dir, "run", "storm.yaml", "--set", "run.pauses=true")), said...)

	sound := simulatedVerb(t, dir, "explain", "storm.yaml", "--set", "fabrics[0].ethernet.pfc.receivers=[]")
	if strings.Contains(sound, "stormed") || strings.Contains(sound, "takes in less") {
		t.Errorf("no NIC is broken, and weft explain says\n%s", sound)
	}
	has(firstTen(sound), `The load on one receiver is too high on "bad NIC" \(incast\): more came to leaf1 for node1/nic0 than its port carries`)
	quiet := simulatedVerb(t, dir, "run", "storm.yaml", "--set", "workload.flows=[{src: 0, dst: 9, bytes: 64KiB}]", "--set", "fabrics[0].ethernet.pfc.receivers=[]")
	if strings.Contains(quiet, "weft explain") {
		t.Errorf("nothing happened, and weft run names weft explain:\n%s", quiet)
	}
}

// The line that names weft explain repeats the flags that change the scenario, as a shell takes them.
func TestExplainIsNamedWithTheFlagsOfTheRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a storm.yaml"), []byte(storm), 0o600); err != nil {
		t.Fatal(err)
	}
	text := simulatedVerb(t, dir, "run", "a storm.yaml", "-j1", "--fabric", "bad NIC", "--set", "run.seed=2", "--set", "fabrics[0].mtu=1KiB")
	const want = `weft explain 'a storm.yaml' --fabric 'bad NIC' --set run.seed=2 --set 'fabrics[0].mtu=1KiB' says`
	if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
		t.Errorf("weft run does not say %q:\n%s", want, text)
	}
}
