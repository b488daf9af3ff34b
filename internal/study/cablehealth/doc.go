// Package cablehealth finds the bad cables and ports of a fabric in what its tools print: counters,
// link speeds, error rates, transceivers, logs. It judges InfiniBand and Ethernet alike.
//
// # The model
//
// Read takes any number of files, knows their kinds by their content, and joins what they say by
// GUID, LID, name and port. Judge compares each port with what the specification allows and with the
// ports that are alike: of the same kind of device, with the same counter. A finding is about a link,
// with the evidence of both its ends.
//
// # The order of findings
//
// A fabric that is slow as a whole comes first, as one finding. Then: links that are down; links
// with fewer lanes or less speed than both ends support; links that went down or retrained; packets lost on the wire;
// packets dropped for want of a buffer; errors that were corrected, or of symbols; modules beyond
// their limits; waiting; parts of a device. Within each of these, findings with a known cost come
// first, by the bandwidth or the packets that are lost, and then by the value of the counter.
//
// # What is not concluded
//
// A counter since an unknown time has no rate. A saturated counter is a lower bound. PortXmitWait and
// pause frames are congestion and no fault of a cable; a host that sends pauses is itself slow. Flush
// errors follow the end of a queue pair and are no loss. A sum of ports is no port. Packets with errors
// that another link marked, and packets that a switch could not forward, are no fault of this cable.
//
// # Sources
//
// IBA vol. 1, 16.1.3.5 (counters); IBA vol. 2 and IEEE 802.3 for a bit error rate of 1e-12; ibdiagnet's
// default threshold is the same (NVIDIA, ibdiagnet 2.23, BER). IEEE 802.3, clause 119, for the 2.4e-4
// that RS(544,514) corrects.
package cablehealth
