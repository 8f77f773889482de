import { type I18n, useI18n } from '../../i18n/index.tsx'

type Fields = Readonly<Record<string, unknown>>

/** Field by field: what it was, and what it is since. */
export function Changes({
  before,
  after,
  fields,
}: {
  before: Fields
  after: Fields
  fields: readonly string[]
}) {
  const i18n = useI18n()
  const { t } = i18n
  return (
    <table className="mt-2 w-full table-fixed border-collapse text-sm">
      <thead>
        <tr className="text-faint text-xs">
          <th scope="col" className="w-1/4 py-1 pe-3 text-start font-medium">
            {t('audit.field')}
          </th>
          <th scope="col" className="py-1 pe-3 text-start font-medium">
            {t('audit.before')}
          </th>
          <th scope="col" className="py-1 text-start font-medium">
            {t('audit.after')}
          </th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field} className="border-line border-t align-top [overflow-wrap:anywhere]">
            <th scope="row" className="py-1.5 pe-3 text-start font-normal">
              <code dir="ltr">{field}</code>
            </th>
            <td className="py-1.5 pe-3 text-muted">
              <span className={field in before ? 'bg-bad-soft' : ''}>
                {valueText(before[field], i18n)}
              </span>
            </td>
            <td className="py-1.5">
              <span className={field in after ? 'bg-ok-soft' : ''}>
                {valueText(after[field], i18n)}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A value as people read it. Text stays text: React writes it, nothing interprets it. */
function valueText(value: unknown, { t, format }: I18n): string {
  if (value === null || value === undefined || value === '') return t('audit.nothing')
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no')
  if (typeof value === 'number') return format.number(value)
  if (typeof value === 'string') {
    const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)
    return isTime ? format.dateTime(value) : value
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? t('audit.nothing') : format.list(value.map(String))
  }
  return JSON.stringify(value)
}
