import { useI18n } from '../../i18n/index.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { Select } from '../../ui/select.tsx'
import { useHosts } from '../domains/hosts.ts'
import { TagsInput } from './form/tags-input.tsx'
import { type LinksSearch, STATUSES, type Status } from './search.ts'
import type { Ask } from './toolbar.tsx'

const ANY = ''

/** Which links are shown. */
export function Filters({ search, ask }: { search: LinksSearch; ask: Ask }) {
  const { t } = useI18n()
  const hosts = useHosts()
  return (
    <div className="flex flex-col gap-4">
      <Field label={t('links.field.status')}>
        {(control) => (
          <Select<Status | typeof ANY>
            {...control}
            value={search.status ?? ANY}
            onChange={(status) => ask({ status: status === ANY ? undefined : status })}
            options={[
              { value: ANY, label: t('links.any') },
              ...STATUSES.map((value) => ({ value, label: t(`links.status.${value}`) })),
            ]}
          />
        )}
      </Field>
      <Field label={t('links.field.tags')} hint={t('links.hint.allTags')}>
        {(control) => (
          <TagsInput control={control} value={search.tag ?? []} onChange={(tag) => ask({ tag })} />
        )}
      </Field>
      <Field label={t('links.field.archived')}>
        {(control) => (
          <Select<'true' | 'any' | typeof ANY>
            {...control}
            value={search.archived ?? ANY}
            onChange={(archived) => ask({ archived: archived === ANY ? undefined : archived })}
            options={[
              { value: ANY, label: t('links.archived.without') },
              { value: 'any', label: t('links.archived.any') },
              { value: 'true', label: t('links.archived.only') },
            ]}
          />
        )}
      </Field>
      {hosts.length > 1 ? (
        <Field label={t('links.field.domain')}>
          {(control) => (
            <Select
              {...control}
              value={search.domain ?? ANY}
              onChange={(domain) => ask({ domain })}
              options={[
                { value: ANY, label: t('links.any') },
                ...hosts.map((value) => ({ value, label: value })),
              ]}
            />
          )}
        </Field>
      ) : null}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t('links.createdFrom')}>
          {(control) => (
            <Input
              {...control}
              type="date"
              value={search.after ?? ''}
              onChange={(event) => ask({ after: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('links.createdTo')}>
          {(control) => (
            <Input
              {...control}
              type="date"
              value={search.before ?? ''}
              onChange={(event) => ask({ before: event.target.value })}
            />
          )}
        </Field>
      </div>
    </div>
  )
}
