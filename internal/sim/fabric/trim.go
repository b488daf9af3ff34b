package fabric

// Trim is how an Ethernet switch cuts packets off instead of dropping them (UET
// specification 1.0, 4.1): what does not fit into its egress queue keeps its headers,
// leaves by the same port in a class of its own, and tells its receiver which packet
// is missing. The zero value trims nothing.
type Trim struct {
	// Classes has a bit for each class whose data packets are trimmed.
	Classes uint16
	// To is the class of a trimmed packet.
	To uint8
	// Bytes is what is left of it on the wire. Shorter packets are dropped.
	Bytes uint16
}

// trims cuts a packet that has no room, and reports whether what is left of it has
// some.
func (s *ethernetState) trims(p *Partition, b *inbox, o *port, out int32, k *pkt) bool {
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
	if s.overEgress(p, b, o, out, k) {
		k.class, k.size = class, whole // dropped as what it was
		return false
	}
	p.stats.Trimmed++
	p.stats.LostBytes += int64(whole - t.Bytes)
	return true
}
