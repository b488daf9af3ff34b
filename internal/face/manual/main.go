package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"weft/internal/face/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "manual: want one folder")
		os.Exit(2)
	}
	if err := write(cli.Commands(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// write writes the pages, one for each verb, and the completion of each shell that packages have a folder for.
func write(weft *cobra.Command, folder string) error {
	pages, completion := filepath.Join(folder, "man"), filepath.Join(folder, "completion")
	for _, dir := range []string{pages, completion} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	asMarkdown(weft)
	header := &doc.GenManHeader{Source: "weft", Manual: "weft"} // the date is SOURCE_DATE_EPOCH
	if err := doc.GenManTree(weft, header, pages); err != nil {
		return err
	}
	for shell, generate := range map[string]func(string) error{
		"bash": func(file string) error { return weft.GenBashCompletionFileV2(file, true) },
		"zsh":  weft.GenZshCompletionFile,
		"fish": func(file string) error { return weft.GenFishCompletionFile(file, true) },
	} {
		if err := generate(filepath.Join(completion, "weft."+shell)); err != nil {
			return err
		}
	}
	return nil
}
