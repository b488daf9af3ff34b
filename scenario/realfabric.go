package scenario

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/internal/base/packed"
	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
	"weft/internal/sim/cabled"
	"weft/internal/sim/protocol"
	"weft/units"
)

// realFabrics are the fabrics that the scenario's files describe, by the name of the file.
type realFabrics struct {
	sources map[string]*cabled.Source
	placed  map[string]*cabled.Placed
	failed  map[string]bool // files that cannot be read, which were reported
	usual   string          // the preset of the fabric in the file
	hosts   []string        // cluster.hosts as written
	labels  []string        // cluster.adapters as written
	nodes   []string        // names of the nodes that the first file gave
	notes   []string
}

// realCluster reads the first real fabric of a scenario, and gives the cluster what the file says of it: the number of
// nodes, the NICs of each and their rate. What the scenario states stays.
func (r *resolver) realCluster(root *node) {
	path, file := firstFile(root)
	if file == "" {
		r.hostsAlone(root)
		return
	}
	r.Cluster = r.doc.Cluster
	r.real.hosts, r.real.labels = r.Cluster.Hosts, r.Cluster.Adapters
	source := r.realFabric(path, file)
	if source == nil {
		return
	}
	placed, err := source.Place(r.choice(source))
	if err != nil {
		r.complain(path, "%v", err)
		r.real.failed[file] = true
		return
	}
	c := &r.doc.Cluster
	if !r.written["cluster.nodes"] {
		c.Nodes = placed.Nodes
	}
	if !r.written["cluster.node"] && c.Node.NICs != placed.NICs {
		r.complain(path, "%s: a host has %d NICs, and which machine it is the file does not say: write it, such as cluster: {node: {preset: dgx-h100, gpus: %d, nics: %d}} (weft catalog node lists the presets)",
			file, placed.NICs, max(1, placed.NICs), placed.NICs)
		r.real.failed[file] = true
		return
	}
	if placed.Rate > 0 && !r.written["cluster.node.nic.rate"] && !r.written["cluster.node"] {
		c.Node.NIC.Rate = placed.Rate
	}
	c.Node.NICs, c.Hosts, c.Adapters = placed.NICs, placed.Hosts, placed.Adapters
	r.real.nodes = placed.Hosts
	r.real.placed[file] = placed
	if usual, _ := source.Preset(placed); !strings.HasPrefix(usual, "{") {
		r.real.usual = usual
	}
	r.real.notes = append(r.real.notes, placed.Notes...)
}

// hostsAlone reports names of hosts in a scenario without a real fabric.
func (r *resolver) hostsAlone(root *node) {
	devices := root.child("topology") != nil && root.child("topology").child("devices") != nil
	for _, f := range []*node{root.child("fabric"), root.child("fabrics")} {
		for _, n := range f.fabricNodes() {
			devices = devices || n.child("topology") != nil && n.child("topology").child("devices") != nil
		}
	}
	for _, field := range []string{"cluster.hosts", "cluster.adapters"} {
		if r.written[field] && !devices {
			r.complain(field, "the names are of a real fabric: give its file, topology: {file: real.topo}")
		}
	}
}

// fabricNodes are the fabrics of a scenario's fabric or fabrics.
func (n *node) fabricNodes() []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == sequence:
		return n.items
	}
	return []*node{n}
}

// firstFile is the first topology.file of a scenario, and its path.
func firstFile(root *node) (path, file string) {
	of := func(n *node) string {
		if t := n.child("topology"); t != nil && t.child("file") != nil {
			return t.child("file").text
		}
		return ""
	}
	if file := of(root); file != "" {
		return "topology.file", file
	}
	if n := root.child("fabric"); n != nil {
		if file := of(n); file != "" {
			return "fabric.topology.file", file
		}
	}
	if n := root.child("fabrics"); n != nil {
		for i, f := range n.items {
			if file := of(f); file != "" {
				return fmt.Sprintf("fabrics[%d].topology.file", i), file
			}
		}
	}
	return "", ""
}

// realFabric reads a file of a fabric, once; nil if it cannot be read, which is reported.
func (r *rules) realFabric(path, file string) *cabled.Source {
	if r.real.failed[file] {
		return nil
	}
	if s := r.real.sources[file]; s != nil {
		return s
	}
	s, err := cabled.Read(file, cabled.Files{Open: func(name string) (io.ReadCloser, error) { return r.open(name) }, Folder: r.folder})
	if err != nil {
		r.complain(path, "%v", err)
		r.real.failed[file] = true
		return nil
	}
	r.real.sources[file] = s
	r.real.notes = append(r.real.notes, s.Notes...)
	return s
}

// folder is a folder that the scenario names, relative to its own; nil for a file.
func (r *rules) folder(name string) fs.FS {
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.dir, name)
	}
	if about, err := os.Stat(name); err != nil || !about.IsDir() {
		return nil
	}
	return os.DirFS(name)
}

// choice is what the scenario says about the hosts of a fabric.
func (r *rules) choice(s *cabled.Source) cabled.Choice {
	var c cabled.Choice
	for _, pattern := range r.real.labels {
		names, err := r.counted(pattern)
		if err != nil {
			r.complain("cluster.adapters", "%v", err)
			return c
		}
		c.Adapters = append(c.Adapters, names...)
	}
	if r.written["cluster.nodes"] {
		c.Nodes = r.Cluster.Nodes
	}
	if r.written["cluster.node"] {
		c.NICs = r.Cluster.Node.NICs
	}
	for _, pattern := range r.real.hosts {
		if s.HasHost(pattern) { // also a name with brackets
			c.Hosts = append(c.Hosts, pattern)
			continue
		}
		names, err := r.hostNames(pattern)
		if err != nil {
			r.complain("cluster.hosts", "%v", err)
			return c
		}
		c.Hosts = append(c.Hosts, names...)
	}
	return c
}

// hostNames are the names that an entry of cluster.hosts stands for: a pattern, or @ and the name of a file with one
// name a line, or of Slurm's.
func (r *rules) hostNames(entry string) ([]string, error) {
	file, listed := strings.CutPrefix(entry, "@")
	if !listed {
		return r.counted(entry)
	}
	in, err := r.open(file)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	text, err := packed.Undo(file, in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = text.Close() }()
	var names []string
	lines := bufio.NewScanner(io.LimitReader(text, maxNamedFile))
	for lines.Scan() {
		line, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\ufeff"), "#")
		words := strings.Fields(line) // behind the name: slots, as in mpirun's files
		if len(words) == 0 {
			continue
		}
		for _, pattern := range hostPatterns(words) {
			more, err := r.counted(pattern)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			names = append(names, more...)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s names no host: want one name a line, or NodeName=… or Nodes=… of Slurm", file)
	}
	return names, nil
}

// hostPatterns are the hosts of a line: its first word, or in a line of slurm.conf or topology.conf the list of NodeName, or
// of the Nodes of a switch or a block. Nodes of a partition are known from other lines.
func hostPatterns(words []string) (patterns []string) {
	of, _, set := strings.Cut(strings.ToLower(words[0]), "=")
	if !set {
		name, _, _ := strings.Cut(words[0], ":")
		return []string{name}
	}
	for _, word := range words {
		key, list, _ := strings.Cut(word, "=")
		key = strings.ToLower(key)
		if key != "nodename" && (key != "nodes" || of != "switchname" && of != "blockname") || strings.EqualFold(list, "DEFAULT") {
			continue
		}
		depth := 0 // commas within brackets are of a pattern
		patterns = append(patterns, strings.FieldsFunc(list, func(c rune) bool {
			switch c {
			case '[':
				depth++
			case ']':
				depth--
			}
			return c == ',' && depth == 0
		})...)
	}
	return patterns
}

// deriveFile makes the topology of a fabric that of its file. The name of the file is not kept: a resolved scenario has
// the devices and links.
func (r topologyRules) deriveFile() {
	t := &r.Topology
	file := t.File
	t.File = ""
	if file == "" || r.real.failed[file] || r.overFile() {
		return
	}
	source := r.realFabric(r.at("file"), file)
	if source == nil {
		return
	}
	placed, err := r.placedFile(file, source)
	if err != nil {
		r.complain("file", "%v", err)
		return
	}
	t.Shape = Listed
	if slower := t.takePlaced(placed, r.Link.Rate(), r.NIC.Rate, r.Cluster.Endpoints()); slower > 0 {
		r.real.notes = append(r.real.notes, fmt.Sprintf("%s of NICs are faster than the NIC %s: they run at its %v", wording.Counted(slower, "cable", "cables"), r.NIC.Model, r.NIC.Rate))
	}
	r.deriveTables(source, placed)
	if !source.InfiniBand {
		of := r.rules.fabricAt(strings.TrimSuffix(r.path, ".topology"), r.Fabric)
		of.derivePorts(placed.PortNames)
		of.deriveSettings(file, placed)
	}
}

// overFile reports fields that a file of a fabric makes pointless.
func (r topologyRules) overFile() bool {
	for _, field := range []string{"shape", "links", "radix", "devices"} {
		for _, at := range []string{r.at(field), "topology." + field} {
			if r.written[at] && !(field == "shape" && r.Topology.Shape == Listed) {
				r.rules.complain(at, "topology.file gives the cables and the switches: take this field out")
				return true
			}
		}
	}
	return false
}

// placedFile is the placing of a file. In a second file the nodes are the hosts of the names that the first one has; if
// it has none of these and none were asked for, they are its own, in their order.
func (r topologyRules) placedFile(file string, source *cabled.Source) (*cabled.Placed, error) {
	if placed := r.real.placed[file]; placed != nil {
		return placed, nil
	}
	choice := r.choice(source)
	choice.Hosts, choice.Nodes, choice.NICs = r.real.nodes, r.Cluster.Nodes, r.Cluster.Node.NICs
	placed, err := source.Place(choice)
	if err != nil && len(r.real.hosts) == 0 && !slices.ContainsFunc(r.real.nodes, source.HasHost) {
		choice.Hosts = nil
		if placed, err = source.Place(choice); err == nil {
			r.real.notes = append(r.real.notes, fmt.Sprintf("%s names its hosts otherwise: they are the nodes in their order, from %s on", file, placed.Hosts[0]))
		}
	}
	if err != nil {
		return nil, err
	}
	r.real.placed[file] = placed
	r.real.notes = append(r.real.notes, placed.Notes...)
	return placed, nil
}

// deriveTables reads the forwarding tables that the fabric's files name.
func (r topologyRules) deriveTables(source *cabled.Source, placed *cabled.Placed) {
	names := r.Routing.Tables
	if len(names) == 0 {
		return
	}
	r.Routing.Tables = nil
	if !r.rules.written[strings.TrimSuffix(r.at(""), "topology")+"routing.mode"] {
		r.Routing.Mode = Deterministic // adaptive packets would hardly follow the tables
	}
	at := strings.TrimSuffix(r.at(""), "topology") + "routing.tables"
	if !protocol.Of(r.Kind).SubnetManager {
		r.rules.complain(at, "a fabric of kind %s has no forwarding tables of InfiniBand", r.Kind)
		return
	}
	notes := len(placed.Notes)
	tables, err := source.ReadTables(names, placed, cabled.Files{Open: func(name string) (io.ReadCloser, error) { return r.open(name) }, Folder: r.folder})
	if err != nil {
		r.rules.complain(at, "%v", err)
		return
	}
	r.real.notes = append(r.real.notes, placed.Notes[notes:]...)
	for i, lid := range tables.LID {
		r.Topology.Devices[i].LID = int(lid)
	}
	r.Routing.take(tables)
}

// take makes the routing that of tables.
func (r *Routing) take(tables *cabled.Forwarding) {
	for _, row := range tables.Port {
		r.Forwarding = append(r.Forwarding, PortRow(hex.EncodeToString(row)))
	}
	r.LMC = bits.Len(uint(tables.LIDs)) - 1
	if tables.Level != nil {
		for nic := range len(tables.LID) - len(tables.Port) {
			row := tables.Level(nic)
			text := make([]string, len(row))
			for i, sl := range row {
				text[i] = string(hexDigits[sl&15])
			}
			r.Levels = append(r.Levels, runsOf(text))
		}
	}
	for i := range tables.Lanes {
		r.LevelLanes = append(r.LevelLanes, laneRuns(&tables.Lanes[i]))
	}
	for _, lanes := range tables.NICLanes {
		var row Runs
		if lanes != nil {
			row = Runs(laneText(lanes))
		}
		r.NICLanes = append(r.NICLanes, row)
	}
}

const hexDigits = "0123456789abcdef"

// laneText is the lanes of the 16 levels, a digit each.
func laneText(lanes *[16]units.VL) string {
	var text [16]byte
	for sl, vl := range lanes {
		text[sl] = hexDigits[vl&15]
	}
	return string(text[:])
}

// laneRuns is the SL2VL table of a switch, as LevelLanes has it.
func laneRuns(m *subnet.SLMap) Runs {
	var rows []string
	for in := 1; in <= m.Ports; in++ {
		for out := 1; out <= m.Ports; out++ {
			var lanes [16]units.VL
			for sl := range lanes {
				lanes[sl] = m.At(uint8(in), uint8(out), units.SL(sl))
			}
			rows = append(rows, laneText(&lanes))
		}
	}
	return runsOf(rows)
}

// takePlaced makes the topology that of a real fabric. A cable without a length has the usual one of its level. A NIC's
// cable has at most the NIC's rate: slower is the number of cables that could more.
func (t *Topology) takePlaced(p *cabled.Placed, usual, nic units.Rate, endpoints int) (slower int) {
	t.Radix, t.Others = 2, p.Others
	t.Devices, t.Links = make([]TopologyDevice, len(p.Devices)), make([]TopologyLink, len(p.Links))
	for i, d := range p.Devices {
		t.Devices[i] = TopologyDevice{Name: d.Name, GUID: d.GUID, Port: d.Port, LID: int(d.LID), Ports: d.Ports, PortNames: p.PortNamesOf(i), Level: d.Level, Group: d.Group + 1}
		t.Radix = max(t.Radix, d.Ports)
	}
	for i, l := range p.Links {
		t.Links[i] = TopologyLink{Ends: []int{l.A, l.B}, Ports: []int{l.PortA, l.PortB}, Length: l.Length}
		rate := l.Rate
		if min(l.A, l.B) < endpoints && rate > nic && nic > 0 {
			rate = nic
			slower++
		}
		if difference := rate - usual; rate > 0 && max(difference, -difference) > usual/1000 { // the tools' names round the rate of FDR
			t.Links[i].Rate = rate
		}
		if l.Length == 0 {
			t.Links[i].Length = t.Cables.between(&p.Devices[l.A], &p.Devices[l.B])
		}
	}
	return slower
}

// between is the length of a cable between two devices, by their levels: level 0 is a NIC.
func (c *Cables) between(a, b *cabled.Device) units.Length {
	low, high := min(a.Level, b.Level), max(a.Level, b.Level)
	switch {
	case low == 0:
		return c.NodeLeaf
	case low == 1 && high == 2:
		return c.LeafSpine
	case low+1 == high:
		return c.SpineCore
	case a.Group != b.Group:
		return c.Global // between the groups of a dragonfly
	}
	return c.Local
}

// FabricFile is the first file or folder of a real fabric that the scenario names, as it writes it, and the field that names
// it; both are empty if there is none.
func (f *File) FabricFile() (field, file string) {
	if f.root == nil || f.root.kind != mapping {
		return "", ""
	}
	return firstFile(f.root)
}

// Notes say what was assumed about the real fabrics of a scenario, one sentence each.
func (f *File) Notes() []string { return f.notes }
