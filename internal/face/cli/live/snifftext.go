package live

import (
	"fmt"
	"io"
	"strings"

	"weft/internal/live/sniff"
	"weft/wire"
)

// sniffText prints packets as lines.
type sniffText struct {
	w       io.Writer
	bold    func(string) string
	startNs int64
	lines   bool
}

func (s *sniffText) packet(n int64, e *sniff.Event) error {
	if !s.lines {
		s.lines, s.startNs = true, e.TimeNs
		fmt.Fprintf(s.w, "%s\n", s.bold("  packet      time  from > to, queue pair: operation"))
	}
	_, err := fmt.Fprintf(s.w, "%8d %8.6f  %s\n", n, float64(e.TimeNs-s.startNs)/1e9, sniffLine(e))
	return err
}

// sniffLine is the line of a packet: its ends, its operation, and its anomalies.
func sniffLine(e *sniff.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v > %v", e.Src, e.Dst)
	if e.Err != nil {
		fmt.Fprintf(&b, ": malformed: %s", strings.TrimPrefix(e.Err.Error(), "wire: "))
		return b.String()
	}
	p := &e.Packet.Packet
	fmt.Fprintf(&b, " QP %#x: %v, PSN %d", uint32(p.BTH.DestQP), p.BTH.Opcode, p.BTH.PSN)
	if e.Payload > 0 {
		fmt.Fprintf(&b, ", %d B", e.Payload)
	}
	for _, d := range details(p) {
		b.WriteString(", " + d)
	}
	if e.Manager != nil {
		b.WriteString(", " + e.Manager.String())
	}
	if names := e.Anomaly.Names(); len(names) > 0 {
		fmt.Fprintf(&b, "  <- %s", strings.Join(names, ", "))
	}
	if e.Missing > 0 {
		word := "goes back by"
		if e.Anomaly&sniff.Gap != 0 {
			word = "skips"
		}
		fmt.Fprintf(&b, " (%s %d)", word, e.Missing)
	}
	return b.String()
}

// details are the important fields of the extended headers.
func details(p *wire.Packet) []string {
	var d []string
	add := func(format string, args ...any) { d = append(d, fmt.Sprintf(format, args...)) }
	h := p.BTH.Opcode.Headers()
	if h.Has(wire.RETH) {
		add("%d B at %#x, rkey %#x", p.RETH.Length, p.RETH.VA, uint32(p.RETH.RKey))
	}
	if h.Has(wire.AtomicETH) {
		add("at %#x, rkey %#x, swap or add %#x, compare %#x", p.Atomic.VA, uint32(p.Atomic.RKey), p.Atomic.SwapAdd, p.Atomic.Compare)
	}
	if h.Has(wire.AETH) {
		add("%v, MSN %d", p.AETH.Syndrome, p.AETH.MSN)
	}
	if h.Has(wire.AtomicAckETH) {
		add("was %#x", p.Original)
	}
	if h.Has(wire.DETH) {
		add("from QP %#x, Q_Key %#x", uint32(p.DETH.SrcQP), p.DETH.QKey)
	}
	if h.Has(wire.ImmDt) {
		add("immediate %#x", p.Immediate)
	}
	if h.Has(wire.IETH) {
		add("invalidates rkey %#x", uint32(p.Invalid))
	}
	if p.BTH.AckReq {
		add("asks for an ACK")
	}
	if p.BTH.Solicited {
		add("solicited")
	}
	return d
}

func (s *sniffText) finish(*sniff.Tracker, error) ([]byte, error) {
	if s.lines {
		fmt.Fprintln(s.w)
	}
	return nil, nil
}
