import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useLinkActions } from '../actions.ts'
import { createLink, type Link, type LinkList, linkQuery, listsKey } from '../calls.ts'
import { nameOf } from '../text.ts'
import { createOf, draftOf, emptyDraft, patchOf } from './draft.ts'
import { LinkForm } from './link-form.tsx'

/** Tags that links have which were seen here. */
function useKnownTags(): string[] {
  const client = useQueryClient()
  const { workspace } = usePlace()
  const lists = client.getQueriesData<LinkList>({ queryKey: listsKey(workspace.id) })
  const tags = lists.flatMap(([, list]) => list?.data.flatMap((link) => link.tags) ?? [])
  return [...new Set(tags)]
}

/** Makes a link: an address and Enter is enough. */
export function CreatePanel({
  onClose,
  onCreated,
}: {
  onClose: () => void
  onCreated: (link: Link) => void
}) {
  const { t } = useI18n()
  const client = useQueryClient()
  const { workspace, instance } = usePlace()
  const actions = useLinkActions()
  const tags = useKnownTags()
  const [draft, setDraft] = useState(() => emptyDraft(instance.default_domain))
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)

  const create = async () => {
    if (busy) return
    setBusy(true)
    setError(null)
    try {
      const link = await createLink(createOf(draft, instance.default_domain))
      client.setQueryData(linkQuery(workspace.id, link.id).queryKey, link)
      const name = nameOf(link)
      showToast({
        title: t('links.created', { name }),
        action: { label: t('links.copy'), onClick: () => void actions.copy(link) },
      })
      onCreated(link)
      void actions.refresh()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      shape="panel"
      onOpenChange={(open) => !open && onClose()}
      initialFocus={first}
      title={t('links.create')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form="create-link" loading={busy}>
            {t('links.create')}
          </Button>
        </>
      }
    >
      <LinkForm
        id="create-link"
        first={first}
        draft={draft}
        onChange={setDraft}
        onSubmit={create}
        error={error}
        tags={tags}
        unfolded={false}
      />
    </Dialog>
  )
}

/** Changes a link. */
export function EditPanel({ link, onClose }: { link: Link; onClose: () => void }) {
  const { t } = useI18n()
  const actions = useLinkActions()
  const tags = useKnownTags()
  const [draft, setDraft] = useState(() => draftOf(link))
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)

  const save = async () => {
    const patch = patchOf(draft, link)
    if (Object.keys(patch).length === 0) {
      onClose()
      return
    }
    setBusy(true)
    setError(null)
    try {
      const updated = await actions.update(link, patch)
      showToast({ title: t('links.saved', { name: nameOf(updated) }) })
      onClose()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      shape="panel"
      onOpenChange={(open) => !open && onClose()}
      initialFocus={first}
      title={t('links.editName', { name: nameOf(link) })}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form="edit-link" loading={busy}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      <LinkForm
        id="edit-link"
        first={first}
        draft={draft}
        onChange={setDraft}
        onSubmit={save}
        error={error}
        linkId={link.id}
        ownSlug={link.slug}
        hasPassword={link.has_password}
        tags={tags}
        unfolded
      />
    </Dialog>
  )
}
