import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Monogram } from '../../app/workspace-switch.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Breakable } from '../../ui/breakable.tsx'
import { Summary } from '../../ui/disclosure.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { JobName } from '../jobs/name.tsx'
import { usePerson } from '../members/person.tsx'
import { Changes } from './changes.tsx'
import type { AuditEntry } from './queries.ts'
import { actionKey, isNothing, targetName } from './words.ts'

/** A change in one line; expanded, with old and new values. */
export function Entry({
  entry,
  onActor,
  onTarget,
  more = null,
}: {
  entry: AuditEntry
  onActor: (actor: string) => void
  onTarget: (target: string) => void
  /** Shows the folded entries. */
  more?: ReactNode
}) {
  const i18n = useI18n()
  const { t, format } = i18n
  const { actor, action, target, created_at: at } = entry
  const key = actionKey(action)
  const isJob = target.type === 'job' || target.type === 'import'
  const job = isJob && typeof entry.after?.name === 'string' ? entry.after.name : null
  const { name, picture, detail } = usePerson(actor)
  const before = entry.before ?? {}
  const after = entry.after ?? {}
  // Creations and deletions have only one side: empty values aren't shown.
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) =>
      !(isNothing(before[field]) && isNothing(after[field])) && !(job !== null && field === 'name'),
  )
  return (
    <li className="flex flex-col gap-1.5 border-line border-b py-2.5">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
        <Tooltip text={format.exact(at)}>
          <time dateTime={at} className="tabular w-16 shrink-0 text-faint text-sm">
            {format.time(at)}
          </time>
        </Tooltip>
        <span className="flex min-w-0 flex-1 basis-72 gap-2.5">
          <Monogram person name={name} picture={picture} />
          <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-1.5 self-baseline">
            <button
              type="button"
              className="min-h-6 text-start font-medium underline-offset-2 [overflow-wrap:anywhere] hover:underline"
              title={detail ?? t(`audit.by.${actor.type}`)}
              onClick={() => onActor(actor.id ?? actor.type)}
            >
              <bdi>{name}</bdi>
            </button>
            <span className="text-muted">{key === null ? action : t(key)}</span>
            {/* Who joined or left did it to themselves: one name will do. */}
            {target.id === actor.id ? null : (
              <button
                type="button"
                className="min-h-6 text-start underline-offset-2 [overflow-wrap:anywhere] hover:underline"
                onClick={() => onTarget(target.id)}
              >
                <bdi>
                  <Breakable>{targetName(target, i18n, after.subject ?? before.subject)}</Breakable>
                </bdi>
                {job === null ? null : <JobName job={{ name: job }} />}
              </button>
            )}
          </span>
        </span>
        {more === null && target.type !== 'link' ? null : (
          <span className="flex flex-wrap items-baseline gap-x-4 max-sm:ps-9">
            {more}
            {target.type === 'link' ? (
              <Link
                to="/links/$id"
                params={{ id: target.id }}
                className="min-h-6 text-accent-text text-sm underline underline-offset-2"
              >
                {t('audit.openLink')}
              </Link>
            ) : null}
          </span>
        )}
      </div>
      {fields.length === 0 ? null : (
        <details className="sm:ps-29">
          <Summary>{t('audit.details')}</Summary>
          <Changes before={before} after={after} fields={fields} />
        </details>
      )}
    </li>
  )
}
