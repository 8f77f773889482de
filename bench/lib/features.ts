import { slugAt } from './wrk.ts'

/** A link with a feature, and a visit that uses it. `set` is SQL. */
export interface Feature {
  name: string
  slug: string
  path: string
  set: string
  special: number
}

const destination = (name: number | string) => ({ destination_url: `https://example.com/${name}` })

/** Nine rules that no visit of the bench matches, and one that each does. */
const TEN_RULES = JSON.stringify(
  [
    ...['iOS', 'Android', 'macOS'].map((name) => ({ os: [{ name, min: '12' }] })),
    ...['mobile', 'tablet', 'tv'].map((device) => ({ device: [device] })),
    ...['sv', 'fr', 'ja'].map((language) => ({ language: [language] })),
    {},
  ].map((when, n) => ({ id: `r${n}`, when, then: destination(n) })),
)
const SPLIT = JSON.stringify(['a', 'b'].map((id) => ({ id, weight: 50, ...destination(id) })))

/** More links than the first `count`, one for each feature; and an unknown slug. */
export async function redirectFeatures(count: number): Promise<Feature[]> {
  const hash = await Bun.password.hash('bench')
  const described = [
    { name: 'forward_query', set: 'forward_query = 1', behind: '?utm_source=bench&a=1' },
    { name: 'max_clicks', set: 'max_clicks = 1000000000' },
    { name: 'password form', set: `password_hash = '${hash}'` },
    { name: 'ten rules', set: `rules = '${TEN_RULES}'` },
    { name: 'a split', set: `variants = '${SPLIT}'` },
    { name: 'prefix', set: 'match_prefix = 1, forward_path = 1', behind: '/a/b', special: 2 },
  ]
  const features = described.map(({ name, set, behind = '', special = 1 }, n) => {
    const slug = slugAt(count + n)
    return { name, slug, path: `/${slug}${behind}`, set, special }
  })
  const missing = {
    name: 'not found',
    slug: '',
    path: '/leads-nowhere',
    set: 'title = title',
    special: 0,
  }
  return [...features, missing]
}
