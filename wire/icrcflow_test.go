package wire_test

import (
	"net/netip"
	"strings"
	"testing"

	"weft/wire"
	"weft/wire/wiretest"
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
				t.Errorf("%s: the ICRC is broken, and the identification %#04x was found", f.name, got)
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
