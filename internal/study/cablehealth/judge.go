package cablehealth

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/internal/base/sorting"
)

// Options are what the files do not say.
type Options struct {
	After float64 // seconds between two readings of the same ports; 0 if it is not known
}

// Judge finds the bad links, ports and devices.
func Judge(set *portstate.Set, files []File, o Options) *Report {
	j := &judge{
		joined: join(set), measurer: measurer{after: o.After}, report: &Report{Files: files, Findings: []Finding{}},
		known: map[int]map[string]measure{}, peers: population{}, drafts: map[int]*draft{}, judged: map[string]bool{},
		reasons: map[string]int{},
	}
	j.measureAll()
	j.fabricSpeed()
	j.countLanes()
	j.countUplinks()
	for _, p := range j.ports {
		if len(p.readings) > 0 || p.last.To != "" || p.pauses != nil {
			j.port(p)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(j.drafts)) {
		if d := j.drafts[id]; len(d.evidence) > 0 {
			j.report.Findings = append(j.report.Findings, d.finding())
		}
	}
	j.devices()
	j.sessions()
	j.observe()
	rank(j.report.Findings)
	j.finish()
	return j.report
}

// judge is a judgement in progress.
type judge struct {
	*joined
	measurer
	report *Report
	known  map[int]map[string]measure // by port and counter
	peers  population
	drafts map[int]*draft // by link
	slow   map[int]bool   // links whose shortfall the finding about the fabric has
	judged map[string]bool
	lanes  laneCount
	// uplinks are the switches with a cable to another switch; sameNumber is, by the number of a port,
	// on how many of them it has one.
	uplinks    map[string]bool
	sameNumber map[int]upDown
	reasons    map[string]int // ports that were not judged
	down       []*port        // down, and no file says that a cable belongs there
	within     int            // counters that are not 0 and no finding
	undated    bool           // a finding has a counter since an unknown time
}

// measureAll computes the measures of all ports and their populations.
func (j *judge) measureAll() {
	for _, p := range j.ports {
		if !p.isLink() {
			continue
		}
		p.sumQueues()
		all := map[string]measure{}
		for name := range p.samples {
			m, ok := j.of(p, name)
			if !ok {
				continue
			}
			all[name] = m
			if _, ok := meaningOf(name); ok {
				j.peers.add(j.alike(p, m), float64(m.Value))
			}
		}
		j.known[p.id] = all
	}
	j.peers.sort()
}

func (j *judge) alike(p *port, m measure) alike {
	return alike{m.Name, p.names.Role, m.reader, m.grown}
}

// sumQueues adds the drops and packets of all queues as counters of the port, at the place of the queue
// with the most. Queues are sampled together.
func (p *port) sumQueues() {
	for what, sum := range map[string]string{"dropped packets": queueDrops, "packets": queuePackets} {
		var totals []sample
		var most []uint64
		for _, name := range slices.Sorted(maps.Keys(p.samples)) {
			if !strings.HasPrefix(name, "queue ") || !strings.HasSuffix(name, " "+what) || what == "packets" && strings.HasSuffix(name, "dropped packets") {
				continue
			}
			for i, s := range p.samples[name] {
				if i == len(totals) {
					totals = append(totals, sample{Counter: portstate.Counter{Name: sum, At: s.At}, reader: s.reader, time: s.time})
					most = append(most, s.Value)
				}
				totals[i].Value += s.Value
				if s.Value > most[i] {
					most[i], totals[i].At = s.Value, s.At
				}
			}
		}
		if len(totals) > 0 {
			p.samples[sum] = totals
		}
	}
}

// link is the number of the link of a port.
func (p *port) link() int {
	if p.far != nil && p.far.far == p {
		return min(p.id, p.far.id)
	}
	return p.id
}

// draftOf is the draft of the finding about a port's link.
func (j *judge) draftOf(p *port) *draft {
	d := j.drafts[p.link()]
	if d == nil {
		d = &draft{a: p, b: p.far}
		j.drafts[p.link()] = d
	}
	return d
}

// port judges a port.
func (j *judge) port(p *port) {
	if !p.isLink() {
		if len(p.samples) == 0 && p.readings[0].Reader == topologyKind {
			return // for the name of the switch
		}
		j.reasons["port 0 is the switch itself and has no cable"]++
		return
	}
	before := j.report.Judged
	seen := false
	for _, by := range []struct {
		name string
		do   func(*port) bool
	}{
		{"link state", j.state},
		{"lanes and speed", j.speed},
		{"counters of errors and losses", j.counters},
		{"bit error rates", j.rates},
		{"limits of modules", j.modules},
		{"verdicts of the tool", j.verdicts},
		{"changes of links in a log", j.log},
		{"pauses of hosts", j.pausesOf},
	} {
		if by.do(p) {
			seen = true
			j.judged[by.name] = true
		}
	}
	if seen {
		j.report.Judged = before + 1
		return
	}
	switch {
	case p.facts.State.Value == portstate.Disabled:
		j.reasons["an operator switched the port off"]++
	case p.facts.State.Value == portstate.Down && p.facts.Cabled.Known():
		j.reasons["the port is empty"]++
	case p.facts.State.Value == portstate.Down:
		j.reasons["the port is down, and no file says that a cable belongs there"]++
	case len(p.samples) > 0:
		j.reasons["only traffic, waiting and fill levels are known of the port"]++
	default:
		j.reasons["no file has a counter of errors, a limit or an error rate of the port, or they are N/A"]++
	}
}

// name is a port in messages.
func (p *port) name() string {
	if text := p.names.String(); text != "" {
		return text
	}
	return "a port without a name"
}

// finish counts, and says on what the judgement rests.
func (j *judge) finish() {
	r := j.report
	r.JudgedBy = slices.Sorted(maps.Keys(j.judged))
	for _, reason := range slices.Sorted(maps.Keys(j.reasons)) {
		r.NotJudged = append(r.NotJudged, Reason{reason, j.reasons[reason]})
	}
	for _, p := range j.down {
		r.Down = append(r.Down, p.name()+physical(p)+j.beside(p))
	}
	sorting.Func(r.Down, func(a, b string) int { // those with a hint first
		return cmp.Or(cmp.Compare(strings.Count(b, " lost uplink"), strings.Count(a, " lost uplink")), cmp.Compare(a, b))
	})
	r.Within = j.within
	r.Notes = append(r.Notes, j.set.Notes...)
	if j.set.Unlisted > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("ibqueryerrors checked %d more ports and lists none of their counters: they have none beyond its thresholds", j.set.Unlisted))
	}
	if j.fell > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d counters are smaller in the later reading, the first of them %s at %s: they were reset, or the readings are of two devices; the larger value counts", j.fell, j.first.Name, j.first.At))
	}
	if j.blind > 0 {
		r.Notes = append(r.Notes, "two readings of a port have no time between them: the growth has no rate; give --after 60s")
	}
	if j.undated {
		r.Notes = append(r.Notes, "a counter without a time counts since it was cleared last, which no file says: it has no rate")
	}
}

// beside says that the ports next to a port that is down lead to switches, as uplinks do.
func (j *judge) beside(p *port) string {
	if p.names.Role != cabling.Switch || p.names.Number <= 0 {
		return ""
	}
	if text := j.lostUplink(p); text != "" {
		return text
	}
	for _, number := range []int{p.names.Number - 1, p.names.Number + 1} {
		next := p.names
		next.Number, next.Label, next.Name = number, "", ""
		for _, k := range j.keysOf(next) {
			if q := j.keys[k]; k.guid != 0 && q != nil && q.far != nil && q.far.names.Role != cabling.Host {
				return fmt.Sprintf(": port %d beside it leads to %s, it can be a lost uplink", number, q.far.names.Device)
			}
		}
	}
	return ""
}

// physical is the state of the signal in brackets.
func physical(p *port) string {
	if p.facts.Physical == "" {
		return ""
	}
	return " (" + p.facts.Physical + ")"
}
