package checks

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/internal/base/wording"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/study/audit"
	"weft/internal/study/many"
	"weft/scenario"
)

// NewAudit is the parent of the verbs that prove a scenario's claims.
func NewAudit(e *simulator.Simulator) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "prove properties of a scenario: isolation",
	}
	cmd.AddCommand(newAuditIsolation(e))
	return cmd
}

func newAuditIsolation(e *simulator.Simulator) *cobra.Command {
	var c overrides.Flags
	var x auditing
	var fabric realAudit
	cmd := &cobra.Command{
		Use:   "isolation FILE",
		Short: "prove that tenants and planes are separate, or show the path that connects them",
		Long: `Builds each fabric of the scenario with the devices and cables that its
isolation section declares beside it. For each pair of zones that must be separate
it proves that they are: by cables, or by P_Keys, forwarding tables, VLANs and VRFs.
If they are not, it prints the path that connects them, port by port.

With isolation.inspection it also prints the cost that separate planes avoid: the
scenario's workload and one small message, simulated with and without that middlebox
in the path of every NIC.

FILE may be a real InfiniBand fabric, such as the output of ibnetdiscover. --partitions
is its partitions.conf then: each partition with ports of its own is a tenant. --tables
are the tables of its Subnet Manager; without them weft's own are proved.

The exit code is 0 if every requirement is proved, else 5.`,
		Example: `  weft audit isolation example:isolation
  weft audit isolation example:isolation-leak --json
  weft audit isolation example:isolation --partitions-conf -
  weft audit isolation real.topo --partitions partitions.conf --tables opensm-lfts.dump`,
		Args:              flags.Args(1, 1, "one scenario, or one file of a fabric"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			open := overrides.Open
			if given[0] != "-" && !overrides.NamesScenario(given[0]) {
				open = fabric.file
			} else if fabric.partitions != "" || fabric.tables != "" {
				return fmt.Errorf("%s is a scenario: --partitions and --tables belong to a file of a fabric; a scenario has ib.partitions-conf and routing.tables", given[0])
			}
			file, err := open(e.Env, given[0])
			if err == nil {
				file, err = c.Overlaid(e.Env, file)
			}
			if err != nil {
				return err
			}
			r, err := c.Resolve(file)
			if err != nil {
				return err
			}
			err = x.run(cmd, e, r)
			if err == nil && len(fabric.outside) > 0 {
				return exit.Errorf(exit.NotJudged, "not judged: %s outside of the cluster's nodes, the first %s: what is apart here may meet there", wording.Counted(len(fabric.outside), "member of a partition is", "members of partitions are"), fabric.outside[0])
			}
			if field := (*audit.FieldError)(nil); errors.As(err, &field) {
				return file.ErrorAt(field.Path, field.Err)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&x.asJSON, "json", false, "print as JSON")
	f.BoolVar(&x.noCost, "no-cost", false, "do not simulate the cost of inspection in the path")
	f.StringVar(&x.partitions, "partitions-conf", "", "write the (first) fabric's partitions.conf into this file; - is standard output, without other output")
	f.StringVar(&fabric.partitions, "partitions", "", "the partitions.conf of a real fabric")
	f.StringVar(&fabric.tables, "tables", "", "a file with the forwarding tables of a real fabric, such as opensm-lfts.dump")
	f.IntVarP(&x.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	c.Register(cmd)
	e.ExactFlag(cmd)
	e.ReportFlags(cmd)
	return cmd
}

// auditing is the flags of weft audit isolation.
type auditing struct {
	asJSON, noCost bool
	partitions     string
	workers        int
}

func (x *auditing) run(cmd *cobra.Command, e *simulator.Simulator, r *scenario.Resolved) error {
	if x.partitions != "" {
		if err := writePartitions(e.Env, r, x.partitions); err != nil || x.partitions == "-" {
			return err
		}
	}
	found, err := audit.Run(r)
	if err != nil {
		return err
	}
	if !x.noCost {
		found.Cost, err = audit.Measure(cmd.Context(), r, many.Options{Run: e.Study(), Workers: x.workers})
		switch {
		case cmd.Context().Err() != nil:
			return exit.Errorf(exit.Partial, "interrupted while the cost of inspection was simulated")
		case errors.As(err, new(*audit.FieldError)):
			return err
		case err != nil:
			return exit.Errorf(exit.Failed, "the cost of inspection: %w", err)
		}
	}
	if err := e.Present(report.Audit(found), x.asJSON, found); err != nil {
		return err
	}
	if !found.Proved {
		return exit.Errorf(exit.Refuted, "not every required separation is proved")
	}
	return nil
}
