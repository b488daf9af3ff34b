package lint

import (
	"strings"

	"weft/internal/roce/sonic"
)

// Mend applies the fixes of the switch to its configuration. Findings without a fix, or with a fix
// at a host, stay.
func (r *Report) Mend(config *sonic.Config, sw *sonic.Switch) error {
	c := checker{sw: sw}
	for _, f := range r.Findings {
		for _, fix := range f.Fixes {
			if fix.On != c.name() {
				continue
			}
			for _, line := range fix.Lines {
				patch, err := sonic.Read("fix", strings.NewReader(line))
				if err != nil {
					return err
				}
				config.Merge(patch)
			}
		}
	}
	return nil
}
