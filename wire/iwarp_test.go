package wire

import "testing"

// RFC 5044, 4.5: MULPDU = EMSS - (6 + 4 * ceiling(EMSS / 512) + EMSS mod 4); without
// markers the middle term is gone. 2 bytes stand before a unit and 4 behind it.
func TestTheLongestUnitIsThatOfTheRFC(t *testing.T) {
	for _, x := range []struct {
		emss, plain, marked int
	}{
		{8948, 8948, 8948 - 72},
		{1448, 1448, 1448 - 12},
		{1459, 1456, 1456 - 12},
		{512, 512, 508},
	} {
		if got := MPAUnit(x.emss, false); got != x.plain {
			t.Errorf("with an EMSS of %d bytes a unit has %d, want %d", x.emss, got, x.plain)
		}
		if got := MPAUnit(x.emss, true); got != x.marked {
			t.Errorf("with an EMSS of %d bytes and markers a unit has %d, want %d", x.emss, got, x.marked)
		}
	}
	if tagged, untagged := FPDUBytes(DDPTaggedBytes), FPDUBytes(DDPUntaggedBytes); tagged != 20 || untagged != 24 {
		t.Errorf("a unit takes %d and %d bytes beyond its payload, want 20 and 24", tagged, untagged)
	}
}
