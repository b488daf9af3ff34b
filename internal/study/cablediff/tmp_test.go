package cablediff
import ("testing";"os";"io";"fmt";"io/fs";"encoding/json"
"weft/internal/base/cabling";"weft/internal/base/cabling/planfile";"weft/internal/sim/cabled")
func rd(n string)(*cabling.Fabric,error){
 op:=func(n string)(io.ReadCloser,error){return os.Open(n)}
 if st,_:=os.Stat(n);st!=nil&&st.IsDir(){ var f fs.FS=os.DirFS(n); return planfile.ReadFolder(f,n)}
 s,err:=cabled.Read(n,op); if err==nil {return s.Fabric,nil}
 fmt.Println("ib:",err)
 return planfile.Read(n,op)
}
func TestTmp(t *testing.T){
 if os.Getenv("P")=="" {t.Skip()}
 a,err:=rd(os.Getenv("P")); if err!=nil{t.Fatal(err)}
 b,err:=rd(os.Getenv("R")); if err!=nil{t.Fatal(err)}
 r:=Compare(a,b,"plan","real")
 r.Plan.Notes,r.Real.Notes=nil,nil
 fmt.Println(r.Judged,r.AsPlanned,r.Counts); for _,x:=range r.Covers{fmt.Println("covers:",x)}; for _,x:=range r.NotJudged{fmt.Println("not:",x)}
 for i,f:=range r.Findings{ if os.Getenv("A")!="" {fmt.Println(f.Kind,f.Text,"|",f.Action)} else if i<12 {j,_:=json.MarshalIndent(f,""," "); fmt.Println(string(j))}}
}
