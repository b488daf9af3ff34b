package seriesfile

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// duckDB is the folder of DuckDB for Node.js, which .ci/run installs beside the build cache. Without it the
// test is skipped, and in CI it fails.
func duckDB(t *testing.T) string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(strings.TrimSpace(string(cache))), "weft-tools", "duckdb", "*", "node_modules", "@duckdb", "node-api"))
	_, err = exec.LookPath("node")
	switch {
	case err == nil && len(found) > 0:
		return found[len(found)-1]
	case os.Getenv("CI") != "":
		t.Fatal("DuckDB for Node.js is not installed (bash .ci/run tools)")
	}
	t.Skip("SKIPPED: DuckDB for Node.js is not installed (bash .ci/run tools)")
	return ""
}

// query prints the rows of each statement, as JSON.
const query = `
const { DuckDBInstance } = require(process.argv[1]);
(async () => {
  const db = await (await DuckDBInstance.create(':memory:')).connect();
  const answers = [];
  for (const q of JSON.parse(process.argv[2])) answers.push((await db.runAndReadAll(q)).getRowObjectsJson());
  console.log(JSON.stringify(answers));
})().catch(e => { console.error(String(e)); process.exit(1); });`

func ask(t *testing.T, statements ...string) (answers [][]map[string]any) {
	t.Helper()
	text, err := json.Marshal(statements)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", "-e", query, duckDB(t), string(text)).CombinedOutput()
	if err == nil {
		err = json.Unmarshal(out, &answers)
	}
	if err != nil {
		t.Fatalf("DuckDB: %v\n%s", err, out)
	}
	return answers
}

// DuckDB reads every file by the columns and types of docs/UI.md.
func TestDuckDBReadsEveryFile(t *testing.T) {
	const rows = 2*leastGroup + 5
	dir := written(t, rows)
	types := map[string]string{"int32": "INTEGER", "int64": "BIGINT", "float32": "FLOAT", "text": "VARCHAR", "bool": "BOOLEAN"}
	samples := "'" + filepath.Join(dir, LinkSamples) + "'"
	statements := []string{
		"SELECT sum(bytes)::DOUBLE AS bytes, max(time_ps)::DOUBLE AS last, max(simulation) AS simulations FROM " + samples,
		"SELECT decode(value) AS version FROM parquet_kv_metadata(" + samples + ") WHERE decode(key) = '" + keyVersion + "'",
		"SELECT name FROM '" + filepath.Join(dir, Nodes) + "' WHERE fabric = 'b' AND node = 0",
	}
	for _, name := range Names {
		from := " FROM '" + filepath.Join(dir, name) + "'"
		statements = append(statements, "DESCRIBE SELECT *"+from, "SELECT count(*)::INT AS n, count(columns(*))"+from)
	}
	sums := ask(t, statements...)
	for k, name := range Names {
		got := sums[3+2*k:]
		columns, documented := page(t, name)
		for i, column := range columns {
			if d := got[0][i]; d["column_name"] != column || d["column_type"] != types[documented[i]] {
				t.Errorf("%s: column %d is %v %v for DuckDB, the page says %s %s", name, i, d["column_name"], d["column_type"], column, documented[i])
			}
		}
		if n := got[1][0]["n"]; len(got[0]) != len(columns) || n == 0.0 {
			t.Errorf("%s: DuckDB reads %d columns and %v rows, the page has %d columns", name, len(got[0]), n, len(columns))
		}
	}
	want := float64(2 * (1000*rows + rows*(rows-1)/2))
	if s := sums[0][0]; s["bytes"] != want || s["last"] != float64((rows-1)<<20) || s["simulations"] != 2.0 {
		t.Errorf("DuckDB sums %v; want %v bytes, the last at %v, simulations up to 2", s, want, (rows-1)<<20)
	}
	if sums[1][0]["version"] != "2" || sums[2][0]["name"] != "node0/nic0 <b>" {
		t.Errorf("DuckDB reads the version %v and the name %v", sums[1], sums[2])
	}
}
