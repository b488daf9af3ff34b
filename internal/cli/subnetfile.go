package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/internal/sim"
	"weft/internal/subnet"
	"weft/internal/subnet/format"
	"weft/scenario"
)

// loadSubnet reads an InfiniBand fabric: a scenario (.yaml, .yml), of which the
// first InfiniBand fabric is taken, or a file of ibnetdiscover's or ibsim's.
func loadSubnet(e *Env, path string, c *choice) (*subnet.Subnet, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		r, err := c.load(e, path)
		if err != nil {
			return nil, err
		}
		return subnetOf(r)
	}
	f, err := os.Open(e.path(path))
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("the fabric %s cannot be read: %w", path, err)
	}
	defer f.Close()
	s, report, err := format.ReadTopo(path, f, format.Options{Open: func(name string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(filepath.Dir(e.path(path)), name))
	}})
	if err != nil {
		return nil, err
	}
	for _, skipped := range report.Skipped {
		fmt.Fprintf(e.Stderr, "%s:%d: %d lines that begin with %q are not known and were passed over\n", skipped.File, skipped.Line, skipped.Count, skipped.What)
	}
	return s, nil
}

// subnetOf is the first InfiniBand fabric of a scenario.
func subnetOf(r *scenario.Resolved) (*subnet.Subnet, error) {
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		if f.Kind != scenario.InfiniBandKind {
			continue
		}
		spec, err := sim.Shape(&f.Topology, &r.Cluster)
		if err != nil {
			return nil, err
		}
		graph, err := spec.Build()
		if err != nil {
			return nil, fmt.Errorf("the topology of %s cannot be built: %w", f.Name, err)
		}
		speed, _ := subnet.ParseSpeed(f.Link.Generation) // one that has no name shows as unknown
		return subnet.FromGraph(graph, subnet.Link{Width: subnet.Width(f.Link.Lanes), Speed: speed})
	}
	return nil, fmt.Errorf("the scenario %s has no InfiniBand fabric: it has %s", r.Name, strings.Join(fabricNames(r), ", "))
}
