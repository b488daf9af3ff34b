// Package cli is weft's command line: the verbs in their groups, and [Main]. main.go lists the verbs;
// each is a constructor of a room.
//
// Rooms of verbs: runs, studies, jobs, checks, infiniband, roce, live and ui. They share process (the
// process around a verb), exit (exit codes), flags, overrides (a scenario, changed by flags) and
// simulator (what verbs that simulate have in common). A room of verbs imports no other room of verbs.
package cli
