package catalog

// Type is a kind with the names of its entries.
type Type struct {
	Kind    Kind     `json:"type"`
	Entries []string `json:"entries"`
}

// Types are all kinds, in the order of [Kinds].
func Types() []Type {
	var types []Type
	for _, k := range Kinds() {
		types = append(types, Type{k, Names(k)})
	}
	return types
}

// Summary is an entry without its facts.
type Summary struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Softest Tag    `json:"softest_source"` // of the facts
	Facts   int    `json:"facts"`          // number of facts
}

// Summaries are a kind's entries in the order of the data file.
func Summaries(kind Kind) []Summary {
	var all []Summary
	for _, e := range Entries(kind) {
		s := Summary{e.Name, e.Title, Verified, len(e.Facts)}
		for _, f := range e.Facts {
			s.Softest = Softer(s.Softest, f.Tag)
		}
		all = append(all, s)
	}
	return all
}
