package lint

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
	"weft/units"
)

// mostMTU is the largest MTU of a SONiC port (sonic-port.yang).
const mostMTU = 9216

// mtu judges whether the switch accepts the packets that the host sends. Both values are the MTU of
// IP: the switch adds the frame's header itself.
func (c *checker) mtu(h *host.Host, p *sonic.Port) {
	if !h.MTU.Known() || h.MTU.Value <= p.MTU {
		return
	}
	f := Finding{
		Rule: "mtu", At: Place(h.MTU.At), Value: fmt.Sprintf("mtu %d", h.MTU.Value),
		Fixes: []Fix{{c.name(), []string{sonic.Patch("PORT", p.Name, "mtu", fmt.Sprint(int64(h.MTU.Value)))}}},
	}
	mended := h.MTU.Value
	if mended > mostMTU {
		mended = p.MTU
		f.Fixes = []Fix{{h.Name, []string{fmt.Sprintf("ip link set dev %s mtu %d", h.Iface, p.MTU)}}}
	}
	var why string
	f.Severity, why = c.tooLong(p, h.MTU.Value, mended, &f.Traffic)
	f.Why = fmt.Sprintf("%s sends packets of up to %d bytes, and %s takes %d: %s", h.Name, h.MTU.Value, c.name(), p.MTU, why)
	c.add(p, f)
}

// tooLong is the fate of packets at a port if hosts have a larger MTU. RDMA packets are shorter
// than the MTU allows, so they may fit if TCP packets do not.
func (c *checker) tooLong(p *sonic.Port, mtu, mended units.Bytes, t *Traffic) (Severity, string) {
	*t = c.lossless(p)
	if payload := host.PathMTU(mtu); payload+mostHeaders > p.MTU {
		t.MTU, t.MendedMTU = payload, host.PathMTU(mended)
		return Error, fmt.Sprintf("RDMA packets have %d bytes of payload and up to %d of headers, and are dropped without a trace at the host", payload, mostHeaders)
	}
	if t.What != "" {
		*t = anyTraffic(0)
		t.TCP, t.MTU, t.MendedMTU = true, mtu, mended
	}
	return Warning, fmt.Sprintf("RDMA packets of %d bytes and headers fit; TCP packets are dropped without a trace at the host", host.PathMTU(mtu))
}

// mostHeaders is the length of all headers and checksums around an RDMA payload, from the IPv6
// header to the ICRC, with a RETH and immediate data (IBA vol. 1, 9.2; annex A17).
const mostHeaders = 40 + 8 + 12 + 16 + 4 + 4

// mtus judges whether the ports of the switch agree.
func (c *checker) mtus() {
	ports := c.ports()
	if len(ports) == 0 {
		return
	}
	most := slices.MaxFunc(ports, func(a, b *sonic.Port) int { return cmp.Compare(a.MTU, b.MTU) })
	for _, p := range ports {
		if p.MTU == most.MTU {
			continue
		}
		f := Finding{
			Rule: "mtu", Severity: Warning, At: c.place(p.Line), Value: fmt.Sprintf("mtu %d", p.MTU),
			Fixes: []Fix{{c.name(), []string{sonic.Patch("PORT", p.Name, "mtu", fmt.Sprint(int64(most.MTU)))}}},
		}
		_, why := c.tooLong(p, most.MTU, most.MTU, &f.Traffic)
		f.Why = fmt.Sprintf("%s has an MTU of %d (line %d): packets of that length arrive there and cannot leave here; %s", most.Name, most.MTU, most.Line, why)
		c.add(p, f)
	}
}
