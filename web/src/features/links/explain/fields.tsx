import { type ComponentProps, useId, useMemo } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { LANGUAGE_NAMES } from '../../../i18n/locales.ts'
import { fieldError } from '../../../ui/errors.ts'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { SelectField } from '../../../ui/select.tsx'
import type { Link } from '../calls.ts'
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
  const { t, regional } = useI18n()
  const countries = useMemo(() => countriesIn(regional), [regional])
  const languages = Object.entries(LANGUAGE_NAMES)
  const text = (
    name: Exclude<keyof VisitorDraft, 'agent'>,
    label: string,
    more: ComponentProps<'input'> & { options?: [string, string][] } = {},
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
      {text('country', t('statistics.dimension.country'), {
        placeholder: 'DE',
        options: countries,
      })}
      {text('language', t('statistics.dimension.language'), {
        placeholder: 'de',
        options: languages,
      })}
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

function TextField({
  label,
  error,
  onValue,
  options,
  ...input
}: ComponentProps<'input'> & {
  label: string
  error: string | undefined
  onValue: (value: string) => void
  /** Suggested values with their names. */
  options?: [string, string][]
}) {
  const listId = useId()
  return (
    <Field label={label} error={error}>
      {(control) => (
        <>
          <Input
            dir="ltr"
            autoComplete="off"
            spellCheck={false}
            {...control}
            {...input}
            {...(options && { list: listId })}
            onChange={({ target }) => onValue(target.value)}
          />
          {options ? (
            <datalist id={listId}>
              {options.map(([value, name]) => (
                <option key={value} value={value} label={name} />
              ))}
            </datalist>
          ) : null}
        </>
      )}
    </Field>
  )
}

/** All countries that the browser has a name for. */
function countriesIn(locale: string): [string, string][] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return codes.flatMap((code): [string, string][] => {
    const name = names.of(code)
    return name === undefined ? [] : [[code, name]]
  })
}
