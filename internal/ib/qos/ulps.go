package qos

import (
	"fmt"
	"strconv"
	"strings"

	"weft/internal/base/wording"
)

// ulp reads one line of qos-ulps: "any, pkey 0x1 : 3" or "default : 0".
func (p *policyReader) ulp(text string) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		p.fail("expected a protocol, a colon and a service level, not %q", wording.Abridged(text, 40))
		return
	}
	sl, err := strconv.ParseUint(strings.TrimSpace(text[i+1:]), 0, 8)
	if err != nil || sl > 15 {
		p.fail("expected a service level from 0 to 15 behind the colon, not %q", wording.Abridged(text[i+1:], 40))
		return
	}
	m := Match{Line: p.line, Level: Level{Name: fmt.Sprintf("qos-ulps line %d", p.line), SL: uint8(sl)}}
	protocol, condition, _ := strings.Cut(text[:i], ",")
	switch m.Protocol = strings.TrimSpace(protocol); m.Protocol {
	case "default":
		p.policy.Default.SL = uint8(sl)
		return
	case "any":
		m.Protocol = ""
	case "sdp", "rds", "iser", "srp", "ipoib":
	default:
		p.fail("expected default, any, sdp, rds, iser, srp or ipoib, not %q", wording.Abridged(m.Protocol, 40))
		return
	}
	if err := m.condition(strings.TrimSpace(condition)); err != nil {
		p.fail("%v", err)
		return
	}
	p.simple = append(p.simple, m)
}

// condition reads the words after the protocol. A port number is part of the service ID of sdp, rds
// and iser: see Service.
func (m *Match) condition(text string) error {
	switch {
	case text == "" && m.Protocol == "":
		return fmt.Errorf("expected service-id, pkey or target-port-guid behind any")
	case text == "" && m.Protocol == "ipoib":
		m.PKeys = []Range{{0x7fff, 0x7fff}} // IPoIB is known by its partition; the default partition is the traditional one
		return nil
	case text == "":
		return nil
	}
	key, list, _ := strings.Cut(text, " ")
	switch key {
	case "service-id":
		return appendRanges(&m.ServiceIDs, list, 64)
	case "pkey":
		return appendKeys(&m.PKeys, list)
	case "target-port-guid":
		return appendRanges(&m.TargetGUIDs, list, 64)
	case "port-num":
		return appendRanges(&[]Range{}, list, 16)
	}
	return fmt.Errorf("expected service-id, pkey, target-port-guid or port-num, not %q", wording.Abridged(key, 40))
}
