package validate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
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
		return begins(glob)
	}
	return out, nil
}

// begins is the only case whose ID, or the last part of it, begins with a text.
func begins(text string) ([]*Case, error) {
	var out []*Case
	var ids []string
	for _, c := range Cases() {
		if strings.HasPrefix(c.ID, text) || strings.HasPrefix(path.Base(c.ID), text) {
			out, ids = append(out, c), append(ids, c.ID)
		}
	}
	switch {
	case len(out) == 1:
		return out, nil
	case len(out) > mostNamed:
		return nil, fmt.Errorf("no case is called %q; %d cases begin so, %s and others: %s* selects all of them", text, len(out), strings.Join(ids[:mostNamed], ", "), text)
	case len(out) > 1:
		return nil, fmt.Errorf("no case is called %q; %s begin so", text, strings.Join(ids, ", "))
	}
	if near := catalog.Nearest(text, slices.Concat(folders(), IDs())); near != "" {
		return nil, fmt.Errorf("no case is called %q: did you mean %s?", text, near)
	}
	few := folders()[:mostNamed]
	return nil, fmt.Errorf("no case is called %q; docs/VALIDATION.md has them in folders such as %s", text, strings.Join(few, ", "))
}

// mostNamed is the number of cases that an error names.
const mostNamed = 4

// folders are the first parts of the IDs.
func folders() (out []string) {
	for _, id := range IDs() {
		if folder, _, _ := strings.Cut(id, "/"); !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// IDs are the names of all cases.
func IDs() []string {
	var out []string
	for _, c := range Cases() {
		out = append(out, c.ID)
	}
	return out
}
