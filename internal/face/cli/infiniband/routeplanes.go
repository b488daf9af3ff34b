package infiniband

import (
	"fmt"
	"io"
	"path/filepath"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
)

// planesRecord is the result for a fabric of several planes as JSON has it.
type planesRecord struct {
	// Managers is 1 if one manager is over all planes, else their number.
	Managers int            `json:"managers"`
	Planes   []route.Record `json:"planes"`
}

// runPlanes routes each plane of a fabric: aggregated ones under one manager, with each LID once; others under a manager
// each, with LIDs of their own.
func (r *routing) runPlanes(e *process.Env, fabric string, x *subnet.Planes, o route.Options) error {
	d := &doc.Document{Brand: "InfiniBand routing", Title: fabric, Footer: "Made by weft sm route. The same files and version make the same page."}
	record := planesRecord{Managers: len(x.Each)}
	manager := "one each: no cable joins the planes, and their adapters' ports have LIDs of their own, so that each plane is a subnet"
	if x.Aggregated {
		record.Managers = 1
		manager = "one over all: ports of one adapter on several planes have one LID or one GUID (aggregated ports of a planarized fabric, which NVIDIA's OpenSM manages as one subnet)"
	}
	d.Add(doc.Section{Blocks: []doc.Block{doc.Grid([][]string{
		{"of", "result"},
		{"planes", fmt.Sprintf("%d parts without a cable between them, which hosts share", len(x.Each))},
		{"manager", manager},
	})}})
	if err := r.prepareAggregated(x, fabric); err != nil {
		return err
	}
	var refuted error
	out := r.out
	defer func() { r.out = out }()
	for k, s := range x.Each {
		name := fmt.Sprintf("plane%d", k+1)
		if out != "" {
			r.out = filepath.Join(out, name)
		}
		one, rec, err := r.routePlane(e, fmt.Sprintf("%s, %s", fabric, name), s, o, x.Aggregated)
		if err != nil && rec == nil {
			return err
		}
		if refuted == nil {
			refuted = err
		}
		record.Planes = append(record.Planes, *rec)
		for i, section := range one.Sections {
			if i == 0 {
				section.Title = fmt.Sprintf("Plane %d", k+1)
			} else if section.Title != "" {
				section.Title = fmt.Sprintf("Plane %d: %s", k+1, section.Title)
			}
			d.Add(section)
		}
	}
	if err := e.Present(d, r.json, record); err != nil {
		return err
	}
	return refuted
}

// prepareAggregated gives aggregated planes their LIDs, or checks those of the file.
func (r *routing) prepareAggregated(x *subnet.Planes, fabric string) error {
	if !x.Aggregated {
		return nil
	}
	whole := !r.reassign
	for _, s := range x.Each {
		whole = whole && hasLIDs(s, r.lmc)
	}
	if !whole {
		if err := x.AssignLIDs(uint8(max(r.lmc, 0))); err != nil {
			return exit.Errorf(exit.Failed, "%s: %w", fabric, err)
		}
	}
	if differ := x.Differ(); differ != "" {
		return fmt.Errorf("%s: %s: the ports of an aggregated port have one LID on all planes: correct the file, or let LIDs be assigned anew (--reassign)", fabric, differ)
	}
	return nil
}

// routePlane routes one plane and writes its tables. The record is nil if there are none; an error beside a record is that
// of refuted tables.
func (r *routing) routePlane(e *process.Env, name string, s *subnet.Subnet, o route.Options, keepLIDs bool) (*doc.Document, *route.Record, error) {
	plane := *r
	if keepLIDs {
		plane.reassign = false
	}
	if plane.manager != "" && plane.placeManager(s, name) != nil {
		plane.manager = "" // it is on another plane
	}
	s, left, err := plane.prepare(s, name)
	if err != nil {
		return nil, nil, err
	}
	return plane.routeOne(e, name, s, left, o)
}

// planeOfTables is the plane of a fabric that has all switches of the tables, else the whole fabric.
func planeOfTables(e *process.Env, s *subnet.Subnet, files tableFiles) *subnet.Subnet {
	x := subnet.PlanesOf(s)
	if x == nil {
		return s
	}
	quiet := *e
	quiet.Stderr = io.Discard
	for k, plane := range x.Each {
		if _, err := loadTables(&quiet, plane.Clone(), tableFiles{lfts: files.lfts}); err == nil {
			fmt.Fprintf(e.Stderr, "weft: the tables are of plane %d of %d: the others are not judged\n", k+1, len(x.Each))
			return plane
		}
	}
	return s
}
