package roce

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/roce"
	"weft/internal/study/headroom"
	"weft/units"
)

func newHeadroom(e *process.Env) *cobra.Command {
	h := headroomFlags{Question: headroom.Question{
		Port:    roce.Port{Speed: 400 * units.Gbps, Cable: 5 * units.Metre, MTU: 9216},
		Pattern: roce.Pattern{MTU: 1024},
	}}
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
		Args: flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return h.run(cmd.Context(), e) },
	}
	f := cmd.Flags()
	f.StringVar(&h.ASIC, "asic", "spectrum-4", "the switch chip: "+strings.Join(roce.Known(), ", "))
	f.Var(flags.Rate(&h.Port.Speed), "speed", "the port's speed: 100G, 400G, 800Gbps")
	f.Var(flags.Length(&h.Port.Cable), "cable", "the length of the cable: 5m, 40m, 2km")
	f.Var(flags.Bytes(&h.Port.MTU), "mtu", "the port's MTU, frames of any class")
	f.Var(flags.Bytes(&h.Pattern.MTU), "lossless-mtu", "packets of the lossless class")
	f.IntVar(&h.Pattern.SmallPercent, "small", 100, "share of 64-byte packets in the worst traffic, in percent")
	f.IntVar(&h.Port.Lanes, "lanes", 4, "lanes of the port; eight double the pipeline's share")
	f.BoolVar(&h.Shared, "shared-pool", false, "the headroom is part of a pool that ports share")
	f.BoolVar(&h.prove, "prove", false, "run the worst phase in the simulator")
	f.BoolVar(&h.json, "json", false, "print as JSON")
	e.PageFlag(cmd)
	_ = cmd.RegisterFlagCompletionFunc("asic", cobra.FixedCompletions(roce.Known(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// headroomFlags are the flags of the verb.
type headroomFlags struct {
	headroom.Question
	prove, json bool
}

func (h *headroomFlags) run(ctx context.Context, e *process.Env) error {
	if h.Port.Lanes < 1 || h.Port.Lanes > 16 {
		return fmt.Errorf("--lanes %d: valid are 1 to 16", h.Port.Lanes)
	}
	a, err := h.Answer()
	if err != nil {
		return err
	}
	if h.prove {
		p, err := headroom.Prove(ctx, h.Port.Speed, h.Port.Cable)
		if err != nil {
			return exit.Errorf(exit.Failed, "the proof: %w", err)
		}
		a.Add(&p)
	}
	return e.Present(h.document(a), h.json, a)
}

// document is the terms, their source, and the proof.
func (h *headroomFlags) document(a *headroom.Answer) *doc.Document {
	terms := doc.Wrapped("term", "bytes", "why")
	add := func(name string, bytes doc.Cell, why string) { terms.Add(doc.Text(name), bytes, doc.Text(why)) }
	sum := 0.0
	for _, t := range a.Terms {
		add(t.Name, doc.ExactBytes(int64(t.Bytes+0.5)), t.Why)
		sum += t.Bytes
	}
	if len(a.Terms) > 0 {
		add("sum", doc.ExactBytes(int64(sum+0.5)), "")
		add("× cells", doc.Ratio(a.Occupancy, 3).As(fmt.Sprintf("× %.3f", a.Occupancy)), fmt.Sprintf("buffer that a byte takes with %d %% packets of 64 B", h.Pattern.SmallPercent))
		add("+ packet", doc.ExactBytes(a.Lossless), "the lossless packet that passes the threshold")
	}
	add("XOFF", doc.ExactBytes(a.Xoff), "the headroom, in whole KiB")
	add("XON", doc.ExactBytes(a.Xon), "to which the queue drains before the peer goes on")
	add("size", doc.ExactBytes(a.Size), "the priority's own reserve")
	if a.Shipped != "" {
		terms.Rows[1][2].Text = a.Shipped
	}
	d := &doc.Document{
		Brand: "RoCE v2 configuration", Title: fmt.Sprintf("Headroom of a lossless priority: %s, %s, %s of cable", a.ASIC, a.Speed, a.Cable),
		Footer: "Made by weft roce headroom. The same flags and version make the same page.",
	}
	d.Add(doc.Section{Blocks: append([]doc.Block{terms}, doc.Notes("Source: "+a.Source+".")...)})
	if p := a.Proof; p != nil {
		d.Add(doc.Section{Title: "In the simulator", Caption: fmt.Sprintf("worst phase, full packets of %s B", doc.Integer(p.Packet)), Blocks: doc.Paragraphs(
			fmt.Sprintf("weft's own bound is %s B (a loop of %v).", doc.Integer(p.Bound), units.Time(p.LoopPs)),
			fmt.Sprintf("With it %s packets were lost, with one packet less %s. The vendor's XOFF lies %s B above it, %.1f times.",
				doc.Integer(p.AtBound), doc.Integer(p.Below), doc.Integer(p.Margin), p.Times))})
	}
	return d
}
