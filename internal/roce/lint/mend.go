package lint

import (
	"strings"

	"weft/internal/roce/sonic"
)

// Mend lays the fixes of the switch over its configuration. What has no fix, or
// one at a host, stays.
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
