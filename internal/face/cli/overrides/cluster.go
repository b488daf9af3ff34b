package overrides

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/examples"
	"weft/internal/face/cli/process"
	"weft/internal/sim/catalog"
	"weft/scenario"
)

// CompleteCluster completes the value of --cluster.
func CompleteCluster(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return catalog.Names(catalog.Node), cobra.ShellCompDirectiveDefault
}

// Cluster is the scenario for --cluster: a file, or one line around a node preset of the catalog
// with the fabric presets of --fabric. The files of --overlay are applied.
func (c *Flags) Cluster(e *process.Env, name string) (*scenario.File, error) {
	file, preset, err := clusterFile(e, name)
	if err == nil && preset && len(c.Fabrics) > 0 && !slices.ContainsFunc(c.Fabrics, func(name string) bool { return !slices.Contains(catalog.Names(catalog.Fabric), name) }) {
		file, err = file.With(scenario.Set("fabrics", c.Fabrics, "--fabric "+strings.Join(c.Fabrics, ",")))
	}
	if err != nil {
		return nil, err
	}
	return c.Overlaid(e, file)
}

// clusterFile is the cluster's scenario: a file, or one line around a preset.
func clusterFile(e *process.Env, name string) (file *scenario.File, preset bool, err error) {
	if slices.Contains(catalog.Names(catalog.Node), name) {
		file, err = scenario.New(name, &scenario.Scenario{Name: name, Cluster: scenario.Cluster{Node: scenario.Node{Preset: name}}})
		return file, true, err
	}
	if name == "-" || strings.HasPrefix(name, examples.Prefix) || strings.ContainsAny(name, `/\.`) {
		file, err = Open(e, name)
		return file, false, err
	}
	if _, err := os.Stat(e.Path(name)); err == nil {
		file, err = Open(e, name)
		return file, false, err
	}
	_, err = catalog.Lookup(catalog.Node, name)
	return nil, false, fmt.Errorf("--cluster: %w\n(a scenario file is named with its extension)", err)
}

// CompleteFabrics completes --fabric of all verbs.
func CompleteFabrics(e *process.Env, c *cobra.Command) {
	if c.Flags().Lookup("fabric") != nil {
		_ = c.RegisterFlagCompletionFunc("fabric", func(cmd *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completeFabric(e, cmd, given, typed)
		})
	}
	for _, sub := range c.Commands() {
		CompleteFabrics(e, sub)
	}
}

// completeFabric completes the names of fabrics. They come from the scenario on the command line; without a scenario,
// or with a preset as --cluster, they come from the catalog. Commas join several names.
func completeFabric(e *process.Env, cmd *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	name := ""
	if f := cmd.Flags().Lookup("cluster"); f != nil {
		name = f.Value.String()
	} else if len(given) > 0 {
		name = given[0]
	}
	names := catalog.Names(catalog.Fabric)
	if name != "" && !slices.Contains(catalog.Names(catalog.Node), name) {
		names = fabricsIn(e, name)
	}
	before := typed[:strings.LastIndex(typed, ",")+1]
	out := make([]string, len(names))
	for i := range names {
		out[i] = before + names[i]
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeSet completes the path of a field. Behind fabrics[ it names the fabrics of the scenario on the command line.
func completeSet(cmd *cobra.Command, given []string, typed string) (paths []string, _ cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, path := range scenario.Fields() {
		paths = append(paths, path+"=")
	}
	names := []string{"0"}
	if len(given) > 0 && strings.HasPrefix(typed, "fabrics[") {
		names = fabricsIn(&process.Env{Stderr: io.Discard, Quiet: true}, given[0])
	}
	for _, name := range names {
		for _, path := range scenario.FabricFields() {
			paths = append(paths, "fabrics["+name+"]."+path+"=")
		}
	}
	return paths, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// fabricsIn are the names of a scenario's fabrics; none if it cannot be read.
func fabricsIn(e *process.Env, path string) []string {
	if path == "-" {
		return nil
	}
	file, err := Open(e, path)
	if err != nil {
		return nil
	}
	r, err := file.Resolve()
	if err != nil {
		return nil
	}
	return FabricNames(r)
}
