package infiniband

import (
	"bufio"
	"errors"
	"fmt"
	"slices"

	"weft/internal/base/cabling"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/ib/format"
	"weft/internal/ib/inspect"
	"weft/internal/sim/cabled"
	"weft/internal/sim/protocol"
	"weft/scenario"
)

// inspectedCabling is the output of weft fabric inspect --json for a fabric that is no InfiniBand subnet.
type inspectedCabling struct {
	File   string `json:"file"`
	Format string `json:"format"`
	*inspect.Report
	// Settings are the switches and ports whose configurations differ from those of the first switch.
	Settings []ownSettings `json:"settings,omitempty"`
	Notes    []string      `json:"notes,omitempty"` // what was left out or assumed
}

// ownSettings are settings of some switches, or of some of their ports.
type ownSettings struct {
	Switches []string              `json:"switches"`
	Ports    []string              `json:"ports,omitempty"` // numbers from 1 in the order of their names; empty: all
	Set      []scenario.Assignment `json:"set"`
}

// ethernetAt is the fabric of a file or folder if it is of Ethernet: nil for InfiniBand, and for what is no fabric, whose
// reader says why.
func ethernetAt(e *simulator.Simulator, path string) (*cabled.Source, error) {
	is, err := isScenario(e.Env, path)
	switch {
	case err != nil:
		return nil, nil //nolint:nilerr // the reader of InfiniBand says what is wrong
	case path == "-":
		return ethernetOfInput(e)
	case is:
		return ethernetOfScenario(e, path)
	}
	source, err := cabled.Read(path, overrides.FabricFiles(e.Env))
	switch {
	case err != nil && (process.IsFolder(e.Path(path)) || errors.Is(err, cabled.ErrNoInfiniBand)):
		return nil, err
	case err != nil || source.InfiniBand:
		return nil, nil //nolint:nilerr // see above
	}
	return source, nil
}

// maxHead is the part of standard input that shows its format.
const maxHead = 64 << 10

// ethernetOfInput is the fabric of standard input if it is of no form of InfiniBand's. Otherwise the input stays for the
// reader of InfiniBand.
func ethernetOfInput(e *simulator.Simulator) (*cabled.Source, error) {
	file, err := openFabric(e.Env, "-")
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(file, maxHead)
	head, _ := in.Peek(maxHead) // a read error is met again by the reader
	e.Stdin = in
	if format.Detect(head) != format.Unknown {
		return nil, nil
	}
	return cabled.Read("-", overrides.FabricFiles(e.Env))
}

// ethernetOfScenario is the first fabric of a scenario without InfiniBand.
func ethernetOfScenario(e *simulator.Simulator, path string) (*cabled.Source, error) {
	var c overrides.Flags // the scenario itself
	r, err := c.Load(e.Env, path)
	if err != nil || slices.ContainsFunc(r.Fabrics, func(f scenario.Fabric) bool { return protocol.Of(f.Kind).SubnetManager }) {
		return nil, err
	}
	s, err := subnetOfFabric(r, &r.Fabrics[0])
	if err != nil {
		return nil, err
	}
	return &cabled.Source{Name: path, Fabric: &cabling.Fabric{Format: string(scenarioFormat)}, Format: string(scenarioFormat), Subnet: s}, nil
}

// inspectCabling describes a fabric from a cabling plan, or from the files of its switches.
func inspectCabling(e *simulator.Simulator, path string, source *cabled.Source, asJSON bool) error {
	if source.Subnet == nil {
		return source.Lacking()
	}
	disputed := map[int32]bool{}
	for _, end := range source.Disputed {
		disputed[int32(end.Device)] = true
	}
	found := inspect.Ethernet(source.Subnet, source.Contradictions, disputed)
	out := inspectedCabling{File: path, Format: source.Format, Report: found, Notes: source.Notes}
	var settings []scenario.SwitchSettings
	if process.IsFolder(e.Path(path)) {
		var c overrides.Flags // the fabric itself
		r, file, err := scenarioOf(e, &c, source)
		if err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("the configurations are not compared: %v", err))
		} else {
			out.Notes, settings = file.Notes(), r.Fabrics[0].Switches
			for _, s := range settings {
				out.Settings = append(out.Settings, ownSettings{s.Names, s.Ports, s.Set})
			}
		}
	}
	out.Notes = slices.DeleteFunc(slices.Clone(out.Notes), func(note string) bool { return slices.Contains(source.Contradictions, note) })
	err := e.Present(report.CablingInspection(fmt.Sprintf("%s (%s)", path, source.Format), found, settings, out.Notes), asJSON, out)
	if err == nil && found.Blank() {
		err = notJudged(asJSON, report.NoPeers)
	}
	return err
}
