package live

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/live/sniff"
	"weft/internal/live/wiretap"
	"weft/wire/pcap"
)

func newSniff(e *process.Env) *cobra.Command {
	var s sniffing
	cmd := &cobra.Command{
		Use:   "sniff FILE | --interface NAME",
		Short: "decode RoCE v2 in a capture and name the faults",
		Long: `Reads a capture (pcap or pcapng, - is standard input) and prints each RoCE v2
packet, its two queue pairs, and its anomalies: retransmissions, packets out of order,
gaps, lost UC messages, NAKs, RNR NAKs, congestion notifications, ECN marks, wrong
ICRCs, and connections that the connection manager rejects. At the end it prints every
flow with its counts. InfiniBand and RoCE v1 are counted and not decoded. Frames
may have VLAN tags, or be inside VXLAN. A capture with a short snap length is read as
far as possible. Without any packet of RoCE v2 the exit code is 6. With --interface it
reads the packets of an interface until interrupted, which needs root or CAP_NET_RAW,
on Linux.`,
		Example: `  tcpdump -i eth0 -w - udp port 4791 | weft live sniff -
  weft live sniff --interface eth0 --anomalies
  weft live sniff trace.pcapng --anomalies
  weft live sniff trace.pcapng --summary --json`,
		Args: flags.Args(0, 1, "one capture"),
		RunE: func(cmd *cobra.Command, given []string) error {
			if (len(given) == 0) == (s.nic == "") {
				return errors.New("name one capture, or one interface by --interface")
			}
			if s.nic != "" {
				return s.listen(cmd.Context(), e)
			}
			return s.run(e, given[0])
		},
	}
	f := cmd.Flags()
	f.StringVarP(&s.nic, "interface", "i", "", "read this interface until interrupted")
	f.BoolVar(&s.anomalies, "anomalies", false, "only the packets with anomalies")
	f.BoolVar(&s.summary, "summary", false, "only the flows")
	f.BoolVar(&s.json, "json", false, "print as JSON")
	cmd.MarkFlagsMutuallyExclusive("anomalies", "summary")
	e.PageFlag(cmd)
	return cmd
}

// sniffing is the flags of the verb.
type sniffing struct {
	nic                      string
	anomalies, summary, json bool
}

func (s *sniffing) run(e *process.Env, path string) error {
	in, err := openInput(e, path)
	if err != nil {
		return err
	}
	defer in.Close()
	if path == "-" {
		path = "standard input"
	}
	r, err := pcap.NewReader(bufio.NewReaderSize(in, 1<<20))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return s.tell(e, path, r, bufio.NewWriter(e.Stdout))
}

// listen reads an interface. Packets are shown at once.
func (s *sniffing) listen(ctx context.Context, e *process.Env) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	nic, err := wiretap.Open(ctx, s.nic)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	defer nic.Close()
	return s.tell(e, s.nic, nic, bufio.NewWriterSize(e.Stdout, 1))
}

// packetSource gives packets until io.EOF.
type packetSource interface {
	Next(p *pcap.Packet) error
}

// tell prints the packets of a source, and at the end a document of its flows.
func (s *sniffing) tell(e *process.Env, path string, r packetSource, out *bufio.Writer) error {
	if e.HTML == "-" { // the page, and nothing else
		out.Reset(io.Discard)
	}
	var to sniffOutput = &sniffText{w: out, bold: e.Style().Bold}
	if s.json {
		to = &sniffJSON{w: out}
	}
	t := sniff.NewTracker()
	cut := s.follow(r, t, to)
	if nic, is := r.(interface{ Lost() int64 }); is {
		t.Missed = nic.Lost()
	}
	rest, err := to.finish(t, cut)
	if err := cmp.Or(err, out.Flush()); err != nil {
		return err
	}
	e.Begun = s.json
	if err := e.Present(sniffDocument(path, t), s.json, rest); err != nil {
		return err
	}
	if cut != nil {
		return fmt.Errorf("%s: %w: the packets before it are above", path, cut)
	}
	if s.nic != "" { // silence is an answer
		return nil
	}
	return undecoded(path, t)
}

// follow reads all packets; the error gives the place of a cut or broken capture.
func (s *sniffing) follow(r packetSource, t *sniff.Tracker, to sniffOutput) error {
	var p pcap.Packet
	for n := int64(1); ; n++ {
		if err := r.Next(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		event, ok := t.Take(&p)
		if !ok || s.summary || s.anomalies && event.Anomaly == 0 {
			continue
		}
		if err := to.packet(n, &event); err != nil {
			return err
		}
	}
}

// sniffOutput is the output of packets and flows.
type sniffOutput interface {
	packet(n int64, e *sniff.Event) error
	finish(t *sniff.Tracker, cut error) (rest []byte, err error) // rest is the end of a JSON object
}

// openInput opens a file; - is standard input.
func openInput(e *process.Env, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(e.Stdin), nil
	}
	f, err := e.Open(path)
	if err != nil {
		return nil, process.CannotRead("the capture "+path, err)
	}
	return f, nil
}

// anomalyCounts lists the anomalies, the most serious kinds first, in the order of their
// declaration.
func anomalyCounts(c *sniff.Counts) string {
	text := ""
	c.Each(func(one, many string, n int64) {
		if text != "" {
			text += ", "
		}
		if n > 1 {
			one = many
		}
		text += doc.Integer(n) + " " + one
	})
	return text
}
