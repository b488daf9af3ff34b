package preload

import (
	"net/netip"
	"strings"
)

// UCX cuts messages that it does not fetch by READs into pieces, one SEND each: of 8 KiB by its own values, as suits a
// NIC. Over UDP each piece is a datagram, and the kernel's work for a datagram takes three times as long as copying 8 KiB
// (perf, at 16 KiB). The receives are fewer with longer pieces, and take as much memory as before.
//
// Both ends must agree on the pieces. So the values are set where all peers are programs of weft verbs run on this
// machine, and not for an emulated fabric, whose devices stand for NICs.
var ucxPieces = map[string]string{"UCX_RC_VERBS_SEG_SIZE": "33280", "UCX_RC_VERBS_RX_QUEUE_LEN": "1023"}

// setPieces sets the length of UCX's pieces, unless the user has set any.
func setPieces(v map[string]string, getenv func(string) string, devices []string) {
	if getenv(emulatorVariable) != "" || !usesRC(getenv("UCX_TLS")) {
		return
	}
	for _, scope := range []string{"IB", "RC", "RC_VERBS"} {
		if getenv("UCX_"+scope+"_SEG_SIZE") != "" || getenv("UCX_"+scope+"_RX_QUEUE_LEN") != "" {
			return
		}
	}
	for _, d := range devices {
		address := d[strings.IndexByte(d, '=')+1:]
		if a, err := netip.ParseAddr(address); err == nil && !a.IsLoopback() {
			return
		}
	}
	for name, value := range ucxPieces {
		v[name] = value
	}
}

// usesRC reports whether a list of UCX's transports has RC. UCX warns of variables that it does not use.
func usesRC(list string) bool {
	if list == "" {
		return true
	}
	for _, name := range strings.Split(list, ",") {
		switch name {
		case "all", "ib", "rc", "rc_v", "rc_verbs":
			return true
		}
	}
	return false
}
