import type { ReactNode } from 'react'
import { useI18n } from '../../../../i18n/index.tsx'
import type { MessageKey } from '../../../../i18n/messages.ts'
import { Disclosure } from '../../../../ui/disclosure.tsx'
import { type Draft, emptyDraft } from '../draft.ts'
import { type Marks, messagesWithin } from '../rules/marks.ts'
import { WarningNote } from '../rules/warning-note.tsx'

/** The props of a section's fields. */
export interface SectionProps {
  draft: Draft
  set: (change: Partial<Draft>) => void
  /** The API's messages by field. */
  problems: Partial<Record<string, string>>
  /** Whether the link doesn't exist yet. */
  isNew: boolean
  hasPassword: boolean
  /** The API's warnings by path. */
  warnings: Marks
}

/** A part of the link form that most links don't need. */
export interface FormSection {
  title: MessageKey
  /** The fields that it contains, with the API's names. */
  fields: readonly (keyof Draft)[]
  /** Whether it is in use, if no field of the draft shows it. */
  isSet?: (draft: Draft) => boolean
  Fields: (props: SectionProps) => ReactNode
}

/** A collapsible section, marked if something is set; expanded if it has faults or warnings. */
export function Section({ section, ...props }: SectionProps & { section: FormSection }) {
  const { t } = useI18n()
  const { draft, hasPassword, problems, warnings } = props
  const { title, fields, Fields } = section
  const isSet =
    (hasPassword && fields.includes('password') && draft.password !== '') ||
    differs(draft, fields) ||
    section.isSet?.(draft)
  const isWrong = fields.some((field) => problems[field] !== undefined)
  const isWarned = fields.some((field) => messagesWithin(warnings, field).length > 0)
  return (
    <Disclosure
      title={t(title)}
      forced={isWrong || isWarned}
      mark={isSet ? t('links.section.set') : undefined}
      className="border-line border-t first:border-t-0"
    >
      <WarningNote messages={fields.flatMap((field) => warnings[field] ?? [])} />
      <Fields {...props} />
    </Disclosure>
  )
}

function differs(draft: Draft, fields: readonly (keyof Draft)[]): boolean {
  const standard = emptyDraft(draft.domain)
  return fields.some((field) => JSON.stringify(draft[field]) !== JSON.stringify(standard[field]))
}
