package sm

// admin is what subnet administration knows.
type admin struct{}

func (m *Manager) administer(p *Packet) {}

func (m *Manager) multicastBlocks(dense, ports int) []multicastBlock { return nil }
