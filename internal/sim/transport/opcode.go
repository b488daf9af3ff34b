package transport

import "weft/wire"

// opClass is the kind of a packet in the state machines.
type opClass uint8

const (
	classNone  opClass = iota // not an opcode of this queue pair's service
	classSend                 // a SEND of RC or UC
	classWrite                // a WRITE of RC or UC
	classReadRequest
	classReadResponse
	classAtomic
	classAtomicResponse
	classAck
	classDatagram
	classCNP
	classSelectiveAck
	classNack
	classResync
)

// The answers of unordered delivery. They are headers of UET and not of the BTH;
// their numbers are of the BTH's range for manufacturers, which nothing else uses.
const (
	// SelectiveAck acknowledges everything up to PSN, and names in Imm the packet
	// that drew it. VA has a bit for each of the 64 packets around that one,
	// from a multiple of 64 on, that has come and that PSN does not cover. DMALen is
	// the payload that has come in all, each byte counted once, modulo 2^32.
	SelectiveAck wire.Opcode = 0xc0
	// Nack names in Imm a packet that came without its payload.
	Nack wire.Opcode = 0xc1
)

// opInfo is the state machines' information about an opcode.
type opInfo struct {
	class opClass
	svc   Service
	first bool // begins a message
	last  bool // ends one
	imm   bool // carries immediate data
	inv   bool // carries the R_Key to invalidate
}

// ops describes every opcode that the state machines accept, by its value.
var ops = buildOps()

func buildOps() (t [256]opInfo) {
	for _, s := range []Service{RC, UC} {
		base := wire.Opcode(0)
		if s == UC {
			base = ucOffset
		}
		for i, f := range []opInfo{
			{first: true},
			{},
			{last: true},
			{last: true, imm: true},
			{first: true, last: true},
			{first: true, last: true, imm: true},
		} {
			f.svc = s
			f.class = classSend
			t[base+wire.RCSendFirst+wire.Opcode(i)] = f
			f.class = classWrite
			t[base+wire.RCWriteFirst+wire.Opcode(i)] = f
		}
	}
	t[wire.RCReadRequest] = opInfo{class: classReadRequest, first: true, last: true}
	t[wire.RCReadResponseFirst] = opInfo{class: classReadResponse, first: true}
	t[wire.RCReadResponseMiddle] = opInfo{class: classReadResponse}
	t[wire.RCReadResponseLast] = opInfo{class: classReadResponse, last: true}
	t[wire.RCReadResponseOnly] = opInfo{class: classReadResponse, first: true, last: true}
	t[wire.RCAtomicAcknowledge] = opInfo{class: classAtomicResponse, first: true, last: true}
	t[wire.RCCompareSwap] = opInfo{class: classAtomic, first: true, last: true}
	t[wire.RCFetchAdd] = opInfo{class: classAtomic, first: true, last: true}
	t[wire.RCSendLastInvalidate] = opInfo{class: classSend, last: true, inv: true}
	t[wire.RCSendOnlyInvalidate] = opInfo{class: classSend, first: true, last: true, inv: true}
	t[wire.RCAcknowledge] = opInfo{class: classAck}
	t[wire.UDSendOnly] = opInfo{class: classDatagram, svc: UD, first: true, last: true}
	t[wire.UDSendOnlyImm] = opInfo{class: classDatagram, svc: UD, first: true, last: true, imm: true}
	t[wire.RDResync-RDOffset] = opInfo{class: classResync, first: true, last: true}
	t[wire.CNP] = opInfo{class: classCNP}
	t[SelectiveAck] = opInfo{class: classSelectiveAck}
	t[Nack] = opInfo{class: classNack}
	return t
}

// RDOffset converts an RC opcode to RD's: an end-to-end context's stream uses RC's.
const RDOffset = wire.RDSendFirst - wire.RCSendFirst

// ucOffset converts an RC opcode to UC's.
const ucOffset = wire.UCSendFirst - wire.RCSendFirst

// position is the position of a packet in its message: bit 0 first, bit 1 last.
type position uint8

const (
	posFirst position = 1
	posLast  position = 2
)

// sendOps gives the RC opcode of a request packet by operation and position;
// UC's is the same plus ucOffset.
var sendOps = [...][4]wire.Opcode{
	OpSend:     {0: wire.RCSendMiddle, posFirst: wire.RCSendFirst, posLast: wire.RCSendLast, posFirst | posLast: wire.RCSendOnly},
	OpSendImm:  {0: wire.RCSendMiddle, posFirst: wire.RCSendFirst, posLast: wire.RCSendLastImm, posFirst | posLast: wire.RCSendOnlyImm},
	OpWrite:    {0: wire.RCWriteMiddle, posFirst: wire.RCWriteFirst, posLast: wire.RCWriteLast, posFirst | posLast: wire.RCWriteOnly},
	OpWriteImm: {0: wire.RCWriteMiddle, posFirst: wire.RCWriteFirst, posLast: wire.RCWriteLastImm, posFirst | posLast: wire.RCWriteOnlyImm},
	OpSendInv:  {0: wire.RCSendMiddle, posFirst: wire.RCSendFirst, posLast: wire.RCSendLastInvalidate, posFirst | posLast: wire.RCSendOnlyInvalidate},
	OpCmpSwap:  {posFirst | posLast: wire.RCCompareSwap},
	OpFetchAdd: {posFirst | posLast: wire.RCFetchAdd},
	OpRead:     {0: wire.RCReadRequest, posFirst: wire.RCReadRequest, posLast: wire.RCReadRequest, posFirst | posLast: wire.RCReadRequest},
	opResync:   {posFirst | posLast: wire.RDResync - RDOffset},
}

// responseOps gives the opcode of a read response by its position in the stream.
var responseOps = [4]wire.Opcode{
	0: wire.RCReadResponseMiddle, posFirst: wire.RCReadResponseFirst, posLast: wire.RCReadResponseLast, posFirst | posLast: wire.RCReadResponseOnly,
}
