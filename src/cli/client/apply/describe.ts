import type { Applied } from './apply.ts'
import { textOf } from './files.ts'
import type { Change, Plan, Refusal } from './plan.ts'

const SIGNS = { create: '+', update: '~', delete: '-' } as const
const DONE = { create: 'created', update: 'updated', delete: 'deleted' } as const

/** Changes, field by field, for people. */
export function describePlan(changes: readonly Change[]): string[] {
  return changes.flatMap(({ action, externalId, shortUrl, place, fields, warnings }) => {
    const about = [shortUrl, place && `(${textOf(place)})`].filter(Boolean).join(' ')
    const width = Math.max(0, ...Object.keys(fields).map((name) => name.length))
    return [
      `${SIGNS[action]} ${externalId}  ${about}`.trimEnd(),
      ...Object.entries(fields).map(([name, value]) => {
        const now = JSON.stringify(value.new)
        const change = action === 'create' ? now : `${JSON.stringify(value.old)} → ${now}`
        return `    ${name.padEnd(width)}  ${change}`
      }),
      ...warnings.map(({ field, message }) => `    Warning: ${field}: ${message}`),
    ]
  })
}

/** The refused links with their reasons, for people. */
export function describeRefusals(refusals: readonly Refusal[]): string[] {
  if (refusals.length === 0) return []
  const lines = refusals.flatMap(({ externalId, place, error }) => {
    const reasons = error.details?.map(({ field, message }) => `${fieldOf(field)}: ${message}`)
    const about = place === null ? externalId : `${textOf(place)}: ${externalId}`
    return [`  ${about}`, ...(reasons ?? [error.message]).map((reason) => `    ${reason}`)]
  })
  return ['Refused:', ...lines]
}

/** The faults of a link, not of an operation. */
const fieldOf = (field: string) => field.replace(/^link\./, '')

/** `1 created, 2 updated, 0 deleted, 3 unchanged`; without `done`: `1 to create …` */
export function summaryOf({ changes, unchanged }: Plan, done?: readonly Change[]): string {
  const counts = countsOf(done ?? changes)
  const parts = (['create', 'update', 'delete'] as const).map(
    (action) => `${counts[DONE[action]]} ${done === undefined ? `to ${action}` : DONE[action]}`,
  )
  return [...parts, `${unchanged} unchanged`].join(', ')
}

function countsOf(changes: readonly Change[]) {
  const count = (wanted: Change['action']) =>
    changes.filter(({ action }) => action === wanted).length
  return { created: count('create'), updated: count('update'), deleted: count('delete') }
}

/** The result for programs. */
export function resultOf(
  { unchanged }: Plan,
  { dryRun, done, refusals }: Applied & { dryRun: boolean },
) {
  return {
    dry_run: dryRun,
    summary: { ...countsOf(done), unchanged, refused: refusals.length },
    changes: done.map(({ action, externalId, id, shortUrl, place, fields, warnings }) => ({
      action,
      external_id: externalId,
      id,
      short_url: shortUrl,
      file: place?.file ?? null,
      line: place?.line ?? null,
      fields,
      warnings,
    })),
    errors: refusals.map(({ externalId, place, error: { code, message, details = [] } }) => ({
      external_id: externalId,
      file: place?.file ?? null,
      line: place?.line ?? null,
      code,
      message,
      details: details.map((each) => ({ ...each, field: fieldOf(each.field) })),
    })),
  }
}
