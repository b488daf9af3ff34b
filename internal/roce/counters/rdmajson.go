package counters

import (
	"encoding/json"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// isRDMAJSON recognises rdma -j statistic show: a list of links with ifname, port and counters (iproute2, rdma/stat.c;
// recalled, no example was at hand). rdma -j link has no counters.
func isRDMAJSON(text string) bool {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	return strings.HasPrefix(text, "[") && strings.Contains(text, `"ifname"`) && (strings.Contains(text, `"out_of_buffer"`) || strings.Contains(text, `"rx_write_requests"`))
}

// readRDMAJSON reads rdma -j statistic show (-p, too).
func readRDMAJSON(in *portstate.Input) {
	text := strings.TrimPrefix(in.Text, "\ufeff")
	d := json.NewDecoder(strings.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		in.AtOffset(0)
		in.Note("this is no list of links: want the output of rdma -j statistic show")
		return
	}
	for d.More() {
		at := d.InputOffset()
		in.AtOffset(int64(len(in.Text)-len(text)) + at + int64(max(0, strings.IndexByte(text[at:], '{'))))
		var link map[string]json.RawMessage
		if err := d.Decode(&link); err != nil {
			in.Note("the links from here on are not read: %s: is the output truncated?", short(err.Error()))
			return
		}
		var name string
		var port int
		if json.Unmarshal(link["ifname"], &name) != nil || json.Unmarshal(link["port"], &port) != nil || name == "" {
			in.Note("a link without ifname or port is left out")
			continue
		}
		r := in.Reading(portstate.Named(in.Device, name+"/"+string(link["port"]), cabling.Host))
		for _, field := range sortedKeys(link) {
			if value := string(link[field]); field != "" && field != "ifindex" && field != "port" && value != "" && value[0] >= '0' && value[0] <= '9' {
				count(in, r, field, value)
			}
		}
		withoutFlush(r)
	}
}
