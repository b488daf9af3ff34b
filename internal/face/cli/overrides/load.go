package overrides

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/examples"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// Flags is the flags that choose fabrics of a scenario and change its fields.
type Flags struct {
	Fabrics []string
	Seed    uint64
	Algo    string
	proto   string
	bound   string
	Set     []string
	Overlay []string
	Given   *pflag.FlagSet // knows which flags were given; nil: none
	file    *scenario.File // the file resolved last, with the names of all its fabrics
	Names   []string
}

// Register adds all flags to a verb: those for the fields, the seed, NCCL's algorithm, and the error of
// estimates.
func (c *Flags) Register(cmd *cobra.Command) {
	c.RegisterFields(cmd)
	c.RegisterSeed(cmd)
	c.registerAlgorithm(cmd)
	cmd.Flags().StringVar(&c.bound, "error", "", "greatest error of the estimated time of a long collective, or none (default: the scenario's, 1%)")
	_ = cmd.RegisterFlagCompletionFunc("error", cobra.NoFileCompletions)
}

// RegisterFields adds the flags for any field of a scenario.
func (c *Flags) RegisterFields(cmd *cobra.Command) {
	c.Given = cmd.Flags()
	f := cmd.Flags()
	f.StringSliceVar(&c.Fabrics, "fabric", nil, "only these fabrics of the scenario, by name")
	f.StringArrayVar(&c.Set, "set", nil, "change a field of the scenario, such as fabrics[0].mtu=1KiB or fabrics[NAME].mtu=1KiB; may be repeated")
	c.RegisterOverlay(cmd)
	_ = cmd.RegisterFlagCompletionFunc("set", completeSet)
}

// RegisterOverlay adds the flag for files of fields.
func (c *Flags) RegisterOverlay(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&c.Overlay, "overlay", nil, "file of fields to apply over the scenario, before --set, such as weft calibrate writes; may be repeated")
	_ = cmd.MarkFlagFilename("overlay", "yaml", "yml")
}

// RegisterSeed adds the flag for the seed to a verb with something random.
func (c *Flags) RegisterSeed(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&c.Seed, "seed", 0, "seed of everything random (default: the scenario's)")
	_ = cmd.RegisterFlagCompletionFunc("seed", cobra.NoFileCompletions)
}

// registerAlgorithm adds the flags for NCCL's algorithm to a verb that runs a collective.
func (c *Flags) registerAlgorithm(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.Algo, "algo", "", "algorithm of the collective: ring, tree, nvls, … (default: NCCL's choice)")
	f.StringVar(&c.proto, "proto", "", "NCCL's protocol: simple, ll, ll128 (default: NCCL's choice)")
	_ = cmd.RegisterFlagCompletionFunc("algo", completeValues[scenario.Algorithm])
	_ = cmd.RegisterFlagCompletionFunc("proto", completeValues[scenario.Protocol])
}

// completeValues completes a value of a field with a list of values.
func completeValues[T ~string](*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	for _, value := range scenario.Values[T]() {
		names = append(names, string(value))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// Changed reports whether a flag of the verb was given.
func (c *Flags) Changed(flag string) bool { return c.Given != nil && c.Given.Changed(flag) }

// Overrides are the flags as overrides of the file.
func (c *Flags) Overrides() ([]scenario.Override, error) {
	var out []scenario.Override
	if c.Changed("seed") {
		out = append(out, scenario.Set("run.seed", c.Seed, fmt.Sprintf("--seed %d", c.Seed)))
	}
	if c.Algo != "" {
		out = append(out, scenario.Override{Path: "workload.algorithm", Value: c.Algo, Origin: "--algo " + c.Algo})
	}
	if c.Changed("error") {
		out = append(out, scenario.Override{Path: "run.error", Value: c.bound, Origin: "--error " + c.bound})
	}
	if c.proto != "" {
		out = append(out, scenario.Override{Path: "workload.protocol", Value: c.proto, Origin: "--proto " + c.proto})
	}
	set, err := Of(c.Set)
	return append(out, set...), err
}

// Of are the values of --set.
func Of(set []string) (out []scenario.Override, err error) {
	for _, s := range set {
		path, value, ok := strings.Cut(s, "=")
		if !ok || path == "" || value == "" {
			return nil, fmt.Errorf("--set %q: write a field and its value, such as fabrics[0].mtu=1KiB", s)
		}
		out = append(out, scenario.Override{Path: path, Value: value, Origin: "--set " + flags.Abridged(s)})
	}
	return out, nil
}

// Load reads a scenario and resolves it with the flags. "-" is standard input.
func (c *Flags) Load(e *process.Env, path string) (*scenario.Resolved, error) {
	_, r, err := c.LoadFile(e, path)
	return r, err
}

// LoadFile is load, with the file and its overlays.
func (c *Flags) LoadFile(e *process.Env, path string) (*scenario.File, *scenario.Resolved, error) {
	file, err := Open(e, path)
	if err == nil {
		file, err = c.Overlaid(e, file)
	}
	if err != nil {
		return nil, nil, err
	}
	r, err := c.Resolve(file)
	return file, r, err
}

// LoadWorkload is load for a scenario whose workload is to run. A scenario with a training job and
// no workload is for another verb: the default workload would not be the user's intention.
func (c *Flags) LoadWorkload(e *process.Env, path string) (*scenario.Resolved, error) {
	file, r, err := c.LoadFile(e, path)
	if err == nil {
		err = HasWorkload(file, path)
	}
	if err == nil {
		TellIdle(e, file, r)
	}
	return r, err
}

// TellIdle names the fields that a scenario gives without an effect on its run.
func TellIdle(e *process.Env, file *scenario.File, r *scenario.Resolved) {
	for _, i := range file.Idle(r) {
		has := "has"
		if len(i.Paths) > 1 {
			has = "have"
		}
		e.Note("weft: %s %s no effect: %s\n", strings.Join(i.Paths, ", "), has, i.Why)
	}
}

// HasWorkload is nil for a scenario that weft run simulates.
func HasWorkload(file *scenario.File, path string) error {
	if file.Serves() {
		return file.ErrorAt("serving", fmt.Errorf("the scenario has a serving job and no workload: weft serve %s simulates it; to run a collective on its cluster, name it under workload", path))
	}
	if file.Writes("training") && !file.Writes("workload") {
		return file.ErrorAt("training", fmt.Errorf("the scenario has a training job and no workload: weft train %s simulates the job's step; to run a collective on its cluster, name it under workload", path))
	}
	return nil
}

// Overlaid is the scenario with the files of --overlay applied.
func (c *Flags) Overlaid(e *process.Env, file *scenario.File) (*scenario.File, error) {
	for _, path := range c.Overlay {
		o, err := read(e, path, scenario.LoadOverlay)
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

// read gives a file to its reader, with the path that errors name.
func read[T any](e *process.Env, path string, by func(path string, in io.Reader) (*T, error)) (*T, error) {
	in, err := e.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return by(e.Path(path), in)
}

// Resolve resolves a file with more fields set, which the flags may set again.
func (c *Flags) Resolve(file *scenario.File, more ...scenario.Override) (*scenario.Resolved, error) {
	return c.ResolveWith(file, more, nil)
}

// ResolveWith resolves a file with fields set before those of the flags, and after them.
func (c *Flags) ResolveWith(file *scenario.File, before, after []scenario.Override) (*scenario.Resolved, error) {
	own, err := c.Overrides()
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve(slices.Concat(before, own, after)...)
	if err != nil {
		return nil, err
	}
	c.file, c.Names = file, FabricNames(r)
	return r, c.Filter(r)
}

// Placed gives an error of building the scenario its place in the file.
func (c *Flags) Placed(err error) error {
	if c.file == nil || exit.CodeOf(err) != exit.BadInput {
		return err
	}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, c.Placed(one))
		}
		return errors.Join(all...)
	}
	var refused *network.Refusal
	if !errors.As(err, &refused) || !slices.Contains(c.Names, refused.Fabric) {
		return err
	}
	path := strings.TrimSuffix(fmt.Sprintf("fabrics[%d].%s", slices.Index(c.Names, refused.Fabric), refused.Field), ".")
	if !c.file.Writes(path) && c.file.Writes(refused.Field) {
		return c.file.ErrorAt(refused.Field, refused) // an error common to all fabrics
	}
	return c.file.ErrorAt(path, refused.Err)
}

// Filter keeps the fabrics of --fabric, in the scenario's order. Their cabling is the same as among
// all of them.
func (c *Flags) Filter(r *scenario.Resolved) error {
	if len(c.Fabrics) == 0 {
		return nil
	}
	known := FabricNames(r)
	if whole := strings.Join(c.Fabrics, ","); slices.Contains(known, whole) { // a name with a comma
		c.Fabrics = []string{whole}
	}
	for _, name := range c.Fabrics {
		if slices.Contains(known, name) {
			continue
		}
		return fmt.Errorf("--fabric %s: the scenario has no fabric of that name%s; it has %s", name, flags.DidYouMean(name, known), strings.Join(known, ", "))
	}
	if err := c.Reach(known); err != nil {
		return err
	}
	r.Fabrics = slices.DeleteFunc(r.Fabrics, func(f scenario.Fabric) bool { return !slices.Contains(c.Fabrics, f.Name) })
	return nil
}

// Reach refuses a --set that changes a fabric which --fabric leaves out. Its numbers count all fabrics of the
// scenario.
func (c *Flags) Reach(known []string) error {
	for _, set := range c.Set {
		path, _, _ := strings.Cut(set, "=")
		rest, ok := strings.CutPrefix(path, "fabrics[")
		if !ok || len(c.Fabrics) == 0 {
			continue
		}
		of, _, _ := strings.Cut(rest, "]")
		if i, err := strconv.Atoi(of); err == nil && i >= 0 && i < len(known) {
			of = known[i]
		}
		if !slices.Contains(c.Fabrics, of) {
			return fmt.Errorf("--set %s: this is the fabric %s, which --fabric %s leaves out: numbers count all fabrics of the scenario, and fabrics[%s] names one", flags.Abridged(set), of, strings.Join(c.Fabrics, ","), c.Fabrics[0])
		}
	}
	return nil
}

// OnlyRoCE is the scenario's only RoCE v2 fabric, among the fabrics of --fabric if given. what is
// the purpose of the fabric, for the error.
func OnlyRoCE(r *scenario.Resolved, named []string, what string) (int, error) {
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
		return 0, fmt.Errorf("--fabric %s names no RoCE v2 fabric%s: without --fabric the scenario's own is taken", strings.Join(named, ","), what)
	}
	return 0, fmt.Errorf("the scenario has no RoCE v2 fabric%s; it has %s", what, strings.Join(FabricNames(r), ", "))
}

// FabricNames are the names of the scenario's fabrics.
func FabricNames(r *scenario.Resolved) []string {
	var names []string
	for _, f := range r.Fabrics {
		names = append(names, f.Name)
	}
	return names
}

// TellNotes prints notes about a fabric.
func TellNotes(e *process.Env, notes []string) {
	for _, n := range notes {
		e.Note("weft: note: %s\n", n)
	}
}

// NamesScenario reports whether a file is a scenario by its name.
func NamesScenario(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return strings.HasPrefix(path, examples.Prefix) || ext == ".yaml" || ext == ".yml"
}

// tellNotes prints what a scenario assumes about a real fabric.
func tellNotes(e *process.Env) func(*scenario.File, error) (*scenario.File, error) {
	return func(f *scenario.File, err error) (*scenario.File, error) {
		if err == nil {
			TellNotes(e, f.Notes())
		}
		return f, err
	}
}

// maxStdin bounds a scenario from standard input; the scenario's own limit is lower and gives the
// message.
const maxStdin = 32 << 20

// hintOfMissing says where to find a scenario.
func hintOfMissing(path string) string {
	if name, ok := strings.CutPrefix(path, examples.Prefix); ok {
		return flags.DidYouMean(name, examples.Names()) + "; weft examples lists them"
	}
	return "; weft init writes one of your own cluster, weft examples has some to start from"
}

// OpenUnchecked reads a scenario that may not be valid as it stands.
func OpenUnchecked(e *process.Env, path string) (*scenario.File, error) {
	return read(e, path, scenario.LoadUnchecked)
}

// Open is the scenario of a file, or of standard input for -.
func Open(e *process.Env, path string) (*scenario.File, error) {
	if path == "-" {
		text, err := io.ReadAll(io.LimitReader(e.Stdin, maxStdin))
		if err != nil {
			return nil, fmt.Errorf("the scenario cannot be read from standard input: %w", err)
		}
		return tellNotes(e)(scenario.Decode("stdin", text))
	}
	file, err := tellNotes(e)(read(e, path, scenario.LoadFrom))
	if err == nil {
		return file, nil
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = hintOfMissing(path)
		}
		return nil, fmt.Errorf("the scenario %s cannot be read: %w%s", path, p.Err, hint)
	}
	return nil, err
}
