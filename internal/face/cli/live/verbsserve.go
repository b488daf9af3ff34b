package live

import (
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/verbs"
)

func newVerbsServe(e *process.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "serve ADDRESS",
		Short: "share an address among several programs",
		Long: `Shares an address of this machine among programs, until it is interrupted. Without it, each
program needs an address of its own, and an interface often has one. Up to 63 programs of this
user then have a device at the address, each with its own queue pairs; their peers see one
device. A port has one listener, as usual. Requests for connections go through this
process; the kernel gives all other packets to their program.`,
		Example: `  weft verbs serve 192.0.2.7 &
  weft verbs run --device 192.0.2.7 -- ib_write_bw -R -p 1 &
  weft verbs run --device 192.0.2.7 -- ib_write_bw -R -p 2 &`,
		Args: flags.Args(1, 1, "an address of this machine"),
		RunE: func(cmd *cobra.Command, given []string) error {
			a, err := netip.ParseAddr(given[0])
			if err != nil {
				return fmt.Errorf("%q is not an address: valid is IPv4 or IPv6, such as 192.0.2.7", given[0])
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			s, err := verbs.Share(netip.AddrPortFrom(a, 0))
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			if asJSON {
				if err := e.PrintLine(map[string]any{"serving": s.Addr().String()}); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(e.Stdout, "%v is shared: weft verbs run --device %v -- PROGRAM\n", s.Addr(), a)
			}
			<-ctx.Done()
			return s.Close()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the shared address as a line of JSON")
	return cmd
}
