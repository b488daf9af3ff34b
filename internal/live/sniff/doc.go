// Package sniff follows RoCE v2 in captured packets: it decodes each packet, finds the two queue
// pairs that talk, and names anomalies.
//
// # The model
//
// A flow is the packets of one host to one queue pair of another. Requests of a flow carry
// consecutive PSNs (IBA vol. 1, 9.7.1); a READ takes as many as its response has packets. A request
// ahead of the expected PSN leaves a gap. A request behind it is a retransmission, or was overtaken
// by others (order.go tells them apart). A gap whose packets were all overtaken is no loss, and not
// counted at the end. Responses repeat the PSNs of their requests. These PSNs identify the flow in
// the other direction, since no packet names its sending queue pair (except for UD, by its DETH).
//
// # What is left out
//
// The dialogue of the connection manager (its messages are decoded, not followed), and packets
// before the capture began: the first request of a flow is accepted with any PSN. Sequences of UD
// are not judged: no receiver checks them.
package sniff
