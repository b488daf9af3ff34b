package counters

import (
	"cmp"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/internal/base/wording"
)

// Readers are the readers of this package. The first that knows a text reads it.
var Readers = []portstate.Reader{
	{Name: "show interfaces counters fec-stats", What: "show interfaces counters fec-stats (-j)", Is: hasHeading("IFACE", "FEC_CORR"), Read: readFEC},
	{Name: "show interfaces counters fec-stats", Is: hasMember("FEC_CORR"), Read: readFECJSON},
	{Name: "show interfaces counters fec-histogram", What: "show interfaces counters fec-histogram", Is: anyOf(hasHeading("Symbol Errors Per Codeword", "Codewords"), hasHeading("IFACE", "BIN0")), Read: readFECHistogram, Part: portOfFile},
	{Name: "show interfaces counters", What: "show interfaces counters (-a, errors, rates; -j)", Is: anyOf(hasHeading("IFACE", "RX_OK"), hasHeading("IFACE", "RX_ERR")), Read: readInterfaces, Part: firstHeading},
	{Name: "show interfaces counters", Is: hasMember("RX_OK", "RX_ERR"), Read: readInterfacesJSON, Part: membersOfPort},
	{Name: "show interfaces counters detailed", What: "show interfaces counters detailed PORT", Is: isDetailed, Read: readDetailed, Part: portOfFile},
	{Name: "show interfaces status", What: "show interfaces status", Is: hasHeading("Interface", "Lanes", "Oper"), Read: readStatus},
	{Name: "show pfc counters", What: "show pfc counters", Is: hasHeading("Port", "PFC0"), Read: readPFC},
	{Name: "show pfc counters --history", What: "show pfc counters --history", Is: hasHeading("Port", "Priority", "RX Pause Transitions"), Read: readPFCHistory},
	{Name: "show queue counters", What: "show queue counters (--voq; -j)", Is: anyOf(hasHeading("Port", "TxQ"), hasHeading("Port", "Voq")), Read: readQueues, Part: firstHeading},
	{Name: "show queue counters", Is: hasMember("totalpacket", "droppacket"), Read: readQueuesJSON, Part: membersOfPort, Dated: hasMember("time")},
	{Name: "watermark", What: "show queue watermark, show priority-group watermark (-j), show priority-group drop counters", Is: isWatermark, Read: readWatermark, Part: firstHeading},
	{Name: "watermark", Is: isWatermarkJSON, Read: readWatermarkJSON, Part: membersOfPort},
	{Name: "show interfaces transceiver eeprom", What: "show interfaces transceiver eeprom -d", Is: isTransceiver, Read: readTransceiver},
	{Name: "show lldp table", What: "show lldp table, for the other ends", Is: hasHeading("LocalPort", "RemoteDevice"), Read: readLLDP},
	{Name: "show ip bgp summary", What: "show ip bgp summary", Is: isBGP, Read: readBGP},
	{Name: "mlnx_qos", What: "mlnx_qos -i", Is: isQoS, Read: readQoS},
	{Name: "rdma statistic", What: "rdma statistic show (-p)", Is: isRDMA, Read: readRDMA},
	{Name: "rdma -j statistic", What: "rdma -j statistic show", Is: isRDMAJSON, Read: readRDMAJSON},
	{Name: "show_gids", What: "show_gids", Is: isGIDs, Read: readGIDs},
	{Name: "ibdev2netdev", What: "ibdev2netdev (-v)", Is: isNetdevs, Read: readNetdevs},
	{Name: "ethtool -S", What: "ethtool -S (mlx5)", Is: isEthtool, Read: readEthtool},
}

// anyOf recognises what one of several does.
func anyOf(is ...func(string) bool) func(string) bool {
	return func(text string) bool {
		for _, f := range is {
			if f(text) {
				return true
			}
		}
		return false
	}
}

// headSize is how much of a text decides about its kind.
const headSize = 64 << 10

// hasLine reports whether a line of the text's beginning fits.
func hasLine(text string, fits func(line string) bool) bool {
	for line := range strings.SplitSeq(strings.TrimPrefix(text[:min(len(text), headSize)], "\ufeff"), "\n") {
		if fits(strings.TrimRight(line, " \t\r")) {
			return true
		}
	}
	return false
}

// lines yields the lines that are not blank, and takes the name of the device from a prompt.
func lines(in *portstate.Input) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range in.Lines() {
			if promptOf(in, line) {
				continue
			}
			if strings.TrimSpace(line) != "" && !yield(line) {
				return
			}
		}
	}
}

// promptOf takes device and command from a line, if it is a prompt.
func promptOf(in *portstate.Input, line string) bool {
	device, command, ok := cabling.Prompt(line)
	if ok {
		in.Device, in.Shell = cmp.Or(device, in.Device), command
	}
	return ok
}

// short is a quotation of bounded length.
func short(text string) string { return wording.Abridged(strings.TrimSpace(text), 60) }

// count adds a counter of a port, if it has a value.
func count(in *portstate.Input, r *portstate.Reading, name, text string) {
	n, ok, valid := portstate.ParseCount(text)
	if !valid {
		in.Note("%s of %s is %q: expected a whole number, or N/A", name, r.Port, short(text))
		return
	}
	if ok {
		r.Count(name, n, false, in.At())
	}
}

// known is a text that says something.
func known(text string) string {
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "N/A", "NA", "NONE", "-":
		return ""
	}
	return strings.TrimSpace(text)
}
