import { type RefObject, type SubmitEvent, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { type I18n, useI18n } from '../../../i18n/index.tsx'
import { afterPress } from '../../../lib/after-press.ts'
import { errorText } from '../../../ui/errors.ts'
import { Field, FormError } from '../../../ui/field.tsx'
import { submitByKeys } from '../../../ui/form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import type { Link } from '../queries.ts'
import { itemText } from '../rules/text.ts'
import { AddressFields } from './address-fields.tsx'
import type { Draft } from './draft.ts'
import { problemsOf, withoutCorrected } from './draft.ts'
import { ExistingLink } from './existing-link.tsx'
import { withScheme } from './input-values.ts'
import { LinkPreview } from './preview.tsx'
import type { Marks } from './rules/marks.ts'
import { FolderField } from './sections/folder-field.tsx'
import { SECTIONS } from './sections/index.tsx'
import { Section, type SectionProps } from './sections/section.tsx'
import { SocialPreviews } from './social-previews.tsx'
import { TagsInput } from './tags-input.tsx'
import { TitleField } from './title-field.tsx'
import { useLinkCheck } from './use-check.ts'

/** A constant array, so that effects don't run with each key. */
const NONE: readonly string[] = []
const NO_WARNINGS: Marks = {}

/** The API's error, and the draft that it is about. */
export interface Refusal {
  error: unknown
  sent: Draft
}

/** All fields of a link: what most links have first, the rest folded. */
export function LinkForm({
  id,
  first,
  draft,
  onChange,
  onSubmit,
  refusal,
  linkId,
  ownSlug,
  hasPassword = false,
  clashes = NONE,
  now,
  warnings = NO_WARNINGS,
}: {
  /** The form's id, for the button outside of it. */
  id: string
  /** Focused when the panel opens. */
  first: RefObject<HTMLInputElement | null>
  draft: Draft
  onChange: (draft: Draft) => void
  onSubmit: () => void
  refusal: Refusal | null
  /** The edited link, whose own slug isn't taken. */
  linkId?: string
  ownSlug?: string
  hasPassword?: boolean
  /** Fields that someone else has changed in the meantime, and the link with their changes. */
  clashes?: readonly string[]
  now?: Link
  /** The API's warnings when the link was last written. */
  warnings?: Marks
}) {
  const i18n = useI18n()
  const { t } = i18n
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const check = useLinkCheck(draft, linkId)
  const error = refusal?.error ?? null
  const refused = error instanceof ApiError ? error : null
  const all = useAnswered(refusal, clashes, now)
  const answered = refusal === null ? all : withoutCorrected(all, draft, refusal.sent)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (refused === null && clashes.length === 0) return
    // After submitting, scrolls to the first error.
    const wrong = form.current?.querySelector<HTMLElement>(
      '[aria-invalid=true], [data-invalid] button',
    )
    wrong?.focus({ preventScroll: true })
    wrong?.scrollIntoView({ block: 'center' })
  }, [refused, clashes])
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change })
  const leave = (field: string) => afterPress(() => setLeft((before) => new Set(before).add(field)))

  // An address is invalid most of the time while it is typed, so errors are shown afterwards.
  const destination =
    answered.destination_url ??
    (left.has('destination_url') && check.current
      ? check.problems.destination_url?.message
      : undefined)
  const known = new Set(Object.keys(draft))
  const general = refused !== null && !Object.keys(all).some((field) => known.has(field))

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isComplete(event.currentTarget)) onSubmit()
  }
  return (
    <form
      id={id}
      ref={form}
      onSubmit={submit}
      onKeyDown={submitByKeys}
      noValidate
      className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-6 xl:grid-cols-[minmax(0,1fr)_19rem]"
    >
      <div className="flex min-w-0 flex-col gap-4">
        <TextField
          label={t('links.field.destination')}
          error={destination}
          ref={first}
          dir="ltr"
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder={t('links.placeholder.destination')}
          value={draft.destination_url}
          onChange={(destination_url) => set({ destination_url })}
          onBlur={() => leave('destination_url')}
        />
        {linkId === undefined && check.current && check.problems.destination_url === undefined ? (
          <ExistingLink destination={withScheme(draft.destination_url.trim())} />
        ) : null}
        <FormError
          message={
            clashes.length > 0
              ? t('links.changedMeanwhile')
              : error !== null && (refused === null || general)
                ? errorText(error, i18n)
                : null
          }
        />
        <AddressFields
          draft={draft}
          set={set}
          problems={{ ...answered, slug: slugProblem(check, answered) }}
          isNew={linkId === undefined}
          isFree={isFree(draft.slug, ownSlug, check)}
          suggestions={check.current ? check.suggestions : (refused?.suggestions ?? [])}
        />
        <TitleField draft={draft} set={set} error={answered.title} />
        <FolderField
          value={draft.folder_id}
          onChange={(folder_id) => set({ folder_id })}
          error={answered.folder_id}
        />
        <TagsField draft={draft} set={set} error={answered.tags} />
        <Sections
          draft={draft}
          set={set}
          problems={answered}
          isNew={linkId === undefined}
          hasPassword={hasPassword}
          warnings={warnings}
        />
      </div>
      <Previews draft={draft} />
    </form>
  )
}

/** Shows the first date that is only half typed, which would be sent as none. */
function isComplete(form: HTMLFormElement): boolean {
  const half = [...form.querySelectorAll('input')].find(({ validity }) => validity.badInput)
  if (half === undefined) return true
  // In a folded section it can't be focused.
  half.closest('details')?.setAttribute('open', '')
  half.reportValidity()
  return false
}

function TagsField({
  draft,
  set,
  error,
}: Pick<SectionProps, 'draft' | 'set'> & { error: string | undefined }) {
  const { t } = useI18n()
  return (
    <Field label={t('links.field.tags')} hint={t('links.hint.tags')} error={error}>
      {(control) => (
        <TagsInput
          creates
          control={control}
          value={draft.tags}
          onChange={(tags) => set({ tags })}
        />
      )}
    </Field>
  )
}

function Sections(props: SectionProps) {
  return (
    <div className="flex flex-col border-line border-y">
      {SECTIONS.map((section) => (
        <Section key={section.title} section={section} {...props} />
      ))}
    </div>
  )
}

/** The link, its QR code and its card in messages: beside the form if there is room, else below. */
function Previews({ draft }: { draft: Draft }) {
  const { instance } = usePlace()
  const { domain, slug, social } = draft
  const { origin } = new URL(instance.base_url)
  const base = domain === instance.default_domain ? origin : `https://${domain}`
  return (
    <div className="flex flex-col gap-5 xl:sticky xl:top-0 xl:self-start">
      <LinkPreview base={base} slug={slug.trim()} />
      {/* Elsewhere they stand below their fields. */}
      <div className="hidden xl:block">
        <SocialPreviews social={social} host={domain} hasPlace />
      </div>
    </div>
  )
}

/** The API's messages by field, and the conflicts. */
function useAnswered(refusal: Refusal | null, clashes: readonly string[], now: Link | undefined) {
  const i18n = useI18n()
  return useMemo(() => {
    const { error, sent } = refusal ?? {}
    const problems = error instanceof ApiError && sent ? problemsOf(error, sent) : {}
    return { ...nowIs(clashes, now, i18n), ...problems }
  }, [refusal, clashes, now, i18n])
}

type Check = ReturnType<typeof useLinkCheck>

function slugProblem(
  { current, problems }: Check,
  answered: Partial<Record<string, string>>,
): string | undefined {
  return (current ? problems.slug?.message : undefined) ?? answered.slug
}

function isFree(slug: string, ownSlug: string | undefined, { current, problems }: Check): boolean {
  return slug.trim() !== '' && slug !== ownSlug && current && problems.slug === undefined
}

/** The other person's values of the fields in conflict. */
function nowIs(
  clashes: readonly string[],
  now: Link | undefined,
  i18n: I18n,
): Partial<Record<string, string>> {
  const { t, format } = i18n
  const said = (field: string): string => {
    const value: unknown = now?.[field as keyof Link]
    if (field === 'password') return t(now?.has_password ? 'links.passwordSet' : 'common.none')
    if (value === null || value === undefined || value === '') return t('common.none')
    if (typeof value === 'boolean') return t(value ? 'links.on' : 'links.off')
    if (field === 'starts_at' || field === 'expires_at') return format.dateTime(String(value))
    if (!Array.isArray(value)) return String(value)
    if (value.length === 0) return t('common.none')
    return format.list(value.map((item) => itemText(item, i18n)))
  }
  return Object.fromEntries(
    clashes.map((field) => [field, t('links.isNow', { value: said(field) })]),
  )
}
