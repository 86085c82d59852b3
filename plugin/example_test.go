package plugin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/plugin"
)

func Example() {
	root, err := os.MkdirTemp("", "plugins")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	project, repo := filepath.Join(root, "project"), filepath.Join(root, "acme@code-review")
	for _, dir := range []string{project, filepath.Join(repo, "recipes")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "recipes", "review.md"), []byte("Review the diff.\n"), 0o644); err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	store := &plugin.Store{Places: plugin.Places{ProjectDir: project}}
	source, err := plugin.ParseSource(repo, plugin.SourceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	installed, err := store.Install(ctx, []plugin.Source{source}, plugin.InstallOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = plugin.RenderInstalled(os.Stdout, installed[0])

	list, _, err := store.List(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = plugin.RenderList(os.Stdout, list)
	// Output:
	// Installed acme/code-review:
	//   Skills:  0
	//   Recipes: 1
	//   Hooks:   0
	// NAME                LOCATION  SKILLS  RECIPES  HOOKS
	// ----                --------  ------  -------  -----
	// acme/code-review    local     0       1        0
}
