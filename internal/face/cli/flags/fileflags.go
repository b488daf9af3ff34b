package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Out registers the flag for a verb's only output file. -o or --out always names the output,
// and - is standard output.
func Out(cmd *cobra.Command, to *string, what, byDefault string, extensions ...string) {
	cmd.Flags().StringVarP(to, "out", "o", "", "file for "+what+"; - is standard output (default: "+byDefault+")")
	_ = cmd.MarkFlagFilename("out", extensions...)
}

// SVG registers the flag for a drawing in addition to a verb's output.
func SVG(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVar(to, "svg", "", "draw "+what+" into this file; - is standard output, without other output")
	_ = cmd.MarkFlagFilename("svg", "svg")
}

// OutFolder registers the flag for the folder of a verb that writes several files. It has no letter
// if the verb uses the letter otherwise.
func OutFolder(cmd *cobra.Command, to *string, what string) {
	letter := "o"
	if cmd.Flags().ShorthandLookup(letter) != nil {
		letter = ""
	}
	cmd.Flags().StringVarP(to, "out", letter, "", "folder for "+what)
	_ = cmd.MarkFlagDirname("out")
}

// CheckFileNames refuses a flag for a file or a folder with an empty value, such as an unset shell
// variable: otherwise the output would silently be missing.
func CheckFileNames(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		_, file := f.Annotations[cobra.BashCompFilenameExt]
		_, folder := f.Annotations[cobra.BashCompSubdirsInDir]
		switch name := f.Value.String(); {
		case err != nil:
		case (file || folder) && name == "":
			err = fmt.Errorf("--%s: no name is given: leave it out, or name a file or a folder", f.Name)
		case folder && name == "-":
			err = fmt.Errorf("--%s -: that is standard output, and a folder is wanted: leave it out, or write ./- for a folder of that name", f.Name)
		}
	})
	return err
}
