// Package pcap reads packet captures, classic pcap and pcapng, and writes
// pcapng, as tcpdump and Wireshark do (draft-ietf-opsawg-pcap,
// draft-ietf-opsawg-pcapng). It keeps one packet in memory at a time.
//
// Left out when reading: everything but packets and the interfaces they came
// in by; of pcapng's packet blocks the obsolete one.
package pcap
