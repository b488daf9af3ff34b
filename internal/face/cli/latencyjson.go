package cli

import (
	"weft/internal/face/report"
	"weft/internal/study/latency"
)

// latenciesOut is what weft latency --json prints. Times are in picoseconds.
type latenciesOut struct {
	Latencies []latencyOut `json:"latencies"`
	Figures   []figureOut  `json:"figures_in_circulation"`
}

type latencyOut struct {
	Fabric   string     `json:"fabric"`
	Protocol string     `json:"protocol"`
	Path     string     `json:"path"`
	Op       string     `json:"operation"`
	Bytes    int64      `json:"bytes"`
	Hops     int        `json:"switches"`
	Packets  int        `json:"packets"`
	Wire     int64      `json:"last_packet_wire_bytes"`
	Jitter   bool       `json:"jitter"`
	OneWay   int64      `json:"one_way_ps"`
	AtVerbs  int64      `json:"at_verbs_ps"`
	Terms    []termOut  `json:"terms"`
	Cost     costOut    `json:"cost"`
	Perftest perftestUs `json:"perftest_us"`
}

type termOut struct {
	Part    string      `json:"part"`
	Name    string      `json:"name"`
	Time    int64       `json:"time_ps"`
	Bytes   int64       `json:"bytes,omitempty"`
	Rate    int64       `json:"rate_bps,omitempty"`
	Note    string      `json:"note,omitempty"`
	Sources []sourceOut `json:"sources,omitempty"`
}

type sourceOut struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Tag   string `json:"trust"`
	Text  string `json:"source"`
}

// costOut has pairs of sender and receiver.
type costOut struct {
	CPUCopies   [2]int   `json:"cpu_copies"`
	GPUCopies   [2]int   `json:"gpu_copies"`
	Moves       int      `json:"data_moves"`
	KernelCalls [2]int   `json:"system_calls"`
	Interrupts  [2]int   `json:"interrupts"`
	CPU         [2]int64 `json:"cpu_ps"`
	Cycles      [2]int64 `json:"cpu_cycles"`
	Clock       int64    `json:"clock_hz"`
}

type perftestUs struct {
	Iterations int     `json:"iterations"`
	Min        float64 `json:"t_min"`
	Max        float64 `json:"t_max"`
	Typical    float64 `json:"t_typical"`
	Avg        float64 `json:"t_avg"`
	Stdev      float64 `json:"t_stdev"`
	P99        float64 `json:"p99"`
	P999       float64 `json:"p999"`
}

type figureOut struct {
	Name   string `json:"figure"`
	Low    int64  `json:"low_ps"`
	High   int64  `json:"high_ps"`
	Source string `json:"source"`
	Weft   int64  `json:"weft_ps"`
	Case   string `json:"weft_case"`
	Why    string `json:"difference"`
}

func latencyJSON(all []report.Latency, figures []latency.Figure) latenciesOut {
	var out latenciesOut
	for _, m := range all {
		p := m.PingPong()
		o := latencyOut{
			Fabric: m.Fabric, Protocol: string(m.Protocol), Path: string(m.Path), Op: string(m.Op), Bytes: int64(m.Bytes), Hops: m.Hops,
			Packets: m.Packets, Wire: int64(m.Wire), Jitter: m.Jitter, OneWay: int64(m.OneWay), AtVerbs: int64(m.AtVerbs()),
			Cost: costOut{
				m.Cost.CPUCopies, m.Cost.GPUCopies, m.Cost.Moves(), m.Cost.KernelCalls, m.Cost.Interrupts,
				[2]int64{int64(m.Cost.CPU[0]), int64(m.Cost.CPU[1])},
				m.Cost.Cycles, m.Clock,
			},
			Perftest: perftestUs{len(m.Trips), p.Min, p.Max, p.Typical, p.Avg, p.Stdev, p.P99, p.P999},
		}
		for i := range m.Terms {
			t := &m.Terms[i]
			x := termOut{Part: string(t.Part), Name: t.Name, Time: int64(t.Time), Bytes: int64(t.Bytes), Rate: int64(t.Rate), Note: t.Note}
			for _, s := range t.Sources {
				x.Sources = append(x.Sources, sourceOut(s))
			}
			o.Terms = append(o.Terms, x)
		}
		out.Latencies = append(out.Latencies, o)
	}
	for _, f := range figures {
		out.Figures = append(out.Figures, figureOut{f.Name, int64(f.Low), int64(f.High), f.Source, int64(f.Weft), f.Case, f.Why})
	}
	return out
}
