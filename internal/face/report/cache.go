package report

import (
	"fmt"
	"time"

	"weft/internal/face/doc"
	"weft/internal/study/cache"
	"weft/units"
)

// Cache is what a cache of known results has.
func Cache(c *cache.Contents) *doc.Document {
	d := cacheDocument(fmt.Sprintf("%s in %s of at most %s", exactly(c.Results, "known result", "known results"), units.Bytes(c.Bytes), units.Bytes(c.MaxBytes)))
	place := "They are in " + c.Folder + "."
	if c.Results == 0 {
		place = c.Folder + " has none. Studies with many simulations keep their results there."
	}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(place)})
	if c.Results == 0 {
		return d
	}
	t := doc.NewTable("made by", "program", "results", "bytes", "latest use")
	t.Keys = 2
	for _, p := range c.Programs {
		t.Add(doc.Text("weft "+p.Version), doc.Text(p.Digest[:min(12, len(p.Digest))]), doc.Text(doc.Integer(int64(p.Results))),
			doc.Text(units.Bytes(p.Bytes).String()), doc.Text(day(p.Used)))
	}
	d.Add(doc.Section{Title: "By program", Blocks: []doc.Block{t}})
	d.Add(doc.Section{Blocks: doc.Notes(
		"A result is known only to the program that made it. The result that leaves first was used on "+day(c.Oldest)+".",
		"weft cache check simulates a sample again; weft cache clear removes all.")})
	return d
}

// CacheCheck is a sample of known results that were simulated again.
func CacheCheck(sample []cache.Checked, wrong int) *doc.Document {
	heading := fmt.Sprintf("%s simulated again: all have the same bytes", exactly(len(sample), "known result was", "known results were"))
	switch {
	case len(sample) == 0:
		heading = "This program has no known results"
	case wrong > 0:
		heading = fmt.Sprintf("%d of %d known results are wrong; they were removed", wrong, len(sample))
	}
	d := cacheDocument(heading)
	if len(sample) == 0 {
		return d
	}
	t := doc.NewTable("simulation", "bytes", "is")
	t.Keys = 1
	for _, s := range sample {
		is := "the same"
		if s.Wrong != "" {
			is = s.Wrong
		}
		t.Add(doc.Text(s.What), doc.Text(doc.Integer(int64(s.Bytes))), doc.Text(is))
	}
	d.Add(doc.Section{Title: "The sample", Blocks: []doc.Block{t}})
	return d
}

func cacheDocument(heading string) *doc.Document {
	return &doc.Document{Brand: "known results", Title: "Known results of simulations", Heading: heading, Footer: "Made by weft."}
}

func day(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.DateOnly) }
