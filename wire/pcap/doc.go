// Package pcap reads packet captures, classic pcap and pcapng, and writes pcapng, as tcpdump and
// Wireshark do (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng). It keeps one packet in memory at
// a time.
//
// Reading ignores everything except packets and their interfaces, and pcapng's obsolete packet
// block.
package pcap
