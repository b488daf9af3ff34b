package hpcc

import "math/bits"

// A Key is the part of a packet that the hash reads: the two addresses, and the two ports in one
// word. In an acknowledgement they are reversed.
type Key struct{ SrcIP, DstIP, Ports uint32 }

// newKey is the key of a packet of the given flow of addresses and ports.
func newKey(srcIP, dstIP uint32, srcPort, dstPort uint16) Key {
	return Key{srcIP, dstIP, uint32(srcPort) | uint32(dstPort)<<16}
}

// Reverse is the key of the acknowledgements of k.
func (k Key) Reverse() Key {
	return Key{k.DstIP, k.SrcIP, bits.RotateLeft32(k.Ports, 16)}
}

// Key is the key of the data packets of the flow.
func (f *Flow) Key() Key {
	return newKey(hostIP(f.Src), hostIP(f.Dst), f.SrcPort, f.DstPort)
}

// hostIP is the simulator's address of a host: 11.x.y.1, where x and y are the bytes of its id.
func hostIP(node int) uint32 { return 0x0b000001 + uint32(node)<<8 }

// Hash is the ECMP hash of the simulator's switches; its seed is the id of the switch. It is
// MurmurHash3_x86_32 (A. Appleby, 2011, public domain) over the 12 bytes of the key, each word
// little-endian in the order source address, destination address, ports, without any deviation.
func Hash(k Key, seed uint32) uint32 {
	h := seed
	for _, word := range [3]uint32{k.SrcIP, k.DstIP, k.Ports} {
		h ^= bits.RotateLeft32(word*0xcc9e2d51, 15) * 0x1b873593
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	h ^= 12
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// nicSeed is the seed with which a host with several links picks the link of a queue pair: the seed of
// ns-3's own hash. No available case has such a host.
const nicSeed = 0x8badf00d
