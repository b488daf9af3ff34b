package cli

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"weft/internal/face/cli/process"
	"weft/results"
)

const (
	commitOfTest = "0123456789abcdef0123456789abcdef01234567"
	dateOfTest   = "2026-11-30T01:00:40Z"
)

// TestThePlainBuildHasCommitAndDate: what go build writes into a program without any flag; what the linker was given wins.
func TestThePlainBuildHasCommitAndDate(t *testing.T) {
	stamped := func(version, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: []debug.BuildSetting{
			{Key: "vcs.modified", Value: modified},
			{Key: "vcs.revision", Value: commitOfTest},
			{Key: "vcs.time", Value: dateOfTest},
		}}
	}
	for _, c := range []struct {
		name   string
		info   *debug.BuildInfo
		linked process.Version
		want   [3]string // version, commit, date
		line   string
	}{
		{"a tag", stamped("v1.2.3", "false"), process.Version{}, [3]string{"v1.2.3", commitOfTest, dateOfTest}, "), commit 0123456789ab of " + dateOfTest + ", results"},
		{"changes", stamped("(devel)", "true"), process.Version{}, [3]string{"devel-0123456789ab+changes", commitOfTest + "+changes", dateOfTest}, "), commit 0123456789ab+changes of " + dateOfTest + ", results"},
		{"the linker", stamped("v1.2.3", "true"), process.Version{Weft: "2.0", Commit: "beef", Date: "1999-12-31T23:59:59Z"}, [3]string{"2.0", "beef", "1999-12-31T23:59:59Z"}, "weft 2.0 ("},
		{"the linker, version alone", stamped("v1.2.3", "false"), process.Version{Weft: "2.0"}, [3]string{"2.0", commitOfTest, dateOfTest}, ", commit 0123456789ab of " + dateOfTest},
		{"no repository", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, process.Version{}, [3]string{"devel", "", ""}, "), results"},
		{"no information", nil, process.Version{}, [3]string{"unknown", "", ""}, "), results"},
	} {
		v := versionOf(c.info, c.linked)
		if got := [3]string{v.Weft, v.Commit, v.Date}; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := line(v); !strings.Contains(got, c.line) {
			t.Errorf("%s: %q, want %q in it", c.name, got, c.line)
		}
	}
}

// TestAnImageIsNamedAfterTheVersion: without what a tag may not have.
func TestAnImageIsNamedAfterTheVersion(t *testing.T) {
	if got := (process.Version{Weft: "devel-01+changes"}).Image(); got != "weft:devel-01-changes" {
		t.Errorf("the image is %s", got)
	}
}

// TestThePageOnStabilityIsOfThisProgram: it states the version of results.json.
func TestThePageOnStabilityIsOfThisProgram(t *testing.T) {
	page, err := os.ReadFile(root + "/docs/STABILITY.md")
	if want := fmt.Sprintf("It is %d; weft reads every earlier one", results.ResultsVersion); err != nil || !strings.Contains(string(page), want) {
		t.Errorf("docs/STABILITY.md does not say %q (%v)", want, err)
	}
}
