package prove

import (
	"fmt"

	"weft/internal/roce/lint"
)

// Record is a report with its trials as JSON has it.
type Record struct {
	lint.Record
	Trials []Trial `json:"simulated,omitempty"`
}

// Trial is a finding in the simulator: the switch as configured, and corrected. It is its JSON too.
type Trial struct {
	Rule    string `json:"rule"`
	At      string `json:"at"`
	Switch  string `json:"switch"` // the file
	Port    string `json:"port,omitempty"`
	Speed   string `json:"speed,omitempty"`
	Traffic string `json:"traffic,omitempty"`
	Before  Result `json:"as_configured"`
	After   Result `json:"mended"`
	Refused string `json:"not_simulated,omitempty"` // why

	Shows []Figure `json:"-"`
}

// Result is the result of a side.
type Result struct {
	DSCP       int    `json:"dscp"`
	CNPDSCP    int    `json:"cnp_dscp"`
	Packets    string `json:"packets,omitempty"`
	Congestion string `json:"congestion_control"` // dcqcn or none
	Room       int64  `json:"room_bytes,omitempty"`
	TimePs     int64  `json:"time_ps"`
	OwnTimePs  int64  `json:"own_time_ps,omitempty"`
	Dropped    int64  `json:"dropped_packets"`
	DroppedMTU int64  `json:"dropped_mtu,omitempty"` // part of them: longer than the switch's MTU
	Resent     int64  `json:"resent_packets"`
	Pauses     int64  `json:"pfc_pauses"`
	Storms     int64  `json:"pfc_storms,omitempty"`
	Marks      int64  `json:"ecn_marks"`
	CNPDelayPs int64  `json:"cnp_delay_ps,omitempty"` // the mean
	Failed     string `json:"failed,omitempty"`
}

// Begin describes the proof in its trial before it runs.
func (t *Trial) Begin(p *Proof) {
	t.Port, t.Speed, t.Traffic, t.Shows = p.Port.Name, p.Port.Speed.String(), p.Traffic, p.Shows
	t.Before, t.After = p.Before.result(), p.After.result()
}

// result is the description of a side before it runs.
func (s *Side) result() Result {
	out := Result{DSCP: s.DSCP, CNPDSCP: s.CNP, Congestion: s.Congestion, Room: int64(s.Room)}
	switch {
	case s.TCP:
		out.Packets = fmt.Sprintf("TCP's of %d B", s.MTU)
	case s.MTU > 0:
		out.Packets = fmt.Sprintf("RDMA's with %d B of payload", s.MTU)
	}
	return out
}
