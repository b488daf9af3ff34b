package sweep

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"

	"weft/internal/study/many"
	"weft/scenario"
	"weft/units"
)

// MaxVariants bounds a sweep: at a tenth of a second each, more take a day of a core.
const MaxVariants = 1_000_000

// streamDraw separates the random numbers of drawn points from those of other studies.
const streamDraw = 18

// Space is the variants of a scenario.
type Space struct {
	Base *scenario.Resolved // the scenario without the axes' values
	Axes []scenario.Axis
	Kind *Kind // of the job

	file      *scenario.File
	overrides []scenario.Override
	drawn     *mat.Dense // places of drawn points; nil: all combinations
	points    int        // combinations, or drawn points
	fabrics   []string   // of the scenario; one empty name if an axis gives the fabrics
	sizes     []units.Bytes
	seeds     int
	kept      []int32 // numbers before the conditions, by variant; nil: all
}

// Variant is a combination.
type Variant struct {
	Values []string // by axis
	Fabric string   // empty: an axis gives it
	Size   units.Bytes
	Seed   uint64

	fabric int
}

// NewSpace is the space of a scenario with a section sweep, under overrides.
func NewSpace(file *scenario.File, overrides ...scenario.Override) (*Space, error) {
	r, err := file.Resolve(overrides...)
	if err != nil {
		return nil, err
	}
	s := &Space{Kind: &workloads, Base: r, Axes: scenario.SweepAxes(r), file: file, overrides: overrides, fabrics: []string{""}, sizes: []units.Bytes{0}, seeds: max(1, r.Sweep.Seeds)}
	if file.Serves() || slices.ContainsFunc(s.Axes, func(a scenario.Axis) bool { return strings.HasPrefix(a.Path, "serving.") }) {
		s.Kind = &servingJobs
	}
	if err := s.Kind.checkKeep(file, r.Sweep.Keep); err != nil {
		return nil, err
	}
	if !s.varies("fabrics", "fabric") {
		s.fabrics = nil
		for i := range r.Fabrics {
			s.fabrics = append(s.fabrics, r.Fabrics[i].Name)
		}
	}
	if n := r.Workload.Sizes; s.Kind == &workloads && len(n) > 0 && !s.varies("workload.sizes") {
		s.sizes = n
	}
	if err := s.count(); err != nil {
		return nil, err
	}
	if len(s.Axes) == 0 && s.all() == 1 {
		return nil, fmt.Errorf("%s has one variant: add a section such as sweep: {axes: [{path: cluster.nodes, values: [2, 4, 8]}]}", file.Name)
	}
	s.draw()
	err = s.restrict()
	return s, err
}

// varies reports whether an axis has one of the paths.
func (s *Space) varies(paths ...string) bool {
	return slices.ContainsFunc(s.Axes, func(a scenario.Axis) bool { return slices.Contains(paths, a.Path) })
}

// count counts the points, and refuses too many variants.
func (s *Space) count() error {
	all := big.NewInt(int64(s.Base.Sweep.Samples))
	what := "drawn points"
	if s.Base.Sweep.Samples == 0 {
		all.SetInt64(1)
		for i := range s.Axes {
			all.Mul(all, big.NewInt(int64(s.Axes[i].Count())))
		}
		what = "combinations"
	}
	points := all.Int64()
	for _, n := range []int{len(s.fabrics), len(s.sizes), s.seeds} {
		all.Mul(all, big.NewInt(int64(n)))
	}
	if !all.IsInt64() || all.Int64() > MaxVariants {
		return s.file.ErrorAt("sweep", fmt.Errorf("these are %s variants (%s of the axes, %d fabrics, %d sizes, %d seeds): at most %d are run; take fewer values, or draw points from the space with samples", all, what, len(s.fabrics), len(s.sizes), s.seeds, MaxVariants))
	}
	s.points = int(points)
	return nil
}

// draw draws the points, if they are drawn.
func (s *Space) draw() {
	n := s.Base.Sweep.Samples
	if n == 0 || len(s.Axes) == 0 {
		return
	}
	random := rand.NewPCG(s.Base.Run.Seed, streamDraw)
	uniform := distmv.NewUnitUniform(len(s.Axes), random)
	s.drawn = mat.NewDense(n, len(s.Axes), nil)
	if s.Base.Sweep.Method == scenario.Halton {
		samplemv.Halton{Kind: samplemv.Owen, Q: uniform, Src: random}.Sample(s.drawn)
		return
	}
	samplemv.LatinHypercube{Q: uniform, Src: random}.Sample(s.drawn)
}

// restrict keeps the variants that fulfil the conditions.
func (s *Space) restrict() error {
	where, err := s.conditions()
	if err != nil || len(where) == 0 {
		return err
	}
	s.kept = []int32{}
	for i := range s.all() {
		v := s.at(i)
		ok, err := where.hold(s, &v)
		if err != nil {
			return err
		}
		if ok {
			s.kept = append(s.kept, int32(i))
		}
	}
	if len(s.kept) == 0 {
		return s.file.ErrorAt("sweep.where", fmt.Errorf("none of the %d variants fulfils the conditions: the axes and the conditions contradict each other", s.all()))
	}
	return nil
}

// all is the number of variants before the conditions.
func (s *Space) all() int { return s.points * len(s.fabrics) * len(s.sizes) * s.seeds }

// Len is the number of variants.
func (s *Space) Len() int {
	if s.kept != nil {
		return len(s.kept)
	}
	return s.all()
}

// Variant is a variant by its number.
func (s *Space) Variant(i int) Variant {
	if s.kept != nil {
		i = int(s.kept[i])
	}
	return s.at(i)
}

// at is a variant by its number before the conditions.
func (s *Space) at(i int) Variant {
	take := func(n int) (k int) {
		i, k = i/n, i%n
		return k
	}
	v := Variant{Seed: s.Base.Run.Seed + uint64(take(s.seeds))}
	v.Size = s.sizes[take(len(s.sizes))]
	v.fabric = take(len(s.fabrics))
	v.Fabric = s.fabrics[v.fabric]
	v.Values = make([]string, len(s.Axes))
	for k := len(s.Axes) - 1; k >= 0; k-- {
		a := &s.Axes[k]
		if s.drawn != nil {
			v.Values[k] = a.At(s.drawn.At(i, k))
		} else {
			v.Values[k] = a.Value(take(a.Count()))
		}
		if a.Path == "run.seed" {
			v.Seed, _ = strconv.ParseUint(v.Values[k], 10, 64)
		}
	}
	return v
}

// sizeOf names what decides most of a variant's time: its fabric, its size, and what the axes say of the
// cluster and of the job.
func (s *Space) sizeOf(v *Variant) string {
	text := v.Fabric + " " + v.Size.Exact()
	for k := range s.Axes {
		switch section, _, _ := strings.Cut(s.Axes[k].Path, "."); section {
		case "cluster", "workload", "serving":
			text += " " + v.Values[k]
		}
	}
	return text
}

// changes are the overrides of a variant.
func (s *Space) changes(v *Variant) []scenario.Override {
	var size []scenario.Override
	if len(s.sizes) > 1 {
		size = []scenario.Override{{Path: "workload.sizes", Value: v.Size.Exact(), Origin: "size " + v.Size.Exact()}}
	}
	return many.Changes(s.Axes, v.Values, v.Seed, size...)
}

// Resolve is the scenario of a variant, with its fabric alone, cabled as among all. Each goroutine has its own file.
func (s *Space) Resolve(file *scenario.File, v *Variant) (*scenario.Resolved, error) {
	r, err := file.Resolve(append(slices.Clone(s.overrides), s.changes(v)...)...)
	if err != nil {
		return nil, err
	}
	if v.Fabric != "" {
		r.Fabrics = r.Fabrics[v.fabric : v.fabric+1]
	}
	if n := len(r.Fabrics); n != 1 {
		return nil, fmt.Errorf("the variant has %d fabrics: give each as a value of its own", n)
	}
	if n := len(r.Workload.Sizes); n > 1 && s.Kind == &workloads {
		return nil, fmt.Errorf("the variant has %d sizes: give each as a value of its own", n)
	}
	r.Sweep = scenario.Sweep{}
	return r, nil
}

// Command is the command that makes the row of a variant again, from the sweep's file in its folder.
func (s *Space) command(i int, file string) []string {
	v := s.Variant(i)
	out := []string{"weft", s.Kind.Verb, filepath.ToSlash(file)}
	if v.Fabric != "" && len(s.fabrics) > 1 {
		out = append(out, "--fabric", v.Fabric)
	}
	for _, o := range append(slices.Clone(s.overrides), s.changes(&v)...) {
		out = append(out, "--set", o.Path+"="+o.Value)
	}
	return out
}
