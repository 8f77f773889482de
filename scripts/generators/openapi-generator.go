package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/example/client"
)

func main() {
	most := int64(1)<<53 - 1
	tags := []string{"generated"}
	ctx := context.WithValue(context.Background(), client.ContextAccessToken, os.Getenv("SLUGLINE_KEY"))
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("SLUGLINE_URL")}}
	links := client.NewAPIClient(configuration).LinksAPI

	body := client.NewLinkCreate("https://example.com/")
	body.SetTags(tags)
	created, answer, err := links.CreateLink(ctx).LinkCreate(*body).Execute()
	check(err)
	got, _, err := links.GetLink(ctx, created.Id).Execute()
	check(err)
	list, _, err := links.ListLinks(ctx).Limit(1).Tag(tags).Execute()
	check(err)
	patch := client.NewLinkPatch()
	patch.SetTitle("New")
	patch.SetMaxClicks(most)
	changed, _, err := links.UpdateLink(ctx, created.Id).LinkPatch(*patch).Execute()
	check(err)
	_, _, err = links.GetLink(ctx, "lnk_none").Execute()
	refusal := err.(*client.GenericOpenAPIError).Model().(client.Error)

	_ = json.NewEncoder(os.Stdout).Encode([]bool{
		answer.StatusCode == 201,
		got.DestinationUrl == "https://example.com/",
		len(list.Data) == 1 && list.Pagination.Limit == 1,
		changed.GetTitle() == "New" && changed.GetMaxClicks() == most,
		refusal.Error.Code == "LINK_NOT_FOUND",
	})
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
