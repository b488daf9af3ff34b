package ui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/page"
	"weft/internal/sim/runstore"
)

// NewUI is the verb weft ui.
func NewUI(e *process.Env) *cobra.Command {
	var port int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ui RUN|FOLDER...",
		Short: "look into runs in a browser: which link, when, whose messages, and why",
		Long: `Serves a page on 127.0.0.1 that shows run folders: the network over time, links
as a heat map, messages and steps, the causes of pauses, two runs side by side, and
tables. The runs need series: weft run, compare, bench and train record them with
--series. A run that goes on is shown with its progress; the page can pause it, and
stop it with partial results. In a folder that holds runs, or nothing, the page also
begins new runs, from an edited scenario. They go on when weft ui ends.

The address has a token: who has it may see, begin, pause and stop runs. The page works
without other servers. The command ends with Ctrl-C.`,
		Example: `  weft run example:pfc-storm --out runs/storm --series
  weft ui runs/storm
  weft ui runs`,
		Args: flags.Args(1, page.MostRuns, "one run folder or several"),
		RunE: func(cmd *cobra.Command, given []string) error {
			var folders []*page.Folder
			var roots []string
			var bad []error
			for _, dir := range given {
				runs, holds, err := openRuns(e, e.Path(dir))
				if err != nil { // it hides no others
					bad = append(bad, err)
					continue
				}
				if folders = append(folders, runs...); holds {
					roots = append(roots, e.Path(dir))
				}
			}
			if len(bad) > 0 && len(folders)+len(roots) == 0 {
				return errors.Join(bad...)
			}
			for _, err := range bad {
				e.Note("weft: left out: %v\n", err)
			}
			if n := len(folders) - page.MostRuns; n > 0 {
				e.Note("weft: %d runs are left out: the page shows %d; name those that it shall show\n", n, page.MostRuns)
				folders = folders[:page.MostRuns]
			}
			return serve(cmd.Context(), e, port, asJSON, roots, folders)
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "TCP port on 127.0.0.1 (default: a free one)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the address as JSON, on a line of its own")
	_ = cmd.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions)
	return cmd
}

// openRuns opens a run folder, or the runs in a folder that holds them; an empty folder holds none so far.
func openRuns(e *process.Env, dir string) (runs []*page.Folder, holds bool, err error) {
	f, err := page.Open(dir)
	if err == nil {
		return []*page.Folder{f}, false, nil
	}
	leave := func(err error) { e.Note("weft: left out: %v\n", err) }
	runs, unread := page.RunsIn(dir, func(string) bool { return false }, math.MaxInt, leave)
	if unread != nil || errors.Is(err, runstore.ErrKilled) {
		return nil, false, err
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 && len(runs) == 0 {
		return nil, false, fmt.Errorf("%w; nor does it hold runs, which weft run writes with --out", err)
	}
	return runs, true, nil
}

// remote says how to reach the page of a machine without a browser, such as a login node.
func remote(host string) string {
	_, port, _ := net.SplitHostPort(host)
	machine, err := os.Hostname()
	if err != nil {
		machine = "this-machine"
	}
	return fmt.Sprintf("weft: on a login node: run ssh -L %s:127.0.0.1:%s %s on your own machine, then open the address there\n", port, port, machine)
}

// serve serves the page until the command is interrupted, which is its normal end.
func serve(ctx context.Context, e *process.Env, port int, asJSON bool, roots []string, folders []*page.Folder) error {
	if port < 0 || port > 65535 {
		return fmt.Errorf("--port %d: want 1 to 65535, or 0 for a free one", port)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return exit.Errorf(exit.Failed, "the page cannot be served on port %d: %w; --port 0 takes a free one", port, regular.Reason(err))
	}
	site := page.NewSite(l.Addr().String(), folders)
	if site.Roots = roots; len(roots) > 0 {
		runs := newRuns{roots[0]}
		site.Check, site.Start = runs.check, runs.start
	}
	if address := "http://" + site.Host + "/#token=" + site.Token; asJSON {
		err = e.PrintLine(map[string]string{"address": address})
	} else {
		_, err = fmt.Fprintln(e.Stdout, address)
	}
	if err != nil {
		return err
	}
	e.Note("weft: open this address in a browser on this machine; Ctrl-C ends the command\n%s", remote(site.Host))
	s := &http.Server{Handler: site.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, IdleTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return exit.Errorf(exit.Failed, "the page cannot be served: %w", err)
	}
	return nil
}
