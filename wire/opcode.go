package wire

import "fmt"

// Opcode is the 8-bit operation code of the base transport header: three bits
// of transport service, five of operation (IBA vol. 1, table 38).
type Opcode uint8

// The operation codes of the reliable connection.
const (
	RCSendFirst          Opcode = 0x00
	RCSendMiddle         Opcode = 0x01
	RCSendLast           Opcode = 0x02
	RCSendLastImm        Opcode = 0x03
	RCSendOnly           Opcode = 0x04
	RCSendOnlyImm        Opcode = 0x05
	RCWriteFirst         Opcode = 0x06
	RCWriteMiddle        Opcode = 0x07
	RCWriteLast          Opcode = 0x08
	RCWriteLastImm       Opcode = 0x09
	RCWriteOnly          Opcode = 0x0a
	RCWriteOnlyImm       Opcode = 0x0b
	RCReadRequest        Opcode = 0x0c
	RCReadResponseFirst  Opcode = 0x0d
	RCReadResponseMiddle Opcode = 0x0e
	RCReadResponseLast   Opcode = 0x0f
	RCReadResponseOnly   Opcode = 0x10
	RCAcknowledge        Opcode = 0x11
	RCAtomicAcknowledge  Opcode = 0x12
	RCCompareSwap        Opcode = 0x13
	RCFetchAdd           Opcode = 0x14
	RCSendLastInvalidate Opcode = 0x16
	RCSendOnlyInvalidate Opcode = 0x17
)

// The operation codes of the unreliable connection.
const (
	UCSendFirst    Opcode = 0x20
	UCSendMiddle   Opcode = 0x21
	UCSendLast     Opcode = 0x22
	UCSendLastImm  Opcode = 0x23
	UCSendOnly     Opcode = 0x24
	UCSendOnlyImm  Opcode = 0x25
	UCWriteFirst   Opcode = 0x26
	UCWriteMiddle  Opcode = 0x27
	UCWriteLast    Opcode = 0x28
	UCWriteLastImm Opcode = 0x29
	UCWriteOnly    Opcode = 0x2a
	UCWriteOnlyImm Opcode = 0x2b
)

// The operation codes of the reliable datagram.
const (
	RDSendFirst          Opcode = 0x40
	RDSendMiddle         Opcode = 0x41
	RDSendLast           Opcode = 0x42
	RDSendLastImm        Opcode = 0x43
	RDSendOnly           Opcode = 0x44
	RDSendOnlyImm        Opcode = 0x45
	RDWriteFirst         Opcode = 0x46
	RDWriteMiddle        Opcode = 0x47
	RDWriteLast          Opcode = 0x48
	RDWriteLastImm       Opcode = 0x49
	RDWriteOnly          Opcode = 0x4a
	RDWriteOnlyImm       Opcode = 0x4b
	RDReadRequest        Opcode = 0x4c
	RDReadResponseFirst  Opcode = 0x4d
	RDReadResponseMiddle Opcode = 0x4e
	RDReadResponseLast   Opcode = 0x4f
	RDReadResponseOnly   Opcode = 0x50
	RDAcknowledge        Opcode = 0x51
	RDAtomicAcknowledge  Opcode = 0x52
	RDCompareSwap        Opcode = 0x53
	RDFetchAdd           Opcode = 0x54
	RDResync             Opcode = 0x55
)

// XRCOffset is between an operation code of the reliable connection and the same of the extended one,
// which has no codes besides (IBA vol. 1, annex A14).
const XRCOffset Opcode = 0xa0

// The operation codes of the unreliable datagram, and the congestion
// notification packet of RoCE v2 (IBA vol. 1, A17.9.3).
const (
	UDSendOnly    Opcode = 0x64
	UDSendOnlyImm Opcode = 0x65
	CNP           Opcode = 0x81
)

// Valid reports whether op is one of the constants above, or one of RC's with XRCOffset.
func (op Opcode) Valid() bool { return descriptions[op].name != "" }

// Headers is the set of extended transport headers that follow the BTH.
func (op Opcode) Headers() Headers { return descriptions[op].headers }

// HeaderBytes is the size of the BTH and of all headers behind it. It is cheap: the simulator calls
// it for every packet.
func (op Opcode) HeaderBytes() int { return int(headerBytes[op]) }

// HasPayload reports whether data may follow the headers.
func (op Opcode) HasPayload() bool { return descriptions[op].payload }

// First reports whether the packet begins its message. A message of one packet, such as an
// acknowledgement, is first and last.
func (op Opcode) First() bool { return descriptions[op].position&first != 0 }

// Last reports whether the packet ends its message.
func (op Opcode) Last() bool { return descriptions[op].position&last != 0 }

// Response reports whether the packet goes from the responder to the requester.
func (op Opcode) Response() bool { return descriptions[op].response }

// Service is the transport service of an operation code, its upper three bits.
type Service uint8

// The services whose requests are numbered, and UD.
const (
	ServiceRC Service = 0
	ServiceUC Service = 1
	ServiceRD Service = 2
	ServiceUD Service = 3
	// ServiceXRC is RC whose requests name the shared receive queue.
	ServiceXRC Service = 5
)

// Service is the transport service; a CNP has its own.
func (op Opcode) Service() Service { return Service(op >> 5) }

// String is the spec's name: "RC RDMA WRITE First".
func (op Opcode) String() string {
	if !op.Valid() {
		return fmt.Sprintf("Opcode(%#02x)", uint8(op))
	}
	return descriptions[op].name
}
