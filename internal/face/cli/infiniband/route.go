package infiniband

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/ib/format"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// The names of the output files of weft sm route; they are OpenSM's if OpenSM has such a file.
const (
	lidMatrixFile = "opensm-lid-matrix.dump"
	guid2lidFile  = "guid2lid"
)

// routing is the flags of weft sm route.
type routing struct {
	engineInput
	engine, as, manager, out string
	lmc, workers             int
	reassign, json           bool
	adaptive, broadcast      bool
}

func newSMRoute(e *process.Env) *cobra.Command {
	var r routing
	cmd := &cobra.Command{
		Use:   "route FABRIC",
		Short: "compute forwarding tables with a routing engine, or as OpenSM would",
		Long:  routeHelp(),
		Example: `  weft sm route cluster.topo -o tables
  weft sm route cluster.topo --engine ftree --as opensm --reassign -o tables
  weft sm route cluster.topo --engine updn --roots spines.txt --lmc 2 -o tables`,
		Args: flags.Args(1, 1, "a fabric"),
		RunE: func(c *cobra.Command, given []string) error {
			if !c.Flags().Changed("lmc") {
				r.lmc = -1
			}
			return r.run(e, given[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.engine, "engine", string(route.Auto), "routing engine, or auto to choose one by the fabric")
	f.StringVar(&r.as, "as", "", "opensm: compute the tables of OpenSM 3.3.23, with its fallbacks; without --engine, minhop")
	f.IntVar(&r.lmc, "lmc", 0, "0 to 7: adapters' ports get 2^lmc LIDs (default: as in the file, else 0)")
	f.BoolVar(&r.reassign, "reassign", false, "assign LIDs anew, as opensm -r, even if the file has them")
	f.StringVar(&r.manager, "sm", "", "port GUID of the manager; its LID comes first (default: as in the file, else the first adapter)")
	r.register(cmd)
	f.BoolVar(&r.adaptive, "adaptive", false, "write adaptive-groups.txt too: all ports that begin a shortest path, by switch and LID")
	f.BoolVar(&r.broadcast, "broadcast", false, "write opensm.mcfdbs too: a tree for multicast LID 0xc000 with all adapters")
	f.IntVarP(&r.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	flags.OutFolder(cmd, &r.out, "the tables")
	f.BoolVar(&r.json, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	return cmd
}

func routeHelp() string {
	var b strings.Builder
	b.WriteString(`Computes the forwarding tables of an InfiniBand fabric with one of these engines:

`)
	for _, x := range route.Engines() {
		fmt.Fprintf(&b, "  %-10s %s\n", x.Name, strings.ReplaceAll(doc.Wrap(x.What, 66), "\n", "\n             "))
	}
	b.WriteString(`
Tables are proven before they are printed or written: every path arrives, no path
goes round, and there is no credit loop. Without --engine weft tries all engines that
may fit, and keeps the proven tables with the most bandwidth for shifts of all hosts.
If an engine cannot route the fabric, the error says why and what to change. With
--as opensm this is no error: OpenSM then uses minhop and reports success, so weft
gives the tables of minhop, with the reason. The tables of minhop, updn, dnup, dor,
ftree and sssp equal those of OpenSM 3.3.23 entry for entry, and the tables of dfsssp
do if one lane is enough. If OpenSM's tables may differ, as for lash and nue, a line
"unpredictable" says why. nue is weft's own, also without --as: a note says so, and
the proof in the report is of its tables.

With --by-speed a path on a cable of half the rate counts as two, where cables of several
rates are mixed; the report has the bandwidth of shifts at the cables' own rates, with and
without. OpenSM has no such option: its avoid_throttled_links takes slow cables out.

FABRIC is an output of ibnetdiscover, iblinkinfo or opensm, or a net of ibsim. LIDs
are taken from the file if all ports have one. Otherwise weft assigns them as
opensm -r does: first the port of the manager, then by port GUID read backwards.
Nodes that the manager cannot reach are left out. Planes, which are parts without a cable
between them that hosts share, are all routed, each into its own folder (plane1, plane2, …):
under one manager if ports of one adapter on several planes have one LID or GUID
(aggregated ports of XDR), else under one manager each.

Into the folder of -o go opensm-lfts.dump, opensm-lid-matrix.dump and guid2lid;
if paths use several lanes, also opensm-sl2vl.dump and path-sl.txt; on demand
adaptive-groups.txt and opensm.mcfdbs.

The exit code is 1 if an engine cannot route the fabric, and 5, as with weft sm
check, if its tables are refuted: hosts without a path to each other, a credit loop
that lanes do not break. With --as opensm OpenSM's tables are printed and written all
the same, and a fallback to minhop is reported.`)
	return b.String()
}

func (r *routing) run(e *process.Env, fabric string) error {
	o, err := r.options(e)
	if err != nil {
		return err
	}
	s, err := readSubnet(e, fabric)
	if err != nil {
		return err
	}
	if x := subnet.PlanesOf(s); x != nil {
		return r.runPlanes(e, fabric, x, o)
	}
	s, left, err := r.prepare(s, fabric)
	if err != nil {
		return err
	}
	document, record, refuted := r.routeOne(e, fabric, s, left, o)
	if record == nil {
		return refuted
	}
	if err := e.Present(document, r.json, *record); err != nil {
		return err
	}
	return refuted
}

// routeOne routes a subnet with LIDs, proves the tables, and writes them. The record is nil if there are none; an error
// beside a record is that of refuted tables.
func (r *routing) routeOne(e *process.Env, fabric string, s *subnet.Subnet, left int, o route.Options) (*doc.Document, *route.Record, error) {
	res, err := route.Proved(s, route.Name(r.engine), o)
	var refusal *route.Refusal
	switch {
	case errors.As(err, &refusal):
		return nil, nil, exit.Errorf(exit.Failed, "%s: %w. OpenSM would use minhop here, and say so in its log only (--as opensm)", fabric, err)
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", fabric, err)
	}
	refuted := standing(s, fabric, res, o)
	if refuted != nil && !o.AsOpenSM {
		return nil, nil, refuted
	}
	if r.out != "" {
		if err := r.write(e, s, res); err != nil {
			return nil, nil, err
		}
	}
	document := r.document(fabric, s, res, left)
	if err := r.addSpeeds(document, s, res, o); err != nil {
		return nil, nil, err
	}
	record := res.Report.Record(s, left)
	return document, &record, refuted
}

// standing refuses tables that the proof refutes. The error names an engine whose tables are
// proven; OpenSM's tables are printed and written all the same.
func standing(s *subnet.Subnet, fabric string, res *route.Result, o route.Options) error {
	rep := &res.Report
	if rep.Proof.Proven() {
		return nil
	}
	if o.AsOpenSM {
		return exit.Errorf(exit.Refuted, "%s: the tables of OpenSM's %s are refuted: %s", fabric, rep.Used, strings.Join(rep.Proof.Refutations(), "; "))
	}
	why := strings.Join(rep.Proof.Refutations(), "; ")
	if n := rep.UnreachablePairs; n > 0 {
		why = fmt.Sprintf("it leaves %d pairs of a switch with hosts and another host's LID without a way, as %s", n, noWays(rep))
	}
	if rep.Asked == route.Auto {
		return exit.Errorf(exit.Refuted, "%s: no engine gives tables that are proven, so none are printed or written; the tables of %s are refuted: %s", fabric, rep.Used, why)
	}
	text := fmt.Sprintf("the tables of %s are refuted, and not printed or written: %s", rep.Used, why)
	if rep.Remedy != "" {
		text += ". " + rep.Remedy
	}
	if auto, err := route.Compute(s, route.Auto, o); err == nil && auto.Report.Proof.Proven() {
		text += fmt.Sprintf(". --engine auto would take %s", auto.Report.Used)
	}
	return exit.Errorf(exit.Refuted, "%s: %s", fabric, text)
}

// options checks the flags, and reads their files.
func (r *routing) options(e *process.Env) (route.Options, error) {
	switch {
	case r.as != "" && r.as != "opensm":
		return route.Options{}, fmt.Errorf("--as %s: want opensm, the only other manager whose tables weft computes", r.as)
	case r.lmc < -1 || r.lmc > 7:
		return route.Options{}, fmt.Errorf("--lmc %d: valid are 0 to 7", r.lmc)
	case r.workers < 0:
		return route.Options{}, fmt.Errorf("--workers %d: valid are 1 and more, or 0 for all cores", r.workers)
	}
	o, err := r.engineInput.options(e)
	o.AsOpenSM, o.Cores = r.as == "opensm", r.workers
	return o, err
}

// prepare gives the subnet a manager and LIDs, and removes the nodes that the manager does not
// reach. It returns their number.
func (r *routing) prepare(s *subnet.Subnet, fabric string) (*subnet.Subnet, int, error) {
	for _, fault := range s.Check() {
		if fault.Kind != subnet.LinkMismatch && fault.Kind != subnet.LIDClash && fault.Kind != subnet.BadLID {
			return nil, 0, fmt.Errorf("%s: %s: no manager brings such a fabric up", fabric, fault.Text)
		}
	}
	if err := r.placeManager(s, fabric); err != nil {
		return nil, 0, err
	}
	seen := s.Reachable()
	if r.reassign || !hasLIDs(seen, r.lmc) {
		clearLIDs(seen)
		if err := seen.AssignLIDs(uint8(max(r.lmc, 0))); err != nil {
			return nil, 0, exit.Errorf(exit.Failed, "%s: %w", fabric, err)
		}
	}
	return seen, len(s.Nodes) - len(seen.Nodes), nil
}

// placeManager finds the port that the manager runs on.
func (r *routing) placeManager(s *subnet.Subnet, fabric string) error {
	if r.manager == "" && s.Origin.Exists() {
		return nil
	}
	var want units.GUID
	if r.manager != "" {
		guid, err := parseGUID(r.manager)
		if err != nil {
			return fmt.Errorf("--sm %s: %w", r.manager, err)
		}
		want = guid
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for p := range n.Ports {
			port := &n.Ports[p]
			isEnd := (p > 0 && port.Peer.Exists()) != (n.Kind == subnet.Switch)
			if isEnd && (want != 0 && port.GUID == want || want == 0 && n.Kind == subnet.Adapter) {
				s.Origin = subnet.End{Node: int32(i), Port: uint16(p)}
				return nil
			}
		}
	}
	if want != 0 {
		return fmt.Errorf("--sm %s: no adapter of %s has a cable at a port with this GUID, and no switch has it", r.manager, fabric)
	}
	return nil // a fabric without hosts: there is no place for the manager, and LIDs follow the GUIDs
}

// hasLIDs reports whether all ports that need LIDs have them, with this LMC
// if it is not below 0.
func hasLIDs(s *subnet.Subnet, lmc int) bool {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for p := range n.Ports {
			port := &n.Ports[p]
			if n.Kind == subnet.Switch && p > 0 || n.Kind != subnet.Switch && (p == 0 || !port.Peer.Exists()) {
				continue
			}
			if port.LID == 0 || n.Kind != subnet.Switch && lmc >= 0 && int(port.LMC) != lmc {
				return false
			}
		}
	}
	return true
}

func clearLIDs(s *subnet.Subnet) {
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			s.Nodes[i].Ports[p].LID, s.Nodes[i].Ports[p].LMC = 0, 0
		}
	}
}

// write writes the tables into the folder of -o.
func (r *routing) write(e *process.Env, s *subnet.Subnet, res *route.Result) error {
	dir := e.Path(r.out)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the tables cannot be written to %s: %w", r.out, regular.Reason(err))
	}
	files := []outFile{
		{lftsFile, func(w io.Writer) error { return format.WriteLFTs(w, s, res.Tables) }},
		{lidMatrixFile, func(w io.Writer) error { return format.WriteLIDMatrix(w, s, res.Hops()) }},
		{guid2lidFile, func(w io.Writer) error { return format.WriteGUID2LID(w, s) }},
	}
	if res.SL2VL != nil {
		lanes := &format.SL2VL{Switch: res.SL2VL}
		files = append(files, outFile{sl2vlFile, func(w io.Writer) error { return format.WriteSL2VL(w, s, lanes) }})
	}
	if res.SL != nil {
		files = append(files, outFile{pathFiles[0], func(w io.Writer) error { return format.WritePathSL(w, s, res.SL) }})
	}
	extras, err := r.extras(s, res)
	if err != nil {
		return err
	}
	for _, f := range append(files, extras...) {
		if err := e.WriteFile(filepath.Join(r.out, f.name), f.write); err != nil {
			return err
		}
	}
	return nil
}

// document is the result in rows, the verdict first, and the engines that auto tried.
func (r *routing) document(fabric string, s *subnet.Subnet, res *route.Result, left int) *doc.Document {
	rep := &res.Report
	rows := [][]string{{"of", "result"}, {"engine", string(rep.Used)}, {"proof", verdictOf(rep.Proof)}}
	add := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	switch {
	case rep.Asked == route.Auto:
		add("why", "%s", rep.Reason)
	case rep.Asked != rep.Used:
		add("why", "%s cannot route this fabric: %s", rep.Asked, rep.Reason)
		add("OpenSM", "uses %s without a word but in its log, and reports success", rep.Used)
	}
	if rep.Remedy != "" {
		add("to change", "%s", rep.Remedy)
	}
	if rep.Unpredictable != "" {
		add("unpredictable", "%s", rep.Unpredictable)
	}
	add("switches", "%d", len(res.Switch))
	add("LIDs", "up to %d, the manager is at %s", res.Top, managerName(s))
	add("lanes", "%d", rep.Lanes)
	if left > 0 {
		add("left out", "%d nodes, which no cable joins to the manager", left)
	}
	if rep.UnreachablePairs > 0 {
		add("no way", "%d pairs of a switch with hosts and the LID of another host, as %s", rep.UnreachablePairs, noWays(rep))
	}
	if rep.Apart > 0 {
		add("apart", "%d pairs of switches have no way to each other, which only management by LID needs", rep.Apart)
	}
	for _, note := range rep.Notes {
		add("note", "%s", note)
	}
	if r.out != "" {
		add("written to", "%s", filepath.ToSlash(r.out))
	}
	return &doc.Document{
		Brand: "InfiniBand routing", Title: fabric, Footer: "Made by weft sm route. The same files and version make the same page.",
		Sections: []doc.Section{{Blocks: []doc.Block{doc.Grid(rows)}}, triedSection(rep.Tried)},
	}
}

// triedSection is the engines that auto tried, if there are several.
func triedSection(tried []route.Attempt) doc.Section {
	if len(tried) < 2 {
		return doc.Section{}
	}
	out := doc.Wrapped("engine", "lanes", "bandwidth of shifts", "flows on the worst cable", "proof")
	for i := range tried {
		t := &tried[i]
		row := []doc.Cell{doc.Text(strings.TrimSpace(string(t.Engine) + " " + t.With)), {}, {}, {}, doc.Text("refuted: " + t.Refused)}
		switch {
		case t.Lanes == 0:
			row[4].Text = "cannot route this fabric: " + t.Refused
		case t.Refused == "":
			row[4].Text = "proven"
		}
		if t.Lanes > 0 {
			row[1], row[2], row[3] = doc.Count(t.Lanes), doc.Tenths(t.Bandwidth), doc.Number(t.Contention, "flows")
		}
		out.Add(row...)
	}
	return doc.Section{Title: "Engines tried", In: doc.Details, Blocks: []doc.Block{out}}
}

func managerName(s *subnet.Subnet) string {
	if !s.Origin.Exists() {
		return "no port"
	}
	return s.EndName(s.Origin)
}

// noWays names the first few pairs without a path.
func noWays(rep *route.Report) string {
	var some []string
	for _, u := range rep.Unreachable[:min(3, len(rep.Unreachable))] {
		some = append(some, fmt.Sprintf("%v for 0x%04x", u.Switch, uint16(u.LID)))
	}
	return strings.Join(some, ", ")
}
