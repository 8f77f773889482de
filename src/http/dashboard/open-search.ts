/** In the head of every page: browsers then offer to search links from the address bar. */
export const SEARCH_LINK =
  '<link rel="search" type="application/opensearchdescription+xml" title="Slugline" href="/app/opensearch.xml">'

/**
 * Describes the search for links to browsers (OpenSearch 1.1,
 * https://github.com/dewitt/opensearch). Its URLs must be absolute.
 */
export function openSearch(baseUrl: string, headers: Readonly<Record<string, string>>): Response {
  const { origin, host } = new URL(baseUrl)
  const base = Bun.escapeHTML(`${origin}/app`)
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>Slugline</ShortName>
  <Description>${Bun.escapeHTML(`Slugline (${host})`)}</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Image width="192" height="192" type="image/png">${base}/icon-192.png</Image>
  <Url type="text/html" method="get" template="${base}/links?q={searchTerms}"/>
  <Url type="application/opensearchdescription+xml" rel="self" template="${base}/opensearch.xml"/>
</OpenSearchDescription>
`
  return new Response(text, {
    headers: {
      ...headers,
      'Content-Type': 'application/opensearchdescription+xml; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    },
  })
}
