import { Check, Pencil, Plus, Replace, Trash2 } from 'lucide-react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { cx } from '../../../ui/cx.ts'
import { MenuItem, MenuSeparator, MoreMenu } from '../../../ui/menu.tsx'
import { ITEM } from '../../../ui/popup.ts'
import { Problem } from '../../../ui/problem.tsx'
import type { Content, View } from './queries.ts'
import { type SavedOf, TEXTS } from './texts.ts'
import { useViews } from './use-views.ts'

/** What was saved: the person's own, then shared ones. */
export function ViewList({
  of,
  shown,
  current,
  onShow,
  onEdit,
}: {
  of: SavedOf
  /** The current content; null: there is nothing to save. */
  shown: Content | null
  /** The id of the view that equals it. */
  current: string | undefined
  onShow: (view: View) => void
  /** Renames a view, or with null saves a new one. */
  onEdit: (view: View | null) => void
}) {
  const { t } = useI18n()
  const { views, error, refresh, overwrite, remove } = useViews(of)
  if (error) return <Problem error={error} onRetry={() => void refresh()} />
  const groups = [
    { label: t('links.views.own'), views: views?.filter((view) => !view.shared) ?? [] },
    { label: t('links.views.shared'), views: views?.filter((view) => view.shared) ?? [] },
  ]
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {views?.length === 0 ? (
        <p className="text-muted text-sm">{t(TEXTS[of].none)}</p>
      ) : (
        <div className="-mx-1 flex max-h-72 flex-col gap-2 overflow-y-auto overscroll-contain">
          {groups
            .filter((group) => group.views.length > 0)
            .map((group) => (
              <section key={group.label} aria-label={group.label}>
                <h3 className="px-2 py-1 font-medium text-faint text-xs">{group.label}</h3>
                <ul>
                  {group.views.map((view) => (
                    <li key={view.id} className="flex items-center">
                      <button
                        type="button"
                        aria-pressed={view.id === current}
                        title={view.name}
                        onClick={() => onShow(view)}
                        className={cx(
                          ITEM,
                          'min-w-0 flex-1 text-start hover:bg-hover',
                          view.id === current && 'font-medium',
                        )}
                      >
                        <span className="flex min-w-0 flex-1">
                          <bdi className="truncate">{view.name}</bdi>
                        </span>
                        {view.id === current ? <Check className="shrink-0" /> : null}
                      </button>
                      {view.editable ? (
                        <ViewMenu
                          of={of}
                          view={view}
                          onEdit={() => onEdit(view)}
                          onOverwrite={shown && (() => void overwrite(view, shown))}
                          onRemove={() => void remove(view)}
                        />
                      ) : null}
                    </li>
                  ))}
                </ul>
              </section>
            ))}
        </div>
      )}
      {shown === null ? null : (
        <Button className="self-start" icon={<Plus />} onClick={() => onEdit(null)}>
          {t(TEXTS[of].save)}
        </Button>
      )}
    </div>
  )
}

function ViewMenu({
  of,
  view,
  onEdit,
  onOverwrite,
  onRemove,
}: {
  of: SavedOf
  view: View
  onEdit: () => void
  /** Null: there is nothing to replace it with. */
  onOverwrite: (() => void) | null
  onRemove: () => void
}) {
  const { t } = useI18n()
  return (
    <MoreMenu size="sm" label={t('links.views.actions', { name: view.name })}>
      <MenuItem icon={<Pencil />} onClick={onEdit}>
        {t('links.views.edit')}
      </MenuItem>
      {onOverwrite === null ? null : (
        <MenuItem icon={<Replace />} onClick={onOverwrite}>
          {t(TEXTS[of].overwrite)}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 />} onClick={onRemove}>
        {t(TEXTS[of].delete)}
      </MenuItem>
    </MoreMenu>
  )
}
