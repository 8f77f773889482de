import { z } from '@hono/zod-openapi'
import { validate } from '../../../http/index.ts'
import { asReadOnly, withoutUnchanged } from '../../../http/read-only.ts'
import { versionMatches } from '../../../http/respond.ts'
import type { ErrorDetail } from '../../../lib/errors/index.ts'
import { boundedText, checked, checkWith, isObject } from '../../../lib/validation/checked.ts'
import { ValidationIssue } from '../../../lib/validation/validation-issue.ts'
import { BOUNDS } from '../../../model/links/values.ts'
import type { CreateFields, LinkSchemas, PatchFields } from '../fields.ts'
import type { LinkName } from '../find.ts'
import { LINK_READ_ONLY } from '../read-only.ts'

/** An operation that is valid, as far as can be checked without the database. */
export type Operation =
  | { op: 'create'; fields: CreateFields }
  | { op: 'update'; name: LinkName; fields: PatchFields; ifMatch: (version: number) => boolean }
  | { op: 'delete'; name: LinkName; ifMatch: (version: number) => boolean }
  | {
      op: 'restore'
      name: string
      version: number | undefined
      ifMatch: (version: number) => boolean
    }
  | { op: 'upsert'; externalId: string; fields: CreateFields }

const OPS = ['create', 'update', 'delete', 'restore', 'upsert'] as const

/** Whether an operation, valid or not, is about a link that exists. */
export function isChange(raw: unknown): boolean {
  const { op } = (isObject(raw) ? raw : {}) as Record<string, unknown>
  return op !== 'create' && OPS.some((name) => name === op)
}

/** `operations[7].link.slug`: the path of a fault in the body of a bulk request. */
export function fieldOf(index: number, field: string): string {
  return `operations[${index}]${field === '' ? '' : `.${field}`}`
}

/** Makes the validation of one operation. @throws AppError VALIDATION_FAILED */
export function createOperationCheck({ create, patch }: LinkSchemas) {
  const externalId = boundedText({ max: BOUNDS.external_id, min: 1 })
  const which = { id: z.string().optional(), external_id: externalId.optional() }
  const ifMatch = checked(z.union([z.int(), z.string()]), (value) => {
    const header = typeof value === 'number' ? `"${value}"` : value
    return header.includes('"') || header === '*'
      ? (version: number) => versionMatches(header, version)
      : new ValidationIssue('INVALID_HEADER', { expected: '"3"' })
  })
  const oneOf = checkWith<{ id?: unknown; external_id?: unknown }>(({ id, external_id }) => {
    if ((id === undefined) !== (external_id === undefined)) return []
    return id === undefined
      ? [new ValidationIssue('REQUIRED').at('id')]
      : [new ValidationIssue('CONFLICTING_PARAMETERS', { other: 'id' }).at('external_id')]
  }, isObject)
  const sameId = checkWith<{ external_id?: unknown; link?: { external_id?: unknown } }>(
    ({ external_id, link }) => {
      if (link?.external_id === undefined || link.external_id === external_id) return []
      const allowed = [String(external_id)]
      return [new ValidationIssue('INVALID_VALUE', { allowed }, ['link', 'external_id'])]
    },
  )
  const kind = z.looseObject({ op: z.enum(OPS) })
  const shapes = {
    create: z.strictObject({ op: z.literal('create'), link: create }),
    update: z
      .strictObject({
        op: z.literal('update'),
        ...which,
        if_match: ifMatch.optional(),
        link: patch,
      })
      .check(oneOf),
    delete: z
      .strictObject({ op: z.literal('delete'), ...which, if_match: ifMatch.optional() })
      .check(oneOf),
    restore: z.strictObject({
      op: z.literal('restore'),
      id: z.string(),
      version: z.int().min(1).optional(),
      if_match: ifMatch.optional(),
    }),
    upsert: z
      .strictObject({ op: z.literal('upsert'), external_id: externalId, link: create })
      .check(sameId),
  }

  const readOnly = asReadOnly(LINK_READ_ONLY, 'link.')
  return (workspaceNo: number, raw: unknown, index: number): Operation => {
    const named = (details: readonly ErrorDetail[]) =>
      readOnly(details).map((detail) => ({ ...detail, field: fieldOf(index, detail.field) }))
    const how = { named, workspaceNo }
    const { op } = validate(kind, raw, how)
    switch (op) {
      case 'create':
        return { op, fields: validate(shapes.create, raw, how).link }
      case 'update': {
        const { if_match = () => true, link, ...rest } = validate(shapes.update, raw, how)
        return { op, name: nameOf(rest), fields: link, ifMatch: if_match }
      }
      case 'delete': {
        const { if_match = () => true, ...rest } = validate(shapes.delete, raw, how)
        return { op, name: nameOf(rest), ifMatch: if_match }
      }
      case 'restore': {
        const { id, version, if_match = () => true } = validate(shapes.restore, raw, how)
        return { op, name: id, version, ifMatch: if_match }
      }
      case 'upsert': {
        const { external_id: externalId, link } = validate(shapes.upsert, raw, how)
        return { op, externalId, fields: link }
      }
    }
  }
}

interface Named {
  id?: string | undefined
  external_id?: string | undefined
}

function nameOf({ id, external_id }: Named): LinkName {
  return id ?? { external_id: external_id ?? '' }
}

/** An operation without unchanged read-only members of its link. */
export async function changesIn(
  raw: unknown,
  find: (name: LinkName) => Promise<object | undefined>,
): Promise<unknown> {
  const { op, id, external_id, link } = (isObject(raw) ? raw : {}) as Record<string, unknown>
  const name = typeof id === 'string' ? id : { external_id: String(external_id) }
  if ((op !== 'update' && op !== 'upsert') || !isObject(link)) return raw
  const given = link as Record<string, unknown>
  const changes = await withoutUnchanged(given, LINK_READ_ONLY, () => find(name))
  return { ...(raw as object), link: changes }
}
