package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"example.com/client/api"
)

func main() {
	most := int64(1)<<53 - 1
	title := "New"
	limit := api.LimitParam(1)
	tags := []string{"generated"}
	ctx := context.Background()
	withKey := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("SLUGLINE_KEY"))
		return nil
	})
	client := must(api.NewClientWithResponses(os.Getenv("SLUGLINE_URL"), withKey))

	body := api.LinkCreate{DestinationUrl: "https://example.com/", Tags: &tags}
	created := must(client.CreateLinkWithResponse(ctx, nil, body))
	id := created.JSON201.Id
	got := must(client.GetLinkWithResponse(ctx, id, nil))
	one := int32(limit)
	list := must(client.ListLinksWithResponse(ctx, &api.ListLinksParams{Limit: &one, Tag: &tags}))
	patch := api.LinkPatch{Title: &title, MaxClicks: &most}
	changed := must(client.UpdateLinkWithResponse(ctx, id, nil, patch))
	missing := must(client.GetLinkWithResponse(ctx, "lnk_none", nil))

	_ = json.NewEncoder(os.Stdout).Encode([]bool{
		created.StatusCode() == 201,
		got.JSON200.DestinationUrl == "https://example.com/",
		len(list.JSON200.Data) == 1 && list.JSON200.Pagination.Limit == 1,
		*changed.JSON200.Title == title && *changed.JSON200.MaxClicks == most,
		missing.JSON404.Error.Code == "LINK_NOT_FOUND",
	})
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
