package preload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDevicesAreNamesAndAddresses(t *testing.T) {
	for _, c := range []struct {
		list      []string
		want, bad string
	}{
		{nil, "", ""},
		{[]string{"127.0.0.7"}, "weft0=127.0.0.7", ""},
		{[]string{"a"}, "a", ""},
		{[]string{"a=127.0.0.7", "::1"}, "a=127.0.0.7,weft1=::1", ""},
		{[]string{"1.2.3"}, "", "a name begins with a letter"},
		{[]string{"a=1.2.3"}, "", "valid is NAME, ADDRESS or NAME=ADDRESS"},
		{[]string{"a="}, "", "no address behind ="},
		{[]string{"a", "a"}, "", "is there already"},
		{[]string{"weft1", "127.0.0.7"}, "", "is there already"},
	} {
		got, err := devices(c.list)
		switch {
		case c.bad == "" && (err != nil || got != c.want):
			t.Errorf("devices %q: %q, %v, want %q", c.list, got, err, c.want)
		case c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)):
			t.Errorf("devices %q: error %v, want one with %q", c.list, err, c.bad)
		}
	}
}

// The user's own libraries stay behind weft's.
func TestTheFolderOfTheLibrariesComesFirst(t *testing.T) {
	dir := emptyLibraries(t)
	p := Program{Libraries: dir}
	v, err := p.Variables(func(name string) string { return map[string]string{pathVariable: "/opt/lib", "UCX_TLS": "tcp"}[name] })
	if want := dir + ":/opt/lib"; err != nil || v[pathVariable] != want {
		t.Errorf("%s=%q, %v, want %q", pathVariable, v[pathVariable], err, want)
	}
	env := Environ([]string{"A=1", pathVariable + "=/opt/lib"}, v)
	if got, want := strings.Join(env, " "), "A=1 "+monitorVariable+"=disabled "+pathVariable+"="+dir+":/opt/lib "+preloadVariable+"="+dir+"/"+files; got != want {
		t.Errorf("the environment is %q, want %q", got, want)
	}
}

func TestAMonitorOfLibfabricThatTheUserChoseStays(t *testing.T) {
	dir := emptyLibraries(t)
	p := Program{Libraries: dir}
	v, err := p.Variables(func(name string) string { return map[string]string{monitorVariable: "userfaultfd"}[name] })
	if own, set := v[monitorVariable]; err != nil || set {
		t.Errorf("%s is set to %q, %v", monitorVariable, own, err)
	}
}

// emptyLibraries is a folder with files of the libraries' names.
func emptyLibraries(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range libraries {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestADeviceOfAnEmulatedFabricHasTheNameOfItsNIC(t *testing.T) {
	dir := emptyLibraries(t)
	for _, c := range []struct {
		nic  string
		list []string
		want string
	}{{"node0/nic3", nil, "node0_nic3"}, {"node0/nic3", []string{"mine"}, "mine"}, {"", nil, ""}} {
		p := Program{Libraries: dir, Devices: c.list}
		v, err := p.Variables(func(name string) string {
			return map[string]string{nicVariable: c.nic, emulatorVariable: "/fabric"}[name]
		})
		if err != nil || v[devicesVariable] != c.want {
			t.Errorf("NIC %q, devices %q: %q, %v, want %q", c.nic, c.list, v[devicesVariable], err, c.want)
		}
	}
}

// A program that forgets one of the two variables would run on the loopback, and print its rates.
func TestWhatNeedsAFabricIsRefusedWithoutOne(t *testing.T) {
	dir := emptyLibraries(t)
	for _, c := range []struct {
		nic        string
		fabricTime bool
	}{{nic: "node0/nic0"}, {fabricTime: true}} {
		p := Program{Libraries: dir, FabricTime: c.fabricTime}
		v, err := p.Variables(func(name string) string { return map[string]string{nicVariable: c.nic}[name] })
		if err == nil || !strings.Contains(err.Error(), emulatorVariable) {
			t.Errorf("NIC %q, fabric's time %v: %v, %v, want an error that names %s", c.nic, c.fabricTime, v, err, emulatorVariable)
		}
	}
}

func TestWithoutLibrariesTheErrorSaysHowToBuildThem(t *testing.T) {
	_, err := (&Program{Libraries: t.TempDir()}).Variables(os.Getenv)
	if err == nil || !strings.Contains(err.Error(), "weft verbs build") {
		t.Errorf("error %v, want one that names weft verbs build", err)
	}
}

// All that lacks comes in one error.
func TestABuildNamesAllThatItLacks(t *testing.T) {
	b := Builder{Source: t.TempDir(), To: t.TempDir(), Getenv: func(string) string { return "no-such-compiler" }}
	err := b.Build(t.Context())
	for _, want := range []string{"is no checkout of weft", "no C compiler no-such-compiler"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestAProgramIsToldItsDevicesAndItsWay(t *testing.T) {
	dir := emptyLibraries(t)
	v, err := (&Program{Libraries: dir, Devices: []string{"127.0.0.7"}, SocketOnly: true, Explain: true}).Variables(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{devicesVariable: "weft0=127.0.0.7", socketVariable: "1", explainVariable: "1"} {
		if v[name] != want {
			t.Errorf("%s=%q, want %q", name, v[name], want)
		}
	}
}
