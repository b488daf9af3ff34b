package roce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/roce/host"
	"weft/internal/roce/lint"
	"weft/internal/roce/sonic"
	"weft/internal/sim/cabled"
	"weft/internal/study/faultcost"
	"weft/internal/study/many"
	"weft/scenario"
	"weft/units"
)

// The jobs that are simulated on the fabric of a folder.
const (
	usualSize      = "16MiB"
	usualShift     = 4 // MiB
	usualReduction = "{collective: all-reduce, sizes: [" + usualSize + "]}"
)

// costing is what --cost simulates.
type costing struct {
	*linting
	e      *simulator.Simulator
	site   *site
	dir    string           // the copied folder
	jobs   []*scenario.File // the scenario with each job
	names  []string         // of the jobs; nil for a scenario's
	field  string           // of the scenario, which names the folder
	fabric string           // the name of the fabric that is simulated
	stated func(field string) bool
}

// costs simulates what the faults cost.
func (l *linting) costs(ctx context.Context, e *simulator.Simulator, s *site, subjects []lint.Subject, hosts []*host.Host, reports []*lint.Report) (*faultcost.Report, error) {
	dir, err := s.copied()
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	c := &costing{linting: l, e: e, site: s, dir: dir}
	if err := c.begin(reports); err != nil {
		return nil, err
	}
	var switches []*sonic.Switch
	for i := range subjects {
		switches = append(switches, subjects[i].Switch)
	}
	judged := &faultcost.Site{Hosts: hosts, DSCP: c.usualDSCP(switches), Jobs: c.names}
	for i, file := range s.files {
		text, err := s.text(file)
		if err != nil {
			return nil, err
		}
		judged.Switches = append(judged.Switches, faultcost.Switch{Name: reports[i].Name, File: file, Text: text})
	}
	for _, r := range reports[len(s.files):] {
		judged.Switches = append(judged.Switches, faultcost.Switch{Name: r.Name})
	}
	for i := range judged.Switches {
		if paths := l.options.Paths[judged.Switches[i].Name]; paths != nil {
			if judged.Switches[i].Routers, err = s.routersOf(paths.Router); err != nil {
				return nil, err
			}
		}
	}
	line := e.Working("the simulations begin")
	defer line.End()
	out, err := faultcost.Evaluate(ctx, judged, reports, c.resolve, many.Options{
		Run: e.Study(), Workers: cmp.Or(l.workers, e.Cores),
		Progress: func(p weft.Progress) { line.Count(p.Done, p.Total, "simulations") },
	})
	if ctx.Err() != nil {
		return nil, exit.Errorf(exit.Partial, "interrupted while the jobs were simulated")
	}
	return out, err
}

// begin makes the scenarios of the jobs: the user's, or an all-reduce and incasts on the folder's fabric.
func (c *costing) begin(reports []*lint.Report) error {
	c.field, c.jobs = "topology.file", []*scenario.File{c.site.job}
	if c.site.job != nil {
		c.field = c.site.field
	} else if err := c.usualJobs(reports); err != nil {
		return err
	}
	for i := range c.jobs {
		var err error
		if c.jobs[i], err = c.fields.Overlaid(c.e.Env, c.jobs[i]); err != nil {
			return err
		}
	}
	r, err := c.fields.ResolveWith(c.jobs[0].Copy(), nil, nil)
	if err != nil {
		return err
	}
	i, err := overrides.OnlyRoCE(r, c.fields.Fabrics, ", whose switches have configurations of SONiC")
	if err != nil {
		return err
	}
	c.fabric = r.Fabrics[i].Name
	at := slices.Index(c.fields.Names, c.fabric)
	c.stated = func(field string) bool {
		return slices.ContainsFunc([]string{"fabric.", fmt.Sprintf("fabrics[%d].", at)}, func(path string) bool { return c.jobs[0].Writes(path + field) })
	}
	return nil
}

// usualJobs are an all-reduce between the hosts of the folder, and incasts over the ports with findings.
func (c *costing) usualJobs(reports []*lint.Report) error {
	source, err := cabled.Read(c.site.folder, overrides.FabricFiles(c.e.Env))
	if err != nil {
		return err
	}
	text, err := source.Scenario(c.site.folder)
	if err != nil {
		return err
	}
	placed, err := source.Place(cabled.Choice{})
	if err != nil {
		return err
	}
	name, incasts := faultcost.Incasts(placed, reports, usualSize)
	if incasts == "" {
		return fmt.Errorf("%s has one host's port alone: there is no job to simulate", c.site.folder)
	}
	text = text[:strings.LastIndex(text, "workload:")]
	jobs := []string{usualReduction, incasts}
	c.jobs, c.names = nil, []string{"all-reduce, " + usualSize, name}
	if name, shift := faultcost.Shift(placed, reports, usualShift); shift != "" {
		jobs, c.names = append(jobs, shift), append(c.names, name)
	}
	for _, job := range jobs {
		file, err := scenario.DecodeIn(c.e.Path("."), c.site.folder, []byte(text+"workload: "+job+"\n"))
		if err != nil {
			return err
		}
		c.jobs = append(c.jobs, file)
	}
	overrides.TellNotes(c.e.Env, c.jobs[0].Notes())
	c.e.Note("weft: note: the jobs are between %d hosts with as many GPUs as NICs (%d), taken as dgx-h100: weft fabric convert --to scenario writes a scenario, to change that\n", placed.Nodes, placed.NICs)
	return nil
}

// usualDSCP is the DSCP of the data if no host says one; -1 is the scenario's own.
func (c *costing) usualDSCP(switches []*sonic.Switch) int {
	if c.stated("ethernet.dscp") {
		return -1
	}
	dscp := faultcost.Protected(switches)
	if dscp >= 0 && !slices.ContainsFunc(c.read, func(h *host.Host) bool { return len(h.Streams()) > 0 }) {
		c.e.Note("weft: note: no host says which DSCP its data has: %d is taken, which is lossless on a switch (--set fabrics[0].ethernet.dscp changes it)\n", dscp)
	}
	return dscp
}

// resolve makes the scenarios of a variant.
func (c *costing) resolve(v faultcost.Variant) (out []*scenario.Resolved, err error) {
	before := []scenario.Override{{Path: c.field, Value: filepath.ToSlash(c.dir), Origin: c.site.folder}}
	for _, s := range v.Set {
		if !c.stated(s.Field) {
			before = append(before, scenario.Override{Path: "fabrics[" + c.fabric + "]." + s.Field, Value: s.Value, Origin: "the hosts' settings"})
		}
	}
	err = changing(c.dir, v.Changed, func() error {
		for _, job := range c.jobs {
			r, err := c.fields.ResolveWith(job.Copy(), before, nil)
			if err != nil {
				return c.ofFolder(err)
			}
			r.Fabrics = slices.DeleteFunc(r.Fabrics, func(f scenario.Fabric) bool { return f.Name != c.fabric })
			if len(r.Workload.Sizes) > 1 {
				r.Workload.Sizes = []units.Bytes{slices.Max(r.Workload.Sizes)}
			}
			faultcost.Deafen(r, v.Deaf)
			out = append(out, r)
		}
		return nil
	})
	return out, err
}

// ofFolder is an error with the folder's own name in place of its copy's.
func (c *costing) ofFolder(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), filepath.ToSlash(c.dir), c.site.folder))
}
