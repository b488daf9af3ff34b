// Package schema is the JSON schema of a scenario, as the program carries it. The tests of weft/scenario write it.
package schema

import _ "embed" // the schema

// Scenario is the schema of a scenario: JSON Schema, draft 2020-12.
//
//go:embed scenario.schema.json
var Scenario []byte
