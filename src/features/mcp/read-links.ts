import { z } from '@hono/zod-openapi'
import type { Link, LinkList } from '../links/index.ts'
import { type Call, type CallQuery, get, given } from './call.ts'
import { findLink, folderId, LINK } from './find.ts'
import { choice, flag, text, texts, tool, whole } from './tool.ts'

/** The fields of a link that lists show. */
const SHORT_LINK = z.looseObject({
  id: z.string(),
  short_url: z.string(),
  destination_url: z.string(),
  title: z.string().nullable(),
  tags: z.array(z.string()),
  status: z.string().describe('active, or why it does not redirect'),
  clicks: z.number().describe('Clicks by people since it was created'),
  created_at: z.string(),
})

/** A whole link. */
export const LINK_OUTPUT = {
  link: z
    .looseObject({
      id: z.string(),
      short_url: z.string(),
      destination_url: z.string(),
      status: z.string(),
      version: z.number(),
    })
    .describe('The link with all of its fields, as the API returns it'),
}

/** Which links: shared by the tools that search and change. */
export const FILTER = {
  search: text('Part of a slug, destination URL, title, tag or external id, such as example.org.'),
  tags: texts('Links that have all of these tags.', 50, 1),
  any_tags: texts('Links that have at least one of these tags.', 50, 1),
  tagged: flag('false: links without tags; true: with tags.'),
  folder: text('Links in this folder (name or id); "none": in no folder.', 200),
  domain: text('Links on this short domain.', 300),
  destination_url: text('Links with exactly this destination URL.'),
  status: choice(
    'active disabled scheduled expired exhausted blocked',
    'Links that have this status now.',
  ),
  clicked: flag('false: links that were never clicked; true: links that were.'),
  has_rules: flag('true: links with rules or variants; false: without.'),
  has_password: flag('true: links with a password; false: without.'),
  created_by: text('Links made by this user or API key (id); "me": by the key in use.', 200),
  archived: flag('true: archived links only; false or absent: links that are not archived.'),
  created_after: text('Created at this time or later: RFC 3339, or a date (midnight UTC).', 64),
  created_before: text('Created before this time: RFC 3339, or a date (midnight UTC).', 64),
}

const FilterSchema = z.object(FILTER)

/** The parameters of the API's list for a filter. */
export async function filterOf(
  call: Call,
  { tags, any_tags, folder, archived, ...rest }: z.output<typeof FilterSchema>,
): Promise<CallQuery> {
  const folder_id =
    folder === undefined || folder === 'none' ? folder : await folderId(call, folder)
  return given({
    ...rest,
    tag: tags,
    any_tag: any_tags,
    folder_id,
    archived: archived ? 'true' : undefined,
  })
}

/** A link in a list. */
export function shortened(link: Link) {
  const { id, short_url, destination_url, title, tags, status, clicks, created_at } = link
  return { id, short_url, destination_url, title, tags, status, clicks: clicks.human, created_at }
}

export const findLinks = tool({
  name: 'find_links',
  title: 'Find links',
  description:
    'Find short links by text, tag, folder, domain, status, creator, clicks or time of creation. All filters must ' +
    'match. Returns a page of links and how many match in total. Without filters: all links, newest ' +
    'first.',
  scopes: ['links:read'],
  effect: 'reads',
  input: {
    ...FILTER,
    sort: choice(
      'created_at updated_at clicks last_clicked_at slug relevance',
      'What to sort by. Default: created_at. relevance: with search, the best matches first.',
    ),
    order: choice('asc desc', 'Default: desc (newest or most first).'),
    limit: whole('How many links to return. Default: 25.', 100),
    cursor: text('next_cursor of the previous page, with the same filters.'),
  },
  output: {
    links: z.array(SHORT_LINK),
    total: z.number().describe('How many links match in total'),
    next_cursor: z.string().nullable(),
  },
  async run(call, { sort, order, limit, cursor, ...filter }) {
    const query = { ...(await filterOf(call, filter)), sort, order, limit, cursor }
    const page = await get<LinkList>(call, '/links', query)
    const { total, next_cursor } = page.pagination
    const more = next_cursor === null ? '' : ' Pass next_cursor as cursor for more.'
    return {
      text: `${total} ${total === 1 ? 'link matches' : 'links match'}; ${page.data.length} returned.${more}`,
      data: { links: page.data.map(shortened), total, next_cursor },
    }
  },
})

export const getLink = tool({
  name: 'get_link',
  title: 'Get a link',
  description:
    'Get one short link with all of its settings: destination, rules, dates, tags, clicks.',
  scopes: ['links:read'],
  effect: 'reads',
  input: { link: LINK },
  output: LINK_OUTPUT,
  async run(call, { link: name }) {
    const link = await findLink(call, name)
    return {
      text: `${link.short_url} leads to ${link.destination_url} (${link.status}).`,
      data: { link },
    }
  },
})
