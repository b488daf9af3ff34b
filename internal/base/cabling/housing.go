package cabling

import "strings"

// Chip reads the name that the firmware of an InfiniBand switch gives a switch chip, as in
// "MF0;dc1-01:MCS8500/L16/U2" and "MF0;sw3:MQM9700/U1": the name of the housing and the place in it, "L16/U2"
// or "U1". ok is false for another name.
func Chip(name string) (housing, place string, ok bool) {
	_, rest, found := strings.Cut(name, ";")
	if !found {
		return "", "", false
	}
	colon := strings.LastIndexByte(rest, ':')
	if colon <= 0 {
		return "", "", false
	}
	model, place, found := strings.Cut(rest[colon+1:], "/")
	if !found || model == "" || place == "" || strings.ContainsAny(place, " \t") {
		return "", "", false
	}
	return rest[:colon], place, true
}
