package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent/model"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		after, ms string
		want      time.Duration
	}{
		{"", "", 0},
		{"7", "", 7 * time.Second},
		{"0.5", "", 500 * time.Millisecond},
		{"9", "250", 250 * time.Millisecond},
		{"9", "soon", 9 * time.Second},
		{now.Add(time.Minute).Format(http.TimeFormat), "", time.Minute},
		{now.Add(-time.Minute).Format(http.TimeFormat), "", 0},
		{"-3", "", 0},
		{"NaN", "", 0},
		{"Inf", "", 24 * time.Hour},
		{"1e300", "", 24 * time.Hour},
		{"whenever", "", 0},
	}
	for _, tt := range tests {
		h := http.Header{}
		h.Set("Retry-After", tt.after)
		h.Set("Retry-After-Ms", tt.ms)
		if got := retryAfter(h, now); got != tt.want {
			t.Errorf("RetryAfter(%q, %q) = %v, want %v", tt.after, tt.ms, got, tt.want)
		}
	}
}

func TestParseErrorAndClassify(t *testing.T) {
	tests := []struct {
		status    int
		body      string
		kind      model.ErrorKind
		typ, text string
	}{
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.KindOverloaded, "overloaded_error", "Overloaded"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 3 tokens > 2"}}`, model.KindContextTooLong, "invalid_request_error", "prompt is too long: 3 tokens > 2"},
		{400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, model.KindBilling, "invalid_request_error", "Your credit balance is too low"},
		{401, `{"error":{"message":"bad key","type":"invalid_request_error","code":"invalid_api_key"}}`, model.KindAuth, "invalid_api_key", "bad key"},
		{401, `{"error":{"message":"bad key","type":"invalid_request_error","code":null}}`, model.KindAuth, "invalid_request_error", "bad key"},
		{429, `{"error":{"message":"quota","type":"insufficient_quota","code":"insufficient_quota"}}`, model.KindBilling, "insufficient_quota", "quota"},
		{429, `{"error":{"message":"slow","type":"requests","code":"rate_limit_exceeded"}}`, model.KindRateLimit, "rate_limit_exceeded", "slow"},
		{400, `{"error":{"message":"x","code":"context_length_exceeded"}}`, model.KindContextTooLong, "context_length_exceeded", "x"},
		{400, `{"error":{"message":"x","code":"content_filter"}}`, model.KindRefusal, "content_filter", "x"},
		{404, `{"error":"model 'x' not found"}`, model.KindNotFound, "", "model 'x' not found"},
		{404, `{"detail":"Not Found"}`, model.KindNotFound, "", "Not Found"},
		{503, `[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]`, model.KindOverloaded, "UNAVAILABLE", "busy"},
		{502, "<html>Bad Gateway</html>", model.KindServer, "", "<html>Bad Gateway</html>"},
		{422, `{"message":"no"}`, model.KindInvalidRequest, "", "no"},
		{500, "", model.KindServer, "", ""},
		{0, `{"error":{"type":"api_error","message":"x"}}`, model.KindServer, "api_error", "x"},
		{0, `{"error":{"type":"invalid_request_error","message":"x"}}`, model.KindInvalidRequest, "invalid_request_error", "x"},
		{400, `{"error":{"message":"a","message":"b"}}`, model.KindInvalidRequest, "", "b"},
	}
	for _, tt := range tests {
		e := parseError([]byte(tt.body))
		kind := Classify(tt.status, e.Type, e.Message)
		if kind != tt.kind || e.Type != tt.typ || e.Message != tt.text {
			t.Errorf("%d %s: %s %q %q, want %s %q %q", tt.status, tt.body, kind, e.Type, e.Message, tt.kind, tt.typ, tt.text)
		}
	}
}

func TestTidy(t *testing.T) {
	got := tidy("key sk-1234 in "+strings.Repeat("ä", 3000), []string{"", "sk-1234"})
	if strings.Contains(got, "sk-1234") || len(got) > maxMessage+len("…") || !strings.HasPrefix(got, "key [redacted] in ä") {
		t.Errorf("got %d bytes: %.40q", len(got), got)
	}
}

func FuzzParseError(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"m"}}`, `{"error":"s"}`, `[{}]`, `[]`, `null`, "", "\xff{", `{"error":[1]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := parseError([]byte(s))
		if Classify(400, e.Type, e.Message) == "" {
			t.Error("no kind")
		}
	})
}
