package mad

// MlnxExtPortInfo is the vendor's attribute that distinguishes QDR from FDR10, which is not in the
// specification: bit 0 of each speed (as in infiniband-diags and ibsim).
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
