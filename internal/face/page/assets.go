package page

import (
	"embed"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed assets
var assets embed.FS

// script is all scripts as one, in the order of the files' names: uPlot as it is published, and the
// views in one scope of their own.
var script = joined("assets/lib/*.js") + "\n(() => {\n'use strict';\n" + joined("assets/*.js") + "start();\n})();\n"

// style is the style sheet of the views.
var style = joined("assets/lib/*.css") + joined("assets/*.css")

func joined(pattern string) string {
	var b strings.Builder
	names, err := fs.Glob(assets, path.Clean(pattern))
	for _, name := range names {
		var text []byte
		if text, err = assets.ReadFile(name); err != nil {
			break
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	if err != nil {
		panic(err) // the files are in the program
	}
	return b.String()
}

func itoa(i int) string { return strconv.Itoa(i) }
