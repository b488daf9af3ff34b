package sim

import (
	"testing"

	"weft/internal/sim/run/network"
	"weft/units"
)

// begun begins simulations of some sizes on a number of cores, and gives the partitions
// and cores of each.
func begun(a *allotment, sizes ...units.Bytes) (jobs []*job, got [][2]int) {
	for _, s := range sizes {
		j := &job{Task: network.Task{Bytes: s}}
		a.begin(j)
		jobs, got = append(jobs, j), append(got, [2]int{j.Parts, j.Cores})
	}
	return jobs, got
}

func TestTheOnlySimulationHasAllCores(t *testing.T) {
	if _, got := begun(newAllotment(1, 4), 1); got[0] != [2]int{4, 4} {
		t.Errorf("one simulation on 4 cores: %d partitions on %d", got[0][0], got[0][1])
	}
}

func TestSimulationsSideBySideAreNotCut(t *testing.T) {
	_, got := begun(newAllotment(3, 2), 8, 8)
	for i := range got {
		if got[i] != [2]int{1, 1} {
			t.Errorf("simulation %d of 3 on 2 cores: %d partitions on %d", i, got[i][0], got[i][1])
		}
	}
}

// The last simulation is cut if it outlasts the others: it gets their cores.
func TestTheLastSimulationTakesTheCoresOfTheOthers(t *testing.T) {
	for last, parts := range map[units.Bytes]int{16: 2, 8: 1} {
		a := newAllotment(3, 2)
		jobs, _ := begun(a, 4, 8)
		a.end(jobs[0])
		if a.spare.Take() {
			t.Error("a core is spare while a simulation waits for one")
		}
		_, got := begun(a, last)
		if got[0] != [2]int{parts, 1} {
			t.Errorf("the last of %v beside one of 8 B: %d partitions on %d cores, want %d on 1", last, got[0][0], got[0][1], parts)
		}
		a.end(jobs[1])
		if !a.spare.Take() || a.spare.Take() {
			t.Error("the core of the simulation before the last is not spare, or another is")
		}
	}
}

func TestCoresThatNoSimulationBeginsWithAreSpare(t *testing.T) {
	a := newAllotment(2, 3)
	if _, got := begun(a, 4, 8); got[1] != [2]int{3, 1} || !a.spare.Take() || a.spare.Take() {
		t.Errorf("the second of two simulations on 3 cores: %d partitions on %d cores, and not one spare core", got[1][0], got[1][1])
	}
}
