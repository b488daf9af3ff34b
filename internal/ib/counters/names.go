package counters

import (
	"strings"

	"weft/internal/base/portstate"
)

// widths are the counters of the specification with their bits in the attribute PortCounters (IBA
// vol. 1, 16.1.3.5, and 16.1.4 for the details). Extended counters have 64 bits.
var widths = map[string]int{
	"SymbolErrorCounter": 16, "LinkErrorRecoveryCounter": 8, "LinkDownedCounter": 8,
	"PortRcvErrors": 16, "PortRcvRemotePhysicalErrors": 16, "PortRcvSwitchRelayErrors": 16,
	"PortXmitDiscards": 16, "PortXmitConstraintErrors": 8, "PortRcvConstraintErrors": 8,
	"LocalLinkIntegrityErrors": 4, "ExcessiveBufferOverrunErrors": 4, "QP1Dropped": 16, "VL15Dropped": 16,
	"PortXmitData": 32, "PortRcvData": 32, "PortXmitPkts": 32, "PortRcvPkts": 32, "PortXmitWait": 32,
	"PortLocalPhysicalErrors": 16, "PortMalformedPktErrors": 16, "PortBufferOverrunErrors": 16,
	"PortDLIDMappingErrors": 16, "PortVLMappingErrors": 16, "PortLoopingErrors": 16,
	"PortInactiveDiscards": 16, "PortNeighborMTUDiscards": 16, "PortSwLifetimeLimitDiscards": 16, "PortSwHOQLifetimeLimitDiscards": 16,
	"PortUnicastXmitPkts": 64, "PortUnicastRcvPkts": 64, "PortMulticastXmitPkts": 64, "PortMulticastRcvPkts": 64,
	"PortFECUncorrectableBlockCounter": 64, "PortFECCorrectableBlockCounter": 64, "PortFECCorrectedSymbolCounter": 64,
	"SyncHeaderErrorCounter": 64, "UnknownBlockCounter": 64,
}

// otherNames are the names of tools that are not the specification's, without signs and in small
// letters: of ibdiagnet2.pm, UFM's telemetry, older versions of perfquery, and sysfs.
var otherNames = map[string]string{
	"symbolerrors": "SymbolErrorCounter", "symbolerror": "SymbolErrorCounter",
	"linkerrorrecovery": "LinkErrorRecoveryCounter", "linkrecovers": "LinkErrorRecoveryCounter",
	"linkdowned": "LinkDownedCounter", "linkdowncounter": "LinkDownedCounter",
	"rcverrors": "PortRcvErrors", "rcvremotephyserrors": "PortRcvRemotePhysicalErrors",
	"rcvswrelayerrors": "PortRcvSwitchRelayErrors", "xmtdiscards": "PortXmitDiscards", "portxmitdiscard": "PortXmitDiscards",
	"xmtconstrainterrors": "PortXmitConstraintErrors", "rcvconstrainterrors": "PortRcvConstraintErrors",
	"linkintegrityerrors": "LocalLinkIntegrityErrors", "excbufoverrunerrors": "ExcessiveBufferOverrunErrors",
	"excbufferoverrun": "ExcessiveBufferOverrunErrors", "excbufferoverrunerrors": "ExcessiveBufferOverrunErrors",
	"excessivebuffererrors": "ExcessiveBufferOverrunErrors", "xmitwait": "PortXmitWait",
	"pckout": "PortXmitPkts", "pckin": "PortRcvPkts", "portmalformedpacketerrors": "PortMalformedPktErrors",
	"portxmitpackets": "PortXmitPkts", "portrcvpackets": "PortRcvPkts",
	// libibmad's names before 2013; XmtBytes are words of four bytes, too
	"xmtbytes": "PortXmitData", "rcvbytes": "PortRcvData", "xmtdata": "PortXmitData", "rcvdata": "PortRcvData",
	"xmtpkts": "PortXmitPkts", "rcvpkts": "PortRcvPkts", "xmtwait": "PortXmitWait",
}

// byPlainName finds the specification's name by its letters alone.
var byPlainName = func() map[string]string {
	m := map[string]string{}
	for name := range widths {
		m[plain(name)] = name
	}
	for other, name := range otherNames {
		m[other] = name
	}
	return m
}()

// plain is a name in small letters and digits alone.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}

// counterName is the specification's name of a tool's counter; extended says that the name is of a
// counter with 64 bits. ok is false for a name that is no counter.
func counterName(tool string) (name string, extended, ok bool) {
	p := plain(tool)
	if name, ok = byPlainName[p]; ok {
		return name, widths[name] == 64, true
	}
	for _, suffix := range []string{"extended", "ext"} {
		if short, has := strings.CutSuffix(p, suffix); has {
			if name, ok = byPlainName[short]; ok {
				return name, true, true
			}
		}
	}
	return "", false, false
}

// saturated reports whether a counter stands at the highest value of its short form.
func saturated(name string, value uint64) bool {
	bits, ok := widths[name]
	return ok && bits < 64 && value == 1<<bits-1
}

// count adds the value of a counter, if there is one.
func count(in *portstate.Input, r *portstate.Reading, name, text string, extended bool) {
	value, ok, valid := portstate.ParseCount(text)
	if !valid {
		in.Note("%s of %s is %q: expected a whole number from 0", name, r.Port, short(text))
	}
	if !ok {
		return
	}
	r.Count(name, value, !extended && saturated(name, value), in.At())
}
