package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/roce"
	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
	"weft/units"
)

// Severity is the severity of a finding.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Place is a line of a file.
type Place struct {
	File string
	Line int // from 1; 0 if no line is to blame
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Fix is a set of lines that fix a finding: configuration to load on top of the present one, or
// commands for the host.
type Fix struct {
	On    string   `json:"on"` // the device
	Lines []string `json:"lines"`
}

// Finding is a fault in the configuration.
type Finding struct {
	Rule     string
	Severity Severity
	At       Place
	Value    string // the value as configured
	Why      string // the reason, with numbers
	Fixes    []Fix
	// Traffic is the traffic that the fault harms on its ports; zero if neither hosts nor maps name
	// any.
	Traffic Traffic
	Setting Setting
	// Where lists the affected ports of the switch, in the switch's order.
	Where []string
}

// Traffic is a DSCP that a host sends, and its DSCP after the fix.
type Traffic struct {
	What         string // as Stream.What, or anything; "" for no traffic
	DSCP, Mended int
	// CNP is the DSCP of its notifications, MendedCNP their DSCP after the fix.
	CNP, MendedCNP int
	// Deaf says that the host does not stop this traffic when the switch pauses it.
	Deaf bool
	// MTU is the largest RDMA payload of a packet, or the MTU of IP if TCP is true; MendedMTU is
	// its value after the fix. 0 is the usual MTU.
	MTU, MendedMTU units.Bytes
	TCP            bool
}

// Setting holds further values for the simulation of a finding; zero if it needs none.
type Setting struct {
	Slow             units.Rate  // watchdog-short: rate of the slowest port
	Pool             units.Bytes // watchdog-short: pool that drains through it
	Room, MendedRoom units.Bytes // cable-differs: headroom of the host behind its pauses
	Buffer           units.Bytes // headroom-total: buffer of the chip
	Stopped          int         // pfc-queue: the queue that the pause stops, -1 for none
}

// Options are values that the files do not contain.
type Options struct {
	ASIC   string       // a name from roce.Known; "": by the switch's HwSKU
	Ports  []string     // ports of the hosts; none: every port of a host's speed
	Cable  units.Length // instead of CABLE_LENGTH; 0: as configured
	Buffer units.Bytes  // of the chip; 0: not known
	// Profiles is the switch's pg_profile_lookup.ini. The switch makes profiles from it if none are
	// configured.
	Profiles []roce.Row
	// Paths are the equally short paths of each switch, by its name in findings. nil: the cables are not known.
	Paths map[string]*Paths
}

// Report lists the findings of a switch, worst first, and the checks that could not be made.
type Report struct {
	Findings []Finding
	Unjudged []string
	// Name is the switch's name in Fix.On.
	Name string
	// Ports is the number of its ports that were judged, Hosts the names of the hosts that were
	// compared with one of them, of Given in all.
	Ports int
	Hosts []string
	Given int
}

// Add adds the report of another switch.
func (r *Report) Add(other *Report) {
	r.Findings = append(r.Findings, other.Findings...)
	r.Unjudged = append(r.Unjudged, other.Unjudged...)
	r.Ports += other.Ports
	r.Given = other.Given
	for _, h := range other.Hosts {
		if !slices.Contains(r.Hosts, h) {
			r.Hosts = append(r.Hosts, h)
		}
	}
}

// Rules are the names of all rules, each with the fault that it finds.
var Rules = []struct{ Name, Finds string }{
	{"invalid", "a value that has no meaning: out of range, a reference to nothing, Kmin above Kmax, XON above XOFF, headroom that does not fit"},
	{"dscp-lossy", "the DSCP of RDMA traffic is in a class that the switch does not protect"},
	{"pfc-one-end", "one end of a link pauses a priority, and the other does not obey"},
	{"pfc-priority", "a pause stops another priority of the host than the one that has the data"},
	{"switches-differ", "two switches have the same DSCP in different priorities, so a pause of one stops other traffic of the other"},
	{"qos-missing", "a port that is up has no maps and no PFC: its QoS was never loaded, or not since a breakout"},
	{"buffer-missing", "a lossless priority group or queue has no entry in BUFFER_PG or BUFFER_QUEUE, and other ports have one, or the switch makes no profile, as for a cable without a length"},
	{"gid-v1", "a program takes a GID of RoCE v1, or of an address that no router forwards"},
	{"pfc-queue", "a pause stops another queue of the switch than the one that has the data, or none"},
	{"pfc-headroom", "a priority is paused without headroom, or has headroom and is not paused"},
	{"pfc-asym", "a port obeys pauses of priorities that it does not protect"},
	{"egress-lossy", "a queue of lossless traffic may hold less than arrives, or has the buffer of lossy queues"},
	{"fec", "a link whose lanes need Reed-Solomon FEC has none or another"},
	{"drops", "counters of the host show that packets were lost"},
	{"pause-global", "the host has global pause beside PFC"},
	{"queue-unserved", "a lossless class leads to a queue without scheduler, beside others that have one, or to none"},
	{"trust-pcp", "the priority is taken from a VLAN tag that routed frames do not have"},
	{"mtu", "the host sends longer packets than the switch takes, or ports of the switch differ"},
	{"ecn-missing", "a queue of lossless traffic is not marked, or drops by WRED"},
	{"ecn-above-pfc", "marking begins or ends above the threshold at which PFC pauses"},
	{"ecn-early", "marking begins at a packet or two, or nearly all at once"},
	{"ecn-host", "the host does not answer marks on the priority of its data"},
	{"cnp-in-data", "congestion notifications wait in the queue of the data"},
	{"headroom-small", "the headroom is less than what still arrives on this cable at this speed"},
	{"headroom-total", "all headroom together is more than the buffer has"},
	{"cable-differs", "the host keeps room for a shorter cable than the switch"},
	{"red-switch", "the switch is told to drop every packet of its lossless priorities"},
	{"watchdog-missing", "nothing ends a storm of pauses on a lossless priority"},
	{"watchdog-action", "the watchdog finds a storm of pauses and does not cut it off"},
	{"watchdog-slow", "the watchdog lets a storm of pauses last for a second or more"},
	{"watchdog-short", "the watchdog takes a legitimate pause for a storm"},
	{"paths-few", "BGP uses fewer equally short paths than the switch has: maximum-paths, or no multipath-relax"},
	{"hash-addresses", "the switch hashes addresses alone, so that all queue pairs of two NICs share a path"},
}

// Subject is a switch with the defects of its configuration.
type Subject struct {
	Switch   *sonic.Switch
	Problems []*sonic.Error
}

// CheckAll finds faults between the switches of a fabric and their hosts, and gives a report for each
// switch. The fixes of all reports together leave no finding that has a fix.
func CheckAll(all []Subject, hosts []*host.Host, o Options) []*Report {
	reports := judgeAll(all, hosts, o)
	settle(all, hosts, o, reports)
	return reports
}

// judgeAll makes the reports of one look at the switches.
func judgeAll(all []Subject, hosts []*host.Host, o Options) []*Report {
	checkers := make([]*checker, len(all))
	for i, s := range all {
		checkers[i] = &checker{sw: s.Switch, called: nameOf(all, i), first: i == 0, hosts: hosts, options: o, unjudged: map[string][]string{}}
		checkers[i].all(s.Problems)
	}
	together(checkers)
	reports := make([]*Report, len(all))
	for i, c := range checkers {
		reports[i] = c.report(len(all) > 1)
	}
	return reports
}

// nameOf is the name of a switch in findings: its own, or that of its file if it has none or shares
// it.
func nameOf(all []Subject, i int) string {
	name := all[i].Switch.Hostname
	for k, other := range all {
		if k != i && other.Switch.Hostname == name {
			return all[i].Switch.File
		}
	}
	return cmp.Or(name, "the switch")
}

// all judges the switch alone and with its hosts.
func (c *checker) all(problems []*sonic.Error) {
	for _, p := range problems {
		f := Finding{Rule: "invalid", Severity: Error, At: Place{p.File, p.Line}, Why: p.Text}
		if len(p.Fix) > 0 {
			f.Fixes = []Fix{{c.name(), p.Fix}}
		}
		c.findings = append(c.findings, f)
	}
	if c.sw.Newer {
		c.cannot("new fields in the tables of %s: this version is newer than the known ones", c.sw.Version)
	}
	c.unloaded()
	for _, p := range c.ports() {
		c.port(p)
		for _, h := range c.hosts {
			if c.at(h, p) {
				c.link(h, p)
			}
		}
	}
	c.mtus()
	c.total()
	c.redSwitch()
	c.paths()
	for _, h := range c.hosts {
		c.compared(h)
		if c.first {
			c.host(h)
		}
	}
}

// checker collects findings. The same faulty line counts as one finding, however many ports it
// affects.
type checker struct {
	sw       *sonic.Switch
	called   string // its name in findings
	first    bool   // of the switches: what is said of a host alone is said there
	hosts    []*host.Host
	options  Options
	findings []Finding
	unjudged map[string][]string // by text: the ports concerned
	met      []string            // names of the hosts that were compared with a port
}

// name is the name of the switch in findings.
func (c *checker) name() string { return c.called }

func (c *checker) place(line int) Place {
	file, line := c.sw.Place(line)
	return Place{file, line}
}

// add notes a finding of a port. It joins the same finding of other ports, whose rows may be on
// other lines.
func (c *checker) add(p *sonic.Port, f Finding) {
	i := slices.IndexFunc(c.findings, func(g Finding) bool {
		same := g.Rule == f.Rule && g.Value == f.Value && g.Why == f.Why
		return same && (g.At == f.At || p != nil && g.At.File == f.At.File)
	})
	if i < 0 {
		i = len(c.findings)
		c.findings = append(c.findings, f)
	}
	if p == nil {
		return
	}
	g := &c.findings[i]
	if !slices.Contains(g.Where, p.Name) {
		g.Where = append(g.Where, p.Name)
	}
	for _, fix := range f.Fixes {
		g.addFix(fix)
	}
}

// addFix joins the lines of fixes on one device.
func (f *Finding) addFix(fix Fix) {
	i := slices.IndexFunc(f.Fixes, func(g Fix) bool { return g.On == fix.On })
	if i < 0 {
		f.Fixes = append(f.Fixes, fix)
		return
	}
	for _, line := range fix.Lines {
		if !slices.Contains(f.Fixes[i].Lines, line) {
			f.Fixes[i].Lines = append(f.Fixes[i].Lines, line)
		}
	}
}

// cannot notes a check that could not be made.
func (c *checker) cannot(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.unjudged[text] = append(c.unjudged[text], "")
}

// cannotAt notes a check that could not be made on a port. It joins the same note of other ports.
func (c *checker) cannotAt(p *sonic.Port, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(c.unjudged[text], p.Name) {
		c.unjudged[text] = append(c.unjudged[text], p.Name)
	}
}

// ports are the ports that carry traffic: up and configured, and in Options.Ports if that names
// any.
func (c *checker) ports() []*sonic.Port {
	var list []*sonic.Port
	for _, p := range c.sw.Ports {
		named := len(c.options.Ports) == 0 || slices.Contains(c.options.Ports, p.Name)
		if named && p.Up && p.Used() {
			list = append(list, p)
		}
	}
	return list
}

// bare are the ports that are up and have no treatment of traffic.
func (c *checker) bare() []*sonic.Port {
	var list []*sonic.Port
	for _, p := range c.sw.Ports {
		named := len(c.options.Ports) == 0 || slices.Contains(c.options.Ports, p.Name)
		if named && p.Up && !p.Inner && !p.Used() {
			list = append(list, p)
		}
	}
	return list
}

// link judges a host and a port together.
func (c *checker) link(h *host.Host, p *sonic.Port) {
	for _, s := range h.Streams() {
		c.class(h, p, s)
	}
	c.trust(h, p)
	c.global(h, p)
	c.mtu(h, p)
	c.cable(h, p)
}

// port judges a port alone.
func (c *checker) port(p *sonic.Port) {
	c.unprofiled(p)
	c.buffered(p)
	c.protected(p)
	c.pauses(p)
	c.asymmetric(p)
	c.corrected(p)
	c.trustOfPort(p)
	c.watchdog(p)
	for g := range p.Groups {
		if p.Lossless(g) {
			c.headroom(p, g)
		}
	}
}

// compared notes whether a host has been compared with a port.
func (c *checker) compared(h *host.Host) {
	if slices.ContainsFunc(c.ports(), func(p *sonic.Port) bool { return c.at(h, p) }) {
		c.met = append(c.met, h.Name)
	} else if len(c.ports()) > 0 {
		c.cannot("%s: its link has %v (%v), and no port that was judged has that speed", h.Name, h.Speed.Value, h.Speed.At)
	}
}

// host judges a host alone.
func (c *checker) host(h *host.Host) {
	c.global(h, nil)
	c.gids(h)
	c.drops(h)
	for _, name := range h.Skipped {
		c.cannot("%s has no known RoCE setting, or one that only the shell knows", name)
	}
	if len(h.Streams()) == 0 {
		c.cannot("%s does not say which DSCP its RDMA traffic has: give its NCCL environment, cma_roce_tos or the driver's traffic_class", h.Name)
	}
	if !h.PFC.Known() {
		c.cannot("%s does not say on which priorities it has PFC: give the output of mlnx_qos -i", h.Name)
	}
}

// report sorts the findings: the worst first, then by rule and line.
func (c *checker) report(several bool) *Report {
	if p := c.options.Paths[c.name()]; p != nil && !c.sw.Whole {
		c.cannot("anything but paths: there is no configuration of SONiC")
	} else if len(c.sw.Ports) == 0 {
		c.cannot("anything: the configuration has no ports")
	} else if len(c.ports()) == 0 && len(c.bare()) == 0 {
		c.cannot("anything of the ports: none of %d is up (admin_status) and named by --interface, if that is given", len(c.sw.Ports))
	}
	order := map[string]int{}
	for i, r := range Rules {
		order[r.Name] = i
	}
	sorting.StableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(order[a.Rule], order[b.Rule]), cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line))
	})
	r := &Report{Findings: c.findings, Name: c.name(), Ports: len(c.ports()), Hosts: c.met, Given: len(c.hosts)}
	if p := c.options.Paths[c.name()]; p != nil && len(c.sw.Ports) == 0 {
		r.Ports = p.Ports
	}
	for text, ports := range c.unjudged {
		if ports[0] != "" {
			text += " (" + fewOf(ports) + ")"
		}
		if several {
			text = c.name() + ": " + text
		}
		r.Unjudged = append(r.Unjudged, text)
	}
	slices.Sort(r.Unjudged)
	return r
}

// Together is Unjudged with one text for the same check of several switches.
func (r *Report) Together() (out []string) {
	names := map[string][]string{} // by the check
	var checks []string
	for _, text := range r.Unjudged {
		name, check, ok := strings.Cut(text, ": ")
		if !ok {
			name, check = "", text
		}
		if names[check] == nil {
			checks = append(checks, check)
		}
		names[check] = append(names[check], name)
	}
	for _, check := range checks {
		if names[check][0] != "" {
			check = fewOf(names[check]) + ": " + check
		}
		out = append(out, check)
	}
	return out
}

// Ports names the ports in few words.
func (f *Finding) Ports() string { return fewOf(f.Where) }

func fewOf(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
