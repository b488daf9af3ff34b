package infiniband

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/base/portstate"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/report"
	"weft/internal/study/cablehealth"
)

func newFabricHealth(e *process.Env) *cobra.Command {
	var asJSON bool
	var after time.Duration
	cmd := &cobra.Command{
		Use:   "health FILE...",
		Short: "bad cables and ports, from counters and what else tools print",
		Long: `Reads any mixture of files about the ports of an InfiniBand or Ethernet fabric and lists
the bad cables and ports: the most costly first, each with its evidence, the ports that are alike and
do better, and the one action that mends it. A fabric that is slow as a whole is one finding, the
first.

The kind of a file is recognised by its content. These are read:

` + cablehealth.Kinds() + `
Two readings of the same ports give rates; the time between is --after, or comes from dates in the
files (a line of date above each output is enough). Counters without a time have no rate; a counter at
its highest value is "at least". Waiting, pauses and fill levels are congestion and no fault of a
cable.

A SONiC output does not name its switch: put the files of each switch into a folder of its name, or
keep the prompt in the file. gzip and xz are undone. The exit code is 0 even with findings, and 6 if
nothing could be judged.`,
		Example: `  ibqueryerrors > errors.txt; ibnetdiscover > real.topo
  weft fabric health errors.txt real.topo
  weft fabric health perf1.txt perf2.txt --after 60s real.topo
  weft fabric health ibdiagnet2.db_csv --json
  weft fabric health leaf1/*.txt leaf2/*.txt`,
		Args: flags.Args(1, 10_000, "at least one file"),
		RunE: func(_ *cobra.Command, given []string) error {
			if after < 0 {
				return fmt.Errorf("--after is %v: it is the time between two readings, such as 60s", after)
			}
			sources, err := healthSources(e, given)
			if err != nil {
				return err
			}
			options := cablehealth.Options{After: after.Seconds()}
			set, files, err := cablehealth.Read(sources, options)
			if err != nil {
				return err
			}
			found := cablehealth.Judge(set, files, options)
			title := fmt.Sprintf("%d files", len(files))
			if len(files) == 1 {
				title = fmt.Sprintf("%s (%s)", files[0].Name, files[0].Kind)
			}
			err = e.Present(report.Health(title, found), asJSON, found)
			if err == nil && found.Blank() {
				err = notJudged(asJSON, report.NoHealth)
			}
			return err
		},
	}
	cmd.Flags().DurationVar(&after, "after", 0, "time between two readings of the same ports, such as 60s")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	return cmd
}

// notJudged is the error behind a report that judges nothing. The report says why, unless it is JSON.
func notJudged(asJSON bool, why string) error {
	if asJSON {
		return exit.Errorf(exit.NotJudged, "nothing was judged: %s", why)
	}
	return exit.Errorf(exit.NotJudged, "exit code %d, as nothing was judged", exit.NotJudged)
}

// healthSources reads the files.
func healthSources(e *process.Env, paths []string) (all []cablehealth.Source, err error) {
	for _, path := range paths {
		in, err := openFabric(e, path)
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		_, err = io.Copy(&b, io.LimitReader(in, portstate.MaxFile+1)) // a longer file is refused by its length
		in.Close()
		if err != nil {
			return nil, process.CannotRead(path, err)
		}
		all = append(all, cablehealth.Source{Name: path, Text: b.String()})
	}
	return all, nil
}
