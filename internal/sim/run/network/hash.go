package network

import (
	"hash/fnv"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/scenario"
)

// If all switches hash the same fields, the entropy of a packet is what they hash. If they differ, its upper half is of the
// two addresses and its lower half of the queue pair, with the direction in the last bit: a switch that hashes the
// addresses alone leaves the queue pair's bits out.

// ofQueuePair are the bits of the entropy that switches with different hashes share out to queue pairs.
const ofQueuePair = 0xfffe

// Hashed is what switches hash of the packets of a connection from a NIC to another: its entropy, the two addresses, or both.
func (p *Plan) Hashed(from, to int32, entropy uint32) uint32 {
	if !p.Fabric.HashesDiffer() {
		if p.Fabric.Routing.Hash != scenario.HashAddresses {
			return entropy
		}
		return addresses(from, to)
	}
	return addresses(from, to)&^0xffff | entropy&ofQueuePair | addresses(from, to)&1
}

// addresses is the hash of two addresses. Both directions differ in the last bit.
func addresses(from, to int32) uint32 {
	pair := uint32(engine.Mix(uint64(min(from, to))<<32|uint64(max(from, to)))) &^ 1
	if from > to {
		return OtherEnd(pair)
	}
	return pair
}

// OtherEnd is the entropy of the packets that return on a connection.
func OtherEnd(entropy uint32) uint32 { return entropy ^ 1 }

// hashIgnores are the bits of the entropy that a switch leaves out: own is the fabric as the switch has it.
func hashIgnores(f, own *scenario.Fabric) uint32 {
	if own.Routing.Hash == scenario.HashAddresses && f.HashesDiffer() {
		return ofQueuePair
	}
	return 0
}

// hashFunction is the number of a function by its name; 0 is a switch's own.
func hashFunction(name string) uint64 {
	if name == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64() | 1
}

// switchHash is how a switch hashes.
type switchHash struct {
	function uint64 // 0: its own
	ignores  uint32 // bits of the entropy
}

// hashesOf is how each switch of a plan hashes; nil if no switch has settings of its own, nor the fabric a function.
func hashesOf(p *Plan) []switchHash {
	f := p.Fabric
	if len(f.Switches) == 0 && f.Routing.HashFunction == "" {
		return nil
	}
	all := make([]switchHash, p.Graph.Switches())
	for i := range all {
		own := f.OfSwitch(p.Graph.Nodes[p.Graph.Endpoints+i].Name)
		all[i] = switchHash{hashFunction(own.Routing.HashFunction), hashIgnores(f, own)}
	}
	return all
}

// Choice is the port that a switch's hash chooses among several for packets with an entropy. node is the switch's number in the
// graph.
func (p *Plan) Choice(node int, entropy uint32, ports []uint16) uint16 {
	var h switchHash
	if p.hashes != nil {
		h = p.hashes[node-p.Graph.Endpoints]
	}
	salt := fabric.Salt(p.Seed(), node)
	if h.function != 0 {
		salt = fabric.SharedSalt(p.Seed(), h.function)
	}
	return ports[fabric.Hash(entropy&^h.ignores, salt, len(ports))]
}
