import { type I18n, useI18n } from '../../i18n/index.tsx'
import { Breakable } from '../../ui/breakable.tsx'
import { cx } from '../../ui/cx.ts'
import { FolderName } from '../groups/folder-name.tsx'
import type { Restrictions } from '../keys/queries.ts'
import { RestrictedTo } from '../keys/restricted-to.tsx'
import { itemText } from '../links/rules/text.ts'
import { PlanName } from '../usage/plan-name.tsx'
import { fieldKey, isNothing, valueWord } from './words.ts'

type Fields = Readonly<Record<string, unknown>>

/** The changed fields, with old and new values. */
export function Changes({
  before,
  after,
  fields,
}: {
  before: Fields
  after: Fields
  fields: readonly string[]
}) {
  const { t } = useI18n()
  // Creations and deletions have only one side.
  const was = fields.some((field) => field in before)
  const is = fields.some((field) => field in after)
  return (
    <table className="mt-2 w-full border-collapse text-sm">
      <thead>
        <tr className="text-faint text-xs">
          <th scope="col" className="w-1/3 py-1 pe-3 sm:w-1/4 text-start font-medium">
            {t('audit.field')}
          </th>
          {was ? (
            <th
              scope="col"
              className={cx('py-1 pe-3 text-start font-medium', is && 'w-1/3 sm:w-3/8')}
            >
              {t('audit.before')}
            </th>
          ) : null}
          {is ? (
            <th scope="col" className="py-1 text-start font-medium">
              {t('audit.after')}
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field} className="border-line border-t align-top [overflow-wrap:anywhere]">
            {/* As wide as its longest word, unlike the values. */}
            <th scope="row" className="py-1.5 pe-3 text-start font-normal [overflow-wrap:normal]">
              <FieldName name={field} />
            </th>
            {was ? (
              <td className="py-1.5 pe-3 text-muted">
                <Value field={field} value={before[field]} mark={is ? 'bg-bad-soft' : ''} />
              </td>
            ) : null}
            {is ? (
              <td className="py-1.5">
                <Value field={field} value={after[field]} mark={was ? 'bg-ok-soft' : ''} />
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A field's name; one known only to programs stays as it is. */
function FieldName({ name }: { name: string }) {
  const { t } = useI18n()
  const label = fieldKey(name)
  if (label && name.startsWith('qr_'))
    return t('common.labelled', { label: t('links.qr.title'), value: t(label) })
  // Allows line breaks between words.
  return label ? t(label) : <code dir="ltr">{name.replaceAll('_', '_\u200b')}</code>
}

function Value({ field, value, mark }: { field: string; value: unknown; mark: string }) {
  const i18n = useI18n()
  if (field === 'restrictions' && !isNothing(value)) {
    return <RestrictedTo restrictions={value as NonNullable<Restrictions>} />
  }
  // A list, or parts with names, have the direction of the page.
  const Text = typeof value === 'object' ? 'span' : 'bdi'
  return (
    <Text className={cx('rounded-xs', mark && `${mark} -mx-1 px-1 box-decoration-clone`)}>
      {typeof value === 'string' ? (
        <Single field={field} value={value} />
      ) : (
        valueText(field, value, i18n)
      )}
    </Text>
  )
}

function Single({ field, value }: { field: string; value: string }) {
  const i18n = useI18n()
  if (field === 'folder_id' && value !== '') return <FolderName id={value} />
  if (field === 'plan') return <PlanName id={value} />
  return <Breakable>{valueText(field, value, i18n)}</Breakable>
}

/** A value in readable form. Text stays text: React escapes it. */
function valueText(field: string, value: unknown, i18n: I18n): string {
  const { t, format } = i18n
  const word = valueWord(field, value, i18n)
  if (word !== null) return word
  if (isNothing(value)) return t('audit.nothing')
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no')
  if (typeof value === 'number') return format.number(value)
  if (typeof value === 'string') {
    const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)
    return isTime ? format.dateTime(value) : value
  }
  if (Array.isArray(value)) {
    return format.list(value.map((item) => itemText(item, i18n)))
  }
  const parts = Object.entries(value as Fields).filter(([, part]) => !isNothing(part))
  return format.list(parts.map(([name, part]) => partText(field, name, part, i18n)))
}

/** A part of an object, with its name. */
function partText(field: string, name: string, part: unknown, i18n: I18n): string {
  const key = fieldKey(`${field}.${name}`) ?? fieldKey(name)
  const label = key ? i18n.t(key) : name
  return i18n.t('common.labelled', { label, value: valueText(name, part, i18n) })
}
