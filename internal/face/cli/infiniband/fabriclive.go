package infiniband

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/ib/format"
	"weft/internal/ib/ibsim"
	"weft/internal/ib/sm"
	"weft/internal/ib/subnet"
	"weft/units"
)

// discoveryFormat is the name of the format of a fabric that was discovered.
const discoveryFormat format.Format = "discovery by directed routes"

// liveFabric is the flags of a fabric that is discovered in place of a file.
type liveFabric struct {
	attachment
	mKey uint64
	out  string
}

func (l *liveFabric) register(e *process.Env, cmd *cobra.Command) {
	l.attachment.register(e, cmd, "discover a fabric that ibsim or weft ibsim serves, in place of a file",
		"discover the real fabric at a port, such as /dev/infiniband/umad0, or the one at a socket of weft emulate, in place of a file; nothing is written to it. On an adapter it is untried: none was at hand")
	f := cmd.Flags()
	f.Uint64Var(&l.mKey, "m-key", 0, "with --ibsim or --umad: key of ports that protect reads; 0: none do")
	f.StringVarP(&l.out, "output", "o", "", "with --ibsim or --umad: write what was discovered to a file, as ibnetdiscover does")
	_ = cmd.MarkFlagFilename("output")
}

// asked reports whether the fabric is to be discovered.
func (l *liveFabric) asked() bool { return l.ibsim || l.umad != "" }

// check refuses flags that do not go together.
func (l *liveFabric) check(cmd *cobra.Command) error {
	if l.ibsim && l.umad != "" {
		return errors.New("give --ibsim or --umad: a fabric is discovered from one port")
	}
	for _, flag := range []string{"m-key", "output", "socket", "host"} {
		if !l.asked() && cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is for a fabric that is discovered: it needs --ibsim or --umad", flag)
		}
	}
	return nil
}

// name is the port for reports.
func (l *liveFabric) name() string {
	if l.umad != "" {
		return l.umad
	}
	return l.socket
}

// discover explores the fabric from the port, tells what did not answer, and writes the file of -o.
func (l *liveFabric) discover(ctx context.Context, e *process.Env) (fabricFile, error) {
	port, err := l.asReader(e)
	if err != nil {
		return fabricFile{}, err
	}
	defer port.Close()
	d := &discoverer{e: e, port: port, explorer: sm.NewExplorer(sm.Exploration{MKey: l.mKey}), start: time.Now()}
	s, err := d.run(ctx)
	if err != nil {
		return fabricFile{}, err
	}
	if l.out != "" {
		if err := e.WriteFile(l.out, func(w io.Writer) error { return format.WriteTopo(w, s) }); err != nil {
			return fabricFile{}, err
		}
	}
	return fabricFile{s, discoveryFormat, &format.Report{}}, nil
}

// discoverer is an explorer on a real clock and a port.
type discoverer struct {
	e        *process.Env
	port     managerPort
	explorer *sm.Explorer
	start    time.Time
	batch    sm.Batch
}

func (d *discoverer) now() units.Time {
	return units.Time(time.Since(d.start).Nanoseconds()) * units.Nanosecond
}

// run passes datagrams and timeouts to the explorer until it is done.
func (d *discoverer) run(ctx context.Context) (*subnet.Subnet, error) {
	stop := context.AfterFunc(ctx, func() { _ = d.port.SetReceiveDeadline(time.Unix(1, 0)) })
	defer stop()
	d.explorer.Start(d.now(), &d.batch)
	for {
		if err := d.flush(); err != nil {
			return nil, err
		}
		if d.explorer.Done() {
			break
		}
		_ = d.port.SetReceiveDeadline(d.start.Add(time.Duration(d.explorer.NextTimeout()/units.Nanosecond) + 1))
		if ctx.Err() != nil { // after the deadline is set: the end of ctx sets it again
			return nil, context.Cause(ctx)
		}
		got, err := d.port.Receive()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			d.explorer.Timeout(d.now(), &d.batch)
		case err != nil:
			return nil, exit.Errorf(exit.Failed, "the port is gone: %w", err)
		case !got.TimedOut: // a datagram that comes back counts as lost: its deadline repeats it
			d.explorer.Receive(d.now(), &sm.Packet{DLID: got.DLID, SLID: got.SLID, MAD: got.MAD}, &d.batch)
		}
	}
	s := d.explorer.Subnet()
	switch n := d.explorer.Missed(); {
	case !s.Origin.Exists():
		return nil, exit.Errorf(exit.Failed, "the node of the port itself does not answer: is the adapter up, and does the fabric protect reads by a key (--m-key)?")
	case n > 0:
		fmt.Fprintf(d.e.Stderr, "weft: requests without an answer: %d. Nodes that did not say all about themselves are left out\n", n)
	}
	return s, nil
}

// flush sends the explorer's datagrams and tells what it complains of.
func (d *discoverer) flush() error {
	for i := range d.batch.Send {
		p := &d.batch.Send[i]
		if err := d.port.Send(&ibsim.Datagram{DLID: p.DLID, SLID: p.SLID, MAD: p.MAD}); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return exit.Errorf(exit.Failed, "the port is gone: %w", err)
		}
	}
	for _, event := range d.batch.Events {
		fmt.Fprintf(d.e.Stderr, "weft: %v\n", event)
	}
	d.batch.Reset()
	return nil
}
