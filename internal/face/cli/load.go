package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// choice is the command line's changes of a scenario.
type choice struct {
	fabrics []string
	seed    uint64
	algo    string
	proto   string
	set     []string
	overlay []string
	flags   *cobra.Command // knows which flags were given
	file    *scenario.File // the file resolved last, with the names of all its fabrics
	names   []string
}

// register adds the flags to a verb, without those that have no effect on it.
func (c *choice) register(cmd *cobra.Command) {
	c.flags = cmd
	f := cmd.Flags()
	f.StringSliceVar(&c.fabrics, "fabric", nil, "only these fabrics of the scenario, by name")
	without := absent[cmd.Name()]
	if without["seed"] == "" {
		f.Uint64Var(&c.seed, "seed", 0, "seed of everything random (default: the scenario's)")
	}
	if without["algo"] == "" {
		f.StringVar(&c.algo, "algo", "", "algorithm of the collective: ring, tree, nvls, … (default: NCCL's choice)")
		f.StringVar(&c.proto, "proto", "", "NCCL's protocol: simple, ll, ll128 (default: NCCL's choice)")
	}
	f.StringArrayVar(&c.set, "set", nil, "change a field of the scenario, such as fabrics[0].mtu=1KiB or fabrics[NAME].mtu=1KiB; may be repeated")
	f.StringArrayVar(&c.overlay, "overlay", nil, "apply a file of fields over the scenario, such as weft calibrate writes; may be repeated, and --set comes after")
	_ = cmd.MarkFlagFilename("overlay", "yaml", "yml")
	complete := func(values ...string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	_ = cmd.RegisterFlagCompletionFunc("algo", complete("auto", "ring", "tree", "hierarchical", "halving-doubling", "nvls", "nvls-tree", "collnet-direct", "collnet-chain", "direct"))
	_ = cmd.RegisterFlagCompletionFunc("proto", complete("auto", "simple", "ll", "ll128"))
	_ = cmd.RegisterFlagCompletionFunc("set", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("seed", cobra.NoFileCompletions)
}

// overrides are the flags as overrides of the file.
func (c *choice) overrides() ([]scenario.Override, error) {
	var out []scenario.Override
	if c.flags.Flags().Changed("seed") {
		out = append(out, scenario.Set("run.seed", c.seed, fmt.Sprintf("--seed %d", c.seed)))
	}
	if c.algo != "" {
		out = append(out, scenario.Override{Path: "workload.algorithm", Value: c.algo, Origin: "--algo " + c.algo})
	}
	if c.proto != "" {
		out = append(out, scenario.Override{Path: "workload.protocol", Value: c.proto, Origin: "--proto " + c.proto})
	}
	set, err := overridesOf(c.set)
	return append(out, set...), err
}

// overridesOf are the values of --set.
func overridesOf(set []string) (out []scenario.Override, err error) {
	for _, s := range set {
		path, value, ok := strings.Cut(s, "=")
		if !ok || path == "" || value == "" {
			return nil, fmt.Errorf("--set %q: write a field and its value, such as fabrics[0].mtu=1KiB", s)
		}
		out = append(out, scenario.Override{Path: path, Value: value, Origin: "--set " + abridged(s)})
	}
	return out, nil
}

// longestArgument is the maximum length of an argument in an error.
const longestArgument = 60

// abridged is an argument for an error: on one line, shortened.
func abridged(s string) string {
	if r := []rune(s); len(r) > longestArgument {
		s = string(r[:longestArgument]) + "…"
	}
	return strings.Join(strings.Fields(s), " ")
}

// load reads a scenario and resolves it with the flags. "-" is standard input.
func (c *choice) load(e *Env, path string) (*scenario.Resolved, error) {
	_, r, err := c.loadFile(e, path)
	return r, err
}

// loadFile is load, with the file and its overlays.
func (c *choice) loadFile(e *Env, path string) (*scenario.File, *scenario.Resolved, error) {
	file, err := open(e, path)
	if err == nil {
		file, err = c.overlaid(e, file)
	}
	if err != nil {
		return nil, nil, err
	}
	r, err := c.resolve(file)
	return file, r, err
}

// loadWorkload is load for a scenario whose workload is to run. A scenario with a training job and
// no workload is for another verb: the default workload would not be the user's intention.
func (c *choice) loadWorkload(e *Env, path string) (*scenario.Resolved, error) {
	file, r, err := c.loadFile(e, path)
	if err == nil {
		err = hasWorkload(file, path)
	}
	if err == nil {
		e.tellIdle(file, r)
	}
	return r, err
}

// tellIdle names the fields that a scenario gives without an effect on its run.
func (e *Env) tellIdle(file *scenario.File, r *scenario.Resolved) {
	for _, i := range file.Idle(r) {
		has := "has"
		if len(i.Paths) > 1 {
			has = "have"
		}
		e.note("weft: %s %s no effect: %s\n", strings.Join(i.Paths, ", "), has, i.Why)
	}
}

// hasWorkload is nil for a scenario that weft run simulates.
func hasWorkload(file *scenario.File, path string) error {
	if file.Serves() {
		return file.ErrorAt("serving", fmt.Errorf("the scenario has a serving job and no workload: weft serve %s simulates it; to run a collective on its cluster, name it under workload", path))
	}
	if file.Writes("training") && !file.Writes("workload") {
		return file.ErrorAt("training", fmt.Errorf("the scenario has a training job and no workload: weft train %s simulates the job's step; to run a collective on its cluster, name it under workload", path))
	}
	return nil
}

// overlaid is the scenario with the files of --overlay applied.
func (c *choice) overlaid(e *Env, file *scenario.File) (*scenario.File, error) {
	for _, path := range c.overlay {
		o, err := e.readOverlay(path)
		var p *fs.PathError
		if errors.As(err, &p) {
			return nil, fmt.Errorf("--overlay %s cannot be read: %w", path, p.Err)
		}
		if err == nil {
			file, err = file.Under(o)
		}
		if err != nil {
			return nil, err
		}
	}
	return file, nil
}

func (e *Env) readOverlay(path string) (*scenario.Overlay, error) {
	in, err := e.open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return scenario.LoadOverlay(e.path(path), in)
}

// resolve resolves a file with more fields set, which the flags may set again.
func (c *choice) resolve(file *scenario.File, more ...scenario.Override) (*scenario.Resolved, error) {
	return c.resolveWith(file, more, nil)
}

// resolveWith resolves a file with fields set before those of the flags, and after them.
func (c *choice) resolveWith(file *scenario.File, before, after []scenario.Override) (*scenario.Resolved, error) {
	own, err := c.overrides()
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve(slices.Concat(before, own, after)...)
	if err != nil {
		return nil, err
	}
	c.file, c.names = file, fabricNames(r)
	return r, c.filter(r)
}

// placed gives an error of building the scenario its place in the file.
func (c *choice) placed(err error) error {
	if c.file == nil || codeOf(err) != BadInput {
		return err
	}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, c.placed(one))
		}
		return errors.Join(all...)
	}
	var refused *network.Refusal
	if !errors.As(err, &refused) || !slices.Contains(c.names, refused.Fabric) {
		return err
	}
	path := strings.TrimSuffix(fmt.Sprintf("fabrics[%d].%s", slices.Index(c.names, refused.Fabric), refused.Field), ".")
	if !c.file.Writes(path) && c.file.Writes(refused.Field) {
		return c.file.ErrorAt(refused.Field, refused) // an error common to all fabrics
	}
	return c.file.ErrorAt(path, refused.Err)
}

// filter keeps the fabrics of --fabric, in the scenario's order. Their cabling is the same as among
// all of them.
func (c *choice) filter(r *scenario.Resolved) error {
	if len(c.fabrics) == 0 {
		return nil
	}
	known := fabricNames(r)
	if whole := strings.Join(c.fabrics, ","); slices.Contains(known, whole) { // a name with a comma
		c.fabrics = []string{whole}
	}
	for _, name := range c.fabrics {
		if slices.Contains(known, name) {
			continue
		}
		hint := ""
		if near := catalog.Nearest(name, known); near != "" {
			hint = fmt.Sprintf(" (did you mean %s?)", near)
		}
		return fmt.Errorf("--fabric %s: the scenario has no fabric of that name%s; it has %s", name, hint, strings.Join(known, "; "))
	}
	if err := c.reach(known); err != nil {
		return err
	}
	r.Fabrics = slices.DeleteFunc(r.Fabrics, func(f scenario.Fabric) bool { return !slices.Contains(c.fabrics, f.Name) })
	return nil
}

// reach refuses a --set that changes a fabric which --fabric leaves out. Its numbers count all fabrics of the
// scenario.
func (c *choice) reach(known []string) error {
	for _, set := range c.set {
		path, _, _ := strings.Cut(set, "=")
		rest, ok := strings.CutPrefix(path, "fabrics[")
		if !ok || len(c.fabrics) == 0 {
			continue
		}
		of, _, _ := strings.Cut(rest, "]")
		if i, err := strconv.Atoi(of); err == nil && i >= 0 && i < len(known) {
			of = known[i]
		}
		if !slices.Contains(c.fabrics, of) {
			return fmt.Errorf("--set %s: this is the fabric %s, which --fabric %s leaves out: numbers count all fabrics of the scenario, and fabrics[%s] names one", abridged(set), of, strings.Join(c.fabrics, ","), c.fabrics[0])
		}
	}
	return nil
}

// onlyRoCE is the scenario's only RoCE v2 fabric, among the fabrics of --fabric if given. what is
// the purpose of the fabric, for the error.
func onlyRoCE(r *scenario.Resolved, named []string, what string) (int, error) {
	var found []int
	var names []string
	for i := range r.Fabrics {
		if f := &r.Fabrics[i]; protocol.Of(f.Kind).Settings && (len(named) == 0 || slices.Contains(named, f.Name)) {
			found, names = append(found, i), append(names, f.Name)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return 0, fmt.Errorf("the scenario has several RoCE v2 fabrics: say which with --fabric: %s", strings.Join(names, ", "))
	case len(named) > 0:
		return 0, fmt.Errorf("--fabric %s: there is no RoCE v2 fabric of that name%s; the scenario has %s", strings.Join(named, ","), what, strings.Join(fabricNames(r), ", "))
	}
	return 0, fmt.Errorf("the scenario has no RoCE v2 fabric%s; it has %s", what, strings.Join(fabricNames(r), ", "))
}

// fabricNames are the names of the scenario's fabrics.
func fabricNames(r *scenario.Resolved) []string {
	var names []string
	for _, f := range r.Fabrics {
		names = append(names, f.Name)
	}
	return names
}

// maxStdin bounds a scenario from standard input; the scenario's own limit is lower and gives the
// message.
const maxStdin = 4 << 20

func open(e *Env, path string) (*scenario.File, error) {
	if path == "-" {
		text, err := io.ReadAll(io.LimitReader(e.Stdin, maxStdin))
		if err != nil {
			return nil, fmt.Errorf("the scenario cannot be read from standard input: %w", err)
		}
		return scenario.Decode("stdin", text)
	}
	in, err := e.open(path)
	if err == nil {
		defer in.Close()
		var file *scenario.File
		if file, err = scenario.LoadFrom(e.path(path), in); err == nil {
			return file, nil
		}
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = "; examples/ has scenarios to start from"
		}
		return nil, fmt.Errorf("the scenario %s cannot be read: %w%s", path, p.Err, hint)
	}
	return nil, err
}
