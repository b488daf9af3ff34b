// Package collisions measures the cost of flows that meet on one link, for a job as it grows: the
// lost bus bandwidth, as a distribution over hash seeds, for each load balancing method.
//
// The reference of a size is the same job, NICs and first cables on one ideal switch with a port
// for every NIC. There nothing can collide between switches, and the costs of hosts, transport and
// the last link are the same. So the loss is caused by the network between the leaves, including
// its oversubscription.
//
// ECMP is measured for several queue pairs per connection: each has its own entropy, as NCCL's
// queue pairs have their own UDP source ports (QP scaling; with a hash over the queue pair, Meta's
// E-ECMP). Other methods take the scenario's own number. Whether a message is divided over them or
// messages take turns is the scenario's transport.split-data.
//
// Only routing.hash-seed differs between the simulations of a distribution; traffic and placement
// stay.
package collisions
