package tune

// Bounds, each with its reason.
const (
	// giveUp bounds a candidate's simulated time, as a multiple of the time of the scenario as it
	// stands: it has lost long before, and a sender waiting for timeouts would take minutes of wall
	// time.
	giveUp = 20

	// worthwhile is the share of the objective for which a parameter is changed.
	worthwhile = 0.001

	// leastSearch is the minimum number of candidates of a search.
	leastSearch = 4

	// maxDraws bounds the repetitions of the Latin hypercube for impossible candidates: if one of a
	// hundred is possible, half are filled by then.
	maxDraws = 64

	// maxTurns bounds the turns of refining: by then the step is a thousandth.
	maxTurns = 10
)
