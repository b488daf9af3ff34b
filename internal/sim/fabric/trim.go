package fabric

// Trim is the trimming of packets by an Ethernet switch instead of dropping them (UET specification
// 1.0, 4.1): a packet that does not fit into its egress queue keeps its headers, leaves by the same
// port in a separate class, and so tells its receiver which packet is missing. The zero value trims
// nothing.
type Trim struct {
	// Classes has a bit for each class whose data packets are trimmed.
	Classes uint16
	// To is the class of a trimmed packet.
	To uint8
	// Bytes is the length of a trimmed packet on the wire. Shorter packets are dropped.
	Bytes uint16
}

// tryTrim cuts a packet that does not fit, and reports whether the trimmed packet fits.
func (s *ethernetState) tryTrim(p *Partition, b *inbox, o *port, out int32, k *pkt) bool {
	t := &s.spec.Trim
	if t.Classes>>k.class&1 == 0 || k.size <= t.Bytes || k.role != roleData || k.mark&trimmed != 0 {
		return false
	}
	whole := k.size
	k.mark |= trimmed
	if p.net.inboxes[out].kind == kindNIC {
		k.mark |= lastHop
	}
	class := k.class
	k.class, k.size = t.To, t.Bytes
	if s.isOverEgress(p, b, o, out, k) {
		k.class, k.size = class, whole // dropped with its original class and size
		return false
	}
	p.stats.Trimmed++
	p.stats.LostBytes += int64(whole - t.Bytes)
	return true
}
