package contest

// The limits of the tests.
const (
	// FarBehind is the ratio from which, at every size, a fabric is out of the contest: its readings are not
	// tested, and the reason is tested at one size.
	FarBehind = 2
	// mostSizes is the number of sizes at which leads are tested.
	mostSizes = 3
	// mostHops bounds the packet-hops of all tests of a run: about half a minute of two cores.
	// Packet-hops are results, so the choice does not depend on the machine.
	mostHops = 45_000_000
	// mostHopsOnce is mostHops of a run with one seed, which shows no order: a few seconds.
	mostHopsOnce = 10_000_000
	// hybrids and readings are the usual numbers of simulations of a fabric that a test takes, for the
	// choice of sizes: of properties with few seeds, and of readings with few seeds and with all.
	hybrids, readings, effective = 14, 8, 3
	// leastSeeds is the number of seeds from which times of a size show a lead, and with which a reading
	// is tried first.
	leastSeeds = 3
	// hybridShare is the part of mostHops that the hybrids of one lead may take, as its divisor: they have as many
	// seeds of the run as that allows, two at least.
	hybridShare = 3
)
