package scenario

import (
	"slices"
	"strings"
	"testing"
)

// ib.by-speed has no effect, and is said to have none, where all cables between switches have one rate, and with an engine
// that follows the shape.
func TestBySpeedIsIdleWithoutSeveralRates(t *testing.T) {
	const head = "cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}\nworkload: {pattern: permutation, sizes: [1MiB]}\n"
	const links = "topology: {shape: listed, links: [{ends: [0, 2], rate: 200Gbps, length: 5m}, {ends: [1, 3], length: 5m}, {ends: [2, 4], length: 5m}, {ends: [3, 4], length: 5m}, {ends: [2, 5]RATE, length: 5m}, {ends: [3, 5], length: 5m}]}\n"
	for text, want := range map[string]bool{
		head + "topology: {shape: single-switch}\nfabric: {preset: infiniband-ndr, ib: {by-speed: true}}\n":                                      true,
		head + strings.ReplaceAll(links, "RATE", "") + "fabric: {preset: infiniband-ndr, ib: {by-speed: true}}\n":                                true,
		head + strings.ReplaceAll(links, "RATE", ", rate: 100Gbps") + "fabric: {preset: infiniband-ndr, ib: {by-speed: true}}\n":                 false,
		head + strings.ReplaceAll(links, "RATE", ", rate: 100Gbps") + "fabric: {preset: infiniband-ndr, ib: {by-speed: true, engine: ftree}}\n":  true,
		head + strings.ReplaceAll(links, "RATE", ", rate: 100Gbps") + "fabric: {preset: infiniband-ndr, ib: {by-speed: true, engine: dfsssp}}\n": false,
	} {
		f, err := Decode("test", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		idle := slices.ContainsFunc(f.Idle(r), func(i Idle) bool {
			return slices.ContainsFunc(i.Paths, func(p string) bool { return len(p) > 8 && p[len(p)-8:] == "by-speed" })
		})
		if idle != want {
			t.Errorf("%s: idle is %t, want %t", text, idle, want)
		}
	}
}
