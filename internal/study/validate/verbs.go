package validate

import (
	"fmt"

	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// verbCases compare services and operations on one cable with their headers,
// and READ with the number of outstanding requests.
func verbCases() []*Case {
	const trip = "Round trip: (request: RETH 16) and (response: 4096 B + AETH 4), each with BTH and what the fabric puts around it, · 20 ps + 2·50.5 ns + 2·300 ns. " +
		"Time = 128/r round trips + (r-1) responses, by which the r READs that begin together are spread. "
	return []*Case{
		{
			ID:    "verbs/headers",
			Claim: "Packets of the services and operations differ in their headers alone.",
			Reference: "4096 B + 26 B (InfiniBand) or 82 B (RoCE v2), and UD: DETH 8, WRITE: RETH 16, immediate data 4; · 20 ps + 50.5 ns + 300 ns. " +
				"READ: one request of RETH 16 without payload and one response of 4096 B with AETH 4, one after the other.",
			Setting: "One message of 4096 B on one cable at 400 Gb/s; the time at which the receiver has it.",
			Run:     verbRows,
		},
		{
			ID:        "verbs/read/infiniband",
			Claim:     "READ has the bandwidth of reads in flight × size / round trip, as long as that does not fill the wire.",
			Reference: trip + "A response on a busy wire is preceded by the credits of a request, 6 B. An update comes at least 100 ns after the one before, so of 8 requests two share one.",
			Setting:   "128 READs of 4096 B on one cable, NDR, with 1, 2, 4 and 8 outstanding.",
			Run:       func(e *Env) ([]Row, error) { return readRows(e, infiniband, "ndr", 26, 6) },
		},
		{
			ID:        "verbs/read/roce",
			Claim:     "The same on RoCE v2.",
			Reference: trip,
			Setting:   "As above, 400 GbE.",
			Run:       func(e *Env) ([]Row, error) { return readRows(e, roce, "400g", 82, 0) },
		},
	}
}

func verbRows(e *Env) ([]Row, error) {
	const extra = 50_500 + 300_000
	var rows []Row
	for _, f := range []struct {
		models  func(string) (*testbed, error)
		name    string
		link    string
		headers int64
	}{{infiniband, "InfiniBand", "ndr", 26}, {roce, "RoCE v2", "400g", 82}} {
		for _, v := range []struct {
			name    string
			service transport.Service
			op      transport.Op
			want    int64 // ps
		}{
			{"RC SEND", transport.RC, transport.OpSend, (4096+f.headers)*20 + extra},
			{"UC SEND", transport.UC, transport.OpSend, (4096+f.headers)*20 + extra},
			{"UD SEND", transport.UD, transport.OpSend, (4096+f.headers+8)*20 + extra},
			{"RC WRITE with immediate data", transport.RC, transport.OpWriteImm, (4096+f.headers+16+4)*20 + extra},
			{"UC WRITE with immediate data", transport.UC, transport.OpWriteImm, (4096+f.headers+16+4)*20 + extra},
			{"RC READ", transport.RC, transport.OpRead, (f.headers+16+4096+f.headers+4)*20 + 2*extra},
		} {
			m, err := f.models(f.link)
			if err != nil {
				return nil, err
			}
			got, err := verbTime(e, m, v.service, v.op, 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.name, err)
			}
			rows = append(rows, Row{
				Name: f.name + ", " + v.name, Unit: Nanoseconds, Tolerance: exact,
				Reference: []float64{float64(v.want)}, Weft: []float64{float64(got)},
			})
		}
	}
	return rows, nil
}

const readCount = 128

func readRows(e *Env, models func(string) (*testbed, error), link string, headers, update int64) ([]Row, error) {
	var rows []Row
	for _, inFlight := range []int64{1, 2, 4, 8} {
		m, err := models(link)
		if err != nil {
			return nil, err
		}
		m.NIC.ReadsInFlight = int(inFlight)
		got, err := verbTime(e, m, transport.RC, transport.OpRead, readCount)
		if err != nil {
			return nil, err
		}
		trip := (headers+16+4096+headers+4)*20 + 2*(50_500+300_000)
		response := (4096 + headers + 4) * 20
		want := readCount/inFlight*trip + (inFlight-1)*response + updatesOf(inFlight, response+update*20, int64(ibPeriod))*update*20
		rows = append(rows, Row{
			Name: fmt.Sprintf("%d in flight: %d READs", inFlight, readCount), Unit: Nanoseconds, Tolerance: exact,
			Reference: []float64{float64(want)}, Weft: []float64{float64(got)},
		})
	}
	return rows, nil
}

// updatesOf is the number of credit updates after the first for a number of requests that come with a
// gap between them: each is sent at once, or a period after the one before.
func updatesOf(requests, gap, period int64) (count int64) {
	latest := int64(0)
	for at := gap; at < requests*gap; at += gap {
		if at > latest {
			latest = max(at, latest+period)
			count++
		}
	}
	return count
}

// verbTime is the arrival of the last of count messages of one packet: at the
// receiver, or for READ at the reader.
func verbTime(e *Env, m *testbed, service transport.Service, op transport.Op, count int) (units.Time, error) {
	last, done := units.Time(0), 0
	n, err := m.pair(e, &app{complete: func(p *fabric.Partition, _ int32, c *transport.Completion) {
		if c.Recv != (op == transport.OpRead) {
			last, done = p.Now(), done+1
		}
	}})
	if err != nil {
		return 0, err
	}
	c := fabric.Connection{Service: service}
	qp, peer, err := n.Connect(0, 1, c, c)
	if err != nil {
		return 0, err
	}
	for range count {
		if err := n.Partition(0).Post(0, qp, transport.WorkRequest{Op: op, Length: mtu, DestQP: peer}); err != nil {
			return 0, err
		}
	}
	if err := run(e, n, units.Second); err != nil {
		return 0, err
	}
	if done != count {
		return 0, fmt.Errorf("%d of %d messages arrived", done, count)
	}
	return last, nil
}
