package mad

import "testing"

// Linux's mlx5 takes a port for XDR when bits 5 and 6 of byte 56 say 1, and
// CapabilityMask2 has bits 11 and 12 (drivers/infiniband/hw/mlx5/mad.c).
func TestXDRStandsWhereLinuxReadsIt(t *testing.T) {
	p := PortInfo{CapabilityMask: CapMask2, CapabilityMask2: Cap2ExtSpeeds2 | Cap2XDR, LinkSpeedExt2Active: 1, LinkSpeedExt2Cap: 1, LinkSpeedExt2On: 1}
	b := Append(nil, &p)
	if active := b[56] >> 4 & 0x6; active != 2 {
		t.Errorf("the driver reads %d in byte %#02x, want 2", active, b[56])
	}
	if mask2 := uint16(b[60])<<8 | uint16(b[61]); mask2 != 1<<11|1<<12 {
		t.Errorf("CapabilityMask2 is %#04x", mask2)
	}
	// The bytes of a test of libibmad: its three fields are 2 each.
	b[56] = 0x52
	var q PortInfo
	_ = Parse(b, &q)
	if q.LinkSpeedExt2Active != 2 || q.LinkSpeedExt2Cap != 2 || q.LinkSpeedExt2On != 2 {
		t.Errorf("0x52 is %d active, %d supported, %d enabled; libibmad says 2 each", q.LinkSpeedExt2Active, q.LinkSpeedExt2Cap, q.LinkSpeedExt2On)
	}
}
