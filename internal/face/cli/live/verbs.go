package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/live/preload"
)

// NewVerbs is the verb weft verbs.
func NewVerbs(e *process.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verbs",
		Short: "run unmodified RDMA programs without an RDMA NIC",
		Long: `Runs programs that use libibverbs on weft's devices: RoCE v2 on UDP sockets, without an
RDMA NIC, a kernel module or privileges. The programs are not changed: the dynamic
linker finds weft's libraries before the system's.`,
		Example: `  weft verbs build                           # once, in a checkout
  weft verbs run -- ib_write_bw &
  weft verbs run -- ib_write_bw 127.0.0.1`,
	}
	cmd.AddCommand(newVerbsBuild(e), newVerbsRun(e), newVerbsServe(e))
	return cmd
}

// librariesFolder is the folder of the libraries unless a flag names another.
func librariesFolder(e *process.Env) (string, error) {
	if e.UserCache == nil {
		return "", errors.New("no user's cache folder: name a folder of the libraries")
	}
	dir, err := e.UserCache()
	if err != nil {
		return "", fmt.Errorf("no user's cache folder: %w: name a folder of the libraries", err)
	}
	return filepath.Join(dir, "weft", "verbs"), nil
}

func newVerbsBuild(e *process.Env) *cobra.Command {
	var source, to string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "build the libraries from a checkout of weft",
		Long: `Builds libibverbs.so.1, librdmacm.so.1, libibumad.so.3 and their core from a checkout of weft. It needs
Go, a C compiler and the headers of the three (on Debian: apt-get install gcc libc6-dev libibverbs-dev
librdmacm-dev libibumad-dev).
The libraries go to the user's cache folder, where weft verbs run finds them.`,
		Example: "  weft verbs build\n  weft verbs build --source ~/src/weft --to /opt/weft/verbs",
		Args:    flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if to == "" {
				if to, err = librariesFolder(e); err != nil {
					return err
				}
			}
			if source, err = preload.Checkout(source); err != nil {
				return err
			}
			b := preload.Builder{Source: source, To: to, Getenv: e.Getenv}
			if err := b.Build(cmd.Context()); err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			if asJSON {
				return process.PrintJSON(e, map[string]string{"folder": to})
			}
			fmt.Fprintf(e.Stdout, "libraries in %s\n", to)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&source, "source", ".", "a checkout of weft")
	f.StringVar(&to, "to", "", "folder of the libraries (default: weft/verbs in the user's cache folder)")
	f.BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func newVerbsRun(e *process.Env) *cobra.Command {
	var p preload.Program
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run [flags] -- PROGRAM [ARGUMENT...]",
		Short: "run a program on weft's verbs",
		Long: `Runs an unmodified program that uses libibverbs, with weft's library in place of the system's. Its
device is weft0, at the first free address of 127.0.0.1, 127.0.0.2 and so on, or at the
address that --device gives; its GID is that address. The program takes the place of
weft: its output, its signals and its exit code are its own.`,
		Example: `  weft verbs run -- ibv_devinfo -v
  weft verbs run -- ibv_rc_pingpong -g 0 &
  weft verbs run -- ibv_rc_pingpong -g 0 127.0.0.1
  weft verbs run --device 192.0.2.7 -- ib_write_bw    # for a peer on another machine
  weft verbs run --device a=127.0.0.8 --device b=127.0.0.9 -- ibv_devices`,
		Args: flags.Args(1, 1<<16, "a program"),
		RunE: func(_ *cobra.Command, given []string) (err error) {
			if p.Libraries == "" {
				if p.Libraries, err = librariesFolder(e); err != nil {
					return err
				}
			}
			variables, err := p.Variables(e.Getenv)
			if err != nil {
				return err
			}
			if asJSON {
				return process.PrintJSON(e, map[string]any{"program": given, "environment": variables})
			}
			return preload.Exec(given, preload.Environ(os.Environ(), variables))
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // flags behind the program are the program's
	f.StringArrayVar(&p.Devices, "device", nil, "NAME, ADDRESS or NAME=ADDRESS of a device, an address of this machine; may be repeated")
	f.StringVar(&p.Libraries, "libraries", "", "folder of the libraries (default: weft/verbs in the user's cache folder)")
	f.BoolVar(&p.SocketOnly, "socket-only", false, "send all packets by UDP, where a capture sees them, also to devices on this machine")
	f.BoolVar(&p.FabricTime, "fabric-time", false, "on an emulated fabric: the program's clocks (gettimeofday, clock_gettime) run as the fabric's does")
	f.BoolVar(&p.Explain, "explain", false, "write the reason of each refused call to standard error")
	f.BoolVar(&asJSON, "json", false, "print the program's environment instead of running it")
	return cmd
}
