import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { type I18n, useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useLinkActions } from '../actions.ts'
import { createLink, type Link, linkQuery, readLink } from '../queries.ts'
import { warningText } from '../rules/warning-text.ts'
import { nameOf } from '../text.ts'
import { holdWarnings, useWarnings } from '../warnings.ts'
import { clashesOf, createOf, type Draft, draftOf, emptyDraft, patchOf, rebase } from './draft.ts'
import { keepDraft, keepEdit, keptDraft, keptEdit, leaveDraft, wasLeft } from './kept-draft.ts'
import { LinkForm, type Refusal } from './link-form.tsx'
import { marksOf } from './rules/marks.ts'

/** Creates a link: a URL and Enter are enough. */
export function CreatePanel({
  onClose,
  onCreated,
}: {
  onClose: () => void
  onCreated: (link: Link) => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const client = useQueryClient()
  const { workspace, instance } = usePlace()
  const actions = useLinkActions()
  const [draft, setDraft] = useState(
    () => keptDraft(workspace.id) ?? emptyDraft(instance.default_domain),
  )
  const [restored, setRestored] = useState(
    () => wasLeft(draft) && Object.keys(createOf(draft, instance.default_domain)).length > 0,
  )
  useEffect(() => {
    keepDraft(workspace.id, draft)
    return () => leaveDraft(workspace.id, draft)
  }, [workspace.id, draft])

  const discard = () => {
    keepDraft(workspace.id, null)
    onClose()
  }
  const create = useMutation({
    mutationFn: (sent: Draft) => createLink(createOf(sent, instance.default_domain)),
    onSuccess(link) {
      client.setQueryData(linkQuery(workspace.id, link.id).queryKey, link)
      keepDraft(workspace.id, null)
      const name = nameOf(link)
      holdWarnings(client, link)
      showToast({
        title: t('links.created', { name }),
        ...warningsIn(link, i18n),
        action: { label: t('links.copy'), onClick: () => void actions.copy(link) },
      })
      onCreated(link)
      void actions.refresh()
    },
  })
  const refusal = useRefusal(create)
  return (
    <FormPanel
      id="create-link"
      title={t('links.create')}
      action={t('links.create')}
      busy={create.isPending}
      onClose={onClose}
      onCancel={discard}
      draft={draft}
      onChange={setDraft}
      onSubmit={() => create.isPending || create.mutate(draft)}
      refusal={refusal}
      restored={restored}
      onRestart={() => {
        setRestored(false)
        setDraft(emptyDraft(instance.default_domain))
      }}
    />
  )
}

/** Edits a link. */
export function EditPanel({ link, onClose }: { link: Link; onClose: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const actions = useLinkActions()
  /** The base of the draft: the link as it was opened, or as someone else changed it since. */
  const [base, setBase] = useState(() => keptEdit(link.id)?.base ?? link)
  const [clashes, setClashes] = useState<readonly string[]>([])
  const [draft, setDraft] = useState(() => keptEdit(link.id)?.draft ?? draftOf(link))
  const [restored, setRestored] = useState(() => keptEdit(link.id) !== null)
  useEffect(() => {
    const isSame = Object.keys(patchOf(draft, base)).length === 0
    keepEdit(link.id, isSame ? null : { draft, base })
  }, [link.id, draft, base])
  const said = useWarnings(base)
  const warnings = useMemo(() => {
    const texts = said.map(({ field, message }) => ({
      field,
      message: warningText(message, base.rules, i18n),
    }))
    return marksOf(texts, draftOf(base))
  }, [said, base, i18n])

  const discard = () => {
    keepEdit(link.id, null)
    onClose()
  }
  /** Saves the changes of `mine` relative to `from`. Others' changes of other fields stay. */
  const saveFrom = async (mine: Draft, from: Link, tries: number): Promise<void> => {
    const patch = patchOf(mine, from)
    try {
      const updated = await actions.update(from, patch)
      const title = t('links.saved', { name: nameOf(updated) })
      const undo = updated.version > from.version ? { action: actions.undoOf(updated) } : {}
      showToast({ title, ...warningsIn(updated, i18n), ...undo })
      discard()
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.status !== 412 || tries === 0) throw failure
      const latest = await readLink(link.id)
      actions.keep(latest)
      const both = clashesOf(patch, from, latest)
      const rebased = rebase(mine, from, latest)
      if (both.length === 0) return await saveFrom(rebased, latest, tries - 1)
      setClashes(both)
      setBase(latest)
      setDraft(rebased)
    }
  }
  const save = useMutation({ mutationFn: (sent: Draft) => saveFrom(sent, base, 3) })
  const refusal = useRefusal(save)
  const submit = () => {
    if (save.isPending) return
    if (Object.keys(patchOf(draft, base)).length === 0) {
      onClose()
      return
    }
    setClashes([])
    save.mutate(draft)
  }
  return (
    <FormPanel
      id="edit-link"
      title={t('links.editName', { name: nameOf(link) })}
      action={t('common.save')}
      busy={save.isPending}
      onClose={onClose}
      onCancel={discard}
      draft={draft}
      onChange={setDraft}
      onSubmit={submit}
      refusal={refusal}
      linkId={link.id}
      ownSlug={base.slug}
      hasPassword={base.has_password}
      clashes={clashes}
      now={base}
      warnings={warnings}
      restored={restored}
      onRestart={() => {
        setRestored(false)
        setDraft(draftOf(base))
      }}
    />
  )
}

/** The form of a link with its buttons. */
function FormPanel({
  id,
  title,
  action,
  busy,
  onClose,
  onCancel,
  restored,
  onRestart,
  ...form
}: {
  id: string
  title: string
  /** The label of the submit button. */
  action: string
  busy: boolean
  onClose: () => void
  /** Discards the draft. */
  onCancel: () => void
  /** Whether the draft is one that was left earlier. */
  restored: boolean
  /** Replaces it by the form's first values. */
  onRestart: () => void
} & Omit<ComponentProps<typeof LinkForm>, 'id' | 'first'>) {
  const { t } = useI18n()
  const first = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      shape="broad"
      onClose={onClose}
      initialFocus={first}
      title={title}
      footer={
        <>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={id} loading={busy}>
            {action}
          </Button>
        </>
      }
    >
      {restored ? (
        <p
          role="status"
          className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-sunken px-3 py-2 text-sm"
        >
          {t('links.draft.restored')}
          <Button size="sm" onClick={onRestart}>
            {t('links.draft.discard')}
          </Button>
        </p>
      ) : null}
      <LinkForm id={id} first={first} {...form} />
    </Dialog>
  )
}

/** Why a draft was refused, the same object until the next try. */
function useRefusal({
  error,
  variables,
}: Pick<UseMutationResult<unknown, unknown, Draft>, 'error' | 'variables'>): Refusal | null {
  return useMemo(() => (error && variables ? { error, sent: variables } : null), [error, variables])
}

/** Accepted but with warnings: shown until dismissed. */
function warningsIn({ warnings = [], rules }: Link, i18n: I18n) {
  if (warnings.length === 0) return {}
  const texts = warnings.map(({ message }) => warningText(message, rules, i18n))
  return { description: i18n.format.sentences(texts), timeoutMs: 0 }
}
