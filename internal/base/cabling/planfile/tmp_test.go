package planfile
import ("testing";"os";"io";"fmt";"strings")
func TestTmp(t *testing.T){
 for _,p:=range strings.Fields(os.Getenv("PLANS")) {
  f,err:=Read(p,func(n string)(io.ReadCloser,error){return os.Open(n)})
  fmt.Println("==",p); if err!=nil {fmt.Println("ERR",err); continue}
  roles:=map[string]int{}; for _,d:=range f.Devices{roles[d.Role.String()]++}
  fmt.Println(f.Format,len(f.Devices),len(f.Cables),roles)
  for _,n:=range f.Notes{fmt.Println("  -",n)}
  for i,c:=range f.Cables{ if i<3 {fmt.Println("   ",f.EndName(c.A),"--",f.EndName(c.B),c.Rate,c.Length,c.Place)}}
 }
}
