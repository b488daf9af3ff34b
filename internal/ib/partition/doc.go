// Package partition reads and writes OpenSM's partitions.conf: which port is a
// member of which partition, and the multicast groups of each.
//
// The file says what is to be, not what is: names such as ALL stand for the
// ports that a subnet has when the manager sweeps it. Who resolves them also
// adds what OpenSM adds: the default partition 0x7fff, of which the manager's
// own port is a full member, and all other ports limited ones where the file
// has no rule for it, or full ones where there is no file.
//
// Source: the manual page of opensm 3.3.23, "Partition configuration".
package partition
