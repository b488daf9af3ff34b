package validate

import (
	"weft/internal/sim/transport"
	"weft/units"
)

// messageCases compare the serialisation of a long message with its bytes on the
// wire.
func messageCases() []*Case {
	return []*Case{
		{
			ID:    "message/infiniband",
			Claim: "A long message takes the wire for all its bytes and their real overhead, to the picosecond; the fraction of a picosecond is carried on.",
			Reference: "(4 MiB + packets · (8 + 12 + 4 + 2 [+ 2]) + RETH 16 in the first + immediate data 4 in the last) · ps per byte, rounded down once, + 50.5 ns + 300 ns. " +
				"FDR: 440/3 ps a byte; rounded in every packet of 2074 B, the message would end 683 ps early.",
			Setting: "A WRITE with immediate data of 4 MiB without acknowledgement between two NICs on one cable, MTU 4096, 2048 and 256; first and last are shown.",
			Run: func(e *Env) ([]Row, error) {
				return messageRows(e, infinibandGenerations, infiniband, 26, []int64{4096, 2048, 256})
			},
		},
		{
			ID:        "message/roce",
			Claim:     "The same on Ethernet.",
			Reference: "(4 MiB + packets · (14 + 20 + 8 + 12 + 4 + 4 + 8 + 12) + 16 + 4) · ps per byte + 50.5 ns + 300 ns.",
			Setting:   "As above, MTU 4096 and 1024.",
			Run:       func(e *Env) ([]Row, error) { return messageRows(e, ethernetGenerations, roce, 82, []int64{4096, 1024}) },
		},
	}
}

const messageBytes = 4 << 20

func messageRows(e *Env, list []generation, models func(string) (*testbed, error), overhead int64, mtus []int64) ([]Row, error) {
	var rows []Row
	for _, g := range list {
		r := Row{Name: g.name, Unit: Nanoseconds, Tolerance: exact}
		for _, payload := range mtus {
			m, err := models(g.catalog)
			if err != nil {
				return nil, err
			}
			m.MTU = units.Bytes(payload)
			at := units.Time(0)
			n, err := m.pair(e, arrivals(func(t units.Time) { at = t }))
			if err != nil {
				return nil, err
			}
			if err := post(n, 0, 1, unreliable, transport.WorkRequest{Op: transport.OpWriteImm, Length: messageBytes}); err != nil {
				return nil, err
			}
			if err := run(e, n, units.Second); err != nil {
				return nil, err
			}
			bytes := messageBytes + messageBytes/payload*(overhead+g.around) + 16 + 4
			r.Reference = append(r.Reference, float64(g.takes(bytes)+50_500+300_000))
			r.Weft = append(r.Weft, float64(at))
		}
		rows = append(rows, r)
	}
	return rows, nil
}
