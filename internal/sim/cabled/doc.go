// Package cabled turns a real fabric, as it is cabled, into the topology of a scenario.
//
// Read reads the fabric from a file. Place decides which hosts are the cluster's nodes, and which ports of them its
// NICs, and numbers all devices as a listed topology does: the NICs, host by host; the ports of other hosts, which
// carry no load of the cluster; the switches, in the order of the file. Names, port numbers, GUIDs, LIDs and the rate of
// each cable stay as they are.
//
// What the file does not say is not guessed silently: Place returns notes for what it assumed, and an error with the
// lines to write where an assumption would change the answer.
package cabled
