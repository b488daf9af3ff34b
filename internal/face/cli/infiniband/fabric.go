package infiniband

import (
	"fmt"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/ib/format"
	"weft/internal/ib/inspect"
	"weft/internal/ib/route"
)

// NewFabric is the parent of the verbs about files of real fabrics.
func NewFabric(e *simulator.Simulator) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fabric",
		Short: "a real fabric: inspect, find bad cables, convert, compare with its plan",
	}
	cmd.AddCommand(newFabricInspect(e), newFabricHealth(e.Env), newFabricConvert(e.Env), newFabricDiff(e.Env), newFabricWhatIf(e))
	return cmd
}

func newFabricInspect(e *simulator.Simulator) *cobra.Command {
	var asJSON bool
	var live liveFabric
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "the family, levels and rails of a fabric, and its faults",
		Long: `FILE is as for weft fabric diff, of InfiniBand or Ethernet. On Ethernet a folder with a
config_db.json of each switch also shows which switches and ports are configured in
another way than the first switch; OpenSM's routes are left out.

On InfiniBand it reads the output of ibnetdiscover (also -p, -g, -f) or iblinkinfo (also -l),
opensm-subnet.lst or a net of ibsim, and describes the fabric: its family, levels,
rails and oversubscription; switches with fewer uplinks than their peers and pairs
that lack a cable; links that are slower than both their ends; hosts on spines, on
another rail, or with fewer adapters than the rest; cables and switches that are the
only path between hosts.

Last come OpenSM's routes: by default and with -R ftree and -R updn, with its
silent use of minhop and the reason, and possible deadlocks on them. For the tables,
and for fabrics with more than 2048 ports of adapters, use weft sm route FILE --as
opensm.

If lines of the file contradict each other about a cable, that is the first finding,
and the cable is left out.

With --umad the real fabric at a port of an adapter takes the place of FILE, and with
--ibsim one of a simulator. It is discovered by directed routes, which only read.

The format is recognised by content. gzip and xz are undone; - reads standard input. From
a scenario (.yaml), the first InfiniBand fabric is used, or its first if it has none. The
exit code is 0 even with findings, and 6 if nothing could be judged.`,
		Example: `  ibnetdiscover > real.topo
  weft fabric inspect real.topo
  weft fabric inspect real.topo --json
  weft fabric inspect configs/
  weft fabric inspect --umad /dev/infiniband/umad0 -o real.topo`,
		Args: func(cmd *cobra.Command, given []string) error {
			if live.asked() {
				return flags.Args(0, 0, "no file beside --umad or --ibsim")(cmd, given)
			}
			return flags.Args(1, 1, "one file")(cmd, given)
		},
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := live.check(cmd); err != nil {
				return err
			}
			if live.asked() {
				f, err := live.discover(cmd.Context(), e.Env)
				if err != nil {
					return err
				}
				return inspectSubnet(e, live.name(), f, asJSON)
			}
			switch source, err := ethernetAt(e, given[0]); {
			case err != nil:
				return err
			case source != nil:
				return inspectCabling(e, given[0], source, asJSON)
			}
			f, err := readFabric(e.Env, given[0], format.Options{Contradictions: true})
			if err != nil {
				return err
			}
			return inspectSubnet(e, given[0], f, asJSON)
		},
	}
	live.register(e.Env, cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	return cmd
}

// inspectSubnet reports on an InfiniBand fabric.
func inspectSubnet(e *simulator.Simulator, name string, f fabricFile, asJSON bool) error {
	found := inspect.Subnet(f.subnet, contradictions(f.report)...)
	foreseen, why := foreseeOpenSM(f.subnet, name, found.Adapters)
	out := inspected{File: name, Format: f.format, Read: f.report, Report: found, OpenSM: foreseen}
	if why != nil {
		out.NotComputed = why.Error()
	}
	err := e.Present(report.Inspection(fmt.Sprintf("%s (%s)", name, f.format), found, openSMBlocks(foreseen, why)), asJSON, out)
	if err == nil && found.Blank() {
		err = notJudged(asJSON, report.NoPeers)
	}
	return err
}

// inspected is the output of weft fabric inspect --json.
type inspected struct {
	File   string         `json:"file"`
	Format format.Format  `json:"format"`
	Read   *format.Report `json:"read"`
	*inspect.Report
	OpenSM      []route.OpenSMVerdict `json:"opensm,omitempty"`
	NotComputed string                `json:"opensm_not_computed,omitempty"` // reason why there is no OpenSM
}

// contradictions is the contradicting lines of a file.
func contradictions(r *format.Report) (all []string) {
	for _, p := range r.Contradictions {
		all = append(all, p.String())
	}
	if r.MoreContradictions > 0 {
		all = append(all, fmt.Sprintf("and %d more contradictions", r.MoreContradictions))
	}
	return all
}
