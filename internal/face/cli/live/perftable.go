package live

import (
	"fmt"
	"io"
	"math"
	"net/netip"
	"strings"

	"weft/internal/live/perf"
)

// perfTable prints results in the columns of perftest (perftest_parameters.h), so that scripts for
// those can read them. Two columns at the end are weft's own.
type perfTable struct {
	w     io.Writer
	kind  perf.Kind
	gbits bool
}

var perfLine = strings.Repeat("-", 87)

// perfNames are perftest's names for the operations.
var perfNames = map[perf.Verb]string{perf.Write: "RDMA_Write", perf.Read: "RDMA_Read", perf.Send: "Send"}

// head prints the measurement and its two ends.
func (t *perfTable) head(test *perf.Test, local, peer *perf.End) {
	what := "BW"
	if t.kind == perf.Latency {
		what = "Latency"
	}
	fmt.Fprintf(t.w, "%s\n                    %s %s Test\n", perfLine, perfNames[test.Verb], what)
	fmt.Fprintf(t.w, " Dual-port       : OFF\t\tDevice         : weft\n")
	fmt.Fprintf(t.w, " Number of qps   : %d\t\tTransport type : IB\n", test.QPs)
	fmt.Fprintf(t.w, " Connection type : RC\t\tUsing SRQ      : OFF\n")
	fmt.Fprintf(t.w, " TX depth        : %d\n Mtu             : %d[B]\n Link type       : Ethernet\n", test.Depth, test.MTU)
	fmt.Fprintf(t.w, " Max inline data : %d[B]\n rdma_cm QPs\t : OFF\n Data ex. method : Ethernet\n%s\n", test.Inline, perfLine)
	for _, end := range []struct {
		name string
		of   *perf.End
	}{{"local", local}, {"remote", peer}} {
		for _, q := range end.of.QPs[:min(len(end.of.QPs), 8)] {
			fmt.Fprintf(t.w, " %s address: LID 0000 QPN %#06x PSN %#06x RKey %#08x VAddr %#016x\n", end.name, uint32(q.QPN), uint32(q.PSN), end.of.RKey, end.of.VAddr)
		}
		fmt.Fprintf(t.w, " GID: %s\n", perfGID(end.of.Addr))
	}
	fmt.Fprintln(t.w, perfLine)
	t.columns()
}

func (t *perfTable) columns() {
	switch {
	case t.kind == perf.Latency:
		fmt.Fprintln(t.w, " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ")
	case t.gbits:
		fmt.Fprintln(t.w, " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]   CPU[s/GB]")
	default:
		fmt.Fprintln(t.w, " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]   CPU[s/GB]")
	}
}

// overTCP prints the heading of the second table.
func (t *perfTable) overTCP() {
	fmt.Fprintln(t.w, " the same over kernel TCP, on one connection")
	t.columns()
}

func (t *perfTable) row(r *perf.Result) {
	if t.kind == perf.Latency {
		fmt.Fprintf(t.w, " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f\n",
			r.Test.Size, r.Test.Iters, r.Min, r.Max, r.Typical, r.Mean, r.Stdev, r.P99, r.P999)
		return
	}
	unit := 1.0 / (1 << 20)
	if t.gbits {
		unit = 8e-9
	}
	cpu := "n/a"
	if !math.IsNaN(r.CPU) {
		cpu = fmt.Sprintf("%.3f", r.CPU)
	}
	fmt.Fprintf(t.w, " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f        %s\n",
		r.Test.Size, r.Test.Iters, r.Peak*unit, r.Average*unit, r.MessageRate/1e6, cpu)
}

func (t *perfTable) end() { fmt.Fprintln(t.w, perfLine) }

// notes prints results without a column in perftest.
func (t *perfTable) notes(results []*perf.Result) {
	var repeated, sent, bad, datagrams, near, lost, marked, cnpsOut, cnpsIn int64
	broken := 0
	how := "go-back-N"
	for _, r := range results {
		repeated += r.Repeated
		sent += r.PacketsSent
		bad += r.BadICRC
		datagrams += r.Datagrams
		near += r.Near
		lost += r.Lost
		if r.Selective {
			how = "selective repeat"
		}
		marked, cnpsOut, cnpsIn = marked+r.Marked, cnpsOut+r.CNPsSent, cnpsIn+r.CNPsReceived
		if !r.Whole {
			broken++
		}
	}
	fmt.Fprintf(t.w, " sent by this device: %d packets in %d datagrams, %d of them again (%s); %d bad ICRCs arrived\n", sent, datagrams, repeated, how, bad)
	if near > 0 {
		fmt.Fprintf(t.w, " through shared memory, without the kernel's UDP: %d of the datagrams (--socket-only sends all by UDP)\n", near)
	}
	if lost > 0 {
		fmt.Fprintf(t.w, " lost by this device on request: %d arriving packets\n", lost)
	}
	if marked+cnpsOut+cnpsIn > 0 {
		fmt.Fprintf(t.w, " congestion: %d packets arrived marked, %d CNPs sent, %d received\n", marked, cnpsOut, cnpsIn)
	}
	if broken > 0 {
		fmt.Fprintf(t.w, " WRONG DATA in %d of %d measurements\n", broken, len(results))
	} else {
		fmt.Fprintf(t.w, " the received data equals the sent data\n")
	}
}

// perfGID prints an address in perftest's form of GIDs, in decimal.
func perfGID(addr string) string {
	a, err := netip.ParseAddrPort(addr)
	if err != nil {
		return addr
	}
	b := a.Addr().As16()
	parts := make([]string, len(b))
	for i, v := range b {
		parts[i] = fmt.Sprintf("%02d", v)
	}
	return strings.Join(parts, ":")
}
