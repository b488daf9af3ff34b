package isolation

import "slices"

// PKeys are the P_Keys of an InfiniBand fabric. An HCA compares the P_Key of each packet with its
// queue pair's; a switch compares it with the table of a port, which equals the table of the NIC at
// the port's other end. A packet without a match is discarded, counted and trapped (IBA vol. 1,
// 9.6.1.2.3, 10.9.3 and 18.2.4.2.1).
type PKeys struct {
	// Tables are the P_Keys of each NIC; bit 15 is the membership.
	Tables [][]uint16
	// Ingress and Egress make switches check packets from and to NICs.
	Ingress, Egress bool
}

// fullMember is the bit for full membership in a P_Key.
const fullMember = 0x8000

// KeysMatch reports whether two P_Keys belong to the same P_Key partition and not both are limited
// members (IBA vol. 1, 10.9.3).
func KeysMatch(a, b uint16) bool {
	return a&^fullMember != 0 && a&^fullMember == b&^fullMember && (a|b)&fullMember != 0
}

// MaySend reports whether a switch lets a NIC send a packet with a P_Key, by the table of its port: a
// key of the table belongs to the same P_Key partition, and is a full member's if the packet's is. If
// limited keys were compared as in HCAs, limited members could not send at all through the tables of
// OpenSM, which equal the NICs' own.
func (k *PKeys) MaySend(nic int32, sent uint16) bool {
	return slices.ContainsFunc(k.Tables[nic], func(key uint16) bool { return key == sent || key == sent|fullMember })
}

// MayReceive reports whether a switch lets a NIC receive a packet with a P_Key, by the table of its port.
func (k *PKeys) MayReceive(nic int32, sent uint16) bool {
	return slices.ContainsFunc(k.Tables[nic], func(key uint16) bool { return KeysMatch(key, sent) })
}
