import { AppError } from '../lib/errors/index.ts'
import { type ReadOnly, readOnlyOf, withoutUnchanged } from './read-only.ts'
import type { AnyEndpoint } from './types.ts'

/** An endpoint of an API. */
export type AddedEndpoint = AnyEndpoint & {
  /** The names of all query parameters. */
  parameters: ReadonlySet<string>
  /** The read-only members of its body. */
  readOnlyMembers: ReadonlySet<string>
  /** The endpoint that answers GET of the same path. */
  reader: () => AnyEndpoint | undefined
}

/** Of changes and of creations: both take what they answer. */
export function readOnlyMembersOf({
  method,
  path,
  body,
  success,
  readOnly,
}: AnyEndpoint): ReadOnly {
  const { status, created, schema } = success
  const makes = (status === 201 || created !== undefined) && !path.includes('{')
  const takesObject = method === 'patch' || method === 'put' || (method === 'post' && makes)
  const ofAnswer = body !== undefined && takesObject ? readOnlyOf(body, schema) : []
  return new Set([...ofAnswer, ...(readOnly ?? [])])
}

/**
 * The body of a change without unchanged read-only members. Sets the parameters of the call, which
 * reading the object needs.
 */
export async function changesIn(
  call: { params: unknown },
  endpoint: AddedEndpoint,
  params: unknown,
  value: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { method, readOnlyMembers, reader } = endpoint
  const parsed = endpoint.params?.safeParse(params)
  if (method === 'post' || parsed?.success === false) return value
  return withoutUnchanged(value, readOnlyMembers, async () => {
    call.params = parsed?.data
    if (endpoint.current !== undefined) return endpoint.current(call as never)
    try {
      return ((await reader()?.handler(call as never)) ?? undefined)?.body
    } catch (error) {
      // PUT may create the object.
      if (method === 'put' && error instanceof AppError && error.status === 404) return undefined
      throw error
    }
  })
}
