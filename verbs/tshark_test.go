package verbs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/wire"
)

// tshark runs Wireshark's dissector on a capture. It decodes the UDP port of RoCE v2, and does not
// guess other protocols in the payload.
func tshark(t *testing.T, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("tshark")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("tshark is not installed: .ci/run does that")
		}
		t.Skip("tshark is not installed")
	}
	var problems bytes.Buffer
	cmd := exec.Command(path, append([]string{"-n"}, args...)...)
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v: %s", err, problems.String())
	}
	return string(out)
}

// everything makes both ends send every kind of packet.
func everything(t *testing.T, p *pair) {
	a, b := p.on[0], p.on[1]
	fillPattern(a.buf, 1)
	remote := func(wr SendWR) SendWR {
		wr.RemoteAddr, wr.RKey = b.mr.Addr(), b.mr.RKey()
		return wr
	}
	stale := b.window(MWType2, 0, 8)
	list := []SendWR{
		remote(SendWR{Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 10000)}}),
		remote(SendWR{Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 7)}}),
		remote(SendWR{Opcode: RDMAWriteWithImm, SGL: []SGE{a.mr.SGE(0, 5000)}, ImmData: 0x01020304}),
		remote(SendWR{Opcode: RDMARead, SGL: []SGE{a.mr.SGE(0, 9001)}}),
		{Opcode: Send, SGL: []SGE{a.mr.SGE(0, 9000)}},
		{Opcode: SendWithImm, SGL: []SGE{a.mr.SGE(0, 1)}, ImmData: 5, Flags: SendSolicited},
		{Opcode: SendWithInv, SGL: []SGE{a.mr.SGE(0, 5001)}, InvalidateRKey: stale.RKey()},
		remote(SendWR{Opcode: AtomicFetchAndAdd, SGL: []SGE{a.mr.SGE(0, 8)}, CompareAdd: 1 << 40}),
		remote(SendWR{Opcode: AtomicCmpAndSwp, SGL: []SGE{a.mr.SGE(0, 8)}, CompareAdd: 3, Swap: 4}),
	}
	for i := range 4 {
		if err := b.qp.PostRecv(RecvWR{WRID: uint64(100 + i), SGL: []SGE{b.mr.SGE(20000, 10000)}}); err != nil {
			t.Fatal(err)
		}
	}
	for i, wr := range list {
		wr.WRID = uint64(i)
		a.post(wr)
		a.want(uint64(i), Success)
	}
	bad := remote(SendWR{WRID: 99, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 8)}})
	bad.RKey++
	a.post(bad)
	a.want(99, RemAccessErr)
}

func TestWiresharkReadsEveryPacketAsItWasMeant(t *testing.T) {
	for _, network := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(network, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "run.pcapng")
			f, err := os.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &pair{t: t}
			for i := range p.on {
				o := Options{Addr: mustAddr(network)}
				if i == 0 {
					o.Capture = f
				}
				p.on[i] = newSide(t, o, QPInitAttr{}, 1<<16)
			}
			p.connect()
			everything(t, p)
			ports := []string{}
			for _, s := range p.on {
				if err := s.dev.Close(); err != nil {
					t.Fatal(err)
				}
				// The test's ports are free ones: Wireshark must decode them as RoCE.
				ports = append(ports, "-d", fmt.Sprintf("udp.port==%d,infiniband", s.dev.Addr().Port()))
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			checkWithTshark(t, file, ports)
		})
	}
}

func checkWithTshark(t *testing.T, file string, ports []string) {
	t.Helper()
	base := append([]string{"-r", file}, ports...)
	if bad := tshark(t, append(base, "-Y", "_ws.malformed || _ws.expert.severity == error")...); bad != "" {
		t.Errorf("malformed packets:\n%s", bad)
	}
	names := []string{"opcode", "se", "m", "padcnt", "p_key", "destqp", "a", "psn"}
	args := append(base, "-T", "fields", "-E", "occurrence=f")
	for _, n := range names {
		args = append(args, "-e", "infiniband.bth."+n)
	}
	for _, n := range []string{"reth.va", "reth.r_key", "reth.dmalen", "aeth.syndrome", "aeth.msn", "ieth", "atomiceth.swapdt", "atomiceth.cmpdt", "atomicacketh.origremdt"} {
		args = append(args, "-e", "infiniband."+n)
	}
	lines := strings.Split(strings.TrimRight(tshark(t, args...), "\n"), "\n")
	packets := captured(t, file)
	if len(packets) != len(lines) || len(packets) < 25 {
		t.Fatalf("%d packets were written, tshark reads %d; want equal numbers, 25 at least", len(packets), len(lines))
	}
	seen := map[wire.Opcode]bool{}
	for i := range packets {
		p := &packets[i].Packet
		seen[p.BTH.Opcode] = true
		if got, want := numbers(t, lines[i]), meantNumbers(p); !slices.Equal(got, want) {
			t.Errorf("packet %d, %v: tshark reads %v, weft meant %v", i+1, p.BTH.Opcode, got, want)
		}
	}
	if len(seen) < 18 {
		t.Errorf("only %d operations were sent", len(seen))
	}
}

// captured are the packets of a capture; it checks their ICRCs.
func captured(t *testing.T, file string) []*wire.RoCEv2 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return heard(t, f)
}

// iethColumn is the column of the IETH.
const iethColumn = 13

// numbers are the cells of a line; an empty cell is -1.
func numbers(t *testing.T, line string) (out []int64) {
	t.Helper()
	for cell := range strings.SplitSeq(line, "\t") {
		base := 0
		switch {
		case cell == "":
			out = append(out, -1)
			continue
		case len(out) == iethColumn: // in hexadecimal digits without a prefix
			base = 16
		}
		n, err := strconv.ParseUint(cell, base, 64)
		if err != nil {
			t.Fatalf("%q: %v", cell, err)
		}
		out = append(out, int64(n))
	}
	return out
}

// meantNumbers are the same numbers, from a packet.
func meantNumbers(p *wire.Packet) []int64 {
	bit := map[bool]int64{true: 1}
	h := p.BTH.Opcode.Headers()
	when := func(has wire.Headers, v uint64) int64 {
		if h&has == 0 {
			return -1
		}
		return int64(v)
	}
	va, key := p.RETH.VA, p.RETH.RKey
	if h.Has(wire.AtomicETH) {
		va, key = p.Atomic.VA, p.Atomic.RKey
	}
	b := &p.BTH
	return []int64{
		int64(b.Opcode), bit[b.Solicited], bit[b.MigReq], int64(b.PadCount), int64(b.PKey), int64(b.DestQP), bit[b.AckReq], int64(b.PSN),
		when(wire.RETH|wire.AtomicETH, va), when(wire.RETH|wire.AtomicETH, uint64(key)), when(wire.RETH, uint64(p.RETH.Length)),
		when(wire.AETH, uint64(p.AETH.Syndrome)), when(wire.AETH, uint64(p.AETH.MSN)), when(wire.IETH, uint64(p.Invalid)),
		when(wire.AtomicETH, p.Atomic.SwapAdd), when(wire.AtomicETH, p.Atomic.Compare), when(wire.AtomicAckETH, p.Original),
	}
}
