package infiniband

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/internal/base/regular"
	"weft/internal/face/cli/process"
	"weft/units"
)

// maxGUIDs bounds a list of GUIDs: a subnet has no more LIDs than this.
const maxGUIDs = int(units.LastUnicastLID)

// readGUIDs reads a list of GUIDs in the form of OpenSM's -a and -u: one per line, in hexadecimal,
// with or without 0x. A # begins a comment.
func readGUIDs(e *process.Env, path string) ([]units.GUID, error) {
	f, err := e.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, regular.Reason(err))
	}
	defer f.Close()
	var guids []units.GUID
	in := bufio.NewScanner(f)
	for line := 1; in.Scan(); line++ {
		text, _, _ := strings.Cut(in.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		guid, err := parseGUID(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if guids = append(guids, guid); len(guids) > maxGUIDs {
			return nil, fmt.Errorf("%s:%d: more than %d GUIDs: no subnet has so many ports", path, line, maxGUIDs)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if len(guids) == 0 {
		return nil, fmt.Errorf("%s: no GUID is in it: expected one a line, such as 0x0002c90200400028", path)
	}
	return guids, nil
}

// parseGUID reads a GUID in hexadecimal, with or without 0x.
func parseGUID(text string) (units.GUID, error) {
	v, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(text), "0x"), 16, 64)
	if err != nil || v == 0 {
		return 0, errors.New("expected a GUID of up to 16 hexadecimal digits, such as 0x0002c90200400028, not " + strconv.Quote(text))
	}
	return units.GUID(v), nil
}
