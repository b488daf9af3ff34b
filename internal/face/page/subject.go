package page

import (
	"bytes"
	"fmt"
	"path/filepath"

	"weft/internal/sim/catalog"
	"weft/internal/sim/runstore"
	"weft/scenario"
)

// subject reads what a run that has ended is about: the name of its scenario, and its cluster. A folder whose scenario
// cannot be read keeps the folder's name alone.
func (f *Folder) subject() {
	text, err := f.meta.Read(f.dir, runstore.ScenarioFile)
	if err != nil {
		return
	}
	file, err := scenario.LoadFrom(filepath.Join(f.dir, runstore.ScenarioFile), bytes.NewReader(text))
	if err != nil {
		return
	}
	r, err := file.Resolve()
	if err != nil {
		return
	}
	f.resolved, f.Scenario, f.Cluster = r, r.Name, clusterText(&r.Cluster)
	if len(r.Fabrics) > 1 {
		_, err := f.results()
		f.Compared = err == nil
	}
}

// clusterText is a cluster in a few words: 16 nodes of 8 NVIDIA H100.
func clusterText(c *scenario.Cluster) string {
	nodes := "nodes"
	if c.Nodes == 1 {
		nodes = "node"
	}
	gpu := c.Node.GPU.Model
	if e, err := catalog.Lookup(catalog.GPU, gpu); err == nil && e.Title != "" {
		gpu = e.Title
	}
	if c.Node.GPUs == 0 || gpu == "" {
		return fmt.Sprintf("%d %s", c.Nodes, nodes)
	}
	return fmt.Sprintf("%d %s of %d %s", c.Nodes, nodes, c.Node.GPUs, gpu)
}
