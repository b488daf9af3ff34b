package socket

import (
	"testing"

	"weft/wire"
)

// Packets are taken together as far as nothing but PSN and operation tells them apart: each other field has been checked
// in the first of them alone.
func TestOnlyPacketsThatAreAlikeAreTakenTogether(t *testing.T) {
	const packets, odd = 6, 4
	for name, c := range map[string]struct {
		change func(p *Port, b []byte, s *slot)
		want   int
	}{
		"all alike":               {func(*Port, []byte, *slot) {}, packets - 1},
		"another event":           {func(_ *Port, b []byte, _ *slot) { b[1] ^= 0x80 }, odd - 1},
		"another version":         {func(_ *Port, b []byte, _ *slot) { b[1] ^= 1 }, odd - 1},
		"another partition":       {func(_ *Port, b []byte, _ *slot) { b[2] ^= 1 }, odd - 1},
		"another partition's":     {func(_ *Port, b []byte, _ *slot) { b[3] ^= 1 }, odd - 1},
		"a mark of congestion":    {func(_ *Port, b []byte, _ *slot) { b[4] ^= 0x40 }, odd - 1},
		"an acknowledgement":      {func(_ *Port, b []byte, _ *slot) { b[8] ^= 0x80 }, odd - 1},
		"a wrong ICRC":            {func(p *Port, _ []byte, _ *slot) { p.checked[odd].ok = false }, odd - 1},
		"an ICRC that was solved": {func(p *Port, _ []byte, _ *slot) { p.checked[odd].id = 99 }, odd - 1},
		"the end of a READ":       {func(_ *Port, _ []byte, s *slot) { s.op = wire.RCReadResponseLast }, odd - 1},
		"no place":                {func(_ *Port, _ []byte, s *slot) { s.memory = nil }, odd - 1},
		"a shorter one":           {func(_ *Port, _ []byte, s *slot) { s.bytes -= 4 }, odd - 1},
	} {
		p, in := new(Port), &Incoming{placed: expected(make([]byte, packets*placedBytes)).slots}
		for i := range in.placed {
			s := &in.placed[i]
			b := responsePacket(s.to, s.psn, 'x', s.bytes)
			in.Data, in.Segment = append(in.Data, b...), len(b)
			p.checked[i] = check{id: uint16(i), ok: true}
		}
		c.change(p, in.Data[odd*in.Segment:], &in.placed[odd])
		if got := p.alike(in, 0); got != c.want {
			t.Errorf("%s: %d packets behind the first, want %d", name, got, c.want)
		}
	}
}
