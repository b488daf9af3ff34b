package verbs

import (
	"bytes"
	"io"
	"net/netip"
	"testing"

	"weft/internal/test/wiretest"
	"weft/units"
	"weft/verbs/internal/socket/faulty"
	"weft/wire"
	"weft/wire/cm"
)

// beginning holds the starting PSNs of a conversation: of REQ and REP, and of each side's first
// request.
type beginning struct {
	req, rep        units.PSN
	asker, answerer units.PSN
	asked, answered bool
}

// hear takes a packet of the conversation; the asker's address is known.
func (b *beginning) hear(t *testing.T, asker, from netip.Addr, p *wire.Packet) {
	t.Helper()
	switch {
	case p.BTH.DestQP == gsi:
		var h cm.Header
		body, err := h.Parse(p.Payload)
		if err != nil {
			t.Fatal(err)
		}
		var req cm.Req
		var rep cm.Rep
		switch h.Attribute {
		case cm.AttrReq:
			if err := req.Parse(body); err != nil {
				t.Fatal(err)
			}
			b.req = req.PSN
		case cm.AttrRep:
			if err := rep.Parse(body); err != nil {
				t.Fatal(err)
			}
			b.rep = rep.PSN
		}
	case p.BTH.Opcode.Response():
	case from == asker && !b.asked:
		b.asked, b.asker = true, p.BTH.PSN
	case from != asker && !b.answered:
		b.answered, b.answerer = true, p.BTH.PSN
	}
}

// check checks the meaning of a starting PSN against a conversation: it is the first PSN of the
// message's receiver.
func (b *beginning) check(t *testing.T) {
	t.Helper()
	if !b.asked || !b.answered {
		t.Fatal("the conversation has no requests of both sides")
	}
	if b.asker != b.rep || b.answerer != b.req {
		t.Errorf("the asker begins with PSN %d, the REP says %d; the answerer with %d, the REQ says %d", b.asker, b.rep, b.answerer, b.req)
	}
}

func TestTheStartingPSNOfAMessageIsWhereItsReceiverBegins(t *testing.T) {
	t.Run("soft-RoCE, recorded", func(t *testing.T) {
		var b beginning
		list := recordings(t)["cm_rping"]
		for i := range list {
			b.hear(t, list[0].from.Addr(), list[i].from.Addr(), &list[i].Packet)
		}
		b.check(t)
	})
	t.Run("weft", func(t *testing.T) {
		var file bytes.Buffer
		n := faulty.New(1, faulty.Harm{})
		p := &pair{t: t}
		for i, o := range []Options{{Capture: &file}, {}} {
			dev, err := open(n.Open(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)), o)
			if err != nil {
				t.Fatal(err)
			}
			p.on[i] = fit(t, dev, QPInitAttr{}, 64)
		}
		connected(t, p, 7471)
		for i, s := range p.on {
			to := p.on[1-i]
			s.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{s.mr.SGE(0, 64)}, RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey()})
			s.want(1, Success)
		}
		asker := p.on[0].dev.Addr().Addr()
		for _, s := range p.on {
			_ = s.dev.Close() // flushes the capture
		}
		var b beginning
		for _, c := range heard(t, &file) {
			b.hear(t, asker, netip.AddrFrom4(c.V4.Src), &c.Packet)
		}
		b.check(t)
	})
}

// heard reads the capture of a device, and checks the ICRCs.
func heard(t *testing.T, in io.Reader) (list []*wire.RoCEv2) {
	t.Helper()
	for i, p := range wiretest.Packets(t, in) {
		c := new(wire.RoCEv2)
		if err := c.Parse(p.Data); err != nil {
			t.Fatalf("packet %d: %v", i+1, err)
		}
		list = append(list, c)
	}
	return list
}
