package peers

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/base/stats"
	"weft/internal/formats/metrics"
)

// The thresholds. None is measured: each is chosen so that a healthy group is silent.
const (
	// leastPeers is the fewest values with a median and a spread that one of them alone does not
	// move: with four, two outliers are half of the group.
	leastPeers = 5
	// leastOfCount is leastPeers for counts, whose ninth decile is needed, too: of seven values it
	// is the second largest, and one burst decides it.
	leastOfCount = 8
	// railHosts is the number of hosts from which ports of one device name are a group of their own.
	// Below it the ports of all devices make a group that is large enough to judge.
	railHosts = 16
	// sigmas of a normal distribution are exceeded by one value in 500 million.
	sigmas = 6
	// leastCount is the count up to which nothing stands out: a link that comes up and a program
	// that is restarted leave a few errors.
	leastCount = 10
	// tails above the ninth decile are exceeded in one of 500 healthy groups of eight (package comment).
	tails = 7
	// smallGroup widens the spread of a count by 8/√peers: a small group knows its quantiles badly.
	smallGroup = 8
	// mostShare is the share of outliers from which a group is taken for several roles: three of
	// four values still state the median.
	mostShare = 0.25
	// ownShare is the least spread of a rate as a share of its median: ports that carry equal loads
	// differ by a few per cent.
	ownShare = 0.05
	// damageRatio is one port's damage over the next's: no chance of few ports makes it.
	damageRatio = 100
)

// Finding is a value that stands out.
type Finding struct {
	Subject string  `json:"subject"` // host, device and port, or host and GPU or rank
	Metric  string  `json:"metric"`
	Value   float64 `json:"value"` // of a counter its increase in the range
	Median  float64 `json:"median"`
	Spread  float64 `json:"spread"` // of the peers
	Peers   int     `json:"peers"`
	Unit    string  `json:"unit"`
	Where   string  `json:"role"` // of the peers
	Fits    string  `json:"fits"` // what it means
	rank    int
}

// Group is a metric of one role.
type Group struct {
	Metric string  `json:"metric"`
	Where  string  `json:"role"`
	Peers  int     `json:"peers"`
	Median float64 `json:"median"`
	Spread float64 `json:"spread"`
	Out    int     `json:"standing_out"`
	Why    string  `json:"not_judged,omitempty"` // the reason; empty if it was judged
}

// Result is the comparison.
type Result struct {
	Findings []Finding `json:"findings"` // by subject; the metric that is nearest to a cause first
	Groups   []Group   `json:"groups"`
	Seconds  float64   `json:"range_seconds"` // 0: each counter has one value, its count since it began
	Subjects int       `json:"subjects"`
	Judged   int       `json:"judged_subjects"` // with a value that was judged
	// Without are the metrics that were read and mean nothing beside peers, Unknown some that are not in the table.
	Without []string `json:"without_meaning,omitempty"`
	Unknown []string `json:"unknown,omitempty"`
	Resets  int      `json:"counter_resets"`
	Invalid int      `json:"values_not_numbers"`
	Notes   []string `json:"notes,omitempty"`
}

// value is the value of a metric on a subject.
type value struct {
	subject string
	x       float64
}

// group is the values of a metric in a role.
type group struct {
	row    *metrics.Row
	metric string
	where  string
	values []value
}

// Compare compares everything with its peers.
func Compare(d *metrics.Data) *Result {
	r := &Result{Seconds: d.Seconds(), Invalid: d.Invalid, Unknown: d.Unknown, Notes: slices.Clone(d.Notes)}
	roles := rolesOf(d)
	groups, order := map[string]*group{}, []string(nil)
	subjects := map[string]bool{}
	for _, s := range d.Series {
		if !s.Row.Judged() {
			if !slices.Contains(r.Without, s.Name) {
				r.Without = append(r.Without, s.Name)
			}
			continue
		}
		x, resets := s.Value()
		r.Resets += resets
		subject, where := subjectOf(s), roles.of(s)
		subjects[subject] = true
		key := s.Name + "\x00" + where
		g := groups[key]
		if g == nil {
			g = &group{row: s.Row, metric: s.Name, where: where}
			groups[key] = g
			order = append(order, key)
		}
		g.values = append(g.values, value{subject, x})
	}
	r.Subjects = len(subjects)
	slices.Sort(order)
	judged := map[string]bool{}
	for _, key := range order {
		if r.judge(groups[key]) {
			for _, v := range groups[key].values {
				judged[v.subject] = true
			}
		}
	}
	r.Judged = len(judged)
	sorting.StableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Metric, b.Metric))
	})
	return r
}

// judge finds the values of a group that stand out. It reports whether the group was judged.
func (r *Result) judge(g *group) bool {
	sorted := make([]float64, len(g.values))
	for i, v := range g.values {
		sorted[i] = v.x
	}
	middle := median(sorted)
	out := Group{Metric: g.metric, Where: g.where, Peers: len(sorted), Median: middle}
	most := sorted[(len(sorted)-1)*9/10]
	for i, v := range g.values {
		sorted[i] = math.Abs(v.x - middle)
	}
	traffic := g.row.Less != "" // a count of faults has no value that is too small
	limit := 0.0
	if traffic {
		out.Spread = max(1.4826*median(sorted), ownShare*math.Abs(middle))
	} else {
		wider := 1 + smallGroup/math.Sqrt(float64(len(sorted)))
		out.Spread = max(wider*(most-middle), math.Sqrt(math.Abs(middle)), 1)
		limit = max(leastCount, most+tails*out.Spread)
	}
	var found []Finding
	for _, v := range g.values {
		away := v.x - middle
		fits := g.row.More
		if away < 0 {
			fits = g.row.Less
		}
		if fits == "" || traffic && math.Abs(away) <= sigmas*out.Spread || !traffic && v.x <= limit {
			continue
		}
		found = append(found, Finding{
			Subject: v.subject, Metric: g.metric, Value: v.x, Median: middle, Spread: out.Spread, Peers: len(g.values) - 1, Unit: g.row.Unit,
			Where: g.where, Fits: fits, rank: g.row.Near,
		})
	}
	least := leastPeers
	if !traffic {
		least = leastOfCount
	}
	few, several := len(g.values) < least, float64(len(found)) > mostShare*float64(len(g.values))
	if few && g.row.Damage {
		found, few = g.damaged(middle, out.Spread)
		several = false
	}
	out.Out = len(found)
	switch {
	case few:
		out.Why = fmt.Sprintf("fewer than %d peers", least)
	case several:
		out.Why = "more than a quarter stand out: they have several roles"
	default:
		r.Findings = append(r.Findings, found...)
	}
	r.Groups = append(r.Groups, out)
	return out.Why == ""
}

// damaged judges the damage of few ports: none has any to speak of, or one has a hundred times the
// next's. Otherwise few is true: they are too few to tell.
func (g *group) damaged(middle, spread float64) (found []Finding, few bool) {
	most, next := g.values[0], 0.0
	for _, v := range g.values[1:] {
		if v.x > most.x {
			most, next = v, most.x
		} else {
			next = max(next, v.x)
		}
	}
	switch {
	case most.x <= leastCount:
		return nil, false
	case len(g.values) < 2 || most.x <= damageRatio*max(next, 1):
		return nil, true
	}
	return []Finding{{
		Subject: most.subject, Metric: g.metric, Value: most.x, Median: middle, Spread: spread, Peers: len(g.values) - 1, Unit: g.row.Unit,
		Where: g.where, Fits: g.row.More, rank: g.row.Near,
	}}, false
}

// median sorts values and returns the median.
func median(values []float64) float64 {
	slices.Sort(values)
	return stats.Quantile(values, 0.5)
}

// subjectOf names what a series is of.
func subjectOf(s *metrics.Series) string {
	l := s.Labels
	host := cmp.Or(l["instance"], l["Hostname"], l["hostname"], l["node"])
	switch s.Row.Of {
	case metrics.OfCollective:
		host = cmp.Or(l["node"], host)
		if l["rank"] != "" {
			return strings.TrimSpace(host + " rank " + l["rank"])
		}
		return strings.TrimSpace(host + " " + l["gpu"])
	case metrics.OfGPU:
		return strings.TrimSpace(cmp.Or(l["Hostname"], host) + " GPU " + l["gpu"])
	}
	if s.Row.Of == metrics.OfSwitchPort {
		return strings.TrimSpace("switch " + cmp.Or(l["switch"], l["guid"]) + " port " + l["port"])
	}
	name := strings.TrimSpace(host + " " + cmp.Or(l["device"], l["interface"], l["hca"], l["guid"]))
	if name == "" {
		return allLabels(l) // an exporter of which no label is known
	}
	if l["port"] != "" && l["port"] != "1" {
		name += " port " + l["port"]
	}
	if l["fabric"] != "" {
		name += " (" + l["fabric"] + ")"
	}
	return name
}

// allLabels is the labels of a series as key=value, in the order of their keys.
func allLabels(labels map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, key+"="+labels[key])
	}
	return strings.Join(all, " ")
}

// roles are the roles of ports.
type roles struct {
	hosts map[string]map[string]bool // by device: hosts
	rate  map[string]float64         // by subject: of the link
}

func rolesOf(d *metrics.Data) roles {
	r := roles{map[string]map[string]bool{}, map[string]float64{}}
	for _, s := range d.Series {
		if s.Row.Of != metrics.OfPort && s.Row.Of != metrics.OfNetdev {
			continue
		}
		device := deviceOf(s)
		if r.hosts[device] == nil {
			r.hosts[device] = map[string]bool{}
		}
		r.hosts[device][s.Labels["instance"]] = true
		if s.Row.Name == metrics.RateName {
			r.rate[subjectOf(s)], _ = s.Value()
		}
	}
	return r
}

func deviceOf(s *metrics.Series) string {
	return strings.TrimSpace(s.Labels["fabric"] + " " + cmp.Or(s.Labels["device"], s.Labels["interface"]) + " " + s.Labels["port"])
}

// of is the role of a series, in words.
func (r roles) of(s *metrics.Series) string {
	l := s.Labels
	switch s.Row.Of {
	case metrics.OfCollective:
		return strings.Join(strings.Fields(strings.Join([]string{l["collective"], l["message_size"], l["nranks"], "ranks", l["algo_proto"], l["comm_name"], l["fabric"]}, " ")), " ")
	case metrics.OfGPU:
		return strings.TrimSpace("GPUs " + l["modelName"] + " " + l["fabric"])
	}
	fabric := ""
	if l["fabric"] != "" {
		fabric = " of " + l["fabric"]
	}
	if device := deviceOf(s); len(r.hosts[device]) >= railHosts {
		return cmp.Or(l["device"], l["interface"]) + " of all hosts" + fabric
	}
	if rate := r.rate[subjectOf(s)]; rate > 0 && s.Row.Name != metrics.RateName {
		return fmt.Sprintf("ports of %.0f Gb/s%s", rate*8/1e9, fabric)
	}
	if s.Row.Of == metrics.OfNetdev {
		return "interfaces" + fabric
	}
	if s.Row.Of == metrics.OfSwitchPort {
		return "ports of switches" + fabric
	}
	return "ports" + fabric
}
