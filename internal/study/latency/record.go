package latency

import "weft/internal/sim/run/host"

// Record is latencies and figures as JSON. Times are in picoseconds.
type Record struct {
	Latencies []resultRecord `json:"latencies"`
	Figures   []figureRecord `json:"figures_in_circulation"`
}

type resultRecord struct {
	Fabric   string       `json:"fabric"`
	Protocol string       `json:"protocol"`
	Path     string       `json:"path"`
	Op       string       `json:"operation"`
	Bytes    int64        `json:"bytes"`
	Hops     int          `json:"switches"`
	Packets  int          `json:"packets"`
	Wire     int64        `json:"last_packet_wire_bytes"`
	Jitter   bool         `json:"jitter"`
	OneWay   int64        `json:"one_way_ps"`
	AtVerbs  int64        `json:"at_verbs_ps"`
	Terms    []termRecord `json:"terms"`
	Cost     costRecord   `json:"cost"`
	Perftest PingPong     `json:"perftest_us"`
}

type termRecord struct {
	Part    string        `json:"part"`
	Name    string        `json:"name"`
	Time    int64         `json:"time_ps"`
	Bytes   int64         `json:"bytes,omitempty"`
	Rate    int64         `json:"rate_bps,omitempty"`
	Note    string        `json:"note,omitempty"`
	Sources []host.Source `json:"sources,omitempty"`
}

// costRecord has pairs of sender and receiver values.
type costRecord struct {
	CPUCopies   [2]int   `json:"cpu_copies"`
	GPUCopies   [2]int   `json:"gpu_copies"`
	Moves       int      `json:"data_moves"`
	KernelCalls [2]int   `json:"system_calls"`
	Interrupts  [2]int   `json:"interrupts"`
	CPU         [2]int64 `json:"cpu_ps"`
	Cycles      [2]int64 `json:"cpu_cycles"`
	Clock       int64    `json:"clock_hz"`
}

type figureRecord struct {
	Name   string `json:"figure"`
	Low    int64  `json:"low_ps"`
	High   int64  `json:"high_ps"`
	Source string `json:"source"`
	Weft   int64  `json:"weft_ps"`
	Case   string `json:"weft_case"`
	Why    string `json:"difference"`
}

// RecordOf is latencies and the figures in circulation as JSON.
func RecordOf(all []*Result, figures []Figure) Record {
	var out Record
	for _, m := range all {
		o := resultRecord{
			Fabric: m.Fabric, Protocol: string(m.Protocol), Path: string(m.Path), Op: string(m.Op), Bytes: int64(m.Bytes), Hops: m.Hops,
			Packets: m.Packets, Wire: int64(m.Wire), Jitter: m.Jitter, OneWay: int64(m.OneWay), AtVerbs: int64(m.atVerbs()),
			Cost: costRecord{
				m.Cost.CPUCopies, m.Cost.GPUCopies, m.Cost.Moves(), m.Cost.KernelCalls, m.Cost.Interrupts,
				[2]int64{int64(m.Cost.CPU[0]), int64(m.Cost.CPU[1])},
				m.Cost.Cycles, m.Clock,
			},
			Perftest: m.PingPong(),
		}
		for i := range m.Terms {
			t := &m.Terms[i]
			o.Terms = append(o.Terms, termRecord{string(t.Part), t.Name, int64(t.Time), int64(t.Bytes), int64(t.Rate), t.Note, t.Sources})
		}
		out.Latencies = append(out.Latencies, o)
	}
	for _, f := range figures {
		out.Figures = append(out.Figures, figureRecord{f.Name, int64(f.Low), int64(f.High), f.Source, int64(f.Weft), f.Case, f.Why})
	}
	return out
}
