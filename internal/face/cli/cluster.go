package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/sim/catalog"
	"weft/scenario"
)

// completeCluster completes the value of --cluster.
func completeCluster(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return catalog.Names(catalog.Node), cobra.ShellCompDirectiveDefault
}

// cluster is the scenario for --cluster: a file, or one line around a node preset of the catalog
// with the fabric presets of --fabric. The files of --overlay are applied.
func (c *choice) cluster(e *Env, name string) (*scenario.File, error) {
	file, preset, err := clusterFile(e, name)
	if err == nil && preset && len(c.fabrics) > 0 && !slices.ContainsFunc(c.fabrics, func(name string) bool { return !slices.Contains(catalog.Names(catalog.Fabric), name) }) {
		file, err = file.With(scenario.Set("fabrics", c.fabrics, "--fabric "+strings.Join(c.fabrics, ",")))
	}
	if err != nil {
		return nil, err
	}
	return c.overlaid(e, file)
}

// clusterFile is the cluster's scenario: a file, or one line around a preset.
func clusterFile(e *Env, name string) (file *scenario.File, preset bool, err error) {
	if slices.Contains(catalog.Names(catalog.Node), name) {
		file, err = scenario.New("--cluster "+name, &scenario.Scenario{Name: name, Cluster: scenario.Cluster{Node: scenario.Node{Preset: name}}})
		return file, true, err
	}
	if name == "-" || strings.ContainsAny(name, `/\.`) {
		file, err = open(e, name)
		return file, false, err
	}
	if _, err := os.Stat(e.path(name)); err == nil {
		file, err = open(e, name)
		return file, false, err
	}
	_, err = catalog.Lookup(catalog.Node, name)
	return nil, false, fmt.Errorf("--cluster: %w\n(a scenario file is named with its extension)", err)
}

// completeFabrics completes --fabric of all verbs.
func (e *Env) completeFabrics(c *cobra.Command) {
	if c.Flags().Lookup("fabric") != nil {
		_ = c.RegisterFlagCompletionFunc("fabric", e.completeFabric)
	}
	for _, sub := range c.Commands() {
		e.completeFabrics(sub)
	}
}

// completeFabric completes the names of fabrics. They come from the scenario on the command line; without a scenario,
// or with a preset as --cluster, they come from the catalog. Commas join several names.
func (e *Env) completeFabric(cmd *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	name := ""
	if f := cmd.Flags().Lookup("cluster"); f != nil {
		name = f.Value.String()
	} else if len(given) > 0 {
		name = given[0]
	}
	names := catalog.Names(catalog.Fabric)
	if name != "" && !slices.Contains(catalog.Names(catalog.Node), name) {
		names = e.fabricsIn(name)
	}
	before := typed[:strings.LastIndex(typed, ",")+1]
	out := make([]string, len(names))
	for i := range names {
		out[i] = before + names[i]
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// fabricsIn are the names of a scenario's fabrics; none if it cannot be read.
func (e *Env) fabricsIn(path string) []string {
	if path == "-" {
		return nil
	}
	file, err := open(e, path)
	if err != nil {
		return nil
	}
	r, err := file.Resolve()
	if err != nil {
		return nil
	}
	return fabricNames(r)
}
