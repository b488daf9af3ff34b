package wire

import (
	"strings"
	"testing"
)

// The sums are written out by hand from IBA vol. 1, table 38, and agree with
// the lengths in Linux's drivers/infiniband/sw/rxe/rxe_opcode.c.
var wantHeaderBytes = map[Opcode]int{
	RCSendFirst:          12,
	RCSendMiddle:         12,
	RCSendLast:           12,
	RCSendLastImm:        12 + 4,
	RCSendOnly:           12,
	RCSendOnlyImm:        12 + 4,
	RCWriteFirst:         12 + 16,
	RCWriteMiddle:        12,
	RCWriteLast:          12,
	RCWriteLastImm:       12 + 4,
	RCWriteOnly:          12 + 16,
	RCWriteOnlyImm:       12 + 16 + 4,
	RCReadRequest:        12 + 16,
	RCReadResponseFirst:  12 + 4,
	RCReadResponseMiddle: 12,
	RCReadResponseLast:   12 + 4,
	RCReadResponseOnly:   12 + 4,
	RCAcknowledge:        12 + 4,
	RCAtomicAcknowledge:  12 + 4 + 8,
	RCCompareSwap:        12 + 28,
	RCFetchAdd:           12 + 28,
	RCSendLastInvalidate: 12 + 4,
	RCSendOnlyInvalidate: 12 + 4,

	UCSendFirst:    12,
	UCSendMiddle:   12,
	UCSendLast:     12,
	UCSendLastImm:  12 + 4,
	UCSendOnly:     12,
	UCSendOnlyImm:  12 + 4,
	UCWriteFirst:   12 + 16,
	UCWriteMiddle:  12,
	UCWriteLast:    12,
	UCWriteLastImm: 12 + 4,
	UCWriteOnly:    12 + 16,
	UCWriteOnlyImm: 12 + 16 + 4,

	RDSendFirst:          12 + 4 + 8,
	RDSendMiddle:         12 + 4 + 8,
	RDSendLast:           12 + 4 + 8,
	RDSendLastImm:        12 + 4 + 8 + 4,
	RDSendOnly:           12 + 4 + 8,
	RDSendOnlyImm:        12 + 4 + 8 + 4,
	RDWriteFirst:         12 + 4 + 8 + 16,
	RDWriteMiddle:        12 + 4 + 8,
	RDWriteLast:          12 + 4 + 8,
	RDWriteLastImm:       12 + 4 + 8 + 4,
	RDWriteOnly:          12 + 4 + 8 + 16,
	RDWriteOnlyImm:       12 + 4 + 8 + 16 + 4,
	RDReadRequest:        12 + 4 + 8 + 16,
	RDReadResponseFirst:  12 + 4 + 4,
	RDReadResponseMiddle: 12 + 4,
	RDReadResponseLast:   12 + 4 + 4,
	RDReadResponseOnly:   12 + 4 + 4,
	RDAcknowledge:        12 + 4 + 4,
	RDAtomicAcknowledge:  12 + 4 + 4 + 8,
	RDCompareSwap:        12 + 4 + 8 + 28,
	RDFetchAdd:           12 + 4 + 8 + 28,
	RDResync:             12 + 4 + 8,

	UDSendOnly:    12 + 8,
	UDSendOnlyImm: 12 + 8 + 4,
	CNP:           12 + 16,
}

// The extended reliable connection has RC's operations, and the 4 bytes of its header in each request (IBA
// vol. 1, annex A14).
func init() {
	for op, n := range wantHeaderBytes {
		if op > RCSendOnlyInvalidate {
			continue
		}
		switch op {
		case RCReadResponseFirst, RCReadResponseMiddle, RCReadResponseLast, RCReadResponseOnly, RCAcknowledge, RCAtomicAcknowledge:
			wantHeaderBytes[op+XRCOffset] = n
		default:
			wantHeaderBytes[op+XRCOffset] = n + 4
		}
	}
}

func TestEveryOpcodeHasTheHeadersOfTheSpec(t *testing.T) {
	for code := range 256 {
		op := Opcode(code)
		want, valid := wantHeaderBytes[op]
		if op.Valid() != valid {
			t.Errorf("%v: valid is %v, want %v", op, op.Valid(), valid)
		}
		if !valid {
			want = BTHBytes
		}
		if got := op.HeaderBytes(); got != want {
			t.Errorf("%v: %d bytes of headers, want %d", op, got, want)
		}
	}
}

func TestOpcodesCarryTheNamesOfTheSpec(t *testing.T) {
	for op, want := range map[Opcode]string{
		RCSendFirst:          "RC SEND First",
		RCWriteOnlyImm:       "RC RDMA WRITE Only with Immediate",
		RCReadResponseMiddle: "RC RDMA READ response Middle",
		RCAcknowledge:        "RC Acknowledge",
		RCSendOnlyInvalidate: "RC SEND Only with Invalidate",
		UCWriteLast:          "UC RDMA WRITE Last",
		RDResync:             "RD RESYNC",
		UDSendOnly:           "UD SEND Only",
		CNP:                  "CNP",
		0xa9:                 "XRC RDMA WRITE Last with Immediate",
		0x15:                 "Opcode(0x15)",
		0xff:                 "Opcode(0xff)",
	} {
		if got := op.String(); got != want {
			t.Errorf("%#02x: %s, want %s", uint8(op), got, want)
		}
	}
}

// The upper three bits are the service (IBA vol. 1, 9.2.1). READ responses, atomic responses
// and acknowledgements go to the requester.
func TestTheNameOfAnOpcodeSaysItsServiceAndItsWay(t *testing.T) {
	services := map[string]Service{"RC": 0, "UC": 1, "RD": 2, "UD": 3, "CNP": 4, "XRC": 5}
	for op := range wantHeaderBytes {
		name := op.String()
		service, _, _ := strings.Cut(name, " ")
		if got := op.Service(); got != services[service] {
			t.Errorf("%s: service %d, want %d", name, got, services[service])
		}
		answer := strings.Contains(name, "response") || strings.Contains(name, "Acknowledge") || strings.Contains(name, "ACK")
		if op != CNP && op.Response() != answer {
			t.Errorf("%s: goes to the requester: %v, want %v", name, op.Response(), answer)
		}
	}
}

// A name says the packet's place in its message and its contents.
func TestTheNameOfAnOpcodeAgreesWithItsDescription(t *testing.T) {
	for op := range wantHeaderBytes {
		name := op.String()
		inside := strings.Contains(name, "First") || strings.Contains(name, "Middle") || strings.Contains(name, "Last")
		if want := !inside || strings.Contains(name, "First"); op.First() != want {
			t.Errorf("%s: first is %v", name, op.First())
		}
		if want := !inside || strings.Contains(name, "Last"); op.Last() != want {
			t.Errorf("%s: last is %v", name, op.Last())
		}
		data := strings.Contains(name, "SEND") || strings.Contains(name, "WRITE") || strings.Contains(name, "response")
		if op.HasPayload() != data {
			t.Errorf("%s: payload is %v", name, op.HasPayload())
		}
		if want := strings.Contains(name, "Immediate"); op.Headers().Has(ImmDt) != want {
			t.Errorf("%s: immediate data is %v", name, !want)
		}
		if want := strings.Contains(name, "Invalidate"); op.Headers().Has(IETH) != want {
			t.Errorf("%s: invalidate header is %v", name, !want)
		}
	}
}
