package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/roce"
	"weft/internal/study/headroom"
	"weft/units"
)

func newHeadroom(e *Env) *cobra.Command {
	h := headroomFlags{speed: 400 * units.Gbps, cable: 5 * units.Metre, mtu: 9216, lossless: 1024}
	cmd := &cobra.Command{
		Use:   "headroom",
		Short: "the PFC headroom of a port, term by term",
		Long: `Prints the headroom of a lossless priority: the bytes that still arrive after a port
has passed its threshold, until the peer has stopped. It is the vendor's formula for
the chip, term by term, or the shipped value if the formula is not public.

--prove simulates the worst phase on this link: with weft's own bound no packet is
lost, with one packet less a packet is lost. The vendor's addition is printed as a
margin.`,
		Example: `  weft roce headroom --speed 400G --cable 40m --asic spectrum-4
  weft roce headroom --speed 800G --cable 40m --asic spectrum-4 --lanes 8 --prove
  weft roce headroom --speed 400G --cable 170m --asic tomahawk-5`,
		Args: args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return h.run(cmd.Context(), e) },
	}
	f := cmd.Flags()
	f.StringVar(&h.asic, "asic", "spectrum-4", "the switch chip: "+strings.Join(roce.Known(), ", "))
	f.Var(rateFlag(&h.speed), "speed", "the port's speed: 100G, 400G, 800Gbps")
	f.Var(lengthFlag(&h.cable), "cable", "the length of the cable: 5m, 40m, 2km")
	f.Var(bytesFlag(&h.mtu), "mtu", "the port's MTU, frames of any class")
	f.Var(bytesFlag(&h.lossless), "lossless-mtu", "packets of the lossless class")
	f.IntVar(&h.small, "small", 100, "share of 64-byte packets in the worst traffic, in percent")
	f.IntVar(&h.lanes, "lanes", 4, "lanes of the port; eight double the pipeline's share")
	f.BoolVar(&h.shared, "shared-pool", false, "the headroom is part of a pool that ports share")
	f.BoolVar(&h.prove, "prove", false, "run the worst phase in the simulator")
	f.BoolVar(&h.json, "json", false, "print as JSON")
	_ = cmd.RegisterFlagCompletionFunc("asic", cobra.FixedCompletions(roce.Known(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// headroomFlags are the flags of the verb.
type headroomFlags struct {
	asic          string
	speed         units.Rate
	cable         units.Length
	mtu, lossless units.Bytes
	small, lanes  int
	shared, prove bool
	json          bool
}

// headroomAnswer is the answer of the verb, and its JSON.
type headroomAnswer struct {
	ASIC      string        `json:"asic"`
	Speed     string        `json:"speed"`
	Cable     string        `json:"cable"`
	Terms     []headTerm    `json:"terms,omitempty"`
	Occupancy float64       `json:"cell_occupancy,omitempty"`
	Lossless  int64         `json:"lossless_mtu_bytes,omitempty"`
	Shipped   string        `json:"shipped,omitempty"` // source of a table's value
	Xoff      int64         `json:"xoff_bytes"`
	Xon       int64         `json:"xon_bytes"`
	Size      int64         `json:"size_bytes"`
	Source    string        `json:"source"`
	Proof     *headroomTest `json:"proof,omitempty"`
}

type headTerm struct {
	Name  string  `json:"name"`
	Bytes float64 `json:"bytes"`
	Why   string  `json:"why"`
}

type headroomTest struct {
	LoopPs  int64   `json:"loop_ps"`
	Bound   int64   `json:"bound_bytes"`
	Packet  int64   `json:"packet_bytes"`
	AtBound int64   `json:"drops_at_bound"`
	Below   int64   `json:"drops_one_packet_below"`
	Margin  int64   `json:"margin_bytes"`
	Times   float64 `json:"vendor_over_bound"`
}

func (h *headroomFlags) run(ctx context.Context, e *Env) error {
	a, err := h.answer()
	if err != nil {
		return err
	}
	if h.prove {
		p, err := headroom.Prove(ctx, h.speed, h.cable)
		if err != nil {
			return fail(Failed, "the proof: %w", err)
		}
		a.Proof = &headroomTest{
			LoopPs: int64(p.Loop), Bound: int64(p.Bound), Packet: int64(p.Packet), AtBound: p.AtBound, Below: p.Below,
			Margin: a.Xoff - int64(p.Bound), Times: float64(a.Xoff) / float64(p.Bound),
		}
	}
	if h.json {
		return printJSON(e, a)
	}
	return h.print(e, a)
}

// answer looks up or computes the chip's headroom.
func (h *headroomFlags) answer() (*headroomAnswer, error) {
	asic, table, err := roce.Lookup(h.asic)
	if err != nil {
		return nil, err
	}
	a := &headroomAnswer{Speed: h.speed.String(), Cable: h.cable.String()}
	if table != nil {
		row, exact, err := roce.Between(table.Rows, h.speed, h.cable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table.Title, err)
		}
		a.ASIC, a.Source, a.Shipped = table.Title, table.Source, "a row of the shipped table"
		if !exact {
			a.Shipped = "interpolated in the length between two rows of the shipped table: the vendor does not say this value"
		}
		a.Xoff, a.Xon, a.Size = int64(row.Xoff), int64(row.Xon), int64(row.Size)
		return a, nil
	}
	got, err := asic.Headroom(
		roce.Port{Speed: h.speed, Cable: h.cable, MTU: h.mtu, Lanes: h.lanes},
		roce.Pattern{SmallPercent: h.small, MTU: h.lossless}, h.shared)
	if err != nil {
		return nil, err
	}
	a.ASIC, a.Source, a.Occupancy, a.Lossless = asic.Title, asic.Source, got.Occupancy, int64(h.lossless)
	for _, t := range got.Terms {
		a.Terms = append(a.Terms, headTerm(t))
	}
	a.Xoff, a.Xon, a.Size = int64(got.Xoff), int64(got.Xon), int64(got.Size)
	return a, nil
}

func (h *headroomFlags) print(e *Env, a *headroomAnswer) error {
	w, style := e.Stdout, e.style()
	fmt.Fprintf(w, "%s\n\n", style.Bold(fmt.Sprintf("Headroom of a lossless priority: %s, %s, %s of cable", a.ASIC, a.Speed, a.Cable)))
	rows := [][]string{{"term", "bytes", "why"}}
	sum := 0.0
	for _, t := range a.Terms {
		rows = append(rows, []string{t.Name, report.Integer(int64(t.Bytes + 0.5)), t.Why})
		sum += t.Bytes
	}
	if len(a.Terms) > 0 {
		rows = append(rows,
			[]string{"sum", report.Integer(int64(sum + 0.5)), ""},
			[]string{"× cells", fmt.Sprintf("× %.3f", a.Occupancy), fmt.Sprintf("buffer that a byte takes with %d %% packets of 64 B", h.small)},
			[]string{"+ packet", report.Integer(a.Lossless), "the lossless packet that passes the threshold"})
	}
	rows = append(rows,
		[]string{"XOFF", report.Integer(a.Xoff), "the headroom, in whole KiB"},
		[]string{"XON", report.Integer(a.Xon), "to which the queue drains before the peer goes on"},
		[]string{"size", report.Integer(a.Size), "the priority's own reserve"})
	if a.Shipped != "" {
		rows[1][2] = a.Shipped
	}
	if err := doc.Grid(rows).Write(w, style); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nsource: %s\n", a.Source)
	if p := a.Proof; p != nil {
		fmt.Fprintf(w, "\nIn the simulator, worst phase, full packets of %s B: weft's own bound is %s B (a loop of %v).\n",
			report.Integer(p.Packet), report.Integer(p.Bound), units.Time(p.LoopPs))
		fmt.Fprintf(w, "With it %s packets were lost, with one packet less %s. The vendor's XOFF lies %s B above it, %.1f times.\n",
			report.Integer(p.AtBound), report.Integer(p.Below), report.Integer(p.Margin), p.Times)
	}
	return nil
}
