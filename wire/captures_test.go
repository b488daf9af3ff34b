package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/test/wiretest"
	"weft/wire"
)

// frame is a captured frame, its IP packet, and the RoCE v2 packet read from it.
type frame struct {
	name string // file and number
	ip   []byte
	roce wire.RoCEv2
	err  error
}

// frames are all RoCE v2 packets of all captures, in the order of golden.tsv.
func frames(t testing.TB, files map[string][]byte) []frame {
	t.Helper()
	var all []frame
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".pcap") {
			continue
		}
		for n, p := range wiretest.Packets(t, bytes.NewReader(files[name])) {
			n++
			var eth wire.EthernetHeader
			head, err := eth.Parse(p.Data)
			if err != nil {
				t.Fatalf("%s packet %d: %v", name, n, err)
			}
			if again := eth.AppendTo(nil); !bytes.Equal(again, p.Data[:head]) {
				t.Errorf("%s packet %d: the Ethernet header is % x, written again % x", name, n, p.Data[:head], again)
			}
			f := frame{name: fmt.Sprintf("%s packet %d", name, n), ip: p.Data[head:]}
			f.err = f.roce.Parse(f.ip)
			all = append(all, f)
		}
	}
	return all
}

func TestEveryCapturedPacketIsReadWrittenAndItsICRCVerified(t *testing.T) {
	packets := frames(t, wiretest.Captures(t))
	bad := 0
	for i := range packets {
		f := &packets[i]
		if strings.HasPrefix(f.name, "NEG_bad_icrc") && errors.Is(f.err, wire.ErrICRC) && f.roce.ICRC == f.roce.Calculated^1 {
			bad++
			continue
		}
		if f.err != nil {
			t.Errorf("%s: %v", f.name, f.err)
			continue
		}
		again, err := f.roce.AppendTo(nil)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
		} else if !bytes.Equal(again, f.ip[:len(again)]) {
			t.Errorf("%s:\nread    %x\nwritten %x", f.name, f.ip, again)
		}
	}
	if bad == 0 || len(packets) < 900 {
		t.Errorf("%d packets, %d of them with a broken ICRC: captures are missing", len(packets), bad)
	}
}

func TestFieldsAreThoseThatWiresharkReads(t *testing.T) {
	files := wiretest.Captures(t)
	packets := frames(t, files)
	lines := strings.Split(strings.TrimRight(string(files["golden.tsv"]), "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	if len(lines)-1 != len(packets) {
		t.Fatalf("%d packets, tshark read %d", len(packets), len(lines)-1)
	}
	compared := 0
	for i, line := range lines[1:] {
		f := &packets[i]
		cells := strings.Split(line, "\t")
		if want := fmt.Sprintf("%s packet %s", cells[0], cells[1]); f.name != want {
			t.Fatalf("%s stands where tshark has %s", f.name, want)
		}
		got := fields(&f.roce)
		for j, name := range names {
			want, ok := got[name]
			if !ok || name == "infiniband.invariant.crc" && cells[j] == "" {
				continue // tshark shows no ICRC if it dissects the payload as another protocol
			}
			compared++
			if !sameNumber(cells[j], want) {
				t.Errorf("%s: %s is %s, tshark reads %q", f.name, name, want, cells[j])
			}
		}
	}
	if compared < 10_000 {
		t.Errorf("only %d fields were compared", compared)
	}
}

// sameNumber compares a cell of tshark's output with a decimal number; an empty cell
// is a missing field. Immediate data occur twice in a cell, in hexadecimal digits
// without a prefix.
func sameNumber(cell, number string) bool {
	if cell == "" || number == "" {
		return cell == number
	}
	if one, two, twice := strings.Cut(cell, ","); twice {
		if one != two {
			return false
		}
		cell = "0x" + one
	}
	a, errA := strconv.ParseUint(cell, 0, 64)
	b, errB := strconv.ParseUint(number, 10, 64)
	return errA == nil && errB == nil && a == b
}

// fields are a packet's fields by tshark's names, "" for a missing field.
func fields(r *wire.RoCEv2) map[string]string {
	p := &r.Packet
	h := p.BTH.Opcode.Headers()
	bit := map[bool]int{true: 1}
	when := func(has wire.Headers, v any) string {
		if h&has == 0 {
			return ""
		}
		return fmt.Sprint(v)
	}
	va, key := p.RETH.VA, p.RETH.RKey
	if h.Has(wire.AtomicETH) {
		va, key = p.Atomic.VA, p.Atomic.RKey
	}
	kind := p.AETH.Syndrome.Kind()
	return map[string]string{
		"udp.srcport":                         fmt.Sprint(r.UDP.Src),
		"udp.length":                          fmt.Sprint(r.UDP.Length),
		"infiniband.bth.opcode":               fmt.Sprint(uint8(p.BTH.Opcode)),
		"infiniband.bth.se":                   fmt.Sprint(bit[p.BTH.Solicited]),
		"infiniband.bth.m":                    fmt.Sprint(bit[p.BTH.MigReq]),
		"infiniband.bth.padcnt":               fmt.Sprint(p.BTH.PadCount),
		"infiniband.bth.p_key":                fmt.Sprint(p.BTH.PKey),
		"infiniband.bth.destqp":               fmt.Sprint(uint32(p.BTH.DestQP)),
		"infiniband.bth.a":                    fmt.Sprint(bit[p.BTH.AckReq]),
		"infiniband.bth.psn":                  fmt.Sprint(uint32(p.BTH.PSN)),
		"infiniband.reth.va":                  when(wire.RETH|wire.AtomicETH, va),
		"infiniband.reth.r_key":               when(wire.RETH|wire.AtomicETH, uint32(key)),
		"infiniband.reth.dmalen":              when(wire.RETH, p.RETH.Length),
		"infiniband.aeth.syndrome":            when(wire.AETH, uint8(p.AETH.Syndrome)),
		"infiniband.aeth.syndrome.opcode":     when(wire.AETH, uint8(kind)),
		"infiniband.aeth.msn":                 when(wire.AETH, p.AETH.MSN),
		"infiniband.immdt":                    when(wire.ImmDt, p.Immediate),
		"infiniband.ieth":                     when(wire.IETH, uint32(p.Invalid)),
		"infiniband.atomiceth.swapdt":         when(wire.AtomicETH, p.Atomic.SwapAdd),
		"infiniband.atomiceth.cmpdt":          when(wire.AtomicETH, p.Atomic.Compare),
		"infiniband.atomicacketh.origremdt":   when(wire.AtomicAckETH, p.Original),
		"infiniband.deth.q_key":               when(wire.DETH, p.DETH.QKey),
		"infiniband.deth.srcqp":               when(wire.DETH, uint32(p.DETH.SrcQP)),
		"infiniband.invariant.crc":            fmt.Sprint(bigEndian(r.ICRC)),
		"infiniband.aeth.syndrome.timer":      whenKind(h, kind, wire.SyndromeRNR, p.AETH.Syndrome.Value()),
		"infiniband.aeth.syndrome.error_code": whenKind(h, kind, wire.SyndromeNAK, p.AETH.Syndrome.Value()),
	}
}

func whenKind(h wire.Headers, kind, want wire.SyndromeKind, value uint8) string {
	if !h.Has(wire.AETH) || kind != want {
		return ""
	}
	return fmt.Sprint(value)
}

// bigEndian reverses the ICRC's bytes: tshark shows them so.
func bigEndian(crc uint32) uint32 {
	return crc>>24 | crc>>8&0xff00 | crc<<8&0xff_0000 | crc<<24
}

func TestNoTruncationOfAPacketIsTaken(t *testing.T) {
	packets := frames(t, wiretest.Captures(t))
	for i := 0; i < len(packets); i += 23 {
		f := &packets[i]
		if f.err != nil {
			continue
		}
		for n := range f.ip {
			var r wire.RoCEv2
			if err := r.Parse(f.ip[:n]); err == nil {
				t.Errorf("%s: accepted when cut at %d of %d", f.name, n, len(f.ip))
			}
		}
	}
}

func TestNoFlippedBitThatTheICRCCoversIsTaken(t *testing.T) {
	packets := frames(t, wiretest.Captures(t))
	for i := 0; i < len(packets); i += 97 {
		f := &packets[i]
		if f.err != nil {
			continue
		}
		size := len(f.ip)
		again, _ := f.roce.AppendTo(nil)
		size = min(size, len(again))
		for bit := range 8 * size {
			if masked(bit/8, f.roce.IPv6) {
				continue
			}
			damaged := bytes.Clone(f.ip)
			damaged[bit/8] ^= 1 << (bit % 8)
			var r wire.RoCEv2
			if err := r.Parse(damaged); err == nil {
				t.Errorf("%s: accepted with bit %d of byte %d flipped", f.name, bit%8, bit/8)
			}
		}
	}
}

// masked reports whether the ICRC leaves out a byte or a part of it.
func masked(at int, v6 bool) bool {
	if v6 {
		return at < 4 || at == 7 || at == 46 || at == 47 || at == 52
	}
	return slices.Contains([]int{1, 8, 10, 11, 26, 27, 32}, at)
}

func FuzzRoCEv2(f *testing.F) {
	packets := frames(f, wiretest.Captures(f))
	for i := 0; i < len(packets); i += 41 {
		f.Add(packets[i].ip)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var r wire.RoCEv2
		if err := r.Parse(b); err != nil {
			return
		}
		// An accepted packet is written again with the same meaning.
		out, err := r.AppendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		var again wire.RoCEv2
		if err := again.Parse(out); err != nil {
			t.Fatalf("%x: written as %x: %v", b, out, err)
		}
		if !bytes.Equal(again.Packet.Payload, r.Packet.Payload) || again.Packet.BTH != r.Packet.BTH {
			t.Errorf("%x: %+v became %+v", b, r.Packet, again.Packet)
		}
	})
}

func BenchmarkRoCEv2(b *testing.B) {
	r := wire.RoCEv2{V4: wire.IPv4Header{Flags: wire.DontFragment, TTL: 64}}
	r.Packet.BTH = wire.BTH{Opcode: wire.RCWriteMiddle, PKey: 0xffff}
	r.Packet.Payload = make([]byte, 4096)
	packet, err := r.AppendTo(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(packet)))
		for b.Loop() {
			packet, _ = r.AppendTo(packet[:0])
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(packet)))
		var in wire.RoCEv2
		for b.Loop() {
			if err := in.Parse(packet); err != nil {
				b.Fatal(err)
			}
		}
	})
}
