// Package sniff follows RoCE v2 in captured packets: it decodes each, finds the
// two queue pairs that talk, and names what is not as it should be.
//
// # The model
//
// A flow is what one host sends to one queue pair of another. Requests of a
// flow carry consecutive PSNs (IBA vol. 1, 9.7.1); a READ takes as many as its
// response has packets. A request ahead of the expected PSN leaves a gap. One
// behind it is a retransmission, or was overtaken by others (order.go says how
// they are told apart). A gap whose packets were all overtaken is no loss, and
// not counted at the end. Responses repeat the PSNs of the requests that they
// answer, by which the flow in the other direction is found, since no packet
// names the queue pair that sent it (but for UD, whose DETH does).
//
// # What is left out
//
// The dialogue of the connection manager (its messages are decoded, not
// followed), and what a queue pair did before the capture began: the first
// request of a flow is taken as it comes. Sequences of UD are not judged: no
// receiver checks them.
package sniff
