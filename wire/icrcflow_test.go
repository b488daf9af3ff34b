package wire_test

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"weft/internal/test/wiretest"
	"weft/wire"
)

// flowOf is the flow of a captured packet, and its bytes from the BTH on.
func flowOf(f *frame) (wire.ICRCFlow, []byte, uint16, int) {
	r := &f.roce
	src, dst, head := netip.AddrFrom4(r.V4.Src), netip.AddrFrom4(r.V4.Dst), wire.IPv4Bytes
	id := r.V4.ID
	if r.IPv6 {
		src, dst, head, id = netip.AddrFrom16(r.V6.Src), netip.AddrFrom16(r.V6.Dst), wire.IPv6Bytes, 0
	}
	flow := wire.NewICRCFlow(netip.AddrPortFrom(src, r.UDP.Src), netip.AddrPortFrom(dst, r.UDP.Dst))
	end := head + int(r.UDP.Length) - wire.ICRCBytes
	return flow, f.ip[head+wire.UDPBytes : end], id, int(r.UDP.Length)
}

func TestFlowsGiveTheICRCOfEveryCapturedPacket(t *testing.T) {
	packets := frames(t, wiretest.Captures(t))
	for i := range packets {
		f := &packets[i]
		flow, b, id, n := flowOf(f)
		half := (len(b)-wire.BTHBytes)/2 + wire.BTHBytes
		got := wire.ICRCUpdate(flow.Begin(id, n, b[:half]), b[half:])
		if got != f.roce.Calculated {
			t.Errorf("%s: the flow gives %08x, the packet's headers %08x", f.name, got, f.roce.Calculated)
		}
	}
}

func TestAnICRCTellsTheIdentificationOfItsPacket(t *testing.T) {
	packets := frames(t, wiretest.Captures(t))
	solved := 0
	for i := range packets {
		f := &packets[i]
		if f.roce.IPv6 {
			continue
		}
		flow, b, id, n := flowOf(f)
		got, ok := wire.SolveID(flow.Begin(0, n, b), f.roce.ICRC, n)
		if strings.HasPrefix(f.name, "NEG_bad_icrc") {
			if ok {
				t.Errorf("%s: identification %#04x was found for a broken ICRC", f.name, got)
			}
			continue
		}
		if !ok || got != id {
			t.Errorf("%s: found %#04x (%v), the identification is %#04x", f.name, got, ok, id)
		}
		solved++
	}
	if solved < 900 {
		t.Errorf("%d packets solved: captures are missing", solved)
	}
}

func TestAFlowThatRemembersGivesWhatAFreshOneDoes(t *testing.T) {
	for _, ends := range [][2]string{{"10.0.0.1:4791", "10.0.0.2:4791"}, {"[fe80::1]:4791", "[fe80::2]:4791"}} {
		src, dst := netip.MustParseAddrPort(ends[0]), netip.MustParseAddrPort(ends[1])
		flow := wire.NewICRCFlow(src, dst)
		dice := rand.New(rand.NewPCG(1, 1))
		b := make([]byte, 100)
		for range 10_000 {
			for i := range b {
				b[i] = byte(dice.Uint32())
			}
			id, n := uint16(dice.IntN(20)), []int{64, 80, 4128, 4136}[dice.IntN(4)]
			fresh := wire.NewICRCFlow(src, dst)
			if got, want := flow.Begin(id, n, b), fresh.Begin(id, n, b); got != want {
				t.Fatalf("identification %d, %d bytes: %08x, and from a fresh flow %08x", id, n, got, want)
			}
		}
	}
}

// BenchmarkICRCFlow computes the ICRCs of a message of 16 packets of 4 KiB, sent in two
// datagrams.
func BenchmarkICRCFlow(b *testing.B) {
	flow := wire.NewICRCFlow(netip.MustParseAddrPort("127.0.0.1:4791"), netip.MustParseAddrPort("127.0.0.2:4791"))
	packet := make([]byte, wire.BTHBytes+4096)
	b.SetBytes(16 * 4096)
	for b.Loop() {
		for i := range 16 {
			first := max(0, 1-i)
			id := uint16(i) // 0 and 1; then 0, 1, 2 …
			if i > 1 {
				id -= 2
			}
			flow.Begin(id, wire.UDPBytes+len(packet)+wire.ICRCBytes+16*first, packet)
		}
	}
}
