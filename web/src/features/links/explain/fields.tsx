import { type ComponentProps, useMemo } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Combobox } from '../../../ui/combobox.tsx'
import { fieldError } from '../../../ui/errors.ts'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { codesOf } from '../form/rules/choices.ts'
import type { Link } from '../queries.ts'
import { AGENTS, type Agent, type VisitorDraft } from './visitor.ts'

/** The fields, with the API's names, to match its errors. */
export const FIELDS = [
  'country',
  'language',
  'referrer',
  'query',
  'path',
  'ip',
  'password',
  'at',
].map((name) => `visitor.${name}`)

/** The visitor, with time and place. */
export function VisitorFields({
  link,
  visitor,
  onChange,
  error,
}: {
  link: Link
  visitor: VisitorDraft
  onChange: (visitor: VisitorDraft) => void
  error: unknown
}) {
  const { t } = useI18n()
  const code = (member: 'country' | 'language') => (
    <CodeField
      member={member}
      error={fieldError(error, `visitor.${member}`)}
      value={visitor[member]}
      onChange={(value) => onChange({ ...visitor, [member]: value })}
    />
  )
  const text = (
    name: Exclude<keyof VisitorDraft, 'agent' | 'country' | 'language'>,
    label: string,
    more: ComponentProps<'input'> = {},
  ) => (
    <TextField
      label={label}
      error={fieldError(error, `visitor.${name}`)}
      value={visitor[name]}
      onValue={(value) => onChange({ ...visitor, [name]: value })}
      {...more}
    />
  )
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t('statistics.dimension.device')}
        value={visitor.agent}
        onChange={(agent) => onChange({ ...visitor, agent })}
        options={Object.entries(AGENTS).map(([value, [label]]) => ({
          value: value as Agent,
          label,
        }))}
      />
      {code('country')}
      {code('language')}
      {text('referrer', t('statistics.dimension.referrer'), {
        placeholder: 'https://news.example.com/',
      })}
      {text('query', t('links.explain.query'), { placeholder: 'utm_source=news' })}
      {link.match === 'prefix'
        ? text('path', t('links.explain.path'), { placeholder: 'shoes/red' })
        : null}
      {text('at', t('links.explain.at'), { type: 'datetime-local', step: 60 })}
      {text('ip', t('links.explain.ip'), { placeholder: '192.0.2.7' })}
      {link.has_password ? text('password', t('links.field.password')) : null}
    </div>
  )
}

/** A country or a language, found by its name; any if none is chosen. */
function CodeField({
  member,
  value,
  onChange,
  error,
}: {
  member: 'country' | 'language'
  value: string
  onChange: (code: string) => void
  error: string | undefined
}) {
  const i18n = useI18n()
  const { t } = i18n
  const any = t('links.any')
  const options = useMemo(() => codesOf(member, i18n), [member, i18n])
  const label = t(`statistics.dimension.${member}`)
  const typed = value === '' || options.some((one) => one.value === value) ? [] : [value]
  return (
    <Field label={label} error={error}>
      {() => (
        <Combobox
          label={label}
          placeholder={any}
          value={value}
          invalid={error !== undefined}
          // Austrian German is a language, too.
          custom={member === 'language'}
          onChange={onChange}
          options={[
            { value: '', label: any },
            ...typed.map((code) => ({ value: code, label: code })),
            ...options,
          ]}
          className="h-8! w-full!"
        />
      )}
    </Field>
  )
}

/** Input for a text of the visit. */
function TextField({
  label,
  error,
  onValue,
  ...input
}: ComponentProps<'input'> & {
  label: string
  error: string | undefined
  onValue: (value: string) => void
}) {
  return (
    <Field label={label} error={error}>
      {(control) => (
        <Input
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          {...control}
          {...input}
          onChange={({ target }) => onValue(target.value)}
        />
      )}
    </Field>
  )
}
