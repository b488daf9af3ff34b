// Package collisions measures what flows that meet on one link cost a job as it
// grows: the bus bandwidth that is lost, as a distribution over hash seeds, for each
// way of balancing the load.
//
// The reference of a size is the same job, NICs and first cables on one ideal switch
// with a port for every NIC. There nothing can collide between switches, and what
// hosts, transport and the last link cost is in it as it is in the others. So the
// loss is that of the network between the leaves: of an oversubscribed one, the
// oversubscription too.
//
// ECMP is measured for several queue pairs per connection: each has an entropy of
// its own, as NCCL's have UDP source ports of their own (QP scaling, and with a hash
// over the queue pair what Meta calls E-ECMP). Other ways of balancing take the
// scenario's own number. Whether a message is divided over them or messages take
// turns is the scenario's transport.split-data.
//
// Only routing.hash-seed differs between the simulations of a distribution; traffic
// and placement stay.
package collisions
