// Package hpcctopo reads topologies of the simulator published with HPCC (repository
// alibaba-edu/High-Precision-Congestion-Control, topology.txt of its folders) as scenarios: a host
// becomes a node of one GPU and one NIC.
//
// A single switch, and a regular leaf-spine fabric, become a shape; any other fabric, such as its
// mix/fat.txt of three levels, is taken cable by cable. The loss of links is left out.
package hpcctopo
