package cm

import "fmt"

var attributeNames = map[Attribute]string{
	AttrReq: "REQ", AttrMra: "MRA", AttrRej: "REJ", AttrRep: "REP", AttrRtu: "RTU", AttrDreq: "DREQ", AttrDrep: "DREP",
	AttrSidrReq: "SIDR_REQ", AttrSidrRep: "SIDR_REP", 0x0019: "LAP", 0x001a: "APR", 0x001b: "SAP", 0x001c: "SPR",
}

// String is the specification's name of the message: REQ.
func (a Attribute) String() string {
	if name, known := attributeNames[a]; known {
		return name
	}
	return fmt.Sprintf("Attribute(%#04x)", uint16(a))
}

// reasonNames are the reasons of IBA vol. 1, 12.6.7.2, in the order of their codes.
var reasonNames = [...]string{
	1: "no queue pair available", 2: "no end-to-end context available", 3: "no resources available", 4: "timeout",
	5: "unsupported request", 6: "invalid communication ID", 7: "invalid communication instance", 8: "invalid service ID",
	9: "invalid transport service type", 10: "stale connection", 11: "RDC does not exist", 12: "primary remote port GID rejected",
	13: "primary remote port LID rejected", 14: "invalid primary SL", 15: "invalid primary traffic class",
	16: "invalid primary hop limit", 17: "invalid primary packet rate", 18: "alternate remote port GID rejected",
	19: "alternate remote port LID rejected", 20: "invalid alternate SL", 21: "invalid alternate traffic class",
	22: "invalid alternate hop limit", 23: "invalid alternate packet rate", 24: "port and CM redirection", 25: "port redirection",
	26: "invalid path MTU", 27: "insufficient responder resources", 28: "consumer reject", 29: "RNR retry count reject",
	30: "duplicate local communication ID", 31: "unsupported class version", 32: "invalid primary flow label",
	33: "invalid alternate flow label",
}

// String is the reason in the specification's words: "invalid service ID".
func (r Reason) String() string {
	if int(r) < len(reasonNames) && reasonNames[r] != "" {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason %d", uint16(r))
}
