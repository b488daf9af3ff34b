// Package subnet is an InfiniBand subnet as a Subnet Manager and its tools see
// it: nodes with GUIDs, numbered ports, links with width and speed, LIDs, and
// the tables that a manager writes into switches. Files of real fabrics are read into it,
// routing engines compute on it, and proofs judge it. It knows neither time nor packets nor
// file formats.
//
// A switch's port 0 is its management port, which has the switch's LID and
// GUID and no cable. Adapters and routers have no port 0: their Ports[0] is
// not used. Port numbers are the hardware's, from 1.
//
// Left out: several subnets joined by routers (a router is an end of this one),
// and optical details of cables.
package subnet
