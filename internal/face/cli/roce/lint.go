package roce

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/base/packed"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/roce"
	"weft/internal/roce/host"
	"weft/internal/roce/lint"
	"weft/internal/roce/prove"
	"weft/internal/roce/sonic"
	"weft/internal/study/faultcost"
)

// linting is the flags of weft roce lint.
type linting struct {
	switches, hosts []string
	profiles, fixed string
	options         lint.Options
	simulate, json  bool

	cost    bool
	workers int
	fields  overrides.Flags // of the scenario that --cost simulates
	site    *site           // nil: the switches were given one by one
	read    []*host.Host
}

func newRoCELint(e *simulator.Simulator) *cobra.Command {
	var l linting
	cmd := &cobra.Command{
		Use:   "lint [FOLDER|SCENARIO] [--switch FILE] [--host DIR|FILE]...",
		Short: "find faults between a SONiC switch and its hosts: line, reason and fix",
		Long: `Reads the configuration of a switch together with its hosts' settings, and reports
faults between them: the DSCP of a host that the switch does not protect, PFC on one
end only, headroom too small for the cable, marking that begins after the pause, and
so on. Each finding has its line, the reason with numbers, and the lines that fix it.

--simulate proves the findings: each in a small network with the traffic that triggers
it, on a switch with exactly these buffers, thresholds, queues, MTU and watchdog, and
on the same switch with the fix. Findings without a proof are listed with the reason.

--cost says what each fault costs a job. FOLDER has a config_db.json of each switch with its
neighbours (DEVICE_NEIGHBOR, or the output of lldpctl or show lldp table); SCENARIO names such a
folder (topology: {file: FOLDER}). The scenario's workload, or else an all-reduce and incasts over the
ports with findings, is simulated on the fabric as found, and once more for each fault with the fault mended.

--switch is a config_db.json, or its parts with commas between: qos.json,buffers.json.
Several switches are those of one fabric: each is checked, and all with one another.
FOLDER stands for all its switches.
--host is a folder of one host, or a file; files given one by one belong to one host.
A host's settings are the outputs of

  mlnx_qos -i IF, ethtool IF, ethtool -a IF, ip link show IF
  grep -r . /sys/class/net/IF/ecn, and a copy of such a folder
  cma_roce_tos -d DEV, in a file with that name
  show_gids, grep -r . /sys/class/infiniband/DEV/ports/1/gid_attrs/types
  ethtool -S IF, grep . /sys/class/infiniband/DEV/ports/1/hw_counters/*
  an environment or nccl.conf with NCCL_IB_TC and its like, of NCCL, UCX and NVSHMEM
  a script of such commands that begins with #!, as weft roce export writes it

The first line says how much was judged, and "Not judged" lists the checks that lack a
value. The exit code is 5 if there are findings, and 6 if nothing was judged.

` + lintRules(),
		Example: `  weft roce lint --switch config_db.json --host node1/
  weft roce lint --switch config_db.json --host mlnx_qos.txt --host nccl.conf --cable 40m
  weft roce lint --switch qos.json,buffers.json --host node1/
  weft roce lint --switch config_db.json --host node1/ --fixed corrected.json --simulate
  weft roce lint configs/ --host node1/ --cost
  weft roce lint job.yaml --host node1/ --cost`,
		Args: flags.Args(0, 1, "one folder or scenario, or none"),
		RunE: func(cmd *cobra.Command, given []string) error { return l.run(cmd.Context(), e, given) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&l.switches, "switch", nil, "configuration of a switch: config_db.json, or qos.json,buffers.json; may be repeated")
	f.StringArrayVar(&l.hosts, "host", nil, "folder or file of a host")
	f.StringVar(&l.options.ASIC, "asic", "", "the switch chip: "+strings.Join(roce.Known(), ", ")+" (default: by HwSKU)")
	f.StringSliceVar(&l.options.Ports, "interface", nil, "ports of the switch to judge, such as Ethernet0 (default: all that are up)")
	f.Var(flags.Length(&l.options.Cable), "cable", "length of all cables (default: CABLE_LENGTH)")
	f.Var(flags.Bytes(&l.options.Buffer), "buffer", "packet buffer of the chip: 160M (default: not known)")
	f.StringVar(&l.profiles, "profiles", "", "the switch's pg_profile_lookup.ini, for profiles that are not configured")
	f.StringVar(&l.fixed, "fixed", "", "write the switch's configuration with the fixes")
	f.BoolVar(&l.simulate, "simulate", false, "prove each finding in the simulator: on the switch as configured, and with the fix")
	f.BoolVar(&l.cost, "cost", false, "simulate what each fault costs a job on the fabric of FOLDER or SCENARIO")
	f.IntVarP(&l.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&l.json, "json", false, "print as JSON")
	l.fields.RegisterFields(cmd)
	e.ReportFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("asic", cobra.FixedCompletions(roce.Known(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"switch", "host", "profiles", "fixed"} {
		_ = cmd.MarkFlagFilename(name)
	}
	return cmd
}

// lintRules is the table of rules for the help.
func lintRules() string {
	var b strings.Builder
	b.WriteString("The rules:\n\n")
	for _, r := range lint.Rules {
		fmt.Fprintf(&b, "  %-16s %s\n", r.Name, strings.ReplaceAll(doc.Wrap(r.Finds, 61), "\n", "\n"+strings.Repeat(" ", 19)))
	}
	return strings.TrimRight(b.String(), "\n")
}

// switchesOf checks what is judged: switches one by one, or those of a folder.
func (l *linting) switchesOf(e *simulator.Simulator, given []string) (err error) {
	switch {
	case len(given) > 0 && len(l.switches) > 0:
		return fmt.Errorf("%s has its own switches: leave --switch out", given[0])
	case len(given) > 0:
		if l.site, err = openSite(e, given[0]); err != nil {
			return err
		}
		if l.switches, err = l.site.switches(e); err != nil {
			return err
		}
	case len(l.switches) == 0:
		return fmt.Errorf("no switch is given: name its configuration with --switch config_db.json, or a folder with one of each switch")
	case l.cost:
		return fmt.Errorf("--cost needs to know the cables: give a folder with a config_db.json of each switch and its neighbours, in place of --switch")
	}
	if !l.cost && len(l.fields.Set)+len(l.fields.Overlay)+len(l.fields.Fabrics) > 0 {
		return fmt.Errorf("--set, --overlay and --fabric change the scenario that --cost simulates: leave them out, or give --cost")
	}
	if l.fixed != "" && len(l.switches) > 1 {
		return fmt.Errorf("--fixed takes one switch at a time, and %d are given", len(l.switches))
	}
	if l.options.ASIC != "" {
		if _, _, err := roce.Lookup(l.options.ASIC); err != nil {
			return err
		}
	}
	return nil
}

func (l *linting) run(ctx context.Context, e *simulator.Simulator, given []string) error {
	err := l.switchesOf(e, given)
	if err == nil {
		err = l.readProfiles(e)
	}
	if err != nil {
		return err
	}
	if l.read, err = readHosts(e.Env, l.hosts); err != nil {
		return err
	}
	subjects, reports, err := l.judge(e, l.read)
	if err != nil {
		return err
	}
	all := &lint.Report{}
	var trials []prove.Trial
	for i, r := range reports {
		all.Add(r)
		if l.simulate && i < len(l.switches) {
			if trials, err = addTrials(ctx, e, trials, l.switches[i], r); err != nil {
				return err
			}
		}
	}
	record := lintRecord{Record: prove.Record{Record: all.Record(), Trials: trials}}
	if l.cost && len(all.Findings) > 0 {
		if record.Cost, err = l.costs(ctx, e, l.site, subjects, l.read, reports); err != nil {
			return err
		}
	}
	err = e.Present(lintDocument(all, trials, record.Cost), l.json, record)
	switch {
	case err != nil:
		return err
	case len(all.Findings) > 0:
		return exit.Errorf(exit.Refuted, "%s", countFindings(all))
	case all.Ports == 0:
		return exit.Errorf(exit.NotJudged, "%s: %s", countFindings(all), strings.Join(all.Unjudged, "; "))
	}
	return nil
}

func (l *linting) readProfiles(e *simulator.Simulator) error {
	if l.profiles == "" {
		return nil
	}
	f, err := e.Open(l.profiles)
	if err != nil {
		return process.CannotRead(l.profiles, err)
	}
	defer func() { _ = f.Close() }()
	l.options.Profiles, err = roce.ReadProfiles(l.profiles, f)
	return err
}

// lintRecord is the output of weft roce lint --json.
type lintRecord struct {
	prove.Record
	Cost *faultcost.Report `json:"cost,omitempty"`
}

// judge checks the switches, and writes the corrected configuration of one if requested.
func (l *linting) judge(e *simulator.Simulator, hosts []*host.Host) (all []lint.Subject, _ []*lint.Report, _ error) {
	var configs []*sonic.Config
	for _, file := range l.switches {
		config, err := readSONiC(e, file)
		if err != nil {
			return nil, nil, err
		}
		sw, problems := sonic.Examine(config)
		for _, name := range l.options.Ports {
			if !sw.HasPort(name) {
				return nil, nil, fmt.Errorf("--interface %s: %s has no such port", name, file)
			}
		}
		configs, all = append(configs, config), append(all, lint.Subject{Switch: sw, Problems: problems})
	}
	if l.site != nil {
		all = l.judgePaths(e, all)
	}
	reports := lint.CheckAll(all, hosts, l.options)
	if l.fixed == "" {
		return all, reports, nil
	}
	if err := reports[0].Mend(configs[0]); err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	if err := configs[0].Write(&b); err != nil {
		return nil, nil, err
	}
	return all, reports, e.WriteText(l.fixed, b.Bytes())
}

// readSONiC reads a switch's configuration from files separated by commas.
func readSONiC(e *simulator.Simulator, files string) (*sonic.Config, error) {
	var all []*sonic.Config
	for file := range strings.SplitSeq(files, ",") {
		c, err := readSONiCFile(e, file)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return sonic.Join(all...)
}

func readSONiCFile(e *simulator.Simulator, file string) (*sonic.Config, error) {
	f, err := e.Open(file)
	if err != nil {
		return nil, process.CannotRead(file, err)
	}
	in, err := packed.Undo(file, f)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return sonic.Read(file, in)
}
