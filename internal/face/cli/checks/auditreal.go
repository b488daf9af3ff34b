package checks

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/ib/partition"
	"weft/internal/sim/cabled"
	"weft/scenario"
	"weft/units"
)

// realAudit is an audit of a real fabric: its file, its partitions.conf, and its forwarding tables if they are given.
type realAudit struct {
	partitions, tables string
	outside            []string // members of partitions that are no ports of the cluster's nodes
}

// file is the scenario of the audit of a fabric: each partition is a tenant, which must be apart from all others.
func (a *realAudit) file(e *process.Env, path string) (*scenario.File, error) {
	if a.partitions == "" {
		return nil, fmt.Errorf("%s is no scenario: for a file of a fabric give --partitions, its partitions.conf", path)
	}
	source, err := cabled.Read(path, overrides.FabricFiles(e))
	if err != nil {
		return nil, err
	}
	in, err := e.Open(a.partitions)
	if err != nil {
		return nil, process.CannotRead(a.partitions, err)
	}
	defer func() { _ = in.Close() }()
	config, err := partition.Read(a.partitions, in)
	if err != nil {
		return nil, err
	}
	text, err := a.scenario(source, config)
	if err != nil {
		return nil, err
	}
	file, err := scenario.DecodeIn(e.Path("."), path, []byte(text))
	if err != nil {
		return nil, err
	}
	overrides.TellNotes(e, file.Notes())
	return file, nil
}

// scenario is the text of the scenario.
func (a *realAudit) scenario(source *cabled.Source, config *partition.Config) (string, error) {
	placed, err := source.Place(cabled.Choice{})
	if err != nil {
		return "", err
	}
	nics := placed.Nodes * placed.NICs
	name := map[units.GUID]string{}
	for _, d := range placed.Devices[:nics] {
		name[d.Port] = d.Name
	}
	var zones strings.Builder
	count := 0
	for i := range config.Partitions {
		p := &config.Partitions[i]
		var members []string
		for _, m := range p.Members {
			switch n, ok := name[m.GUID]; {
			case m.Who != partition.Port:
			case ok:
				members = append(members, strconv.Quote(n))
			default:
				a.outside = append(a.outside, m.GUID.String())
			}
		}
		if len(members) > 0 {
			count++
			fmt.Fprintf(&zones, "    - {name: %q, kind: tenant, members: [%s]}\n", p.Name, strings.Join(members, ", "))
		}
	}
	if count < 2 {
		return "", errors.New(a.partitions + ": fewer than two partitions name ports of the cluster: there is nothing to keep apart")
	}
	preset, _ := source.Preset(placed)
	if fields, many := strings.CutPrefix(preset, "{"); many {
		preset = strings.TrimSuffix(fields, "}")
	} else {
		preset = "preset: " + preset
	}
	routing := "mode: deterministic"
	if a.tables != "" {
		routing += fmt.Sprintf(", tables: %q", a.tables)
	}
	return fmt.Sprintf(`name: %q
cluster: {node: {preset: dgx-h100, gpus: %d, nics: %[2]d}}
topology: {file: %q}
fabric: {%s, routing: {%s}, ib: {partitions-conf: %q}}
isolation:
  zones:
%s`, filepath.Base(source.Name), placed.NICs, source.Name, preset, routing, a.partitions, zones.String()), nil
}
