package partition

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Write writes a partitions.conf that OpenSM reads: each rule on one or a few lines, each
// membership as a keyword.
func Write(to io.Writer, c *Config) error {
	w := bufio.NewWriter(to)
	for i := range c.Partitions {
		p := &c.Partitions[i]
		if strings.ContainsAny(p.Name, "=,:;#\n\r") || strings.TrimSpace(p.Name) != p.Name {
			return fmt.Errorf("the partition name %q cannot be written: it has a blank at an end, or one of = , : ; #", p.Name)
		}
		fmt.Fprint(w, p.Name)
		if p.Key != 0 {
			fmt.Fprintf(w, "=0x%04x", p.Key)
		}
		if p.First {
			fmt.Fprint(w, ", indx0")
		}
		if p.IPoIB {
			fmt.Fprint(w, ", ipoib")
		}
		for _, f := range p.Broadcast.words() {
			fmt.Fprint(w, ", "+f)
		}
		fmt.Fprint(w, " :")
		for j, m := range p.Members {
			if j > 0 {
				fmt.Fprint(w, ",")
			}
			if j > 0 && j%4 == 0 {
				fmt.Fprint(w, "\n   ")
			}
			who := whos[m.Who]
			if m.Who == Port {
				who = m.GUID.String()
			}
			fmt.Fprintf(w, " %s=%v", who, m.Membership)
		}
		if len(p.Members) > 0 && len(p.Groups) > 0 {
			fmt.Fprint(w, ",")
		}
		for _, g := range p.Groups {
			fmt.Fprintf(w, "\n    mgid=%s", g.MGID)
			for _, f := range g.Properties.words() {
				fmt.Fprint(w, ","+f)
			}
			fmt.Fprint(w, "\n")
		}
		fmt.Fprintln(w, " ;")
	}
	return w.Flush()
}

// words is the flags in the file's form.
func (f *Properties) words() []string {
	var words []string
	for _, s := range []struct {
		name string
		v    *uint8
	}{{"rate", f.Rate}, {"mtu", f.MTU}, {"sl", f.SL}, {"TClass", f.TClass}} {
		if s.v != nil {
			words = append(words, fmt.Sprintf("%s=%d", s.name, *s.v))
		}
	}
	for _, scope := range f.Scopes {
		words = append(words, fmt.Sprintf("scope=%d", scope))
	}
	if f.QKey != nil {
		words = append(words, fmt.Sprintf("Q_Key=0x%x", *f.QKey))
	}
	if f.FlowLabel != nil {
		words = append(words, fmt.Sprintf("FlowLabel=%d", *f.FlowLabel))
	}
	return words
}
