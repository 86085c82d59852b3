package redact

import (
	"strings"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// rule finds one kind of secret.
type rule struct {
	name string
	re   *lazyregexp.Regexp
	// group is the part of a match that is the secret; 0 is all of it.
	group int
	// hints are texts of which one is in every match; without any of them the
	// pattern is not tried. With anyCase they are in lower case and matched so.
	hints   []string
	anyCase bool
	// doubt looks at a match and says that it is not a secret after all.
	doubt func(value string) bool
}

// rules are tried in order, after assignments: there the whole value goes, not only
// the part that has a known form.
var rules = []rule{
	{
		name: "private-key", hints: []string{"PRIVATE KEY"},
		re: lazyregexp.New(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)`),
	},
	{
		name: "url-password", hints: []string{"://"}, group: 1, doubt: placeholder,
		re: lazyregexp.New(`\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/?#@:"'<>\\]{0,256}:([^\s/?#@"'<>\\]{1,512})@`),
	},
	{
		name: "curl-password", hints: []string{"curl"}, group: 1, doubt: placeholder,
		re: lazyregexp.New(`\bcurl\b[^\n;|&]{0,500}?\s(?:-[A-Za-z]*[uU] {0,4}|--(?:proxy-)?user[ =]{1,4})\\{0,7}["']?[^\s:"'\\]{1,128}:([^\s"'\\]{1,512})`),
	},
	{
		name: "authorization", hints: []string{"authorization"}, anyCase: true, group: 1, doubt: placeholder,
		re: lazyregexp.New(`(?i)\b(?:proxy-)?authorization\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?([^\s"'\\,;]{4,})`),
	},
	{
		name: "bearer-token", hints: []string{"bearer"}, anyCase: true, group: 1, doubt: notRandom,
		re: lazyregexp.New(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,})`),
	},
	{
		name: "cookie", hints: []string{"cookie"}, anyCase: true, group: 1, doubt: placeholder,
		re: lazyregexp.New(`(?i)\b(?:set-)?cookie\\?["']?:\s*\\?["']?([^\s"'\\][^\r\n"'\\]{7,})`),
	},
	{name: "aws-key-id", hints: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, re: lazyregexp.New(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`)},
	{name: "github-token", hints: []string{"gh", "github_pat_"}, re: lazyregexp.New(`\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})`)},
	{name: "gitlab-token", hints: []string{"gl"}, re: lazyregexp.New(`\bgl(?:pat|dt|rt|ptt|cbt|agent|soat|oas|ft|imt|ffct)-[A-Za-z0-9_=.-]{20,300}`)},
	{name: "slack-token", hints: []string{"xox", "xapp-"}, re: lazyregexp.New(`\b(?:xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250})`)},
	{name: "slack-webhook", hints: []string{"hooks.slack.com"}, re: lazyregexp.New(`hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,200}`)},
	{name: "discord-webhook", hints: []string{"/api/webhooks/"}, re: lazyregexp.New(`discord(?:app)?\.com/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{30,100}`)},
	{name: "stripe-key", hints: []string{"sk_", "rk_", "whsec_"}, re: lazyregexp.New(`\b(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/=]{24,100})`)},
	{name: "google-key", hints: []string{"AIza", "ya29.", "GOCSPX-"}, re: lazyregexp.New(`\b(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,500}|GOCSPX-[A-Za-z0-9_-]{28})`)},
	{name: "model-key", hints: []string{"sk-", "gsk_", "xai-", "pplx-", "r8_"}, doubt: notRandom, re: lazyregexp.New(`\b(?:sk-(?:ant-|proj-|svcacct-|admin-|or-v1-|lf-)?[A-Za-z0-9_-]{20,300}|gsk_[A-Za-z0-9]{40,80}|xai-[A-Za-z0-9]{40,120}|pplx-[A-Za-z0-9]{40,80}|r8_[A-Za-z0-9]{30,60})`)},
	{name: "npm-token", hints: []string{"npm_"}, re: lazyregexp.New(`\bnpm_[A-Za-z0-9]{36,60}\b`)},
	{name: "pypi-token", hints: []string{"pypi-"}, re: lazyregexp.New(`\bpypi-AgE[A-Za-z0-9_-]{50,1000}`)},
	{name: "huggingface-token", hints: []string{"hf_"}, re: lazyregexp.New(`\bhf_[A-Za-z0-9]{30,60}\b`)},
	{name: "sendgrid-key", hints: []string{"SG."}, re: lazyregexp.New(`\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}\b`)},
	{name: "telegram-token", hints: []string{":AA"}, re: lazyregexp.New(`\b\d{8,12}:AA[A-Za-z0-9_-]{32,34}\b`)},
	{name: "digitalocean-token", hints: []string{"_v1_"}, re: lazyregexp.New(`\bdo[opr]_v1_[a-f0-9]{64}\b`)},
	{name: "shopify-token", hints: []string{"shp"}, re: lazyregexp.New(`\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b`)},
	{name: "vault-token", hints: []string{"hvs.", "hvb."}, re: lazyregexp.New(`\bhv[sb]\.[A-Za-z0-9_-]{24,300}`)},
	{name: "linear-key", hints: []string{"lin_api_"}, re: lazyregexp.New(`\blin_api_[A-Za-z0-9]{32,60}\b`)},
	{name: "age-key", hints: []string{"AGE-SECRET-KEY-"}, re: lazyregexp.New(`\bAGE-SECRET-KEY-1[A-Z0-9]{50,70}\b`)},
	{name: "azure-key", hints: []string{"AccountKey=", "SharedAccessKey="}, group: 1, re: lazyregexp.New(`(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{32,100}={0,2})`)},
	{name: "signature", hints: []string{"sig=", "signature="}, anyCase: true, group: 1, doubt: notRandom, re: lazyregexp.New(`(?i)[?&](?:sig|x-amz-signature|x-goog-signature)=([A-Za-z0-9%+/=_-]{20,600})`)},
	{name: "jwt", hints: []string{"eyJ"}, re: lazyregexp.New(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?`)},
}

// apply replaces what the rule finds.
func (r *rule) apply(s string) string {
	found := r.re.Get().FindAllStringSubmatchIndex(s, -1)
	if found == nil {
		return s
	}
	var b strings.Builder
	last := 0
	for _, m := range found {
		from, to := m[2*r.group], m[2*r.group+1]
		value := s[from:to]
		if marker.Get().MatchString(value) || r.doubt != nil && r.doubt(value) {
			continue
		}
		b.WriteString(s[last:from])
		b.WriteString(markerStart + r.name + "]")
		last = to
	}
	b.WriteString(s[last:])
	return b.String()
}
