package hpcc

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"weft/units"
)

// ConfigFile is the file that makes a folder a case.
const ConfigFile = "config.txt"

// The other input files of a case; config.txt may name them differently.
const (
	topologyName = "topology.txt"
	flowName     = "flow.txt"
)

// A Case is a folder of HPCC's simulator.
type Case struct {
	Config   Config
	Topology Topology
	Flows    []Flow
	// Ignored lists the parts of the files without effect.
	Ignored []Ignored
}

// Read reads a case: config.txt and the two files that it names, in the same folder, and opens no
// other file. An error is a [*Problems] with all problems of the three files.
func Read(folder fs.FS) (*Case, error) {
	problems := &Problems{}
	c := &Case{}
	text, ok := readFile(folder, ConfigFile, problems)
	if !ok {
		return nil, problems
	}
	c.Config, c.Ignored = parseConfig(text, problems)
	t := c.readTopology(folder, problems)
	file := path.Base(c.Config.FlowFile)
	if text, ok := readFile(folder, file, problems); ok {
		flows, ignored := parseFlows(file, text, t, problems)
		c.Flows, c.Ignored = flows, append(c.Ignored, ignored...)
	}
	if !problems.none() {
		return nil, problems
	}
	return c, nil
}

// readTopology is nil if the file has a problem.
func (c *Case) readTopology(folder fs.FS, problems *Problems) *Topology {
	file := path.Base(c.Config.TopologyFile)
	text, ok := readFile(folder, file, problems)
	if !ok {
		return nil
	}
	found := &Problems{}
	t, ignored := parseTopology(file, text, found)
	if found.none() {
		c.checkECN(file, t, found)
		c.checkLinkDown(t, found)
	}
	for _, p := range found.List {
		problems.add(p.File, p.Line, p.Value, p.Want)
	}
	problems.More += found.More
	if !found.none() {
		return nil
	}
	c.Topology, c.Ignored = *t, append(c.Ignored, ignored...)
	return &c.Topology
}

// checkECN looks for ports of switches whose rate the three ECN maps lack. Depending on its build,
// HPCC's simulator stops there, or marks every packet.
func (c *Case) checkECN(file string, t *Topology, problems *Problems) {
	if !c.Config.EnableQCN {
		return
	}
	told := map[units.Rate]bool{}
	for _, l := range t.Links {
		_, ok := c.Config.ECN(l.Rate)
		if ok || told[l.Rate] || !t.isSwitch[l.A] && !t.isSwitch[l.B] {
			continue
		}
		told[l.Rate] = true
		problems.add(ConfigFile, 0, "", fmt.Sprintf("KMIN_MAP, KMAX_MAP and PMAX_MAP with an entry for %d, the rate of a switch's port in %s", int64(l.Rate), file))
	}
}

// checkLinkDown looks for a link to take down that does not exist.
func (c *Case) checkLinkDown(t *Topology, problems *Problems) {
	d := c.Config.LinkDown
	if d.After == 0 {
		return
	}
	for _, l := range t.Links {
		if l.A == d.A && l.B == d.B || l.A == d.B && l.B == d.A {
			return
		}
	}
	problems.add(ConfigFile, 0, fmt.Sprintf("LINK_DOWN %d %d", d.A, d.B), "two nodes that a link joins")
}

// readFile reads one of the three files.
func readFile(folder fs.FS, name string, problems *Problems) (string, bool) {
	f, err := folder.Open(name)
	if err != nil {
		problems.add(name, 0, "", "a file that can be read ("+cause(err)+")")
		return "", false
	}
	defer f.Close()
	return readText(f, name, problems)
}

// readText is a whole file, and false if it cannot be read or is too long.
func readText(f io.Reader, name string, problems *Problems) (string, bool) {
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	switch {
	case err != nil:
		problems.add(name, 0, "", "a file that can be read ("+cause(err)+")")
	case len(data) > maxFileBytes:
		problems.add(name, 0, "", fmt.Sprintf("a file of at most %d bytes", maxFileBytes))
	default:
		return string(data), true
	}
	return "", false
}

// cause is an error of the file system without the path, which the problem already names.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
