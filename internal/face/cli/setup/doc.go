// Package setup has the verbs for a beginner: init writes a scenario of the own cluster, examples shows the examples
// that the program carries, schema prints the schema of a scenario for an editor.
package setup
