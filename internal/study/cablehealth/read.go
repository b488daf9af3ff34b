package cablehealth

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/cabling/planfile"
	"weft/internal/base/portstate"
	"weft/internal/base/wording"
	ib "weft/internal/ib/counters"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
	roce "weft/internal/roce/counters"
)

// Source is a file with its content.
type Source struct{ Name, Text string }

// File is a file that was read, with its kind.
type File struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// topologyKind is the kind of files that describe a subnet.
const topologyKind = "topology"

// Read reads files of any kinds. The error names the files that no reader knows, and what is read.
func Read(sources []Source, o Options) (*portstate.Set, []File, error) {
	set, files, unknown := ReadKnown(sources, o)
	if len(unknown) > 0 {
		return nil, nil, fmt.Errorf("%w\n\nThese are read:\n%s", errors.Join(unknown...), Kinds())
	}
	return set, files, nil
}

// ReadKnown reads the files of known kinds, and says of the others why they are not read.
func ReadKnown(sources []Source, o Options) (set *portstate.Set, files []File, unknown []error) {
	set = portstate.NewSet()
	var parts []part
	for i, s := range sources {
		parts = append(parts, partsOf(i, s)...)
	}
	devices := devicesOf(set, parts, o)
	for at := 0; at < len(parts); {
		end := at + 1
		for end < len(parts) && parts[end].file == parts[at].file {
			end++
		}
		s := sources[parts[at].file]
		kind, err := readFile(set, s, parts[at:end], devices[at:end])
		if err != nil {
			unknown = append(unknown, err)
		} else {
			files = append(files, File{s.Name, kind})
		}
		at = end
	}
	set.Finish()
	return set, files, unknown
}

// devicesOf is the device that each file is about if it does not say so itself, as Ethernet's tools do
// not: its folder, if the files are in several. Two files of one kind and part in one folder are two
// devices, called by their files, unless the user or a date in them says that they are two readings.
func devicesOf(set *portstate.Set, parts []part, o Options) []string {
	folders := map[string]bool{}
	type kindIn struct{ folder, kind, part string }
	count := map[kindIn]int{}
	last := map[kindIn]int{} // the file, counted from 1
	kinds := make([]kindIn, len(parts))
	for i, s := range parts {
		r := s.reader
		if !s.ethernet() {
			continue
		}
		kinds[i] = kindIn{folder: filepath.Dir(s.Name), kind: r.Name}
		if r.Part != nil {
			kinds[i].part = r.Part(s.Name, s.Text)
		}
		folders[kinds[i].folder] = true
		if o.After == 0 && s.device == "" && last[kinds[i]] != s.file+1 && !s.dated && (r.Dated == nil || !r.Dated(s.Text)) {
			count[kinds[i]]++
			last[kinds[i]] = s.file + 1
		}
	}
	out := make([]string, len(parts))
	byFile := 0
	for i, s := range parts {
		if kinds[i].kind == "" {
			continue
		}
		base := filepath.Base(s.Name)
		switch dir := filepath.Base(kinds[i].folder); {
		case s.device != "":
			out[i] = s.device
		case count[kinds[i]] > 1:
			out[i] = base
			byFile++
		case len(folders) > 1 && dir != "." && dir != string(filepath.Separator):
			out[i] = dir
		case kinds[i].kind == "ethtool -S":
			out[i] = base // without a name of anything
		}
	}
	if byFile > 0 {
		set.Notes = append(set.Notes, fmt.Sprintf("%d files are of one kind with others of their folder and name no device: each counts as a device of its own, called by its file; give each device a folder, or --after if they are readings of one", byFile))
	}
	return out
}

// Kinds lists the kinds of files that are read, a line each.
func Kinds() string {
	var b strings.Builder
	for _, r := range readers {
		if r.What != "" {
			b.WriteString("  " + r.What + "\n")
		}
	}
	b.WriteString("  a topology, for names and the other ends: ibnetdiscover (-p), opensm-subnet.lst\n")
	b.WriteString("  a plan of cables or LLDP neighbours as weft fabric diff reads them, for the other ends\n")
	return b.String()
}

var readers = slices.Concat(ib.Readers, roce.Readers)

// readFile reads a file, each part by the reader that knows it.
func readFile(set *portstate.Set, s Source, parts []part, devices []string) (kind string, err error) {
	switch {
	case len(s.Text) > portstate.MaxFile:
		return "", fmt.Errorf("%s has more than %d MiB: the files of a large fabric have some 100 MB", s.Name, portstate.MaxFile>>20)
	case strings.TrimSpace(s.Text) == "":
		return "", fmt.Errorf("%s is empty", s.Name)
	case strings.IndexByte(s.Text[:min(len(s.Text), 4096)], 0) >= 0:
		return "", fmt.Errorf("%s is no text", s.Name)
	case len(parts) == 1 && parts[0].reader == nil:
		return readOther(set, s)
	}
	seen, kinds := neighboursIn(set, s, parts)
	in := &portstate.Input{Name: s.Name, Set: set}
	for i, p := range parts {
		in.Continue(p.Text, p.above)
		in.Device, in.Shell = devices[i], p.command
		switch {
		case p.reader == nil && !seen[i]:
			skipPart(in, p)
		case p.reader != nil:
			in.Kind = p.reader.Name
			p.reader.Read(in)
			if !slices.Contains(kinds, in.Kind) {
				kinds = append(kinds, in.Kind)
			}
		}
	}
	return strings.Join(kinds, ", "), nil
}

// neighboursIn reads the neighbours in the parts of a capture that no reader knows. It says which parts have some.
func neighboursIn(set *portstate.Set, s Source, parts []part) (seen map[int]bool, kinds []string) {
	var text strings.Builder
	for _, p := range parts {
		if p.reader != nil {
			p.Text = strings.Repeat("\n", strings.Count(p.Text, "\n"))
		}
		text.WriteString(p.Text)
	}
	before := len(set.Readings)
	if kind, ok := readPlan(set, Source{s.Name, text.String()}); ok {
		kinds = append(kinds, kind)
	}
	seen = map[int]bool{}
	for _, r := range set.Readings[before:] {
		seen[sort.Search(len(parts)-1, func(i int) bool { return r.At.Line <= parts[i].end })] = true
	}
	return seen, kinds
}

// skipPart says of an output that no reader knows that it is left out, and takes its date.
func skipPart(in *portstate.Input, p part) {
	said := 0
	for line := range in.Lines() {
		if _, _, prompt := cabling.Prompt(line); strings.TrimSpace(line) != "" && !prompt {
			said++
		}
	}
	if in.AtLine(p.above + 1); said > 0 && p.command != "" {
		in.Note("the output of %q is of no known kind and is left out", p.command)
	} else if said > 0 {
		in.Note("what stands above the next prompt is of no known kind and is left out: %s", wording.Counted(said, "line", "lines"))
	}
}

// readOther reads a topology or a plan.
func readOther(set *portstate.Set, s Source) (kind string, err error) {
	switch format.Detect([]byte(s.Text[:min(len(s.Text), 1<<16)])) {
	case format.Topo, format.PortList, format.SubnetLST:
		return topologyKind, readTopology(set, s)
	}
	if kind, ok := readPlan(set, s); ok {
		return kind, nil
	}
	if planfile.IsComparison(s.Text) {
		return "", fmt.Errorf("%s is the report of UFM's NDT plugin, which has cables and no counters: weft fabric diff %s reads it", s.Name, s.Name)
	}
	return "", fmt.Errorf("%s is of no known kind", s.Name)
}

// readTopology makes a reading of each port with a cable, and of port 0 of each switch for its name and LID.
func readTopology(set *portstate.Set, s Source) error {
	net, _, report, err := format.ReadSubnet(s.Name, strings.NewReader(s.Text), format.Options{Contradictions: true})
	if err != nil {
		return err
	}
	for _, n := range report.Notes {
		set.Notes = append(set.Notes, n.String())
	}
	for _, c := range report.Contradictions {
		set.Notes = append(set.Notes, c.String())
	}
	at := portstate.Place{File: s.Name}
	for i := range net.Nodes {
		for p := range net.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
			far := net.Peer(e)
			if !far.Exists() && (p > 0 || net.Nodes[i].Kind != subnet.Switch) {
				continue
			}
			r := &portstate.Reading{Port: portOf(net, e), At: at, Reader: topologyKind}
			if far.Exists() {
				r.Peer, r.HasPeer = portOf(net, far), true
				r.Cabled = portstate.Said[bool]{Value: true, At: at}
				topologyLink(net, e, r)
			}
			set.Add(r)
		}
	}
	return nil
}

// portOf is every name of a port of a subnet.
func portOf(net *subnet.Subnet, e subnet.End) portstate.Port {
	n := &net.Nodes[e.Node]
	p := portstate.Port{Node: n.GUID, Device: n.Name, Number: int(e.Port), Role: cabling.Host}
	own := &n.Ports[e.Port]
	if n.Kind == subnet.Switch {
		p.Role, own = cabling.Switch, &n.Ports[0]
	}
	p.GUID, p.LID = own.GUID, uint32(own.LID)
	return p
}

// topologyLink stores the link of a port, and what its two chips are able to.
func topologyLink(net *subnet.Subnet, e subnet.End, r *portstate.Reading) {
	port := net.Port(e)
	if port.Link.Rate() == 0 {
		return
	}
	r.Link = portstate.Said[portstate.Link]{Value: linkOf(port.Link), At: r.At}
	if port.Could != (subnet.Link{}) {
		r.Could = portstate.Said[portstate.Link]{Value: linkOf(port.Could), At: r.At}
	}
	if speed, ok := chipSpeed[net.Nodes[e.Node].DeviceID]; ok {
		r.Chip = portstate.Said[portstate.Link]{Value: linkOf(subnet.Link{Width: 4, Speed: speed}), At: r.At}
	}
}

func linkOf(l subnet.Link) portstate.Link {
	return portstate.Link{Lanes: int(l.Width), Lane: subnet.Link{Width: 1, Speed: l.Speed}.Rate(), Speed: l.Speed.String()}
}

// chipSpeed is the fastest lane of a chip by its device ID: the names of the IDs are those of the PCI ID database
// (pciutils/pciids@c1c12547, vendor 15b3), the speeds those of the generations. A card or a port can be sold as slower
// than its chip.
var chipSpeed = map[uint16]subnet.Speed{
	0x1003: subnet.FDR, 0x1007: subnet.FDR, 0x1011: subnet.FDR, 0xc738: subnet.FDR,
	0x1013: subnet.EDR, 0x1017: subnet.EDR, 0x1019: subnet.EDR, 0xcf08: subnet.EDR,
	0x101b: subnet.HDR, 0xd2f0: subnet.HDR, 0xa2d6: subnet.HDR,
	0x1021: subnet.NDR, 0xd2f2: subnet.NDR, 0xa2dc: subnet.NDR,
	0x1023: subnet.XDR, 0xd2f4: subnet.XDR,
}
