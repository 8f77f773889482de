import { useQueryClient } from '@tanstack/react-query'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { type I18n, useI18n } from '../../i18n/index.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { useCopyText } from '../../ui/copy.tsx'
import { showToast, useShowError } from '../../ui/toast.tsx'
import type { ToastOptions } from '../../ui/toast-parts.tsx'
import { type Folder, foldersKey, tagsKey } from '../groups/queries.ts'
import { withScheme } from './form/input-values.ts'
import {
  createLink,
  deleteLink,
  type Link,
  type LinkList,
  type LinkPatch,
  linkQuery,
  listsKey,
  restoreLink,
  updateLink,
} from './queries.ts'
import { nameOf } from './text.ts'
import { holdWarnings } from './warnings.ts'

/** Actions on links; all of them are shown immediately, and rolled back on failure. */
export interface LinkActions {
  copy(link: Link): Promise<void>
  /** Creates a link for a URL and copies the short one, with an undo. @throws ApiError */
  createAndCopy(url: string): Promise<Link>
  /** Changes a link and what shows it, unless someone else has in the meantime. @throws ApiError */
  update(link: Link, patch: LinkPatch): Promise<Link>
  /** What a toast about a change offers: to undo it, unless the link was changed since. */
  undoOf(changed: Link): NonNullable<ToastOptions['action']>
  /** Enables or disables a link, with an undo. */
  toggle(link: Link): Promise<void>
  /** Archives or unarchives a link, with an undo. */
  archive(link: Link): Promise<void>
  /** Moves a link to a folder, or out of it, with an undo. */
  move(link: Link, folder: Folder | null): Promise<void>
  /** Deletes a link, with an undo. True: it is deleted. */
  remove(link: Link): Promise<boolean>
  /** Updates everything that shows a link. */
  keep(link: Link): void
  /** The same with the response of a write, which may have warnings. */
  written(link: Link): void
  /** Reloads the lists. */
  refresh(): Promise<void>
}

export function useLinkActions(): LinkActions {
  const client = useQueryClient()
  const { workspace } = usePlace()
  const { t } = useI18n()
  const copy = useCopyText()
  const lists = listsKey(workspace.id)

  const change = (list: (list: LinkList) => LinkList) =>
    client.setQueriesData<LinkList>({ queryKey: lists }, (old) => old && list(old))

  function keep(link: Link) {
    client.setQueryData(linkQuery(workspace.id, link.id).queryKey, link)
    change((list) => ({
      ...list,
      data: list.data.map((one) => (one.id === link.id ? link : one)),
    }))
  }

  function written(link: Link) {
    keep(link)
    holdWarnings(client, link)
  }

  // New tags may have been created, and counts of folders have changed.
  const refresh = async () => {
    const keys = [
      workspaceKey(workspace.id, 'links'),
      tagsKey(workspace.id),
      foldersKey(workspace.id),
    ]
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
  }
  const fail = useShowError()

  async function update(link: Link, patch: LinkPatch): Promise<Link> {
    const { password: _, ...shown } = patch
    keep({ ...link, ...shown } as Link)
    try {
      const updated = await updateLink(link.id, patch, link.version)
      written(updated)
      void refresh()
      return updated
    } catch (error) {
      keep(link)
      throw error
    }
  }

  async function restore(link: Link, version?: number) {
    try {
      written(await restoreLink(link.id, version, version && link.version))
      await refresh()
    } catch (error) {
      fail(error)
    }
  }
  const undoOf: LinkActions['undoOf'] = (changed) => ({
    label: t('common.undo'),
    onClick: () => void restore(changed, changed.version - 1),
  })

  async function removeQuietly(link: Link) {
    await deleteLink(link.id).catch(fail)
    await refresh()
  }

  return {
    keep,
    written,
    refresh,
    update,
    undoOf,
    async copy(link) {
      const name = nameOf(link)
      if (await copy(link.short_url)) showToast({ title: t('links.copiedName', { name }) })
    },
    async createAndCopy(url) {
      const link = await createLink({ destination_url: withScheme(url.trim()) })
      client.setQueryData(linkQuery(workspace.id, link.id).queryKey, link)
      const copied = await copyText(link.short_url)
      const name = nameOf(link)
      showToast({
        title: t(copied ? 'links.createdAndCopied' : 'links.created', { name }),
        action: { label: t('common.undo'), onClick: () => void removeQuietly(link) },
      })
      void refresh()
      return link
    },
    ...filing({ keep, written, refresh, undoOf, fail, t }),
    async remove(link) {
      const before = client.getQueriesData<LinkList>({ queryKey: lists })
      change(({ data, pagination }) => {
        const left = data.filter(({ id }) => id !== link.id)
        const gone = data.length - left.length
        return { data: left, pagination: { ...pagination, total: pagination.total - gone } }
      })
      try {
        await deleteLink(link.id)
      } catch (error) {
        for (const [key, list] of before) client.setQueryData(key, list)
        fail(error)
        return false
      }
      void client.invalidateQueries({ queryKey: lists })
      showToast({
        title: t('links.deleted', { name: nameOf(link) }),
        action: { label: t('common.undo'), onClick: () => void restore(link) },
      })
      return true
    },
  }
}

/** Actions that change a link's state or place, with an undo. */
function filing({
  keep,
  written,
  refresh,
  undoOf,
  fail,
  t,
}: Pick<LinkActions, 'keep' | 'written' | 'refresh' | 'undoOf'> &
  Pick<I18n, 't'> & { fail: (error: unknown) => void }): Pick<
  LinkActions,
  'toggle' | 'archive' | 'move'
> {
  async function set(link: Link, patch: LinkPatch, title: string, shown: Partial<Link> = {}) {
    keep({ ...link, ...patch, ...shown } as Link)
    try {
      const changed = await updateLink(link.id, patch)
      written(changed)
      void refresh()
      // Someone else may have done the same before.
      showToast({ title, ...(changed.version > link.version && { action: undoOf(changed) }) })
    } catch (error) {
      keep(link)
      fail(error)
    }
  }
  return {
    toggle(link) {
      const enabled = !link.enabled
      const title = t(enabled ? 'links.enabledName' : 'links.disabledName', { name: nameOf(link) })
      return set(link, { enabled }, title, { status: enabled ? 'active' : 'disabled' })
    },
    archive(link) {
      const { archived } = link
      const name = nameOf(link)
      const title = t(archived ? 'links.unarchivedName' : 'links.archivedName', { name })
      return set(link, { archived: !archived }, title)
    },
    async move(link, folder) {
      const folder_id = folder?.id ?? null
      if (folder_id === link.folder_id) return
      const values = { link: nameOf(link), name: folder?.name ?? t('folders.none') }
      await set(link, { folder_id }, t('folders.moved', values))
    },
  }
}
