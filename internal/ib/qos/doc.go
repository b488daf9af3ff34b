// Package qos reads and writes the keys of opensm.conf that set quality of service: the number of
// lanes, the arbitration weights, and the SL2VL map, in general and by class of port.
//
// It reads the policy file qos-policy.conf as well, which gives service levels to
// paths by their ends, partition, QoS class and service.
//
// Left out: the section qos-setup, which OpenSM parses and ignores; path-bits;
// writing a policy.
//
// Source: the manual page of opensm 3.3.23, "QoS configuration", the template
// that opensm -c writes, and OpenSM's QoS_management_in_OpenSM.txt.
package qos
