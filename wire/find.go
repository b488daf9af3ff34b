package wire

// FindUDP reads the UDP header of an IP packet. ok is false unless it is an unfragmented UDP packet
// without IPv4 options and IPv6 extensions.
func FindUDP(ip []byte) (h UDPHeader, ok bool) {
	if len(ip) == 0 {
		return UDPHeader{}, false
	}
	const fragment = 0x3fff // offset, or more fragments
	if ip[0]>>4 == 6 {
		var v6 IPv6Header
		if v6.Parse(ip) != nil || v6.NextHeader != ProtocolUDP {
			return UDPHeader{}, false
		}
		return h, h.Parse(ip[IPv6Bytes:]) == nil
	}
	var v4 IPv4Header
	if v4.Parse(ip) != nil || v4.Protocol != ProtocolUDP || v4.Flags&fragment != 0 {
		return UDPHeader{}, false
	}
	return h, h.Parse(ip[IPv4Bytes:]) == nil
}
