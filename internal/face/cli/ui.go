package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/page"
)

func newUI(e *Env) *cobra.Command {
	var port int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ui RUN...",
		Short: "look into runs in a browser: which link, when, whose messages, and why",
		Long: `Serves a page on 127.0.0.1 that shows run folders: the network over time, links
as a heat map, messages and steps, the causes of pauses, two runs side by side, and
tables. The runs need series: weft run, compare, bench and train record them with
--series. The page works without other servers. The command ends with Ctrl-C.`,
		Example: `  weft run examples/pfc-storm.yaml --out run --series
  weft ui run`,
		Args: args(1, maxRunFolders, "one run folder or several"),
		RunE: func(cmd *cobra.Command, given []string) error {
			var folders []*page.Folder
			for _, dir := range given {
				f, err := page.Open(e.path(dir))
				if err != nil {
					return err
				}
				folders = append(folders, f)
			}
			return e.serve(cmd.Context(), port, asJSON, folders)
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "TCP port on 127.0.0.1 (default: a free one)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the address as JSON, on a line of its own")
	_ = cmd.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions)
	return cmd
}

// maxRunFolders bounds the folders of a page: more cannot be told apart.
const maxRunFolders = 32

// serve serves the page until the command is interrupted, which is its normal end.
func (e *Env) serve(ctx context.Context, port int, asJSON bool, folders []*page.Folder) error {
	if port < 0 || port > 65535 {
		return fmt.Errorf("--port %d: want 1 to 65535, or 0 for a free one", port)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fail(Failed, "the page cannot be served on port %d: %w; --port 0 takes a free one", port, reason(err))
	}
	host := l.Addr().String()
	if address := "http://" + host + "/"; asJSON {
		err = e.printLine(map[string]string{"address": address})
	} else {
		_, err = fmt.Fprintln(e.Stdout, address)
	}
	if err != nil {
		return err
	}
	e.note("weft: open this address in a browser on this machine; Ctrl-C ends the command\n")
	s := &http.Server{Handler: page.Handler(folders, host), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fail(Failed, "the page cannot be served: %w", err)
	}
	return nil
}
