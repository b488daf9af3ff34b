// Package subnet is an InfiniBand subnet from the view of a Subnet Manager and its tools: nodes
// with GUIDs, numbered ports, links with width and speed, LIDs, and the tables that a manager
// writes into switches. Readers of files, routing engines and proofs use it. It has neither time
// nor packets nor file formats.
//
// A switch's port 0 is its management port, which has the switch's LID and
// GUID and no cable. Adapters and routers have no port 0: their Ports[0] is
// not used. Port numbers are the hardware's, from 1.
//
// Left out: several subnets joined by routers (a router is an end of this one),
// and optical details of cables.
package subnet
