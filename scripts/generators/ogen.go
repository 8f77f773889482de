package main

import (
	"context"
	"encoding/json"
	"os"

	"example.com/client/api"
)

type key struct{}

func (key) BearerAuth(context.Context, api.OperationName) (api.BearerAuth, error) {
	return api.BearerAuth{Token: os.Getenv("SLUGLINE_KEY")}, nil
}

func main() {
	most := int64(1)<<53 - 1
	ctx := context.Background()
	client := must(api.NewClient(os.Getenv("SLUGLINE_URL"), key{}))

	body := api.LinkCreate{
		DestinationURL: "https://example.com/",
		Tags:           api.NewOptNilStringArray([]string{"generated"}),
	}
	created, isCreated := must(client.CreateLink(ctx, &body, api.CreateLinkParams{})).(*api.CreateLinkCreatedHeaders)
	id := created.Response.ID
	got, isGot := must(client.GetLink(ctx, api.GetLinkParams{ID: id})).(*api.GetLinkByExternalIdOKHeaders)
	list, isList := must(client.ListLinks(ctx, api.ListLinksParams{
		Limit: api.NewOptInt32(1),
		Tag:   []string{"generated"},
	})).(*api.LinkListHeaders)
	patch := api.LinkPatch{Title: api.NewOptNilString("New"), MaxClicks: api.NewOptNilInt64(most)}
	request := api.UpdateLinkApplicationJSON(patch)
	changed, isChanged := must(client.UpdateLink(ctx, &request, api.UpdateLinkParams{ID: id})).(*api.LinkHeaders)
	missing, isMissing := must(client.GetLink(ctx, api.GetLinkParams{ID: "lnk_none"})).(*api.GetLinkNotFound)

	_ = json.NewEncoder(os.Stdout).Encode([]bool{
		isCreated,
		isGot && got.Response.DestinationURL == "https://example.com/",
		isList && len(list.Response.Data) == 1 && list.Response.Pagination.Limit == 1,
		isChanged && changed.Response.Title.Value == "New" && changed.Response.MaxClicks.Value == most,
		isMissing && missing.Error.Code == "LINK_NOT_FOUND",
	})
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
