import { useI18n } from '../../../i18n/index.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { DayInput } from '../../../ui/day-input.tsx'
import { Field } from '../../../ui/field.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { useHosts } from '../../domains/hosts.ts'
import { TagsInput } from '../form/tags-input.tsx'
import type { Ask } from '../search.ts'
import { HAD, type LinksSearch, STATUSES } from '../search.ts'
import { useCreators } from './creator.ts'

const ANY = ''

/** The filter menu. */
export function Filters({ search, ask }: { search: LinksSearch; ask: Ask }) {
  const { t } = useI18n()
  const hosts = useHosts()
  const creators = useCreators(search.creator)
  return (
    <div className="flex flex-col gap-4">
      <SelectField
        label={t('links.field.status')}
        value={search.status ?? ANY}
        onChange={(status) => ask({ status: status === ANY ? undefined : status })}
        options={[
          { value: ANY, label: t('links.any') },
          ...STATUSES.map((value) => ({ value, label: t(`links.status.${value}`) })),
        ]}
      />
      <Field label={t('links.field.tags')} hint={search.any ? undefined : t('links.hint.allTags')}>
        {(control) => (
          <TagsInput control={control} value={search.tag ?? []} onChange={(tag) => ask({ tag })} />
        )}
      </Field>
      {(search.tag?.length ?? 0) > 1 ? (
        <Checkbox
          checked={search.any ?? false}
          onChange={(any) => ask({ any: any || undefined })}
          label={t('links.filter.anyTag')}
        />
      ) : null}
      <fieldset className="flex flex-col gap-2">
        {HAD.map((name) => (
          <Checkbox
            key={name}
            checked={search[name] ?? false}
            onChange={(isOn) => ask({ [name]: isOn || undefined })}
            label={t(`links.filter.${name}`)}
          />
        ))}
      </fieldset>
      <SelectField
        label={t('links.field.archived')}
        value={search.archived ?? ANY}
        onChange={(archived) => ask({ archived: archived === ANY ? undefined : archived })}
        options={[
          { value: ANY, label: t('links.archived.without') },
          { value: 'any', label: t('links.archived.any') },
          { value: 'true', label: t('links.archived.only') },
        ]}
      />
      {hosts.length > 1 ? (
        <SelectField
          label={t('links.field.domain')}
          value={search.domain ?? ANY}
          onChange={(domain) => ask({ domain })}
          options={[
            { value: ANY, label: t('links.any') },
            ...hosts.map((value) => ({ value, label: value })),
          ]}
        />
      ) : null}
      <SelectField
        label={t('links.createdBy')}
        value={search.creator ?? ANY}
        onChange={(creator) => ask({ creator: creator === ANY ? undefined : creator })}
        options={[
          { value: ANY, label: t('links.any') },
          ...creators.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <DayInput
          stacked
          label={t('links.createdFrom')}
          value={search.after ?? ''}
          onChange={(after) => ask({ after })}
        />
        <DayInput
          stacked
          label={t('links.createdTo')}
          value={search.before ?? ''}
          onChange={(before) => ask({ before })}
        />
      </div>
    </div>
  )
}
