package prove

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/roce/lint"
	"weft/internal/roce/sonic"
	"weft/units"
)

// Figure is a result that a proof shows for both of its sides.
type Figure string

// The figures.
const (
	DSCP       Figure = "DSCP"
	CNPDSCP    Figure = "DSCP of notifications"
	Packets    Figure = "packets"
	Congestion Figure = "congestion control"
	Room       Figure = "room behind a pause"
	Time       Figure = "time"
	OwnTime    Figure = "time of its messages"
	VictimTime Figure = "time of the victims"
	Dropped    Figure = "packets dropped"
	Resent     Figure = "packets sent again"
	Pauses     Figure = "PFC pauses"
	Storms     Figure = "storms found"
	Marks      Figure = "ECN marks"
	CNPDelay   Figure = "notification takes"
)

// Side is one of the two fabrics.
type Side struct {
	Name       string // before or after
	Config     *sonic.Config
	DSCP, CNP  int
	Congestion string      // dcqcn or none
	TCP        bool        // sockets in place of RDMA
	MTU        units.Bytes // 0: the preset's
	Room       units.Bytes // headroom of a NIC behind its pauses; 0: not part of this proof
	ethernet   []string    // fields of it beyond the switch's configuration
	fabric     []string    // fields of the fabric
}

// Proof is a finding as two simulations.
type Proof struct {
	Port          *sonic.Port
	Traffic       string // in words
	Before, After Side
	Shows         []Figure
	// Class is the priority whose messages OwnTime and VictimTime are about.
	Class int

	nodes    int
	topology string
	workload string
	limit    units.Time // of simulated time; 0: the usual
}

// Refusal says why a finding is not simulated.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// maker makes the proof of a finding.
type maker struct {
	*Proof
	finding *lint.Finding
	sw      *sonic.Switch // as configured
}

// Of makes the proof of a finding. before and after are the switch's configuration, read twice:
// both are changed. The error is a Refusal, or the reason why the fixes cannot be applied to the
// configuration.
func Of(r *lint.Report, f *lint.Finding, before, after *sonic.Config) (*Proof, error) {
	rule, known := rules[f.Rule]
	switch {
	case !known:
		return nil, Refusal("no simulation of a small network shows it")
	case len(f.Where) == 0 || f.Traffic.What == "":
		return nil, Refusal("on no port does a DSCP lead to this class")
	}
	sw, _ := sonic.Examine(before)
	if err := r.Mend(after); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(sw.Ports, func(p *sonic.Port) bool { return p.Name == f.Where[0] })
	t := &f.Traffic
	p := &Proof{
		Port: sw.Ports[i], nodes: 4, topology: "shape: single-switch",
		Before: Side{Name: "before", Config: before, DSCP: t.DSCP, CNP: t.CNP, Congestion: "none"},
		After:  Side{Name: "after", Config: after, DSCP: t.Mended, CNP: t.MendedCNP, Congestion: "none"},
	}
	if t.Deaf {
		sonic.Silence(before, p.Port, p.Port.ClassOf(t.DSCP).Group)
	}
	if err := rule(&maker{p, f, sw}); err != nil {
		return nil, err
	}
	return p, nil
}

// rules are the rules that can be simulated, each with its maker. Without congestion control, only
// PFC and headroom keep a class from losing packets; with it, marks should come before pauses.
var rules = map[string]func(*maker) error{
	"dscp-lossy":     lossless,
	"pfc-headroom":   lossless,
	"headroom-small": lossless,
	"pfc-one-end":    lossless,
	"pfc-priority":   lossless,
	"trust-pcp":      lossless,
	"ecn-missing":    marked,
	"ecn-above-pfc":  marked,
	"ecn-early":      marked,
	"ecn-host":       answered,
	"mtu":            tooLong,
	"pfc-queue":      misdirected,
	"pause-global":   linkPaused,
	"cnp-in-data":    notified,
	"queue-unserved": served,
	"watchdog-short": paused,
	"cable-differs":  received,
	"headroom-total": overcommitted,
}

// Scenario is the proof as a scenario, with a side's switches in the file NAME.json.
func (p *Proof) Scenario() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "name: lint\ncluster: {nodes: %d}\ntopology: {%s%s}\nfabrics:\n", p.nodes, p.topology, p.cables())
	p.side(b, &p.Before)
	p.side(b, &p.After)
	fmt.Fprintf(b, "workload: {%s}\n", p.workload)
	if p.limit > 0 {
		fmt.Fprintf(b, "run: {limit: {simulated-time: %dms}}\n", p.limit/units.Millisecond)
	}
	return b.String()
}

// dcqcn answers the marks of every sender. With CNPs paced by port, the default, sixteen senders
// would not be notified in time, whatever the marking threshold.
const dcqcn = "{preset: dcqcn-firmware-averaged, cnp-scope: queue-pair}"

// cables are the host cables, with the port's length if it is known.
func (p *Proof) cables() string {
	if p.Port.Cable == 0 {
		return ""
	}
	return fmt.Sprintf(", cables: {node-leaf: %dmm}", p.Port.Cable/units.Millimetre)
}

func (p *Proof) side(b *strings.Builder, s *Side) {
	preset := "roce-v2"
	if s.TCP {
		preset = "tcp"
	}
	ethernet := append([]string{fmt.Sprintf("dscp: %d", s.DSCP), fmt.Sprintf("cnp-dscp: %d", s.CNP)}, s.ethernet...)
	fields := append([]string{
		fmt.Sprintf("preset: %s-%dg", preset, p.Port.Speed/units.Gbps), "name: " + s.Name,
		"ethernet: {" + strings.Join(ethernet, ", ") + "}",
	}, s.fabric...)
	if !slices.ContainsFunc(s.fabric, func(f string) bool { return strings.HasPrefix(f, "switch:") }) {
		fields = append(fields, "switch: {"+p.switches(s)+"}")
	}
	if s.Congestion == "none" && !s.TCP {
		fields = append(fields, "cc: {algorithm: none}")
	}
	if s.Congestion == "dcqcn" {
		fields = append(fields, "cc: "+dcqcn)
	}
	if s.MTU > 0 {
		fields = append(fields, fmt.Sprintf("mtu: %dB", s.MTU))
	}
	fmt.Fprintf(b, "  - {%s}\n", strings.Join(fields, ", "))
}

// switches is the field that names the file of a side's switches.
func (p *Proof) switches(s *Side) string {
	return fmt.Sprintf("sonic: %s.json, sonic-port: %s", s.Name, p.Port.Name)
}
