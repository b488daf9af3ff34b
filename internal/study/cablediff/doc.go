// Package cablediff compares a fabric as it is planned with the fabric as it is cabled, or one day's fabric with
// another's.
//
// A device is found by its GUID, else by its name without case, else by its neighbours. The chips of a director are one
// device with the director's ports (L16/U2/20), the adapters of a host are one with a port for each. A name that
// several devices have identifies none of them. A port is found by its number, its name or its label; if the two
// files have different names for a device's ports, ports with equal neighbours are taken as equal.
//
// So each port has a planned and a real other end. Where these differ, the ports form chains and circles of planned and
// real cables in turn, and each is the fewest cables to touch: a circle of two is two crossed cables, one
// finding with one action; a chain of one planned and one real cable is a cable with a plug in the wrong port; a
// planned cable alone is missing, a real one alone is extra.
//
// A plan may list a part of the cables: then a real cable is extra only at a device of whose cables of that sort the
// plan has three quarters. The report says what was left out. Cables that neither of two switches that
// answered could see are not judged either.
//
// A unit is the switches that share hosts of the plan; a rail is the switches for one NIC of each host.
package cablediff
