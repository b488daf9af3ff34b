package counters

import (
	"fmt"
	"regexp"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/internal/roce/host"
)

// ethtoolLine is a counter of ethtool -S.
var ethtoolLine = regexp.MustCompile(`^\s*([a-zA-Z][a-zA-Z0-9_\[\]-]*): (-?\d+)$`)

// ethtoolCommand is the command, as a terminal's capture has it.
var ethtoolCommand = regexp.MustCompile(`ethtool -S (\S+)`)

// isEthtool knows the heading, or an excerpt by the names of mlx5's counters.
func isEthtool(text string) bool {
	return hasLine(text, func(line string) bool {
		if strings.HasPrefix(strings.TrimSpace(line), "NIC statistics:") {
			return true
		}
		m := ethtoolLine.FindStringSubmatch(line)
		return len(m) > 0 && mlx5Name.MatchString(m[1])
	})
}

var mlx5Name = regexp.MustCompile(`^(rx|tx)_(prio\d|pause|.*_phy|packets|bytes|vport)|^(link_down_events|module_).*`)

// prioPause is the pause frames of a priority. The same frames are in …_pause_ctrl_phy, which has those of
// the whole link, too.
var prioPause, linkPause = regexp.MustCompile(`^(rx|tx)_prio\d+_pause$`), regexp.MustCompile(`^(rx|tx)_pause_ctrl_phy$`)

// readEthtool reads the counters. Software, vport and phy counters start at different times, so that
// they are not compared with one another.
func readEthtool(in *portstate.Input) {
	iface := ""
	var r *portstate.Reading
	var pauses, whole portstate.Pauses
	for line := range lines(in) {
		if m := ethtoolCommand.FindStringSubmatch(line); m != nil {
			iface = m[1]
			continue
		}
		if m := ethtoolCommand.FindStringSubmatch(in.Shell); len(m) > 0 && m[1] != iface {
			iface, r = m[1], nil
		}
		m := ethtoolLine.FindStringSubmatch(line)
		if m == nil {
			if !strings.Contains(line, "NIC statistics") && !strings.HasPrefix(strings.TrimSpace(line), "[") {
				in.Note("%q is no counter: expected a name, a colon and a number", short(line))
			}
			continue
		}
		if r == nil {
			r = in.Reading(portstate.Named(in.Device, iface, cabling.Host))
			pauses.Port = r.Port
		}
		if strings.HasPrefix(m[2], "-") {
			continue // an unknown value
		}
		count(in, r, m[1], m[2])
		if n, ok, _ := portstate.ParseCount(m[2]); ok && prioPause.MatchString(m[1]) {
			addPauses(in, &pauses, m[1], n)
		} else if ok && linkPause.MatchString(m[1]) {
			addPauses(in, &whole, m[1], n)
		}
	}
	if pauses.Sent+pauses.Received == 0 {
		whole.Port = pauses.Port
		pauses = whole
	}
	if pauses.Sent+pauses.Received > 0 {
		in.Set.Pauses = append(in.Set.Pauses, pauses)
	}
}

// addPauses adds the frames of a priority; the place is that of the most.
func addPauses(in *portstate.Input, p *portstate.Pauses, name string, n uint64) {
	sum, at := &p.Received, &p.ReceivedAt
	if strings.HasPrefix(name, "tx") {
		sum, at = &p.Sent, &p.SentAt
	}
	if n > *sum || at.File == "" {
		*at = in.At()
	}
	*sum += n
}

func isRDMA(text string) bool {
	return hasLine(text, func(line string) bool { return rdmaLink.MatchString(line) })
}

var rdmaLink = regexp.MustCompile(`^link (\S+/\d+)(?: |$)`)

// readRDMA reads rdma statistic show: «link mlx5_0/1 name value …», which can be broken into lines, with
// -p one counter a line. Errors of completion count those of a torn down queue pair (flush), too, which
// lost nothing: the counter «…_cqe_error without flush» is the rest.
func readRDMA(in *portstate.Input) {
	var r *portstate.Reading
	finish := func() {
		if r != nil {
			withoutFlush(r)
		}
	}
	name := ""
	for line := range lines(in) {
		words := strings.Fields(line)
		if m := rdmaLink.FindStringSubmatch(line); m != nil {
			finish()
			r, name = in.Reading(portstate.Named(in.Device, m[1], cabling.Host)), ""
			words = words[2:]
		}
		if r == nil {
			continue
		}
		for _, w := range words {
			if name == "" || w == "" || w[0] < '0' || w[0] > '9' {
				name = strings.TrimSuffix(w, ":")
				continue
			}
			count(in, r, name, w)
			name = ""
		}
	}
	if name != "" {
		in.Note("%s of %s has no value: is the output truncated?", short(name), r.Port)
	}
	finish()
}

// withoutFlush adds the errors of completion that are no flush errors.
func withoutFlush(r *portstate.Reading) {
	values := map[string]portstate.Counter{}
	for _, c := range r.Counters {
		values[c.Name] = c
	}
	for _, side := range []string{"resp", "req"} {
		all, ok := values[side+"_cqe_error"]
		flush, okFlush := values[side+"_cqe_flush_error"]
		if ok && okFlush && flush.Value <= all.Value {
			r.Count(side+"_cqe_error without flush", all.Value-flush.Value, false, all.At)
		}
	}
}

func isGIDs(text string) bool {
	return hasLine(text, func(line string) bool {
		return strings.Join(strings.Fields(line)[:min(3, len(strings.Fields(line)))], " ") == "DEV PORT INDEX"
	})
}

// readGIDs reads show_gids and remarks on ports without a GID that a router forwards. A port of
// InfiniBand has GIDs of version 1 without an interface.
func readGIDs(in *portstate.Input) {
	type table struct {
		port     string
		iface    string
		v2, ipv4 int
		routable int
		at       portstate.Place
	}
	var all []*table
	by := map[string]*table{}
	for line := range lines(in) {
		words := strings.Fields(line)
		if len(words) < 5 || !strings.Contains(words[3], ":") {
			continue
		}
		key := words[0] + "/" + words[1]
		t := by[key]
		if t == nil {
			t = &table{port: key, at: in.At()}
			by[key] = t
			all = append(all, t)
		}
		if last := words[len(words)-1]; !strings.EqualFold(last, "v1") && !strings.EqualFold(last, "v2") {
			t.iface = last
		}
		for _, w := range words[4:] {
			if strings.EqualFold(w, "v2") {
				t.v2++
				if !strings.HasPrefix(strings.ToLower(words[3]), "fe80") {
					t.routable++
				}
				if strings.Contains(words[4], ".") {
					t.ipv4++
				}
			}
		}
	}
	for _, t := range all {
		if t.v2 > 0 && t.routable == 0 {
			in.Set.Remarks = append(in.Set.Remarks, portstate.Said[string]{Value: fmt.Sprintf("%s (%s) has addresses of the link alone: RoCE v2 from it passes no router", t.port, t.iface), At: t.at})
		}
	}
}

var netdev = regexp.MustCompile(`^(?:\S+ )?(\S+) port (\d+) .*?==> (\S+) \((\w+) *\)`)

func isNetdevs(text string) bool {
	return hasLine(text, func(line string) bool { return strings.Contains(line, " ==> ") && netdevAny(line) != nil })
}

// netdevAny finds device, port, interface and state, of ibdev2netdev and of its -v form, which has the
// PCI address in front and firmware, part number and serial number in brackets:
//
//	0000:05:00.0 mlx5_0 (MT4119 - MCX556A-EDAT) … fw 16.29.1016 port 1 (ACTIVE) ==> ib0 (Up)
func netdevAny(line string) []string {
	if m := netdev.FindStringSubmatch(line); m != nil {
		return m
	}
	return netdevLong.FindStringSubmatch(line)
}

var netdevLong = regexp.MustCompile(`(?:^|\s)((?:mlx|roce|rocep|ib|bnxt)\S*) .*port (\d+) .*==> (\S+) \((\w+) *\)`)

// readNetdevs reads which interface is which device, and whether it is up.
func readNetdevs(in *portstate.Input) {
	for line := range lines(in) {
		m := netdevAny(line)
		if m == nil {
			in.Note("%q is no device: expected «mlx5_0 port 1 ==> ens1 (Up)»", short(line))
			continue
		}
		r := in.Reading(portstate.Named(in.Device, m[1]+"/"+m[2], cabling.Host))
		r.Port.Label = m[3]
		r.State = portstate.Say(in, portstate.Down)
		if strings.EqualFold(m[4], "up") {
			r.State = portstate.Say(in, portstate.Up)
		}
	}
}

func isQoS(text string) bool {
	return hasLine(text, func(line string) bool {
		return strings.HasPrefix(line, "DCBX mode:") || strings.HasPrefix(line, "Priority trust state:") || strings.HasPrefix(line, "PFC configuration:")
	})
}

// readQoS remarks on PFC and trust, by the reader of weft roce lint, which judges them.
func readQoS(in *portstate.Input) {
	name := in.Device
	if name == "" {
		name = "the host"
	}
	h, err := host.Read(name, []host.Source{{Name: in.Name, Text: in.Text, Above: in.Above}})
	if err != nil {
		in.Set.Notes = append(in.Set.Notes, err.Error()) // with its place
	}
	remark := func(at host.Place, format string, args ...any) {
		in.Set.Remarks = append(in.Set.Remarks, portstate.Said[string]{Value: fmt.Sprintf(format, args...), At: portstate.Place{File: at.File, Line: at.Line}})
	}
	switch {
	case h.PFC.Known() && len(h.PFC.Value) == 0:
		remark(h.PFC.At, "PFC is off for all priorities")
	case h.PFC.Known():
		remark(h.PFC.At, "PFC is on for priorities %v", h.PFC.Value)
	}
	if h.Trust.Known() {
		remark(h.Trust.At, "the NIC trusts %s", h.Trust.Value)
	}
	for i, line := range strings.Split(in.Text, "\n") {
		if strings.HasPrefix(line, "DCBX mode: Firmware") {
			remark(host.Place{File: in.Name, Line: in.Above + i + 1}, "DCBX runs in the firmware: it can overrule what a script of the host sets")
		}
	}
}
