package infiniband

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/base/cabling"
	"weft/internal/base/cabling/planfile"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/report"
	"weft/internal/ib/inspect"
	"weft/internal/sim/cabled"
	"weft/internal/sim/protocol"
	"weft/internal/study/cablediff"
	"weft/scenario"
)

func newFabricDiff(e *process.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff PLAN [REAL]",
		Short: "compare what is cabled with the plan: missing, swapped, moved cables",
		Long: `Compares a fabric with its plan, or with another day's file: cables that are missing,
extra, crossed or in another port; hosts in another scalable unit or on another rail;
links that are slower or narrower than planned; other parts and firmware. Each finding
has the ports, what the files say, and the one action that mends it.

PLAN and REAL are files of any of these kinds, on InfiniBand and on Ethernet: the output
of ibnetdiscover or iblinkinfo, opensm-subnet.lst; UFM's NDT, links and ports; Graphviz
dot and NVIDIA Air's JSON; containerlab; Batfish's layer 1; CSV with
device,port,device,port or the headings of AVD, SONiC or NetBox; LLDP neighbours
(lldpctl -f json, and show lldp of SONiC, EOS, NX-OS); config_db.json and minigraph.xml of
SONiC; a folder with one or more such files for each switch; a scenario (.yaml). The kind is
recognised by content; gzip and xz are undone.

Devices are found by GUID, by name without case, or by their neighbours. A plan may list a
part of the cables: the report names the cables that it could not judge.

One file alone is the report of UFM's NDT plugin (miss_wired, missing_in_ufm, missing_in_ndt), which has
compared already: each of its differences becomes a finding with an action.

The exit code is 0 even with findings, and 6 if nothing could be judged.`,
		Example: `  weft fabric diff plan.ndt real.topo
  weft fabric diff yesterday.topo today.topo --json
  weft fabric diff topology.dot lldp/
  weft fabric diff ndt-report.json`,
		Args: flags.Args(1, 2, "a plan and a real fabric, or the report of UFM's NDT plugin"),
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := compared(e, given)
			if err != nil {
				return err
			}
			err = e.Present(report.FabricDiff(r), asJSON, r)
			if err == nil && r.Blank() {
				err = exit.Errorf(exit.NotJudged, "nothing was judged: no planned cable of %s can be looked for in %s", given[0], given[1])
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	return cmd
}

// compared compares two fabrics, or reads what UFM has compared.
func compared(e *process.Env, given []string) (*cablediff.Report, error) {
	if len(given) == 1 {
		return comparedByUFM(e, given[0])
	}
	plan, err := readCabling(e, given[0])
	if err != nil {
		return nil, err
	}
	actual, err := readCabling(e, given[1])
	if err != nil {
		return nil, err
	}
	return cablediff.Compare(plan, actual, given[0], given[1]), nil
}

// comparedByUFM is the report of UFM's NDT plugin as findings.
func comparedByUFM(e *process.Env, path string) (*cablediff.Report, error) {
	if !process.IsFolder(e.Path(path)) {
		text, err := wholeFile(e, path)
		if err != nil {
			return nil, err
		}
		if planfile.IsComparison(string(text)) {
			c, err := planfile.ReadComparison(path, bytes.NewReader(text))
			if err != nil {
				return nil, err
			}
			return cablediff.Differences(c.Plan, c.Real, c.Second, path), nil
		}
	}
	return nil, fmt.Errorf("%s is one fabric: weft fabric diff compares two, PLAN and REAL; one file alone is the report of UFM's NDT plugin, JSON with miss_wired, missing_in_ufm and missing_in_ndt", path)
}

// readCabling reads a fabric as it is cabled, from a file of any kind, a folder, or a scenario; - is standard input.
func readCabling(e *process.Env, path string) (*cabling.Fabric, error) {
	switch is, err := isScenario(e, path); {
	case err != nil:
		return nil, err
	case is:
		return cablingOfScenario(e, path)
	}
	s, err := cabled.Read(path, overrides.FabricFiles(e))
	if err != nil {
		return nil, err
	}
	return s.Fabric, nil
}

// isScenario reports whether a file is a scenario, and no topology of containerlab.
func isScenario(e *process.Env, path string) (bool, error) {
	if !overrides.NamesScenario(path) || process.IsFolder(e.Path(path)) {
		return false, nil
	}
	text, err := wholeFile(e, path)
	return err == nil && !planfile.IsContainerlab(string(text)), err
}

// maxScenarioText bounds the text in which a scenario is told from a topology of containerlab.
const maxScenarioText = 64 << 20

// wholeFile is the content of a file, decompressed.
func wholeFile(e *process.Env, path string) ([]byte, error) {
	in, err := openFabric(e, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(io.LimitReader(in, maxScenarioText))
	if err != nil {
		return nil, process.CannotRead(path, err)
	}
	return text, nil
}

// cablingOfScenario is the first InfiniBand fabric of a scenario, or its first fabric if it has none.
func cablingOfScenario(e *process.Env, path string) (*cabling.Fabric, error) {
	var c overrides.Flags // the scenario itself
	r, err := c.Load(e, path)
	if err != nil {
		return nil, err
	}
	at := max(0, slices.IndexFunc(r.Fabrics, func(f scenario.Fabric) bool { return protocol.Of(f.Kind).SubnetManager }))
	fabric := &r.Fabrics[at]
	s, err := subnetOfFabric(r, fabric)
	if err != nil {
		return nil, err
	}
	f := inspect.Cabling(s)
	f.Format = string(scenarioFormat)
	for i := range f.Devices { // a scenario names the NICs of a host host/NIC
		if host, _, ok := strings.Cut(f.Devices[i].Name, "/"); ok && f.Devices[i].Role == cabling.Host {
			f.Devices[i].Group = host
		}
	}
	if fabric.Topology.Shape == scenario.Listed { // the rates are the file's own, link by link
		for i := range f.Cables {
			f.Cables[i].Rate, f.Cables[i].Link = 0, ""
		}
	}
	return f, nil
}
