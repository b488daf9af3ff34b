package sniff

import (
	"fmt"

	"weft/units"
	"weft/wire"
	"weft/wire/cm"
)

// managerQP is the queue pair of management datagrams (IBA vol. 1, 3.9).
const managerQP units.QPN = 1

// Message is a message of the connection manager (IBA vol. 1, 12.6). Fields that its kind does not
// have are zero.
type Message struct {
	Kind          cm.Attribute
	Transaction   uint64
	Local, Remote cm.ID     // of the sender, of its peer
	QPN           units.QPN // REQ, REP: the sender's; DREQ: the peer's
	PSN           units.PSN // REQ, REP: the sender's first PSN
	Service       uint64    // REQ, SIDR_REQ, SIDR_REP
	Reason        cm.Reason // REJ
	Status        cm.SidrStatus
}

// message reads a packet to queue pair 1; ok is false for other management datagrams.
func message(p *wire.Packet) (m Message, ok bool) {
	if p.BTH.DestQP != managerQP || !p.BTH.Opcode.Headers().Has(wire.DETH) {
		return m, false
	}
	var h cm.Header
	body, err := h.Parse(p.Payload)
	if err != nil {
		return m, false
	}
	m.Kind, m.Transaction = h.Attribute, h.Transaction
	switch h.Attribute {
	case cm.AttrReq:
		var x cm.Req
		err = x.Parse(body)
		m.Local, m.QPN, m.PSN, m.Service = x.Local, x.QPN, x.PSN, x.Service
	case cm.AttrRep:
		var x cm.Rep
		err = x.Parse(body)
		m.Local, m.Remote, m.QPN, m.PSN = x.Local, x.Remote, x.QPN, x.PSN
	case cm.AttrRej:
		var x cm.Rej
		err = x.Parse(body)
		m.Local, m.Remote, m.Reason = x.Local, x.Remote, x.Reason
	case cm.AttrMra:
		var x cm.Mra
		err = x.Parse(body)
		m.Local, m.Remote = x.Local, x.Remote
	case cm.AttrRtu, cm.AttrDreq, cm.AttrDrep:
		var x cm.Pair
		err = x.Parse(body)
		m.Local, m.Remote = x.Local, x.Remote
		if h.Attribute == cm.AttrDreq {
			m.QPN = x.QPN
		}
	case cm.AttrSidrReq:
		var x cm.SidrReq
		err = x.Parse(body)
		m.Local, m.Service = x.Request, x.Service
	case cm.AttrSidrRep:
		var x cm.SidrRep
		err = x.Parse(body)
		m.Remote, m.QPN, m.Service, m.Status = x.Request, x.QPN, x.Service, x.Status
	}
	return m, err == nil
}

// refused says that the message refuses a request: a REJ, or a SIDR_REP whose status is not valid.
func (m *Message) refused() bool {
	return m.Kind == cm.AttrRej || m.Kind == cm.AttrSidrRep && m.Status != cm.SidrValid
}

// String is the message as text: "CM REJ: invalid service ID, ID 0x1, peer 0x2".
func (m *Message) String() string {
	text := "CM " + m.Kind.String()
	switch m.Kind {
	case cm.AttrRej:
		text += ": " + m.Reason.String()
	case cm.AttrSidrRep:
		text += fmt.Sprintf(": status %d", m.Status)
	}
	if m.Service != 0 {
		text += fmt.Sprintf(", service %#x", m.Service)
	}
	if m.QPN != 0 {
		text += fmt.Sprintf(", QP %#x", uint32(m.QPN))
	}
	if m.Kind == cm.AttrReq || m.Kind == cm.AttrRep {
		text += fmt.Sprintf(", first PSN %d", m.PSN)
	}
	if m.Local != 0 {
		text += fmt.Sprintf(", ID %#x", uint32(m.Local))
	}
	if m.Remote != 0 {
		text += fmt.Sprintf(", peer's ID %#x", uint32(m.Remote))
	}
	return text
}
