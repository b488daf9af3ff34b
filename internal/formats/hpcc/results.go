package hpcc

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"

	"weft/units"
)

// An FCT is a line of fct.txt: a completed flow. It completes when its sender
// has received the last acknowledgement.
type FCT struct {
	SrcIP, DstIP     uint32
	SrcPort, DstPort uint16
	Bytes            units.Bytes
	Start            units.Time
	// Duration is from the start to the completion.
	Duration units.Time
	// Standalone is the completion of the flow alone, as computed.
	Standalone units.Time
}

// FCT is the line of a flow that completed after this duration.
func (f *Flow) FCT(duration units.Time, b Baseline) FCT {
	return FCT{
		hostIP(f.Src), hostIP(f.Dst), f.SrcPort, f.DstPort,
		f.Bytes, f.Start, duration, b.Standalone,
	}
}

// WriteFCT writes fct.txt. The lines keep their order; in the simulator's file they are in order of
// completion.
func WriteFCT(w io.Writer, flows []FCT) error {
	b := bufio.NewWriter(w)
	for _, f := range flows {
		fmt.Fprintf(b, "%08x %08x %d %d %d %d %d %d\n", f.SrcIP, f.DstIP, f.SrcPort, f.DstPort,
			int64(f.Bytes), nanoseconds(f.Start), nanoseconds(f.Duration), nanoseconds(f.Standalone))
	}
	return b.Flush()
}

// A PFC is a line of pfc.txt: a received PFC frame.
type PFC struct {
	Time   units.Time
	Node   int
	Switch bool
	// Port is the interface that received it.
	Port int
	// Pause is false for a resume.
	Pause bool
}

// WritePFC writes pfc.txt. The lines keep their order; in the simulator's file they are in order of
// reception.
func WritePFC(w io.Writer, frames []PFC) error {
	b := bufio.NewWriter(w)
	for _, f := range frames {
		fmt.Fprintf(b, "%d %d %d %d %d\n", nanoseconds(f.Time), f.Node, bit(f.Switch), f.Port, bit(f.Pause))
	}
	return b.Flush()
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ParseFCT reads an fct.txt, such as a reference result. An error is a [*Problems].
func ParseFCT(file, text string) ([]FCT, error) {
	problems := &Problems{}
	var flows []FCT
	t := table{file: file, text: text, problems: problems}
	for l, more := t.pull(); more; l, more = t.pull() {
		v, ok := integers(l, "xxppiiii")
		if !ok {
			problems.add(file, l.number, join(l), "`sip dip sport dport bytes start fct standalone`, addresses in hexadecimal")
			continue
		}
		flows = append(flows, FCT{
			uint32(v[0]), uint32(v[1]), uint16(v[2]), uint16(v[3]), units.Bytes(v[4]),
			units.Time(v[5]) * units.Nanosecond, units.Time(v[6]) * units.Nanosecond, units.Time(v[7]) * units.Nanosecond,
		})
	}
	if !problems.none() {
		return nil, problems
	}
	return flows, nil
}

// mulDiv is a·b/c with 128 bits between; the quotient has to fit 64.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}
