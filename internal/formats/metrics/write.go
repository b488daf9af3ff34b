package metrics

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// MaxSeries bounds what is written at once: 8,192 ports have some 200,000 series.
const MaxSeries = 500_000

// TooMany is the error for a snapshot with more series than [MaxSeries].
type TooMany struct{ Series int }

func (t TooMany) Error() string {
	return fmt.Sprintf("%d series: the most is %d; name one host by ?instance=node0", t.Series, MaxSeries)
}

// Write writes a snapshot in a text format. instance, if not empty, leaves out all other hosts.
func (s *Snapshot) Write(w io.Writer, format expfmt.Format, instance string) error {
	families, n := s.families(instance), 0
	for _, f := range families {
		n += len(f.Metric)
	}
	if n > MaxSeries {
		return TooMany{n}
	}
	out := expfmt.NewEncoder(w, format)
	for _, f := range families {
		if err := out.Encode(f); err != nil {
			return err
		}
	}
	if end, ok := out.(expfmt.Closer); ok {
		return end.Close()
	}
	return nil
}

// families are the metrics of a snapshot, in the table's order.
func (s *Snapshot) families(instance string) (all []*dto.MetricFamily) {
	for i := range Rows {
		r := &Rows[i]
		for priority, name := range r.names() {
			f := &dto.MetricFamily{Name: &name, Help: new(r.helpOf(priority)), Type: r.Type.Enum()}
			s.collect(r, priority, instance, f)
			if len(f.Metric) > 0 {
				all = append(all, f)
			}
		}
	}
	return all
}

func (r *Row) helpOf(priority int) string {
	if strings.Contains(r.Help, "%d") {
		return fmt.Sprintf(r.Help, priority)
	}
	return r.Help
}

// collect adds the series of a row.
func (s *Snapshot) collect(r *Row, priority int, instance string, f *dto.MetricFamily) {
	shown := func(host string) bool { return instance == "" || instance == host }
	add := func(value float64, labels []string) { f.Metric = append(f.Metric, r.metric(value, labels)) }
	switch r.Of {
	case OfPort, OfNetdev:
		for i := range s.Ports {
			if p := &s.Ports[i]; r.port != nil && (r.live || !p.Live) && shown(p.Instance) && strings.HasPrefix(p.Protocol, r.Only) && (r.Of == OfPort || p.uses(priority)) {
				add(r.port(p, priority), p.labels(r.Of))
			}
		}
	case OfSwitch, OfSwitchPort, OfQueue:
		s.collectSwitches(r, shown, add)
	case OfGPU:
		for i := range s.GPUs {
			if g := &s.GPUs[i]; shown(g.Host) {
				add(r.gpu(g), g.labels())
			}
		}
	case OfCollective:
		for i := range s.Collectives {
			if c := &s.Collectives[i]; shown(c.Host) {
				add(c.BusBW, c.labels())
			}
		}
	case OfFabric:
		for _, fabric := range slices.Sorted(maps.Keys(s.Simulated)) {
			add(s.Simulated[fabric].Seconds(), []string{"fabric", fabric})
		}
	case OfRun:
		if s.Simulated != nil {
			add(r.run(s), nil)
		}
	}
}

// collectSwitches adds the series of a row of switches: one of each switch, port, or queue that did something.
func (s *Snapshot) collectSwitches(r *Row, shown func(string) bool, add func(float64, []string)) {
	if r.port == nil {
		return
	}
	told := make(map[[2]string]bool)
	for i := range s.Switches {
		p := &s.Switches[i]
		if !shown(p.Instance) || !strings.HasPrefix(p.Protocol, r.Only) {
			continue
		}
		switch r.Of {
		case OfSwitch:
			if own := [2]string{p.Fabric, p.GUID}; !told[own] {
				told[own] = true
				add(r.port(p, 0), p.labels(r.Of))
			}
		case OfSwitchPort:
			add(r.port(p, 0), p.labels(r.Of))
		default:
			for priority := range p.Queues {
				if p.Queues[priority] != (Queue{}) {
					add(r.port(p, priority), append(p.labels(r.Of), "queue", strconv.Itoa(priority)))
				}
			}
		}
	}
}

// metric is a series with pairs of label and value.
func (r *Row) metric(value float64, pairs []string) *dto.Metric {
	m := &dto.Metric{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			m.Label = append(m.Label, &dto.LabelPair{Name: &pairs[i], Value: &pairs[i+1]})
		}
	}
	switch r.Type {
	case counter:
		m.Counter = &dto.Counter{Value: &value}
	case gauge:
		m.Gauge = &dto.Gauge{Value: &value}
	default:
		m.Untyped = &dto.Untyped{Value: &value}
	}
	return m
}

// uses reports whether a priority did anything at the port: an adapter shows eight, and a
// network uses two.
func (p *Port) uses(priority int) bool {
	return priority == 3 || p.Paused[priority] != 0 || p.Counts.PausesTaken[priority] != 0 || p.Counts.PausesSent[priority] != 0
}

func (p *Port) labels(of Subject) []string {
	switch of {
	case OfNetdev:
		return []string{"device", p.Netdev, "instance", p.Instance, "fabric", p.Fabric}
	case OfSwitch:
		return []string{"guid", p.GUID, "switch", p.Instance, "instance", p.Instance, "fabric", p.Fabric}
	case OfSwitchPort:
		return []string{"guid", p.GUID, "port", strconv.Itoa(p.Number), "instance", p.Instance, "fabric", p.Fabric}
	case OfQueue:
		return []string{"device", p.Device, "instance", p.Instance, "fabric", p.Fabric}
	}
	return []string{"device", p.Device, "port", strconv.Itoa(p.Number), "instance", p.Instance, "fabric", p.Fabric}
}

func (g *GPU) labels() []string {
	gpu := strconv.Itoa(g.Index)
	return []string{"gpu", gpu, "UUID", "GPU-" + g.Host + "-" + gpu, "device", "nvidia" + gpu, "Hostname", g.Host, "instance", g.Host, "fabric", g.Fabric}
}

func (c *Collective) labels() []string {
	return []string{
		"version", "v5.1", "slurm_job_id", "unknown", "node", c.Host, "gpu", "GPU0", "comm_name", "unknown", "n_nodes", strconv.Itoa(c.Nodes),
		"nranks", strconv.Itoa(c.Ranks), "collective", c.Name, "message_size", sizeRange(c.Bytes), "algo_proto", c.Algorithm, "fabric", c.Fabric,
	}
}

// CollectiveName is NCCL's name of an operation: AllReduce for all-reduce.
func CollectiveName(op string) (name string) {
	for word := range strings.SplitSeq(op, "-") {
		name += strings.ToUpper(word[:min(1, len(word))]) + word[min(1, len(word)):]
	}
	return name
}

// sizeRange is Inspector's bucket of a size, in powers of 1024: 4-5GB.
func sizeRange(bytes int64) string {
	if bytes == 0 {
		return "0B"
	}
	units, i := []string{"B", "KB", "MB", "GB", "TB"}, 0
	for ; bytes >= 1024 && i < len(units)-1; i++ {
		bytes /= 1024
	}
	return fmt.Sprintf("%d-%d%s", bytes, bytes+1, units[i])
}
