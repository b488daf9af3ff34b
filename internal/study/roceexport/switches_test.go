package roceexport

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
)

// switchesText is a scenario with a topology and a fabric. Its fabric has a watchdog, since SONiC's default is written
// otherwise, and the MTU of a SONiC port.
const switchesText = `
cluster: {nodes: %d, node: {preset: dgx-h100, gpus: %d, nics: %[2]d}}
topology: %s
fabric: {preset: roce-v2-400g, ethernet: {dscp: 34, cnp-dscp: 50%s}, switch: {mtu: 9216B}%s}
workload: {%s}
`

// watched is a watchdog in whole milliseconds.
const watched = ", pfc: {watchdog: {enabled: true, detection: 200ms, restoration: 300ms, poll: 100ms}}"

func decodeIn(t *testing.T, folder, text string) *scenario.Resolved {
	t.Helper()
	f, err := scenario.DecodeIn(folder, "test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pointsOf is what a run gives, without the resolved scenario.
func pointsOf(t *testing.T, r *scenario.Resolved) string {
	t.Helper()
	out, err := sim.Run(t.Context(), r, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []results.Point
	for i := range out.Fabrics {
		all = append(all, out.Fabrics[i].Points...)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWhatIsExportedOfEachSwitchComesBackAsItWentOut: each port of each switch has the same settings, and a run the same results, byte
// for byte but for the names of ports, which are the site's. The switches have no port without a cable between others, which would not be counted.
func TestWhatIsExportedOfEachSwitchComesBackAsItWentOut(t *testing.T) {
	const incast = "pattern: incast, fan-in: 12, sizes: [1MiB]"
	for name, c := range map[string]struct {
		nodes, nics            int
		topology               string
		ethernet, fabric, work string
	}{
		"one switch":   {4, 4, "{shape: single-switch, radix: 32}", watched, "", incast},
		"two levels":   {8, 8, "{shape: fat-tree, radix: 16}", watched, "", incast},
		"all-reduce":   {8, 8, "{shape: fat-tree, radix: 16}", watched, "", "collective: all-reduce, sizes: [256KiB]"},
		"many leaves":  {24, 4, "{shape: fat-tree, radix: 16, levels: 2}", watched, "", incast},
		"other cables": {8, 8, "{shape: fat-tree, radix: 16, cables: {node-leaf: 3m, leaf-spine: 40m}}", watched, "", incast},
		"a switch and ports of their own": {8, 8, "{shape: fat-tree, radix: 16}", watched, `, switches: [
  {names: [leaf1], set: [ethernet.ecn.kmin=100KB, ethernet.ecn.kmax=300KB, ethernet.pfc.alpha=1/8]},
  {names: [leaf0, spine1], ports: ["[2-4]", 7], set: [ethernet.pfc.headroom=100KiB, ethernet.ecn.enabled=false]},
  {names: [leaf0], ports: [1], set: [ethernet.pfc.alpha=1/16, switch.mtu=5000B]},
  {names: [spine1], ports: [5], set: ["ethernet.pfc.priorities=[3, 4]", "ethernet.pfc.classes=[{priority: 4, headroom: 50KiB, reserve: 1KiB, xon: 1000B, alpha: 1/4}]",
    "ethernet.queues=[{priority: 0, schedule: dwrr, weight: 30}, {priority: 3, schedule: dwrr, weight: 70}, {priority: 4, schedule: dwrr, weight: 1}, {priority: 6, schedule: strict, weight: 0}]"]},
  {names: [spine0], ports: [3], set: ["ethernet.pfc.priorities=[]", "ethernet.egress-alpha=4",
    "ethernet.queues=[{priority: 0, schedule: dwrr, weight: 20}, {priority: 3, schedule: dwrr, weight: 80}, {priority: 6, schedule: strict, weight: 0}]"]}]`, incast},
		"hashes and fewer paths": {8, 8, "{shape: fat-tree, radix: 16}", watched, `, routing: {hash: flow, hash-function: usual/7, max-paths: 4}, switches: [
  {names: [leaf1], set: [routing.hash=addresses, routing.hash-function=crc/10, routing.max-paths=2]},
  {names: [spine1], set: [routing.hash-function=crc_32lo/4294967295]}]`, incast},
		"systems": {4, 8, "{shape: fat-tree, radix: 16}", watched, `, switches: [
  {names: [leaf0], set: [routing.asn=65000, routing.max-paths=3, routing.multipath-relax=true]},
  {names: [leaf1], set: [routing.asn=65001]}, {names: [leaf2], set: [routing.asn=65002]}, {names: [leaf3], set: [routing.asn=65003]},
  {names: [spine0], set: [routing.asn=65100]}, {names: [spine1], set: [routing.asn=4200000000]}]`, incast},
		"systems that do not matter": {4, 8, "{shape: fat-tree, radix: 16}", watched, `, routing: {multipath-relax: true}, switches: [
  {names: [leaf0, leaf1, leaf2, leaf3], set: [routing.asn=65000]}, {names: [spine0], set: [routing.asn=65101]}, {names: [spine1], set: [routing.asn=65102]}]`, incast},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			text := func(topology, ethernet, fabric string) string {
				return fmt.Sprintf(switchesText, c.nodes, c.nics, topology, ethernet, fabric, c.work)
			}
			own := decodeIn(t, folder, text(c.topology, c.ethernet, c.fabric))
			p, err := Of(own, &own.Fabrics[0])
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range written(t, p, "sonic-switches") {
				if err := os.MkdirAll(filepath.Join(folder, "site", filepath.Dir(file)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, "site", file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			back := decodeIn(t, folder, strings.Replace(text("{file: site}", "", ""), ", switch: {mtu: 9216B}", "", 1))
			compareSettings(t, p, &own.Fabrics[0], &back.Fabrics[0])
			comparePaths(t, p, &own.Fabrics[0], &back.Fabrics[0])
			compareNames(t, p, back)
			if got, want := numbered(back, pointsOf(t, back)), pointsOf(t, own); got != want {
				t.Errorf("the results differ:\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// numbered is results of a fabric of files with the numbers of ports in place of the site's names.
func numbered(r *scenario.Resolved, results string) string {
	var names []string
	for _, d := range r.Fabrics[0].Topology.Devices {
		for i, port := range d.PortNames {
			names = append(names, fmt.Sprintf(`"%s %s to `, d.Name, port), fmt.Sprintf(`"%s port %d to `, d.Name, i+1))
		}
	}
	return strings.NewReplacer(names...).Replace(results)
}

// compareSettings compares what each port of each switch has in two fabrics, field by field.
func compareSettings(t *testing.T, p *Plan, own, back *scenario.Fabric) {
	t.Helper()
	g, err := p.shape.Build()
	if err != nil {
		t.Fatal(err)
	}
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		n := &g.Nodes[i]
		number := 0 // the cabled ports are counted anew
		for port, c := range n.Cables {
			if c < 0 {
				continue
			}
			number++
			want, got := *own.OfPort(n.Name, port+1), *back.OfPort(n.Name, number)
			w, b := want.Ethernet, got.Ethernet
			w.Shared, b.Shared = 0, 0                 // written out, and checked by the results
			w.PFC.Response, b.PFC.Response = 0, 0     // the peer's
			w.PFC.Enabled, b.PFC.Enabled = true, true // without a priority it is off
			if !w.ECN.Enabled {
				b.ECN = w.ECN // the marks, if ECN were on
				b.ECN.Enabled = got.Ethernet.ECN.Enabled
			}
			if len(w.PFC.Priorities) == 0 {
				w.PFC.Headroom, b.PFC.Headroom = 0, 0 // a lossy profile has none
			}
			if !reflect.DeepEqual(w, b) || want.Switch.MTU != got.Switch.MTU {
				t.Errorf("%s, port %d: read again\n%+v\n(MTU %v), written\n%+v\n(MTU %v)", n.Name, port+1, b, got.Switch.MTU, w, want.Switch.MTU)
			}
		}
	}
}

// comparePaths compares how each switch chooses among its paths. Systems are not read where multipath-relax is on everywhere.
func comparePaths(t *testing.T, p *Plan, own, back *scenario.Fabric) {
	t.Helper()
	g, err := p.shape.Build()
	if err != nil {
		t.Fatal(err)
	}
	strict := false
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		r := own.OfSwitch(g.Nodes[i].Name).Routing
		strict = strict || r.ASN > 0 && !r.MultipathRelax
	}
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		name := g.Nodes[i].Name
		want, got := own.OfSwitch(name).Routing, back.OfSwitch(name).Routing
		if !strict {
			want.ASN, want.MultipathRelax = 0, got.MultipathRelax
		}
		if cabled := len(slices.DeleteFunc(slices.Clone(g.Nodes[i].Cables), func(c int32) bool { return c < 0 })); want.MaxPaths >= cabled {
			want.MaxPaths = 0 // no limit
		}
		if got.Hash != want.Hash || got.HashFunction != want.HashFunction || got.MaxPaths != want.MaxPaths || got.ASN != want.ASN || got.MultipathRelax != want.MultipathRelax {
			t.Errorf("%s: read again %q %q, %d paths, system %d, relaxed %t; written %q %q, %d paths, system %d, relaxed %t", name,
				got.Hash, got.HashFunction, got.MaxPaths, got.ASN, got.MultipathRelax, want.Hash, want.HashFunction, want.MaxPaths, want.ASN, want.MultipathRelax)
		}
	}
}

// TestPathsThatSONiCCannotHaveAreRefused names the field and what is valid.
func TestPathsThatSONiCCannotHaveAreRefused(t *testing.T) {
	for fabric, want := range map[string]string{
		", routing: {hash-function: murmur/3}":                                              "routing.hash-function is murmur/3, and SONiC takes an algorithm (crc, xor,",
		", routing: {hash-function: crc}":                                                   "such as crc/10",
		", routing: {max-paths: 2}, switches: [{names: [leaf0], set: [routing.asn=65000]}]": "routing.asn of leaf1 is not known: state that of each switch in switches",
	} {
		r := decodeIn(t, t.TempDir(), fmt.Sprintf(switchesText, 4, 8, "{shape: fat-tree, radix: 16}", watched, fabric, "pattern: incast, fan-in: 4, sizes: [1MiB]"))
		p, err := Of(r, &r.Fabrics[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.switchFiles(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", fabric, err, want)
		}
	}
}

// compareNames compares the neighbours, and BGP's sessions, of what is written of a fabric and of the fabric that is read from it: the
// names of ports are the site's.
func compareNames(t *testing.T, p *Plan, back *scenario.Resolved) {
	t.Helper()
	again, err := Of(back, &back.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	first, second := written(t, p, "sonic-switches"), written(t, again, "sonic-switches")
	for file, text := range first {
		if strings.HasSuffix(file, "/frr.conf") {
			if second[file] != text && second[file] != "" { // without systems that matter new ones are chosen
				t.Errorf("%s of what was read:\n%s\nwant\n%s", file, second[file], text)
			}
			continue
		}
		var want, got struct {
			Neighbours map[string]map[string]string `json:"DEVICE_NEIGHBOR"`
		}
		if err := errors.Join(json.Unmarshal([]byte(text), &want), json.Unmarshal([]byte(second[file]), &got)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s of what was read: %v, want %v", file, got, want)
		}
	}
}
