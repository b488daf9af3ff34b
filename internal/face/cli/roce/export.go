package roce

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/study/roceexport"
)

// exporting is the flags of weft roce export.
type exporting struct {
	overrides.Flags
	to   []string
	dir  string
	json bool
}

func newRoCEExport(e *process.Env) *cobra.Command {
	x := &exporting{}
	cmd := &cobra.Command{
		Use:   "export SCENARIO -o DIR",
		Short: "write the configuration of real switches and hosts for a scenario's RoCE fabric",
		Long: `Writes the configuration with which real devices match the scenario's RoCE v2 fabric
in the simulator: classes, PFC, headroom for the scenario's speed and longest
cable, marking, schedulers and the watchdog. SCENARIO may be the folder of a run.

The targets:

` + exportTargets() + `

A setting that a device does not have is refused or noted. The configuration of SONiC, given
to a scenario with switch.sonic, is simulated with the same numbers again. That of
sonic-switches is a fabric by itself: topology: {file: DIR} gives the same results.`,
		Example: `  weft roce export example:h100-128 --fabric roce-v2-400g -o configs
  weft roce export my.yaml --to sonic,host -o configs
  weft roce export my.yaml --to sonic-switches -o site`,
		Args: flags.Args(1, 1, "a scenario, or the folder of a run"),
		RunE: func(_ *cobra.Command, given []string) error { return x.run(e, given[0]) },
	}
	x.RegisterFields(cmd)
	flags.Absent(cmd, flags.NoSimulation, "algo", "proto", "error", "seed")
	f := cmd.Flags()
	f.StringSliceVar(&x.to, "to", roceexport.Usual(), "targets: "+strings.Join(roceexport.Names(), ", "))
	flags.OutFolder(cmd, &x.dir, "the files; existing files are not overwritten")
	f.BoolVar(&x.json, "json", false, "describe the written files as JSON")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(roceexport.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func exportTargets() string {
	var b strings.Builder
	for _, t := range roceexport.Targets() {
		fmt.Fprintf(&b, "  %-14s %s\n", t.Name, t.Is)
	}
	return strings.TrimRight(b.String(), "\n")
}

// exported is the output of weft roce export --json.
type exported struct {
	Fabric string   `json:"fabric"`
	Files  []string `json:"files"`
	Notes  []string `json:"notes"`
}

func (x *exporting) run(e *process.Env, path string) error {
	if x.dir == "" {
		return errors.New("no folder is given: name one with -o DIR")
	}
	var targets []roceexport.Target
	for _, name := range x.to {
		i := slices.IndexFunc(roceexport.Targets(), func(t roceexport.Target) bool { return t.Name == name })
		if i < 0 {
			return fmt.Errorf("--to %s: the targets are %s", name, strings.Join(roceexport.Names(), ", "))
		}
		targets = append(targets, roceexport.Targets()[i])
	}
	plan, err := x.plan(e, path)
	if err != nil {
		return err
	}
	answer := exported{Fabric: plan.Name, Files: []string{}, Notes: []string{}}
	var files []roceexport.File
	for _, t := range targets {
		out, err := t.Write(plan)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		files = append(files, out.Files...)
		answer.Notes = append(answer.Notes, out.Notes...)
	}
	for _, f := range files {
		answer.Files = append(answer.Files, filepath.ToSlash(filepath.Join(x.dir, f.Name)))
	}
	if err := x.write(e, files); err != nil {
		return err
	}
	if x.json {
		return process.PrintJSON(e, answer)
	}
	for _, f := range answer.Files {
		fmt.Fprintln(e.Stdout, f)
	}
	for _, n := range answer.Notes {
		fmt.Fprintln(e.Stdout, doc.Wrap("note: "+n, e.Style().Columns()))
	}
	return nil
}

// plan is the export plan of the scenario's only RoCE fabric, or of --fabric's.
func (x *exporting) plan(e *process.Env, path string) (*roceexport.Plan, error) {
	if info, err := os.Stat(e.Path(path)); err == nil && info.IsDir() {
		path = filepath.Join(path, "scenario.yaml")
	}
	file, err := overrides.Open(e, path)
	if err == nil {
		file, err = x.Overlaid(e, file)
	}
	if err != nil {
		return nil, err
	}
	r, err := x.Resolve(file)
	if err != nil {
		return nil, err
	}
	i, err := overrides.OnlyRoCE(r, x.Fabrics, " to export")
	if err != nil {
		return nil, err
	}
	return roceexport.Of(r, &r.Fabrics[i])
}

// write writes new files and overwrites none.
func (x *exporting) write(e *process.Env, files []roceexport.File) error {
	folder, err := e.Claim(x.dir, func(dir, _ string) error {
		for _, f := range files {
			if _, err := os.Lstat(filepath.Join(dir, f.Name)); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there is a %s already: name another folder, or remove the file", f.Name)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer folder.Close()
	var all []runstore.File
	for _, f := range files {
		all = append(all, runstore.File{Name: f.Name, Text: []byte(f.Text), Mode: process.ModeOf(f.Name)})
	}
	if err := folder.Put(all); err != nil {
		return exit.Errorf(exit.Failed, "-o %s: %w", x.dir, regular.Reason(err))
	}
	return nil
}
