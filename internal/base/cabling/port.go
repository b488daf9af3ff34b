package cabling

import (
	"regexp"
	"strings"
)

// spellings are forms of port names that mean the same. The first that matches is rewritten.
var spellings = []struct {
	form *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`^port[ _]*(\d+)$`), "$1"},
	{regexp.MustCompile(`^blade *(\d+)[_ ]+port *(\d+)/(\d+)$`), "l$1/u$2/$3"}, // UFM NDT
	{regexp.MustCompile(`^u1/(\d+)$`), "$1"},                                   // the one chip of a switch
	{regexp.MustCompile(`^(?:et|eth|ethernet) ?(\d+(?:/\d+)+)$`), "ethernet$1"},
	{regexp.MustCompile(`^et(\d+)$`), "ethernet$1"},
	{regexp.MustCompile(`^e(\d+)-(\d+)$`), "ethernet-$1/$2"}, // containerlab's for SR Linux
	{regexp.MustCompile(`^(hca-\d+|mlx\d_\d+)/1$`), "$1"},    // the first port of an adapter
}

// PortKey is a port's name as names are compared: without case, and in one spelling: "Port 21" is "21", "Et3/1" is
// "ethernet3/1", "Blade 16_Port 2/20" is "l16/u2/20".
func PortKey(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, s := range spellings {
		if s.form.MatchString(name) {
			return s.form.ReplaceAllString(name, s.as)
		}
	}
	return name
}
