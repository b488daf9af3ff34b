// Package roce has the sub-verbs of weft roce, a file for each. hosts.go reads the settings of hosts;
// simulate.go shows a finding of lint by simulation; cost.go shows what it costs a job on the fabric of a folder (site.go).
package roce
