// Package channel is the channel between an emulated fabric and a device of package verbs, in another
// process: the messages, and their bytes.
//
// # The model
//
// The fabric has the clock. It gives a device a turn: the present time, the packets that have arrived
// at its NIC, and the number of requests that the NIC's queue has room for. The device's queue pairs
// work at that time, and answer with their packets and with the time of their next deadline. So all queue pairs of
// all devices see one clock, which stands still while any of them has a turn.
//
// Between two turns, a device whose program posts work offers packets by itself as long as the last turn left
// room for them. Without room it wakes the fabric, which gives it a turn. The time between two turns is in memory
// that the fabric shares with its devices (Dial).
//
// The channel is a socket of type SOCK_SEQPACKET: a message is one datagram, in order, and the end of
// either process is seen by the other.
//
//	Hello      from the device: the address or the NIC that it wants
//	Welcome    from the fabric: its address, and the parameters of its queue pairs, with the descriptor of the
//	           dial's memory; or Refused
//	Turn       from the fabric, Answer from the device, in turn; either may take several messages
//	Answer     from the device by itself: an offer
//	Wake       from the device: it wants a turn
//	Join       from the device: it is a member of a multicast group; Leave ends that
//	Datagram   from a program that is no device, and the answer: management of an InfiniBand fabric
//
// Hello and Welcome are JSON, the others binary with the lowest byte first. Both ends are the same
// version of weft: Version changes with any of it.
//
// # What it leaves out
//
// IPv6, and other UDP ports than RoCE v2's.
package channel
