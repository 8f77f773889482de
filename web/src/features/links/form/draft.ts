import type { ApiError } from '../../../api/errors.ts'
import type { SlugStyle } from '../../domains/slug-fields.tsx'
import type { Link, LinkCreate, LinkPatch } from '../queries.ts'
import { numberOrNull, orNull, withScheme } from './input-values.ts'
import {
  type RuleDraft,
  ruleDrafts,
  ruleInputs,
  type VariantDraft,
  variantDrafts,
  variantInputs,
  withoutIds,
} from './rules/draft.ts'
import { marksOf } from './rules/marks.ts'

/** The form's values: texts as typed. */
export interface Draft {
  destination_url: string
  slug: string
  /** Of a new link without a slug; empty: as set for the domain. */
  slug_style: SlugStyle | ''
  domain: string
  title: string
  tags: string[]
  folder_id: string | null
  /** In the format of `<input type="datetime-local">`, in the person's time zone. */
  starts_at: string
  expires_at: string
  /** Null: unchanged. */
  password: string | null
  max_clicks: string
  fallback_url: string
  redirect_status: string
  forward_query: boolean
  match: Link['match']
  forward_path: boolean
  notes: string
  external_id: string
  social: { title: string; description: string; image_url: string }
  tracking: Link['tracking']
  rules: RuleDraft[]
  variants: VariantDraft[]
}

export function emptyDraft(domain: string): Draft {
  return {
    destination_url: '',
    slug: '',
    slug_style: '',
    domain,
    title: '',
    tags: [],
    folder_id: null,
    starts_at: '',
    expires_at: '',
    password: null,
    max_clicks: '',
    fallback_url: '',
    redirect_status: '302',
    forward_query: false,
    match: 'exact',
    forward_path: false,
    notes: '',
    external_id: '',
    social: { title: '', description: '', image_url: '' },
    tracking: 'full',
    rules: [],
    variants: [],
  }
}

export function draftOf(link: Link): Draft {
  return {
    destination_url: link.destination_url,
    slug: link.slug,
    slug_style: '',
    domain: link.domain,
    title: link.title ?? '',
    tags: link.tags,
    folder_id: link.folder_id,
    starts_at: localTime(link.starts_at),
    expires_at: localTime(link.expires_at),
    password: null,
    max_clicks: link.max_clicks === null ? '' : String(link.max_clicks),
    fallback_url: link.fallback_url ?? '',
    redirect_status: String(link.redirect_status),
    forward_query: link.forward_query,
    match: link.match,
    forward_path: link.forward_path,
    notes: link.notes ?? '',
    external_id: link.external_id ?? '',
    social: {
      title: link.social?.title ?? '',
      description: link.social?.description ?? '',
      image_url: link.social?.image_url ?? '',
    },
    tracking: link.tracking,
    rules: ruleDrafts(link.rules),
    variants: variantDrafts(link.variants),
  }
}

/** A draft of a similar link, with its own address. */
export function copyOf(link: Link): Draft {
  const draft = draftOf(link)
  return {
    ...draft,
    slug: '',
    password: null,
    external_id: '',
    rules: withoutIds(draft.rules),
    variants: withoutIds(draft.variants),
  }
}

/** A time in the person's time zone, to the minute. */
export function localTime(time: string | null): string {
  if (time === null) return ''
  const date = new Date(time)
  const pad = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`
}

function instant(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString()
}

/** Null if nothing is set; cleared fields are null too. */
function socialOf({ title, description, image_url }: Draft['social']): Link['social'] {
  const social = {
    title: orNull(title.trim()),
    description: orNull(description.trim()),
    image_url: orNull(image_url.trim() && withScheme(image_url.trim())),
  }
  return Object.values(social).some((text) => text !== null) ? social : null
}

/** All writable fields, in the API's form. */
function fieldsOf(draft: Draft) {
  return {
    // Surrounding spaces of a pasted URL are never intended.
    destination_url: withScheme(draft.destination_url.trim()),
    slug: draft.slug.trim(),
    domain: draft.domain,
    title: orNull(draft.title.trim()),
    tags: draft.tags,
    folder_id: draft.folder_id,
    starts_at: instant(draft.starts_at),
    expires_at: instant(draft.expires_at),
    max_clicks: numberOrNull(draft.max_clicks),
    fallback_url: orNull(draft.fallback_url.trim() && withScheme(draft.fallback_url.trim())),
    redirect_status: Number(draft.redirect_status) as Link['redirect_status'],
    forward_query: draft.forward_query,
    match: draft.match,
    forward_path: draft.forward_path,
    notes: orNull(draft.notes.trim()),
    external_id: orNull(draft.external_id.trim()),
    social: socialOf(draft.social),
    tracking: draft.tracking,
    rules: ruleInputs(draft.rules),
    variants: variantInputs(draft.variants),
  }
}

/** The link to create: only what differs from the defaults. */
export function createOf(draft: Draft, defaultDomain: string): LinkCreate {
  const { destination_url, ...fields } = fieldsOf(draft)
  const { slug, ...defaults } = fieldsOf(emptyDraft(defaultDomain))
  // Omitted if it is empty, so that the API reports it as missing instead of invalid.
  const body: Record<string, unknown> = destination_url === '' ? {} : { destination_url }
  if (fields.slug !== '') body.slug = fields.slug
  else if (draft.slug_style !== '') body.slug_style = draft.slug_style
  for (const [name, value] of Object.entries(fields)) {
    const standard = defaults[name as keyof typeof defaults]
    if (name !== 'slug' && !same(value, standard)) body[name] = value
  }
  if (draft.password) body.password = draft.password
  return body as LinkCreate
}

/** Only what the person changed: a colleague's change of another field stays. */
export function patchOf(draft: Draft, link: Link): LinkPatch {
  const before = draftOf(link)
  const was = fieldsOf(before)
  const patch: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fieldsOf(draft))) {
    const untouched = same(draft[name as keyof Draft], before[name as keyof Draft])
    if (!untouched && !same(value, was[name as keyof typeof was])) patch[name] = value
  }
  if (draft.password !== null) patch.password = orNull(draft.password)
  return patch as LinkPatch
}

/** The same draft based on a link that someone else has changed: untouched fields follow it. */
export function rebase(draft: Draft, base: Link, latest: Link): Draft {
  const before = draftOf(base)
  const now = draftOf(latest)
  const touched = Object.entries(draft).filter(
    ([name, value]) => !same(value, before[name as keyof Draft]),
  )
  return { ...now, ...Object.fromEntries(touched) }
}

/** The fields that both have changed, to different values. */
export function clashesOf(patch: LinkPatch, base: Link, latest: Link): string[] {
  return Object.entries(patch).flatMap(([name, value]) => {
    const field = (name === 'password' ? 'has_password' : name) as keyof Link
    const clash = !same(base[field], latest[field]) && !same(value, latest[field])
    return clash ? [name] : []
  })
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/**
 * The API's messages by field and by nested path; `sent` is the draft that was sent. `tags[2]`
 * belongs to `tags` as well.
 */
export function problemsOf(error: ApiError | null, sent: Draft): Partial<Record<string, string>> {
  const details = error?.details ?? []
  const problems: Partial<Record<string, string>> = marksOf(details, sent)
  for (const { field, message } of details)
    problems[field.split(/[.[]/, 1)[0] as string] ??= message
  if (error?.code === 'SLUG_TAKEN') problems.slug = error.message
  if (error?.code === 'EXTERNAL_ID_TAKEN') problems.external_id = error.message
  return problems
}

/** The messages about what is still as it was sent. An item of a list keeps its own until the next try. */
export function withoutCorrected(
  problems: Partial<Record<string, string>>,
  draft: Draft,
  sent: Draft,
): Partial<Record<string, string>> {
  const kept = ([field]: [string, unknown]) =>
    field.includes('[') || valueAt(draft, field) === valueAt(sent, field)
  return Object.fromEntries(Object.entries(problems).filter(kept))
}

/** The value of a field such as `slug` or `social.title`. */
function valueAt(draft: Draft, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], draft)
}
