package wiretap

import (
	"weft/wire"
)

// split cuts a frame with a UDP datagram of several segments into the frames of the wire. Each
// segment has size bytes, the last perhaps fewer. Any other frame is passed on unchanged.
func split(frame []byte, size int, hand func([]byte)) {
	var eth wire.EthernetHeader
	var udp wire.UDPHeader
	var v4 wire.IPv4Header
	var v6 wire.IPv6Header
	head, err := eth.Parse(frame)
	at := head + wire.IPv4Bytes
	is4 := eth.Type == wire.EtherTypeIPv4
	if !is4 {
		at = head + wire.IPv6Bytes
	}
	if err != nil || size <= 0 || len(frame) < at+wire.UDPBytes {
		hand(frame)
		return
	}
	if is4 {
		err = v4.Parse(frame[head:])
	} else {
		err = v6.Parse(frame[head:])
	}
	protocol := v6.NextHeader
	if is4 {
		protocol = v4.Protocol
	}
	if err != nil || protocol != wire.ProtocolUDP || udp.Parse(frame[at:]) != nil {
		hand(frame)
		return
	}
	first := v4.ID
	rest := frame[at+wire.UDPBytes:]
	for i := uint16(0); len(rest) > 0; i++ {
		n := min(size, len(rest))
		udp.Length = uint16(wire.UDPBytes + n)
		one := append([]byte(nil), frame[:head]...)
		if is4 {
			v4.ID, v4.Length = first+i, wire.IPv4Bytes+udp.Length
			one = v4.AppendTo(one)
		} else {
			v6.Length = udp.Length
			one = v6.AppendTo(one)
		}
		hand(append(udp.AppendTo(one), rest[:n]...))
		rest = rest[n:]
	}
}
