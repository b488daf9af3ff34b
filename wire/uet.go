package wire

// The headers of Ultra Ethernet Transport (UET). They follow a UDP header with destination port
// 4793; its source port is the entropy value. The sizes are from the tables of the UET
// specification 1.0, as two public implementations lay them out: the consortium's reference
// provider (uet_pkt_hdr.h) and XDP2 (proto_uet_pds.h, proto_uet_ses.h).
const (
	// UETPort is UDP's destination port.
	UETPort = 4793
	// UETRequestBytes is the request header of the packet delivery sublayer (PDS)
	// in reliable unordered delivery (section 3.5.10, table 3-33): prologue 2, offset of the
	// cleared PSN 2, PSN 4, the two identifiers of the delivery context 2 each.
	UETRequestBytes = 12
	// UETSemanticBytes is the standard request header of the semantic sublayer (SES) in every
	// packet of a message: common part 12, buffer offset 8, initiator 4, memory key or match bits
	// 8, header data or message offset 8, request length 4.
	UETSemanticBytes = 44
	// UETAckBytes is an acknowledgement with the state of congestion control
	// (ACK_CC, table 3-36): as long as a request 12, type and receiver's maximum 2,
	// offset of the bitmap 2, bitmap 8, state 8.
	UETAckBytes = 32
	// UETResponseBytes is the semantic sublayer's response without data, in an acknowledgement.
	UETResponseBytes = 12
	// UETNackBytes is a negative acknowledgement (NACK): prologue 2, code 2, PSN 4, identifiers 4,
	// code-dependent data 4.
	UETNackBytes = 16
)

// uetFrame is the length of a UET packet on the cable, preamble and gap included.
// UET pads nothing; security and the optional CRC of the whole packet are off.
func uetFrame(transport int, f EthernetFraming) int {
	return max(f.bytes()+UDPBytes+transport, EthernetMinFrame) + EthernetGapBytes
}

// UETBytes is the length of a UET request with a payload on the cable, preamble
// and gap included.
func UETBytes(payload int, f EthernetFraming) int {
	return uetFrame(UETRequestBytes+UETSemanticBytes+payload, f)
}

// UETAckFrameBytes is the length of an acknowledgement on the cable.
func UETAckFrameBytes(f EthernetFraming) int { return uetFrame(UETAckBytes+UETResponseBytes, f) }

// UETNackFrameBytes is the length of a negative acknowledgement on the cable.
func UETNackFrameBytes(f EthernetFraming) int { return uetFrame(UETNackBytes, f) }
