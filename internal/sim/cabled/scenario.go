package cabled

import (
	"fmt"
	"strings"

	"weft/internal/base/wording"
	"weft/units"
)

// presets are the fabrics of the catalog, as a scenario writes them, by kind and rate of a NIC's link.
var presets = map[bool]map[units.Rate]string{
	true: {
		32 * units.Gbps: "{preset: infiniband-fdr, name: infiniband-qdr, link: qdr}", 40 * units.Gbps: "{preset: infiniband-fdr, name: infiniband-fdr10, link: fdr10}", 54544 * units.Mbps: "infiniband-fdr",
		100 * units.Gbps: "infiniband-edr", 200 * units.Gbps: "infiniband-hdr", 400 * units.Gbps: "infiniband-ndr", 800 * units.Gbps: "infiniband-xdr",
	},
	false: {
		25 * units.Gbps: "roce-v2-25g", 100 * units.Gbps: "roce-v2-100g", 200 * units.Gbps: "roce-v2-200g", 400 * units.Gbps: "roce-v2-400g", 800 * units.Gbps: "roce-v2-800g",
	},
}

// Preset is the catalog's fabric of the kind and the rate of a placed fabric. Without one of this rate exact is false:
// the rates of the cables hold in either case. Links whose rate the file does not say have 400 Gb/s.
func (s *Source) Preset(p *Placed) (name string, exact bool) {
	all := presets[s.InfiniBand]
	if name, ok := all[p.Rate]; ok {
		return name, true
	}
	if p.Rate == 0 {
		return all[400*units.Gbps], false
	}
	return all[100*units.Gbps], false
}

// MaxHosts is the maximum number of names that cluster.hosts of a scenario has.
const MaxHosts = 65536

// Scenario is the text of a scenario on the fabric, to begin from. What the file does not say is marked in it. file is the
// name of the fabric's file for the scenario.
func (s *Source) Scenario(file string) (string, error) {
	p, err := s.Place(Choice{})
	if err != nil {
		return "", err
	}
	if p.Nodes > MaxHosts {
		return "", fmt.Errorf("%s has %d hosts: a scenario has at most %d", s.Name, p.Nodes, MaxHosts)
	}
	var b strings.Builder
	switches := len(p.Devices) - p.Nodes*p.NICs - p.Others
	fmt.Fprintf(&b, "# The fabric of %s (%s): %s with %s each, %s, %s.\n", s.Name, s.Format,
		wording.Counted(p.Nodes, "host", "hosts"), wording.Counted(p.NICs, "NIC", "NICs"), wording.Counted(switches, "switch", "switches"), wording.Counted(len(p.Links), "cable", "cables"))
	for _, n := range append(s.Notes, p.Notes...) {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	b.WriteString("cluster:\n")
	b.WriteString("  # The file does not say which machine the hosts are: write its preset (weft catalog node) and its GPUs.\n")
	fmt.Fprintf(&b, "  node: {preset: dgx-h100, gpus: %d, nics: %d%s}\n", p.NICs, p.NICs, nicFor(p.Rate, s.InfiniBand))
	b.WriteString("  # The nodes in the order of their ranks.\n")
	writeList(&b, "  hosts", p.Hosts)
	if len(p.Adapters) > 0 {
		b.WriteString("  # The NICs of a node in the order of its GPUs.\n")
		writeList(&b, "  adapters", p.Adapters)
	}
	fmt.Fprintf(&b, "topology: {file: %q}\n", file)
	name, exact := s.Preset(p)
	switch {
	case p.Rate == 0:
		b.WriteString("# The file does not say the rate of the links: take the preset that has it.\n")
	case !exact:
		fmt.Fprintf(&b, "# The links run at %v: there is no preset of this rate, and each cable has its own.\n", p.Rate)
	}
	fmt.Fprintf(&b, "fabric: %s\n", name)
	b.WriteString("workload: {collective: all-reduce, sizes: [1MiB, 64MiB]}\n")
	return b.String(), nil
}

// nicFor names a NIC for links that are faster than the NIC of the preset dgx-h100.
func nicFor(rate units.Rate, infiniband bool) string {
	switch {
	case rate <= 400*units.Gbps:
		return ""
	case infiniband:
		return ", nic: connectx-8"
	}
	return ", nic: thor-ultra" // a ConnectX-8 has no port of 800GbE
}

// writeList writes a list of names, several in a line.
func writeList(b *strings.Builder, field string, names []string) {
	fmt.Fprintf(b, "%s: [", field)
	width := len(field) + 3
	for i, name := range names {
		text := fmt.Sprintf("%q", name)
		if i > 0 {
			b.WriteString(",")
			if width += len(text) + 2; width > 110 {
				b.WriteString("\n   ")
				width = len(text) + 4
			}
			b.WriteString(" ")
		}
		b.WriteString(text)
	}
	b.WriteString("]\n")
}
