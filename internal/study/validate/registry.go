package validate

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Cases are all cases, in the order of the page.
func Cases() []*Case {
	return slices.Concat(packetCases(), messageCases(), verbCases(), creditCases(), pfcCases(), incastCases(), queueCases(), ringCases(), sharpCases(), uniformCases(), dcqcnCases(), ccCases(), congestionCases(), ibccCases(), ultraEthernetCases(), iwarpCases(), fctCases(), modelCases(), ncclCases(), orderingCases(), trainingCases(), lineRateCases(), billCases(), scaleOutCases(), servingCases(), expertCases())
}

// Select is the cases with an ID, or a folder of an ID, that matches a glob; an
// empty glob selects all.
func Select(glob string) ([]*Case, error) {
	if _, err := path.Match(glob, ""); err != nil {
		return nil, fmt.Errorf("%q is no glob: * stands for any characters up to a slash, ? for one, [a-c] for one of several", glob)
	}
	var out []*Case
	for _, c := range Cases() {
		parts := strings.Split(c.ID, "/")
		for i := range parts {
			if ok, _ := path.Match(glob, strings.Join(parts[:i+1], "/")); ok {
				out = append(out, c)
				break
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no case is called %q; there are %s", glob, strings.Join(IDs(), ", "))
	}
	return out, nil
}

// IDs are the names of all cases.
func IDs() []string {
	var out []string
	for _, c := range Cases() {
		out = append(out, c.ID)
	}
	return out
}
