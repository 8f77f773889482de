import { z } from '@hono/zod-openapi'
import { detailsOfZodError } from '../../http/details.ts'
import { type Api, endpoint } from '../../http/index.ts'
import { AppError, type ErrorDetail } from '../../lib/errors/index.ts'
import { translate } from '../../lib/i18n/index.ts'
import { parseFor } from '../../lib/validation/checked.ts'
import { rehearse, type Transaction } from '../../platform/storage/index.ts'
import { writerOf } from '../audit/index.ts'
import type { LinkContext, LinkWriter } from './context.ts'
import { create } from './create.ts'
import type { CreateFields, PatchFields } from './fields.ts'
import type { Link } from './schemas.ts'
import { update } from './update.ts'

/** The faults of a draft, and free slugs if its own is taken. */
interface LinkCheck {
  problems: readonly ErrorDetail[]
  suggestions: readonly string[]
  /** The link's slug, which may be generated; null: it has faults. */
  slug: string | null
}

/** Stands for a destination that isn't given yet, or is faulty (RFC 2606). */
const SOME_URL = 'https://draft.invalid/'

/**
 * What a creation or a change by a draft would refuse, by a rehearsal of it: nothing is reserved.
 * @throws AppError LINK_NOT_FOUND
 */
export async function checkLink(
  ctx: LinkContext,
  caller: LinkWriter,
  { exclude_id: id, ...draft }: LinkDraft,
): Promise<LinkCheck> {
  const schema = ctx.schemas[id === undefined ? 'create' : 'patch']
  const read = (input: object) => parseFor(caller.workspace.no, schema, input)
  const withUrl = { ...draft, destination_url: SOME_URL }
  const given = id === undefined && draft.destination_url === undefined ? withUrl : draft
  let result = read(given)
  const problems = result.success ? [] : detailsOfZodError(result.error, given, schema)
  // The address is checked before its destination is complete.
  if (problems.every(({ field }) => field === 'destination_url')) result = read(withUrl)
  if (!result.success) return { problems, suggestions: [], slug: null }
  const fields = result.data
  const write = (tx: Transaction): Promise<Link> =>
    id === undefined
      ? create(ctx, tx, caller, fields as CreateFields)
      : update(ctx, tx, caller, id, fields as PatchFields, () => true)
  try {
    const { slug } = await rehearse(ctx.storage, write, { workspaceNo: caller.workspace.no })
    return { problems, suggestions: [], slug: problems.length === 0 ? slug : null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, details, suggestions = [] } = error
    const faults = code === 'SLUG_TAKEN' ? (details ?? [{ field: 'slug', code } as const]) : details
    if (faults === undefined) throw error
    return { problems: [...problems, ...faults], suggestions, slug: null }
  }
}

const Body = z
  .strictObject({
    destination_url: z.string().optional(),
    slug: z.string().optional(),
    domain: z.string().optional(),
    slug_style: z.string().nullable().optional(),
    slug_length: z.number().nullable().optional(),
    slug_prefix: z.string().nullable().optional(),
    exclude_id: z
      .string()
      .optional()
      .openapi({ description: 'The link that is being edited: its own slug is not taken.' }),
  })
  .openapi('LinkCheck')

/** The fields of a draft, as typed. */
type LinkDraft = z.output<typeof Body>

const Result = z
  .object({
    problems: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })),
    suggestions: z.array(z.string()).openapi({ description: 'Free slugs, when it is taken.' }),
    slug: z
      .string()
      .nullable()
      .openapi({ description: 'The slug that it would have; without one, a generated one.' }),
  })
  .openapi('LinkCheckResult')

/** The dashboard's validation of a link while it is edited. */
export function registerLinkCheckRoute(
  api: Pick<Api, 'add'>,
  deps: { links: { checkLink(caller: LinkWriter, draft: LinkDraft): Promise<LinkCheck> } },
): void {
  endpoint(api, {
    method: 'post',
    path: '/api/v1/links/check',
    scope: 'links:write',
    safe: true,
    secret: true,
    uncounted: true,
    operationId: 'checkLink',
    tag: 'Links',
    summary: 'Check fields of a link',
    body: Body,
    success: {
      status: 200,
      description: 'The errors; empty if there are none.',
      schema: Result,
    },
    errors: ['LINK_NOT_FOUND'],
    async handler(call) {
      const { body, locale } = call
      const { problems, ...found } = await deps.links.checkLink(writerOf(call), body)
      const rendered = problems.map(({ field, code, params }) => ({
        field,
        code,
        message: translate(locale, `detail.${code}`, params),
      }))
      return { status: 200, body: { problems: rendered, ...found } }
    },
  })
}
