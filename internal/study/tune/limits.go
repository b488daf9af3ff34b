package tune

// Bounds, each with its reason.
const (
	// giveUp is how many times the simulated time of the scenario as it stands a
	// candidate may take: it has lost long before, and a sender that waits for
	// timeouts would take minutes of wall time to show it.
	giveUp = 20

	// worthwhile is the share of the objective for which a parameter is changed.
	worthwhile = 0.001

	// leastSearch is the fewest candidates that are called a search.
	leastSearch = 4

	// maxDraws bounds how often the Latin hypercube is drawn anew for candidates
	// that no scenario can have: of a cube in which one of a hundred can, half are
	// filled by then.
	maxDraws = 64

	// maxTurns bounds the turns of refining: by then the step is a thousandth.
	maxTurns = 10

	// maxLine bounds a line of the journal: a sweep of 256 sizes needs 50 kB.
	maxLine = 1 << 20

	// maxJournal bounds the journal that is read: a million lines of one size.
	maxJournal = 1 << 30
)
