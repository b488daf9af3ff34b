package studies

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/sim/catalog"
	"weft/internal/study/plan"
	"weft/scenario"
)

// NewPlan is the verb weft plan.
func NewPlan(e *simulator.Simulator) *cobra.Command {
	x := planning{}
	cmd := &cobra.Command{
		Use:   "plan [FILE]",
		Short: "design a cluster's network, with bill of materials, power and cost",
		Long: `Finds the networks that can be built for a number of GPUs within constraints:
fabric, topology, oversubscription, models of switch and NIC. Each has its bill of
materials, its power and its cost by your prices or public ones, and can be written as a scenario
for weft compare. Figures missing from the catalog stay unknown. A model of the first
designs is simulated.

FILE is the request; flags override it. See docs/PLAN.md.`,
		Example: `  weft plan --gpus 1024 --node dgx-h100
  weft plan example:plan/1024 --out designs
  weft plan --init-prices prices.yaml
  weft plan --gpus 512 --fabrics roce-v2 --vendors Arista,NVIDIA --prices prices.yaml`,
		Args: flags.Args(0, 1, "one file at most"),
		RunE: func(cmd *cobra.Command, given []string) error { return x.run(cmd, e, given) },
	}
	x.register(cmd)
	e.ExactFlag(cmd)
	e.ReportFlags(cmd)
	return cmd
}

// planning is the flags of weft plan.
type planning struct {
	prices, init, out, bill string
	devices                 string
	all, asJSON, simulate   bool
	fields                  map[string]*string // by the field of the request
}

// planFlags are the constraints with flags: all single values and lists.
var planFlags = []struct{ flag, field, usage string }{
	{"gpus", "gpus", "number of GPUs"},
	{"later", "gpus-later", "number of GPUs that it must be able to grow to"},
	{"node", "node", "the machine, a node of the catalog (dgx-h100)"},
	{"rails", "rails", "NICs of a node that are cabled (all)"},
	{"rate", "rate", "least rate of a port (the NIC's)"},
	{"fabrics", "fabrics", "allowed protocols (infiniband,roce-v2)"},
	{"shapes", "shapes", "allowed topologies (single-switch,rail-optimised,fat-tree); also dual-plane,dragonfly"},
	{"vendors", "vendors", "allowed makers of switches and NICs (all)"},
	{"switches", "switches", "allowed models of switch (all)"},
	{"nics", "nics", "allowed models of NIC (the node's own)"},
	{"max-oversubscription", "max-oversubscription", "most leaf downlinks to uplinks, such as 2:1 (1:1)"},
	{"max-levels", "max-levels", "most levels of switches (3)"},
	{"max-switches", "max-switches", "most switches (any)"},
	{"max-power", "max-power", "most power of the network, such as 80kW (any)"},
	{"max-cost", "max-cost", "most cost, in the currency of the prices (any)"},
	{"manager", "manager", "keep one node's place for InfiniBand's manager, true or false (false)"},
}

// listFields are the fields of a request that are lists.
var listFields = map[string]bool{"fabrics": true, "shapes": true, "vendors": true, "switches": true, "nics": true}

func (x *planning) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&x.prices, "prices", "", "file with the prices of pieces and electricity")
	devicesFlag(cmd, &x.devices)
	f.StringVar(&x.init, "init-prices", "", "write an example of a price file with placeholders, and stop; - is standard output")
	flags.OutFolder(cmd, &x.out, "a scenario of each design, plan.json and report.html")
	f.StringVar(&x.bill, "bill", "", "print the bill of materials of this design, by name")
	f.BoolVar(&x.simulate, "simulate", true, "simulate a model of the first designs: a shift, an all-reduce, a broken uplink")
	f.BoolVar(&x.all, "all", false, "list dominated designs too")
	f.BoolVar(&x.asJSON, "json", false, "print as JSON")
	x.fields = map[string]*string{}
	for _, p := range planFlags {
		x.fields[p.flag] = f.String(p.flag, "", p.usage)
	}
}

func (x *planning) run(cmd *cobra.Command, s *simulator.Simulator, given []string) error {
	e := s.Env
	if x.init != "" {
		return writeNew(e, x.init, plan.PriceFile())
	}
	undo, err := addDevices(e, x.devices)
	if err != nil {
		return err
	}
	defer undo()
	request, err := x.request(cmd, e, given)
	if err != nil {
		return err
	}
	prices, err := readPrices(e, x.prices)
	if err != nil {
		return err
	}
	p, err := plan.Make(cmd.Context(), request, prices)
	if err != nil {
		return err
	}
	if len(p.Designs) == 0 {
		return errors.New(report.Unmet(p))
	}
	if x.simulate && x.bill == "" {
		line := e.Working("the designs are simulated")
		p.Prove(cmd.Context(), s.Study(), runtime.GOMAXPROCS(0))
		line.End()
	}
	shown := p
	if x.bill != "" { // before any file is written
		if shown, err = onlyDesign(p, x.bill); err != nil {
			return err
		}
	}
	if x.out != "" {
		folder := process.OwnFolder{Name: x.out, Mark: report.PlanResult, What: "plan"}
		if err := folder.Open(e); err != nil {
			return err
		}
		defer folder.Close()
		files, err := report.PlanFiles(p)
		if err != nil {
			return exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
		}
		if err := folder.Store(e, files, x.asJSON); err != nil {
			return err
		}
	}
	return x.tell(e, shown)
}

// tell prints the result, or the design of the requested bill.
func (x *planning) tell(e *process.Env, p *plan.Plan) error {
	d := report.Plan(p, x.all)
	if x.bill != "" {
		d = report.Bill(p.Designs[0])
	}
	return e.Present(d, x.asJSON, p.Record())
}

// onlyDesign is a plan with one of its designs.
func onlyDesign(p *plan.Plan, name string) (*plan.Plan, error) {
	var names []string
	for _, d := range p.Designs {
		if d.Name == name {
			return &plan.Plan{Request: p.Request, Prices: p.Prices, Designs: []*plan.Design{d}}, nil
		}
		names = append(names, d.Name)
	}
	return nil, fmt.Errorf("--bill %s: there is no design of that name; there are %s", name, strings.Join(names, ", "))
}

// request reads the file and the flags.
func (x *planning) request(cmd *cobra.Command, e *process.Env, given []string) (*plan.Request, error) {
	var changes []scenario.Override
	for _, p := range planFlags {
		if cmd.Flags().Changed(p.flag) {
			value := *x.fields[p.flag]
			if listFields[p.field] {
				value = "[" + value + "]"
			}
			changes = append(changes, scenario.Override{Path: p.field, Value: value, Origin: "--" + p.flag + " " + flags.Abridged(*x.fields[p.flag])})
		}
	}
	name, text := "plan", []byte(nil)
	if len(given) == 0 && len(changes) == 0 {
		return nil, fmt.Errorf("%s needs a request: a file, or flags such as --gpus 1024", cmd.CommandPath())
	}
	if len(given) > 0 {
		name = given[0]
		var err error
		if text, err = readDocument(e, name); err != nil {
			return nil, err
		}
	}
	return plan.Read(name, text, changes...)
}

// devicesFlag registers --devices.
func devicesFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "devices", "", "file with switches, NICs and cables of your own, beside the catalog's")
}

// addDevices adds the devices of a file to the catalog until undo is called.
func addDevices(e *process.Env, path string) (undo func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	text, err := readDocument(e, path)
	if err != nil {
		return nil, err
	}
	entries, err := plan.ReadDevices(path, text)
	if err != nil {
		return nil, err
	}
	return catalog.Extend(entries), nil
}

// readPrices reads a price file; nil where none is given.
func readPrices(e *process.Env, path string) (*plan.Prices, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readDocument(e, path)
	if err != nil {
		return nil, err
	}
	return plan.ReadPrices(path, text)
}

// maxDocument bounds a file that is read at once; the reader's own limit is lower and gives the
// message.
const maxDocument = 32 << 20

// readDocument reads a file, or standard input for "-".
func readDocument(e *process.Env, path string) ([]byte, error) {
	if path == "-" {
		text, err := io.ReadAll(io.LimitReader(e.Stdin, maxDocument))
		if err != nil {
			return nil, fmt.Errorf("standard input cannot be read: %w", err)
		}
		return text, nil
	}
	f, err := e.Open(path)
	if err != nil {
		return nil, process.CannotRead(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDocument))
	if err != nil {
		return nil, process.CannotRead(path, err)
	}
	return text, nil
}

// writeNew writes a new file: a file that the user has filled in is not overwritten.
func writeNew(e *process.Env, path string, text []byte) error {
	if path == "-" {
		_, err := e.Stdout.Write(text)
		return err
	}
	f, err := os.OpenFile(e.Path(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already and is not written over: choose another name", path)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", path, regular.Reason(err))
	}
	e.Note("wrote %s\n", path)
	return nil
}
