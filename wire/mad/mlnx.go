package mad

// MlnxExtPortInfo is the vendor's attribute by which FDR10, which the
// specification does not know, is told from QDR: bit 0 of each speed
// (infiniband-diags and ibsim read and write it so).
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
