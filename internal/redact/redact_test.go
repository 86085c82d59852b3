package redact

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

// joined keeps secrets of a known form out of this file, so that nobody's scanner
// takes them for real ones.
func joined(parts ...string) string { return strings.Join(parts, "") }

var alnum = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2eF4gH6iJ8kL0mN2oP4qR6sT8uV0wX2yZ4"

func TestSecrets(t *testing.T) {
	key := alnum[:40]
	for name, secret := range map[string]string{
		"aws":           joined("AKIA", "IOSFODNN7EXAMPLE"),
		"github":        joined("gh", "p_", alnum[:36]),
		"github fine":   joined("github", "_pat_", alnum[:60]),
		"gitlab":        joined("gl", "pat-", alnum[:20]),
		"slack":         joined("xo", "xb-123456789012-", alnum[:24]),
		"stripe":        joined("sk", "_live_", alnum[:24]),
		"google":        joined("AI", "za", alnum[:35]),
		"anthropic":     joined("sk", "-ant-api03-", alnum),
		"openai":        joined("sk", "-proj-", alnum),
		"openai old":    joined("sk", "-", alnum[:48]),
		"npm":           joined("npm", "_", alnum[:36]),
		"pypi":          joined("py", "pi-AgE", alnum),
		"jwt":           joined("ey", "JhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0In0.", alnum[:43]),
		"sendgrid":      joined("S", "G.", alnum[:22], ".", alnum[:43]),
		"huggingface":   joined("h", "f_", alnum[:34]),
		"telegram":      joined("123456789", ":AA", alnum[:33]),
		"vault":         joined("hv", "s.", alnum[:30]),
		"slack webhook": joined("hooks.slack", ".com/services/T0/B0/", alnum[:24]),
	} {
		for _, frame := range []string{"%s", "got %s.", `{"a":"%s"}`, `curl -H 'x: %s'`, "line\n%s\nline"} {
			text := fmt.Sprintf(frame, secret)
			if out := (&Redactor{}).String(text); strings.Contains(out, secret[8:]) || !strings.Contains(out, "[redacted:") {
				t.Errorf("%s: %q became %q", name, text, out)
			}
		}
	}
	for _, text := range []string{
		"password=@@", "DB_PASSWORD='@@'", `"password": "@@"`, `{\"password\":\"@@\"}`, "mysql --password @@", "mysql --password=@@", "passwd: @@",
		"export API_KEY=@@", "MY_TOKEN: @@", "client_secret = \"@@\"", `"accessToken":"@@"`, "tool --api-key @@", "x.apiKey = '@@'",
		"Authorization: Bearer @@", "authorization: Basic @@", `"Authorization": "token @@"`, "bearer @@", "Cookie: session=@@; a=b",
		"https://user:@@@example.com/x", "postgres://u:@@@db/x", "redis://:@@@h:1", "?X-Amz-Signature=@@", "SharedAccessKey=@@=",
		"AWS_SECRET_ACCESS_KEY=@@", "//registry.npmjs.org/:_authToken=@@", "SESSION_KEY=@@",
	} {
		text = strings.ReplaceAll(text, "@@", key)
		if strings.HasPrefix(text, "SharedAccess") {
			text = strings.ReplaceAll(text, "_", "+")
		}
		out := (&Redactor{}).String(text)
		if strings.Contains(out, key[6:30]) {
			t.Errorf("%q became %q", text, out)
		}
		if again := (&Redactor{}).String(out); again != out {
			t.Errorf("%q became %q the second time", out, again)
		}
	}
	for _, short := range []string{"password=hunter2", "PGPASSWORD=s3cr3t!x psql", `--password "my dog"`} {
		if out := (&Redactor{}).String(short); !strings.Contains(out, "[redacted:password]") {
			t.Errorf("%q became %q", short, out)
		}
	}
}

func TestPrivateKeys(t *testing.T) {
	body := strings.Repeat(alnum+"\n", 12)
	begin, end := "-----BEGIN OPENSSH "+"PRIVATE KEY-----\n", "-----END OPENSSH "+"PRIVATE KEY-----\n"
	for name, text := range map[string]string{
		"whole":     "x\n" + begin + body + end + "y",
		"in JSON":   strings.ReplaceAll(begin+body+end+"y", "\n", `\n`),
		"truncated": "x\n" + begin + body,
	} {
		out := (&Redactor{}).String(text)
		if strings.Contains(out, alnum) || !strings.Contains(out, "[redacted:private-key]") {
			t.Errorf("%s: %q", name, out)
		}
	}
	public := "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----"
	if out := (&Redactor{}).String(public); out != public {
		t.Errorf("a public key became %q", out)
	}
}

func TestWhatIsNoSecret(t *testing.T) {
	image := make([]byte, 30000)
	src := rand.NewChaCha8([32]byte{1})
	_, _ = src.Read(image)
	for name, text := range map[string]string{
		"uuid":        "id 123e4567-e89b-12d3-a456-426614174000, key 9b2e4c1a-0f3d-4b6a-8c7e-5d4f3a2b1c0d",
		"git sha":     "commit 73f5f17ad8e9c0b1a2d3e4f5061728394a5b6c7d\nsha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"lock file":   `"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="`,
		"go.sum":      "golang.org/x/mod v0.43.0 h1:zY54UmvipHiNd+pm+m0x9KhZ9hl1/7QNMyxXbc6ICqA=",
		"image":       "data:image/png;base64," + base64.StdEncoding.EncodeToString(image),
		"image url":   base64.URLEncoding.EncodeToString(image[:9000]),
		"tokens":      `"max_tokens": 4096000000, "input_tokens":123456789, tokens=12345678`,
		"types":       "password: string; token: string, secret?: string | undefined",
		"references":  `password=$PGPASSWORD token=${GITHUB_TOKEN} "api_key": "{{ secrets.KEY }}" apiKey: process.env.API_KEY token: os.environ["X"]`,
		"keys":        `primary_key=user_id_2024 "cache_key": "linux-a1b2c3d4e5f6" PUBLIC_KEY=abc123def456ghi789`,
		"prose":       "The password must be long, the token is short. Password policies. A bearer of news. Your secret is safe.",
		"code":        "if (event.key === 'Enter1234') return; map.keys(); const keyboard = new Keyboard12345()",
		"paths":       "/usr/share/keyrings/archive-keyring-2024.gpg --keyring x ssh-keygen -t ed25519",
		"words":       "token: authentication, secret: not-configured-yet, sk-learn-is-a-library-name",
		"plain url":   "https://example.com:8443/a?b=c&d=e@f see http://localhost:3000/@user",
		"email":       "mailto:someone@example.com, git@github.com:org/repo.git",
		"css":         "class=\"sk-fading-circle sk-circle-fade-dot-animation\"",
		"already":     "password=[redacted:password] [redacted:env]",
		"placeholder": "API_KEY=xxxxxxxxxxxx PASSWORD=**** TOKEN=<your-token-here1>",
	} {
		if out := (&Redactor{}).String(text); out != text {
			i := 0
			for i < len(out) && i < len(text) && out[i] == text[i] {
				i++
			}
			t.Errorf("%s: changed at %q", name, out[max(0, i-30):min(len(out), i+60)])
		}
	}
}

func TestValuesOfTheEnvironment(t *testing.T) {
	r := New([]string{
		"DEPLOY_TOKEN=correct horse battery", "PATH=/usr/bin:/opt/whatever", "SHORT_KEY=abc", "GIT_EDITOR=some-editor-here",
		"APP_SECRET=p@ss \"quoted\"/word", "CERT_KEY=first line that is long\nsecond line that is long", "BAD_SECRET=redacted:e",
		"npm_config_//registry.example/:_auth=of a registry's",
	})
	text := "say correct horse battery and correct+horse+battery, /usr/bin:/opt/whatever abc some-editor-here " +
		`{"x":"p@ss \"quoted\"/word"} second line that is long of a registry's`
	got := r.String(text)
	want := "say [redacted:env] and [redacted:env], /usr/bin:/opt/whatever abc some-editor-here " + `{"x":"[redacted:env]"} [redacted:env] [redacted:env]`
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if again := r.String(got); again != got {
		t.Errorf("the second time: %q", again)
	}
}

func TestClip(t *testing.T) {
	secret := joined("gh", "p_", alnum[:36])
	r := New([]string{"A_TOKEN=" + alnum[:50]})
	for _, canary := range []string{secret, alnum[:50]} {
		for at := 90; at < 110; at++ {
			for _, pad := range []int{0, 100, reach * 2} {
				text := strings.Repeat("é", 40) + strings.Repeat("x", at-81) + " " + canary + " " + strings.Repeat("y", pad)
				out, cut := r.Clip(text, 100)
				if strings.Contains(out, canary[:5]) || len(out) > 100 || strings.Contains(out, "[redact") && !strings.Contains(out, "]") {
					t.Fatalf("at %d: %q", at, out)
				}
				if !cut {
					if whole := r.String(text); whole != out {
						t.Fatalf("not cut: %q, want %q", out, whole)
					}
				}
			}
		}
	}
	if out, cut := r.Clip("plain", 100); out != "plain" || cut {
		t.Errorf("got %q, %t", out, cut)
	}
}

func TestWriterSeesSecretsThatArriveInPieces(t *testing.T) {
	secret := joined("gh", "p_", alnum[:36])
	block := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat(alnum+"\n", 20) + "-----END RSA " + "PRIVATE KEY-----\n"
	text := strings.Repeat("some line\n", 50) + "token " + secret + " end\n" + block + "after\n" + strings.Repeat("z", 3<<20) + " " + secret + "\nlast " + secret
	for _, size := range []int{1, 7, 4096, 1 << 20} {
		var out bytes.Buffer
		w := (&Redactor{}).NewWriter(&out)
		data := []byte(text)
		if size == 1 {
			data = data[:3000]
		}
		for len(data) > 0 {
			n := min(size, len(data))
			if _, err := w.Write(data[:n]); err != nil {
				t.Fatal(err)
			}
			data = data[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Contains(got, secret[4:20]) || strings.Contains(got, alnum) {
			t.Errorf("pieces of %d leak", size)
		} else if size > 1 && (!strings.Contains(got, "after\n") || !strings.HasSuffix(got, "last [redacted:github-token]")) {
			t.Errorf("pieces of %d: text is missing", size)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("password=", "hunter22", " x")
	f.Add(`{"token":"`, "abcdefgh12345678", `"}`)
	f.Add("https://u:", "p4ssw0rdp4ssw0rd", "@host/")
	f.Add("-----BEGIN X PRIVATE KEY-----", "abcdefgh12345678", "[redacted:env]")
	f.Add("Cookie: [redacted:", "a1a1a1a1a1", "] Bearer [redacted:x]y")
	word := regexp.MustCompile(`^[A-Za-z0-9]{8,60}$`)
	f.Fuzz(func(t *testing.T, before, canary, after string) {
		if len(before)+len(after) > 4096 || !word.MatchString(canary) || strings.Contains(envMarker, canary) {
			t.Skip()
		}
		for i := range rules {
			if strings.Contains(markerStart+rules[i].name, canary) {
				t.Skip()
			}
		}
		r := New([]string{"CANARY_TOKEN=" + canary})
		out := r.String(before + canary + after)
		if strings.Contains(out, canary) {
			t.Fatalf("%q leaks %q", out, canary)
		}
		if again := r.String(out); again != out {
			t.Fatalf("%q became %q", out, again)
		}
		token := joined("gh", "p_", alnum[:36])
		if out := r.String(before + " " + token + " " + after); strings.Contains(out, token) {
			t.Fatalf("%q leaks a token", out)
		}
		if clipped, _ := r.Clip(before+canary+after, 64); strings.Contains(clipped, canary) {
			t.Fatalf("clipped %q leaks", clipped)
		}
	})
}

func BenchmarkString(b *testing.B) {
	r := New([]string{"A_TOKEN=" + alnum[:50]})
	text := strings.Repeat("2026-01-01 INFO request key handled in 12ms by worker=7 path=/api/v1/items\n", 850)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.String(text)
	}
}

// TestUserOfCurl hides the password of curl's -u, and nothing that only resembles it.
func TestUserOfCurl(t *testing.T) {
	for text, want := range map[string]string{
		"curl -u bob:hunter22 https://x":                   "curl -u bob:[redacted:curl-password] https://x",
		"curl -s -ubob:hunter22 https://x":                 "curl -s -ubob:[redacted:curl-password] https://x",
		"curl -su 'bob:hunter22' x":                        "curl -su 'bob:[redacted:curl-password]' x",
		`{"command":"curl --user \"bob:hunter22\" x"}`:     `{"command":"curl --user \"bob:[redacted:curl-password]\" x"}`,
		"curl x --proxy-user=bob:hunter22":                 "curl x --proxy-user=bob:[redacted:curl-password]",
		"curl --user-agent=tool:one x":                     "curl --user-agent=tool:one x",
		"curl -u bob:$PASSWORD x":                          "curl -u bob:$PASSWORD x",
		"docker run -u 1000:1000 image":                    "docker run -u 1000:1000 image",
		"curl x; docker run -u 1000:1000 image":            "curl x; docker run -u 1000:1000 image",
		"curl -d name:value --url http://example.com:8080": "curl -d name:value --url http://example.com:8080",
	} {
		if got := (&Redactor{}).String(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestQuotesInValues has a value with a quote and a backslash in it, in strings of JSON within
// strings of JSON: nothing of it stays, and nothing behind it goes.
func TestQuotesInValues(t *testing.T) {
	text := `{"password":"first\"second\\third\nfourth","next":"kept"}`
	for depth := range 4 {
		out := (&Redactor{}).String(text)
		for _, part := range []string{"first", "second", "third", "fourth"} {
			if strings.Contains(out, part) {
				t.Errorf("%d strings deep %q is left of %s: %s", depth, part, text, out)
			}
		}
		if !strings.Contains(out, "kept") || !strings.Contains(out, "next") {
			t.Errorf("%d strings deep more is gone of %s: %s", depth, text, out)
		}
		text = string(hook.MustJSON(map[string]string{"payload": text}).Raw())
	}
}

// TestEncodedCopies looks for a value of the environment in encodings of it.
func TestEncodedCopies(t *testing.T) {
	value := `canary"with-a-quote/and?more`
	r := New([]string{"MY_TOKEN=" + value})
	for _, before := range []string{"", "u:", "x", "abc"} {
		for _, text := range []string{
			base64.StdEncoding.EncodeToString([]byte(before + value)), base64.URLEncoding.EncodeToString([]byte(before + value + "!")),
			base64.RawStdEncoding.EncodeToString([]byte(before + value + ":more")), fmt.Sprintf("%x", before+value), fmt.Sprintf("%X", value),
		} {
			if out := r.String("got " + text + "."); len(out) > len("got .")+len(envMarker)+2*len(before)+12 || !strings.Contains(out, envMarker) {
				t.Errorf("%q became %q", text, out)
			}
		}
	}
	twice := hook.MustJSON(string(hook.MustJSON(value).Raw())).Raw()
	if out := r.String(twice); strings.Contains(out, "canary") || strings.Contains(out, "more") {
		t.Errorf("%q became %q", twice, out)
	}
}
