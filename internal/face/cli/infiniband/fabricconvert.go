package infiniband

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/draw"
	"weft/internal/ib/export"
	"weft/internal/ib/format"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/cabled"
)

// conversion is a subnet with the options of its target format.
type conversion struct {
	env    *process.Env
	subnet *subnet.Subnet
	tables string // path of the file with the tables for the format; "" without
}

// target is a format that a subnet can be written in.
type target struct {
	name  string
	what  string
	needs string // content of --tables; "" if it is unused
	write func(c *conversion, w io.Writer) error
}

// plainTarget is a format that needs only the subnet.
func plainTarget(name, what string, write func(io.Writer, *subnet.Subnet) error) target {
	return target{name: name, what: what, write: func(c *conversion, w io.Writer) error { return write(w, c.subnet) }}
}

// targets are all formats, in the order of help.
var targets = []target{
	plainTarget("ibnetdiscover", "ibnetdiscover", format.WriteTopo),
	plainTarget("ibsim", "a net for ibsim, with the nodes' own names", format.WriteNet),
	plainTarget("ports", "ibnetdiscover -p", format.WritePortList),
	plainTarget("iblinkinfo", "iblinkinfo", func(w io.Writer, s *subnet.Subnet) error { return format.WriteLinkInfo(w, s, false) }),
	plainTarget("iblinkinfo-l", "iblinkinfo -l", func(w io.Writer, s *subnet.Subnet) error { return format.WriteLinkInfo(w, s, true) }),
	plainTarget("subnet.lst", "opensm-subnet.lst", format.WriteSubnetList),
	plainTarget("guid2lid", "OpenSM's guid2lid, of the LIDs that the file has", format.WriteGUID2LID),
	plainTarget("lid-matrix", "opensm-lid-matrix.dump, the least hops by the cables", func(w io.Writer, s *subnet.Subnet) error {
		return format.WriteLIDMatrix(w, s, subnet.LeastHops(s))
	}),
	{"lfts", "opensm-lfts.dump", "forwarding tables", (*conversion).lfts},
	{"fdbs", "opensm.fdbs", "forwarding tables", (*conversion).fdbs},
	{"sl2vl", "opensm-sl2vl.dump", "tables from service levels to lanes", (*conversion).sl2vl},
	{"mcfdbs", "opensm.mcfdbs", "multicast tables", (*conversion).mcfdbs},
	plainTarget("roots", "root_guid_file: the topmost switches of a tree", export.WriteRoots),
	plainTarget("torus-2QoS", "torus-2QoS.conf of OpenSM, of a torus", route.WriteTorusConf),
	plainTarget("slurm", "Slurm's topology.conf (topology/tree)", export.WriteSlurm),
	{name: scenarioTarget, what: "a scenario on the fabric, to simulate it"},
	plainTarget("dot", "Graphviz", export.WriteDot),
	plainTarget("svg", "a drawing", draw.Subnet),
}

func targetNames() []string {
	var names []string
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

func newFabricConvert(e *process.Env) *cobra.Command {
	var to, out, tables, lids string
	var asJSON bool
	var help strings.Builder
	for _, t := range targets {
		needs := ""
		if t.needs != "" {
			needs = " (needs --tables)"
		}
		fmt.Fprintf(&help, "  %-14s %s%s\n", t.name, t.what, needs)
	}
	cmd := &cobra.Command{
		Use:   "convert FILE --to FORMAT",
		Short: "write a fabric in another format",
		Long: `Reads a subnet as weft fabric inspect does and writes it in one of these formats:

` + help.String() + `
A fabric of Ethernet (see weft fabric diff) can be written as a scenario, slurm, dot and svg.

Attributes that a format does not have are lost. Tables are read from opensm-lfts.dump,
opensm.fdbs, or the output of dump_fts and ibroute; with them, the ports get the
LIDs of the tables. A file that cannot be written whole is not written.`,
		Example: `  weft fabric convert real.topo --to slurm -o topology.conf
  weft fabric convert real.topo --to svg -o fabric.svg
  weft fabric convert real.topo --to lfts --tables ibroutes.txt -o opensm-lfts.dump`,
		Args: flags.Args(1, 1, "one file"),
		RunE: func(_ *cobra.Command, given []string) error {
			t, err := targetOf(to)
			if err != nil {
				return err
			}
			return convert(e, t, given[0], out, tables, lids, asJSON)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the format: "+strings.Join(targetNames(), ", "))
	flags.Out(cmd, &out, "the fabric", "it is printed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "describe the output as JSON")
	cmd.Flags().StringVar(&tables, "tables", "", "a file with the tables that the format needs")
	cmd.Flags().StringVar(&lids, "lids", "", "a guid2lid file: give the ports these LIDs")
	_ = cmd.MarkFlagRequired("to")
	_ = cmd.RegisterFlagCompletionFunc("to", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return targetNames(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func targetOf(name string) (*target, error) {
	for i := range targets {
		if targets[i].name == name {
			return &targets[i], nil
		}
	}
	return nil, fmt.Errorf("there is no format %q: valid are %s", name, strings.Join(targetNames(), ", "))
}

// convert reads, and writes if there was no error.
func convert(e *process.Env, t *target, path, out, tables, lids string, asJSON bool) error {
	if t.needs != "" && tables == "" {
		return fmt.Errorf("the format %s needs --tables, a file with %s", t.name, t.needs)
	}
	if t.needs == "" && tables != "" {
		return fmt.Errorf("the format %s has no tables: --tables is for %s", t.name, "lfts, fdbs, sl2vl and mcfdbs")
	}
	if t.name == scenarioTarget {
		return convertToScenario(e, path, out, asJSON)
	}
	f, err := readConvertible(e, t, path)
	if err == nil && f.subnet != nil && !slices.Contains(ethernetTargets, t.name) {
		err = f.subnet.CheckPorts()
	}
	if err != nil {
		return err
	}
	c := &conversion{e, f.subnet, tables}
	if lids != "" {
		if err := c.assign(lids); err != nil {
			return err
		}
	}
	about := map[string]any{"format": t.name, "nodes": len(f.subnet.Nodes)}
	return e.Deliver(out, asJSON, about, func(w io.Writer) error { return t.write(c, w) })
}

// ethernetTargets are the formats besides the scenario that have no GUID or LID: a fabric of Ethernet has none.
var ethernetTargets = []string{"slurm", "dot", "svg"}

// readConvertible reads the fabric that is converted: of InfiniBand, or of Ethernet for a format without GUIDs and LIDs.
func readConvertible(e *process.Env, t *target, path string) (fabricFile, error) {
	is, err := isScenario(e, path)
	if err != nil || is || path == "-" {
		return readFabric(e, path, format.Options{})
	}
	source, err := cabled.Read(path, overrides.FabricFiles(e))
	switch {
	case errors.Is(err, cabled.ErrNoInfiniBand) || err != nil && process.IsFolder(e.Path(path)):
		return fabricFile{}, err
	case err != nil || source.InfiniBand:
		return readFabric(e, path, format.Options{})
	case source.Subnet == nil:
		return fabricFile{}, source.Lacking()
	case !slices.Contains(ethernetTargets, t.name):
		return fabricFile{}, fmt.Errorf("%s (%s) is no InfiniBand subnet: it has no GUIDs and LIDs for %s; valid are %s, %s", path, source.Format, t.name, scenarioTarget, strings.Join(ethernetTargets, ", "))
	}
	for _, n := range source.Notes {
		fmt.Fprintf(e.Stderr, "%s\n", n)
	}
	return fabricFile{source.Subnet, format.Format(source.Format), &format.Report{}}, nil
}

// scenarioTarget is the format that is no file of a fabric, and needs no subnet.
const scenarioTarget = "scenario"

// convertToScenario writes a scenario on a real fabric.
func convertToScenario(e *process.Env, path, out string, asJSON bool) error {
	source, err := cabled.Read(path, overrides.FabricFiles(e))
	if err != nil {
		return err
	}
	if path == "-" {
		return errors.New("a scenario names the file of its fabric, and standard input has no name: give a file")
	}
	file := path
	switch {
	case out == "" || out == "-" || filepath.IsAbs(path):
	case filepath.IsAbs(out): // a path relative to the folder of the scenario need not exist
		if whole, err := filepath.Abs(e.Path(path)); err == nil {
			file = filepath.ToSlash(whole)
		}
	default:
		if rel, err := filepath.Rel(filepath.Dir(out), path); err == nil {
			file = filepath.ToSlash(rel)
		}
	}
	text, err := source.Scenario(file)
	if err != nil {
		return err
	}
	about := map[string]any{"format": scenarioTarget, "nodes": len(source.Devices)}
	return e.Deliver(out, asJSON, about, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// assign assigns the LIDs of a guid2lid file.
func (c *conversion) assign(path string) error {
	in, err := openFabric(c.env, path)
	if err != nil {
		return err
	}
	defer in.Close()
	ranges, report, err := format.ReadGUID2LID(path, in)
	if err != nil {
		return err
	}
	remark(c.env, report)
	if n := format.AssignLIDs(c.subnet, ranges); n > 0 {
		fmt.Fprintf(c.env.Stderr, "%s: %d of %d LIDs are of ports that the fabric does not have\n", path, n, len(ranges))
	}
	return nil
}

// withTables opens the file with the tables for one of the readers.
func (c *conversion) withTables(read func(in io.Reader) (*format.Report, error)) error {
	in, err := openFabric(c.env, c.tables)
	if err != nil {
		return err
	}
	defer in.Close()
	report, err := read(in)
	if err != nil {
		return err
	}
	remark(c.env, report)
	return nil
}

// forwarding reads forwarding tables and uses their LIDs.
func (c *conversion) forwarding() (*subnet.Tables, error) {
	var lfts *format.LFTs
	err := c.withTables(func(in io.Reader) (report *format.Report, err error) {
		lfts, _, report, err = format.ReadTables(c.tables, in, c.subnet)
		return report, err
	})
	if err != nil {
		return nil, err
	}
	if n := lfts.Assign(c.subnet); n > 0 {
		fmt.Fprintf(c.env.Stderr, "%s: %d LIDs are of ports that the fabric does not have\n", c.tables, n)
	}
	return lfts.Tables, nil
}

func (c *conversion) lfts(w io.Writer) error {
	t, err := c.forwarding()
	if err != nil {
		return err
	}
	return format.WriteLFTs(w, c.subnet, t)
}

func (c *conversion) fdbs(w io.Writer) error {
	t, err := c.forwarding()
	if err != nil {
		return err
	}
	return format.WriteFDBs(w, c.subnet, t, subnet.LeastHops(c.subnet))
}

func (c *conversion) sl2vl(w io.Writer) error {
	var tables *format.SL2VL
	err := c.withTables(func(in io.Reader) (report *format.Report, err error) {
		tables, report, err = format.ReadSL2VL(c.tables, in, c.subnet)
		return report, err
	})
	if err != nil {
		return err
	}
	return format.WriteSL2VL(w, c.subnet, tables)
}

func (c *conversion) mcfdbs(w io.Writer) error {
	return c.withTables(func(in io.Reader) (*format.Report, error) {
		mft, report, err := format.ReadMFTs(c.tables, in, c.subnet)
		if err != nil {
			return nil, err
		}
		return report, format.WriteMFTs(w, c.subnet, mft)
	})
}
