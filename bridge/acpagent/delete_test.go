package acpagent_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/bridge/acpagent"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/session"
)

func TestASessionIsDeletedByItsWholeID(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"one", "other", "open"} {
		s, err := session.Create(dir, session.Options{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if id == "open" {
			defer s.Close()
			continue
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ id, says, left string }{
		{"on", `"result":{}`, "3"},
		{"one", `"result":{}`, "2"},
		{"open", `"error":`, "2"},
	} {
		var answers strings.Builder
		ask := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/delete","params":{"sessionId":%q}}`+"\n", c.id)
		err := acpagent.Serve(context.Background(), acpagent.Options{
			Sessions: func(cwd string) ([]session.Info, error) { return session.List(dir, cwd) },
		}, jsonrpc.Lines(io.NopCloser(strings.NewReader(ask)), writer{&answers}))
		left, listErr := session.List(dir, "")
		if err != nil || listErr != nil || !strings.Contains(answers.String(), c.says) || fmt.Sprint(len(left)) != c.left {
			t.Errorf("%s: %s, %d are left, %v, %v", c.id, answers.String(), len(left), err, listErr)
		}
	}
}
