package host

import "weft/units"

// PathMTU is the largest payload of an RDMA packet on an interface with an IP MTU: the largest of
// InfiniBand's MTUs that leaves room for all headers that a packet may have (Linux,
// include/rdma/ib_addr.h, iboe_get_mtu). It is 0 if no MTU leaves that room.
func PathMTU(mtu units.Bytes) units.Bytes {
	const headers = 40 + 8 + 12 + 4 + 28 + 4 // IPv6, UDP, BTH, XRC, atomics, ICRC
	for _, size := range []units.Bytes{4096, 2048, 1024, 512, 256} {
		if size+headers <= mtu {
			return size
		}
	}
	return 0
}

// Room is the buffer that a ConnectX keeps behind the threshold at which it pauses its switch, as
// the driver computes it from mlnx_qos's cable_len (Linux, mlx5 en/port_buffer.c, calculate_xoff):
// 301 B, plus 2.16 B per metre and Gb/s (at least 40 Gb/s), plus 2.72 times the MTU.
func Room(speed units.Rate, cable units.Length, mtu units.Bytes) units.Bytes {
	mbps := max(int64(speed/units.Mbps), 40_000)
	metres := int64(cable / units.Metre)
	return units.Bytes((301+216*metres/100)*mbps/1000 + 272*int64(mtu)/100)
}
