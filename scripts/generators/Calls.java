import java.util.Arrays;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.LinksApi;
import org.openapitools.client.model.*;

public class Calls {
  public static void main(String[] args) throws Exception {
    long most = (1L << 53) - 1;
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("SLUGLINE_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("SLUGLINE_KEY")));
    LinksApi links = new LinksApi(client);

    LinkCreate body = new LinkCreate().destinationUrl("https://example.com/").tags(List.of("generated"));
    Link created = links.createLink(LinksApi.APICreateLinkRequest.newBuilder().linkCreate(body).build());
    String id = created.getId();
    Link got = links.getLink(LinksApi.APIGetLinkRequest.newBuilder().id(id).build());
    LinkList list =
        links.listLinks(
            LinksApi.APIListLinksRequest.newBuilder().limit(1).tag(List.of("generated")).build());
    LinkPatch patch = new LinkPatch().title("New").maxClicks(most);
    Link changed =
        links.updateLink(LinksApi.APIUpdateLinkRequest.newBuilder().id(id).linkPatch(patch).build());
    String refusal = "";
    try {
      links.getLink(LinksApi.APIGetLinkRequest.newBuilder().id("lnk_none").build());
    } catch (ApiException error) {
      refusal = error.getResponseBody();
    }
    System.out.println(
        Arrays.toString(
                new boolean[] {
                  id.startsWith("lnk_"),
                  got.getDestinationUrl().equals("https://example.com/"),
                  list.getData().size() == 1 && list.getPagination().getLimit() == 1,
                  "New".equals(changed.getTitle()) && changed.getMaxClicks() == most,
                  new com.fasterxml.jackson.databind.ObjectMapper().readTree(refusal).get("error").get("code").asText().equals("LINK_NOT_FOUND")
                })
            .replace(" ", ""));
  }
}
