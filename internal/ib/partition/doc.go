// Package partition reads and writes OpenSM's partitions.conf: the members of each
// partition, and its multicast groups.
//
// Names such as ALL stand for the ports of the subnet at the time of a sweep. [Tables] resolves
// them, and adds the default partition 0x7fff as OpenSM does. The manager's own port is a full
// member of it. Other ports are limited members if the file has no rule for them, and full members
// if there is no file.
//
// Source: the manual page of opensm 3.3.23, "Partition configuration".
package partition
