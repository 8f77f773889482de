import { ChevronRight } from 'lucide-react'
import { type RefObject, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { type I18n, useI18n } from '../../../i18n/index.tsx'
import { afterPress } from '../../../lib/after-press.ts'
import { Field, FormError } from '../../../ui/field.tsx'
import { Input, InputGroup } from '../../../ui/input.tsx'
import { errorText } from '../../../ui/problem.tsx'
import { Select } from '../../../ui/select.tsx'
import type { Link } from '../calls.ts'
import type { Draft } from './draft.ts'
import { problemsOf } from './draft.ts'
import { LinkOptions } from './options.tsx'
import { LinkPreview } from './preview.tsx'
import { useLinkCheck } from './use-check.ts'

/** One array, so that effects don't run with each key. */
const NONE: readonly string[] = []

/** Whatever can be said of a link: its address first, the rest folded. */
export function LinkForm({
  id,
  first,
  draft,
  onChange,
  onSubmit,
  error,
  linkId,
  ownSlug,
  hasPassword = false,
  clashes = NONE,
  now,
  tags,
  unfolded,
}: {
  /** Of the form, for the button outside of it. */
  id: string
  /** Gets the focus when the panel opens. */
  first: RefObject<HTMLInputElement | null>
  draft: Draft
  onChange: (draft: Draft) => void
  onSubmit: () => void
  error: unknown
  /** The link that is changed; its own slug isn't taken. */
  linkId?: string
  ownSlug?: string
  hasPassword?: boolean
  /** Fields that somebody else has changed meanwhile, and the link as they left it. */
  clashes?: readonly string[]
  now?: Link
  tags: readonly string[]
  unfolded: boolean
}) {
  const i18n = useI18n()
  const { t } = i18n
  const { instance } = usePlace()
  const [open, setOpen] = useState(unfolded)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const check = useLinkCheck(draft, linkId)
  const refused = error instanceof ApiError ? error : null
  const answered = { ...nowIs(clashes, now, i18n), ...problemsOf(refused) }
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (refused === null && clashes.length === 0) return
    // Whoever sent the form is led to what is wrong, also where it is out of sight.
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true]')
    wrong?.focus({ preventScroll: true })
    wrong?.scrollIntoView({ block: 'center' })
  }, [refused, clashes])
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change })
  const leave = (field: string) => afterPress(() => setLeft((before) => new Set(before).add(field)))

  // While somebody still types an address it is wrong most of the time: say so when they are done.
  const destination =
    answered.destination_url ??
    (left.has('destination_url') && check.current
      ? check.problems.destination_url?.message
      : undefined)
  const checkedSlug = check.current ? check.problems.slug : undefined
  const slug = checkedSlug?.message ?? answered.slug
  const known = new Set(Object.keys(draft))
  const general = refused !== null && !Object.keys(answered).some((field) => known.has(field))

  // What is wrong is in sight, also where it was folded away.
  const folded = Object.keys(answered).some((field) => field !== 'destination_url')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onSubmit()
  }
  const { origin, host } = new URL(instance.base_url)
  const base = draft.domain === instance.default_domain ? origin : `https://${draft.domain}`
  const severalDomains = instance.domains.length > 1

  return (
    <form id={id} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label={t('links.field.destination')} error={destination}>
        {(control) => (
          <Input
            {...control}
            ref={first}
            dir="ltr"
            type="url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder={t('links.placeholder.destination')}
            value={draft.destination_url}
            onChange={(event) => set({ destination_url: event.target.value })}
            onBlur={() => leave('destination_url')}
          />
        )}
      </Field>
      <LinkPreview
        base={base}
        slug={draft.slug.trim()}
        state={
          draft.slug.trim() === '' || draft.slug === ownSlug || !check.current
            ? 'unknown'
            : checkedSlug === undefined
              ? 'free'
              : checkedSlug.code === 'SLUG_TAKEN'
                ? 'taken'
                : 'invalid'
        }
        suggestions={check.current ? check.suggestions : (refused?.suggestions ?? [])}
        onSuggestion={(one) => set({ slug: one })}
      />
      <FormError
        message={
          clashes.length > 0
            ? t('links.changedMeanwhile')
            : error !== null && (refused === null || general)
              ? errorText(error, i18n)
              : null
        }
      />
      <details
        open={open || folded}
        onToggle={(event) => setOpen(event.currentTarget.open)}
        className="group flex flex-col"
      >
        <summary className="flex h-8 list-none items-center gap-1.5 rounded-sm pointer-coarse:h-10 font-medium text-muted hover:text-fg [&::-webkit-details-marker]:hidden">
          <ChevronRight
            size={14}
            aria-hidden="true"
            className="transition-transform group-open:rotate-90 rtl:-scale-x-100"
          />
          {t('links.options')}
        </summary>
        <div className="flex flex-col gap-4 pt-3">
          {severalDomains ? (
            <Field label={t('links.field.domain')} error={answered.domain}>
              {(control) => (
                <Select
                  {...control}
                  value={draft.domain}
                  onChange={(domain) => set({ domain })}
                  options={instance.domains.map((value) => ({ value, label: value }))}
                />
              )}
            </Field>
          ) : null}
          <Field
            label={t('links.field.slug')}
            hint={linkId === undefined ? t('links.hint.slug') : t('links.hint.slugKept')}
            error={slug}
          >
            {(control) => (
              <InputGroup
                {...control}
                dir="ltr"
                before={`${severalDomains ? draft.domain : host}/`}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                value={draft.slug}
                onChange={(event) => set({ slug: event.target.value })}
              />
            )}
          </Field>
          <LinkOptions
            draft={draft}
            set={set}
            problems={answered}
            hasPassword={hasPassword}
            tags={tags}
          />
        </div>
      </details>
    </form>
  )
}

/** What somebody else has made of the fields that both have changed. */
function nowIs(
  clashes: readonly string[],
  now: Link | undefined,
  { t, format }: I18n,
): Partial<Record<string, string>> {
  const said = (field: string): string => {
    const value: unknown = now?.[field as keyof Link]
    if (field === 'password') return t(now?.has_password ? 'links.passwordSet' : 'common.none')
    if (value === null || value === undefined || value === '') return t('common.none')
    if (typeof value === 'boolean') return t(value ? 'links.on' : 'links.off')
    if (field === 'starts_at' || field === 'expires_at') return format.dateTime(String(value))
    return Array.isArray(value) ? format.list(value) : String(value)
  }
  return Object.fromEntries(
    clashes.map((field) => [field, t('links.isNow', { value: said(field) })]),
  )
}
