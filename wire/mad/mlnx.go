package mad

// MlnxExtPortInfo is the vendor's attribute that distinguishes FDR10, which is not in the
// specification, from QDR: bit 0 of each speed (as infiniband-diags and ibsim read and
// write it).
type MlnxExtPortInfo struct {
	StateChangeEnable  uint8
	LinkSpeedSupported uint8
	LinkSpeedEnabled   uint8
	LinkSpeedActive    uint8
}

func (p *MlnxExtPortInfo) layout(c *codec) {
	for _, v := range [...]*uint8{&p.StateChangeEnable, &p.LinkSpeedSupported, &p.LinkSpeedEnabled, &p.LinkSpeedActive} {
		c.skip(24)
		bits(c, 8, v)
	}
}
