package qos

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Write writes the keys that are set, in the form of an opensm.conf.
func Write(to io.Writer, c *Config) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "qos %s\n", strings.ToUpper(fmt.Sprint(c.Enabled)))
	for class := range classes {
		s, prefix := &c.Sets[class], prefixes[class]
		if s.MaxVLs != nil {
			fmt.Fprintf(w, "%smax_vls %d\n", prefix, *s.MaxVLs)
		}
		if s.HighLimit != nil {
			fmt.Fprintf(w, "%shigh_limit %d\n", prefix, *s.HighLimit)
		}
		writeWeights(w, prefix+"vlarb_high", s.High)
		writeWeights(w, prefix+"vlarb_low", s.Low)
		if s.SL2VL != nil {
			words := make([]string, 16)
			for i, vl := range s.SL2VL {
				words[i] = fmt.Sprint(int(vl))
			}
			fmt.Fprintf(w, "%ssl2vl %s\n", prefix, strings.Join(words, ","))
		}
	}
	return w.Flush()
}

func writeWeights(w io.Writer, key string, list []Weight) {
	if list == nil {
		return
	}
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = fmt.Sprintf("%d:%d", e.VL, e.Blocks)
	}
	fmt.Fprintf(w, "%s %s\n", key, strings.Join(words, ","))
}
