package infiniband

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/ib/format"
	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
)

// checking is the flags of weft sm check.
type checking struct {
	sl2vl, pathSL, matrix, order string
	workers                      int
	json                         bool
}

func newSMCheck(e *process.Env) *cobra.Command {
	var c checking
	cmd := &cobra.Command{
		Use:   "check FABRIC TABLES",
		Short: "prove or refute forwarding tables: reach, loops, lengths, credit loops, balance",
		Long: `Proves or refutes the forwarding tables of an InfiniBand fabric: every end reaches
every LID, no path goes round, paths are as short as the cables allow, and there is
no credit loop, in which paths wait for each other without end. A credit loop is
shown by its ports. The report also has the balance of paths over cables, and the
load of a ring, of shifts and of an all-to-all of the nodes in the order of their
names.

FABRIC is an output of ibnetdiscover, iblinkinfo or opensm, or a net of ibsim. TABLES
is opensm-lfts.dump, opensm.fdbs, the output of dump_fts or ibroute, or a folder: with OpenSM's dumps, and opensm-sl2vl.dump and
pathrecords.txt or path-sl.txt if paths use several lanes; or with the output
of ibroute for each switch. An opensm-lid-matrix.dump, from the folder or
from --lid-matrix, is compared with the cables and the tables, entry for entry. An
opensm.mcfdbs of the folder is checked for groups that are no tree.

The exit code is 5 if the tables are refuted, or if a LID matrix has fewer hops than
the cables of this fabric allow, and 6 if no path could be tried.`,
		Example: `  weft sm check cluster.topo opensm-lfts.dump
  weft sm check cluster.topo /var/log --path-sl pathrecords.txt --json`,
		Args: flags.Args(2, 2, "a fabric and its tables"),
		RunE: func(_ *cobra.Command, given []string) error { return c.run(e, given[0], given[1]) },
	}
	f := cmd.Flags()
	f.StringVar(&c.sl2vl, "sl2vl", "", "opensm-sl2vl.dump, smpquery sl2vl or the list of ibdmchk -d: lanes by switch, ports and service level")
	f.StringVar(&c.pathSL, "path-sl", "", "service levels of paths: path records, or a list as ibdmchk -c reads it")
	f.StringVar(&c.matrix, "lid-matrix", "", "opensm-lid-matrix.dump: hops by switch, destination and port, to compare")
	f.StringVar(&c.order, "order", "", "nodes of a job in the order of ranks, a name or GUID a line (default: all, by name)")
	f.IntVarP(&c.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&c.json, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	for _, name := range []string{"sl2vl", "path-sl", "lid-matrix", "order"} {
		_ = cmd.MarkFlagFilename(name)
	}
	return cmd
}

func (c *checking) run(e *process.Env, fabric, tables string) error {
	if c.workers < 0 {
		return fmt.Errorf("-j %d: the number of cores is 1 or more, or 0 for all", c.workers)
	}
	s, err := readSubnet(e, fabric)
	if err != nil {
		return err
	}
	files, err := findTables(e, tables)
	if err != nil {
		return err
	}
	if c.sl2vl != "" {
		files.sl2vl = c.sl2vl
	}
	if c.pathSL != "" {
		files.pathSL = c.pathSL
	}
	if c.matrix != "" {
		files.matrix = c.matrix
	}
	s = planeOfTables(e, s, files)
	l, err := loadTables(e, s, files)
	if err != nil {
		return err
	}
	o := proof.Options{Workers: c.workers, Unsaid: l.Undumped}
	if c.order != "" {
		if o.Order, err = readOrder(e, s, c.order); err != nil {
			return err
		}
	}
	r, err := proof.Check(s, l.Tables, o)
	if err != nil {
		return err
	}
	m, err := checkMatrix(e, s, l.Tables, files.matrix)
	if err != nil {
		return err
	}
	groups, err := checkGroups(e, s, files.groups)
	if err != nil {
		return err
	}
	record := r.Record(s, m)
	record.Multicast = groups
	err = e.Present(checkDocument(tables, s, r, l.Tables, m, groups), c.json, record)
	switch {
	case err != nil:
		return err
	case !r.Proven():
		return exit.Errorf(exit.Refuted, "the tables of %s are refuted: %s", tables, refutations(r))
	case nothingJudged(r):
		return exit.Errorf(exit.NotJudged, "%s: nothing was judged: %s", tables, noPath)
	case m != nil && m.Refuted() && c.matrix != "":
		return exit.Errorf(exit.Refuted, "%s is no LID matrix of %s: %d of its entries are less than the cables allow", files.matrix, fabric, m.Shorter)
	}
	return nil
}

// readOrder reads the nodes of a job, one per line.
func readOrder(e *process.Env, s *subnet.Subnet, path string) ([]subnet.End, error) {
	byName := map[string][]subnet.End{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for p := 1; p < len(n.Ports) && n.Kind != subnet.Switch; p++ {
			if n.Ports[p].LID == 0 {
				continue
			}
			end := subnet.End{Node: int32(i), Port: uint16(p)}
			for _, name := range []string{n.Name, firstWord(n.Name), n.GUID.String(), n.Ports[p].GUID.String()} {
				if ends := byName[name]; len(ends) == 0 || ends[len(ends)-1] != end {
					byName[name] = append(ends, end)
				}
			}
		}
	}
	order := []subnet.End{}
	err := reading(e, path, func(r io.Reader) (*format.Report, error) {
		line := 0
		for in := bufio.NewScanner(r); in.Scan(); {
			line++
			name := strings.TrimSpace(in.Text())
			if name == "" || strings.HasPrefix(name, "#") {
				continue
			}
			ends := byName[name]
			if len(ends) == 0 {
				return nil, fmt.Errorf("%s:%d: %q is no adapter of the fabric: expected a node's name or GUID", path, line, name)
			}
			order = append(order, ends...)
		}
		return &format.Report{}, nil
	})
	return order, err
}

// firstWord is the host's name in a node description such as «node01 HCA-1».
func firstWord(name string) string {
	word, _, _ := strings.Cut(name, " ")
	return word
}

// refutations is the faults of refuted tables in a few words.
func refutations(r *proof.Report) string {
	text := strings.Join(r.Refutations(), "; ")
	if r.Deadlocks() && r.AnyLevel {
		text += " (--path-sl)"
	}
	return text
}

// noPath is the reason why tables are not judged.
const noPath = "no cables join a port to another one with a LID"

func nothingJudged(r *proof.Report) bool {
	judged, _ := r.Judged()
	return judged == 0
}

// verdictOf is the verdict, with warnings.
func verdictOf(r *proof.Report) string {
	if !r.Proven() {
		return "refuted: " + refutations(r)
	}
	judged, apart := r.Judged()
	if judged == 0 {
		return "nothing was judged: " + noPath
	}
	text := "proven: every reachable LID is reached, and no deadlock is possible"
	if apart > 0 {
		text += fmt.Sprintf("; not judged: %d of %d paths, which have no cables between their ends", apart, judged+apart)
	}
	for _, w := range r.Warnings() {
		text += "; warning: " + w
	}
	return text
}

// checkDocument is the proof of tables: its verdict in rows, the credit loops, findings,
// the load of patterns, and the comparison with a LID matrix, if there is one.
func checkDocument(tables string, s *subnet.Subnet, r *proof.Report, t *subnet.Tables, m *proof.Matrix, groups *proof.Multicast) *doc.Document {
	d := &doc.Document{Brand: "InfiniBand forwarding tables", Title: tables, Footer: "Made by weft sm check. The same files and version make the same page."}
	rows := [][]string{
		{"of", "result"},
		{"verdict", verdictOf(r)},
		{"fabric", fmt.Sprintf("%d switches, %d ends, %d LIDs", r.Switches, r.Ends, r.LIDs)},
		{"between ends", reachText(r.EndToEnd)},
		{"ends to switches", reachText(r.EndToSwitch)},
		{"from switches", reachText(r.FromSwitches)},
		{"path lengths", lengthsText(r.Lengths)},
		{"credit loops", loopsText(r, t)},
		{"paths per cable", balanceText(s, r.Balance)},
	}
	if groups != nil {
		rows = append(rows, []string{"multicast", groups.Verdict()})
	}
	d.Add(doc.Section{Blocks: []doc.Block{doc.Grid(rows)}})
	for i, c := range r.Cycles {
		d.Add(cycleSection(s, c, i, r.CreditLoops))
	}
	d.Add(findingsSection(s, r))
	if len(r.Patterns) > 0 {
		t := doc.Wrapped("pattern", "flows on the worst cable", "bandwidth of an end", "worst cable")
		for _, p := range r.Patterns {
			at := "none"
			if p.Worst.Exists() {
				at = s.EndName(p.Worst)
			}
			t.Add(doc.Text(p.Name), doc.Number(p.Contention, "flows"), doc.Tenths(p.Bandwidth), doc.Text(at))
		}
		d.Add(doc.Section{Title: "Patterns", In: doc.Details, Blocks: []doc.Block{t}})
	}
	if m != nil {
		d.Add(doc.Section{Title: "LID matrix", Blocks: []doc.Block{matrixTable(s, m)}})
	}
	return d
}

func reachText(r proof.Reach) string {
	text := fmt.Sprintf("%d of %d paths arrive", r.Arrive, r.Pairs)
	if r.Islands > 0 {
		text += fmt.Sprintf(", %d have no cables that lead there", r.Islands)
	}
	if r.Lost > 0 {
		text += fmt.Sprintf(", %d end on the way", r.Lost)
	}
	if r.Looping > 0 {
		text += fmt.Sprintf(", %d go round", r.Looping)
	}
	return text
}

func lengthsText(l proof.Lengths) string {
	var parts []string
	for hops, n := range l.Hops {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d", n, hops))
		}
	}
	if len(parts) == 0 {
		return "no path"
	}
	text := strings.Join(parts, ", ") + " hops; "
	if l.Detours() == 0 {
		return text + "all are the shortest"
	}
	parts = nil
	for more, n := range l.Detour {
		if n > 0 && more > 0 {
			parts = append(parts, fmt.Sprintf("%d by %d", n, more))
		}
	}
	return text + "longer than the cables ask for: " + strings.Join(parts, ", ")
}

func loopsText(r *proof.Report, t *subnet.Tables) string {
	lanes := fmt.Sprintf("on %d virtual lanes", r.Lanes)
	switch {
	case t.SL == nil && t.SL2VL == nil:
		lanes = "with all paths on one virtual lane"
	case r.AnyLevel:
		lanes += ", each path on every service level, since the levels of paths are not known"
	case r.Lanes == 1:
		lanes = "on 1 virtual lane"
	}
	if r.CreditLoops == 0 {
		return "none, " + lanes
	}
	return fmt.Sprintf("%d, %s", r.CreditLoops, lanes)
}

func balanceText(s *subnet.Subnet, b proof.Balance) string {
	if b.Cables == 0 {
		return "no cables between switches"
	}
	text := fmt.Sprintf("most %d, mean %.1f", b.Max, b.Mean)
	if b.Idle > 0 {
		text += fmt.Sprintf(", %d of %d directed cables idle", b.Idle, b.Cables)
	}
	if len(b.Worst) > 0 {
		var worst []string
		for _, w := range b.Worst[:min(3, len(b.Worst))] {
			worst = append(worst, fmt.Sprintf("%s (%d)", s.EndName(w.Port), w.Paths))
		}
		text += "; worst " + strings.Join(worst, ", ")
	}
	return text
}

// cycleSection is a credit loop, port by port.
func cycleSection(s *subnet.Subnet, c proof.Cycle, i, of int) doc.Section {
	var b strings.Builder
	for _, h := range c.Holds {
		fmt.Fprintf(&b, "%s to %s, VL%d\n", s.EndName(h.Port), s.EndName(s.Peer(h.Port)), h.VL)
	}
	short := "The shortest there is"
	if !c.Shortest {
		short = "The shortest that was found in the time"
	}
	return doc.Section{
		Title: fmt.Sprintf("Credit loop %d of %d", i+1, of), Caption: "packets wait at each port for credits of the next, and at the last for the first", In: doc.Details,
		Blocks: []doc.Block{doc.Listing(b.String()), doc.Paragraph{Text: fmt.Sprintf("%s; %d pairs of port and lane share a loop with it.", short, c.Channels)}},
	}
}

func findingsSection(s *subnet.Subnet, r *proof.Report) doc.Section {
	if len(r.Findings) == 0 {
		return doc.Section{}
	}
	t := doc.Wrapped("finding", "count", "first")
	for _, f := range r.Findings {
		var first []string
		for _, p := range f.Places[:min(3, len(f.Places))] {
			first = append(first, placeText(s, p))
		}
		t.Add(doc.Text(f.Kind.String()), doc.Count(f.Count), doc.Text(strings.Join(first, "; ")))
	}
	return doc.Section{Title: "Findings", Blocks: []doc.Block{t}}
}

// placeText is the place of a finding. Port 255 is the entry that drops.
func placeText(s *subnet.Subnet, p proof.Place) string {
	at := s.EndName(p.Port)
	if p.Port.Port == 0 || p.Port.Port == subnet.NoPort {
		at = s.NodeName(p.Port.Node)
	}
	if p.LID != 0 {
		at += fmt.Sprintf(" for LID %d", p.LID)
	}
	return at
}
