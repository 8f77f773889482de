import { Check, Pencil, Plus, Replace, Trash2 } from 'lucide-react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { cx } from '../../../ui/cx.ts'
import { MenuItem, MenuSeparator, MoreMenu } from '../../../ui/menu.tsx'
import { ITEM } from '../../../ui/popup.ts'
import { Problem } from '../../../ui/problem.tsx'
import type { Shown, View } from './calls.ts'
import { useShowView, useViews } from './use-views.ts'

/** The saved views: the person's own, then shared ones. */
export function ViewList({
  shown,
  current,
  onEdit,
  onChosen,
}: {
  /** The content of the current list. */
  shown: Shown
  /** The id of the view that equals the current list. */
  current: string | undefined
  /** Renames a view, or with null saves a new one. */
  onEdit: (view: View | null) => void
  onChosen: () => void
}) {
  const { t } = useI18n()
  const { views, error, refresh, overwrite, remove } = useViews()
  const show = useShowView()
  if (error) return <Problem error={error} onRetry={() => void refresh()} />
  const groups = [
    { label: t('links.views.own'), views: views?.filter((view) => !view.shared) ?? [] },
    { label: t('links.views.shared'), views: views?.filter((view) => view.shared) ?? [] },
  ]
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {views?.length === 0 ? (
        <p className="text-muted text-sm">{t('links.views.none')}</p>
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
                        onClick={() => {
                          show(view)
                          onChosen()
                        }}
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
                          view={view}
                          onEdit={() => onEdit(view)}
                          onOverwrite={() => void overwrite(view, shown)}
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
      <Button className="self-start" icon={<Plus />} onClick={() => onEdit(null)}>
        {t('links.views.save')}
      </Button>
    </div>
  )
}

function ViewMenu({
  view,
  onEdit,
  onOverwrite,
  onRemove,
}: {
  view: View
  onEdit: () => void
  onOverwrite: () => void
  onRemove: () => void
}) {
  const { t } = useI18n()
  return (
    <MoreMenu size="sm" label={t('links.views.actions', { name: view.name })}>
      <MenuItem icon={<Pencil />} onClick={onEdit}>
        {t('links.views.edit')}
      </MenuItem>
      <MenuItem icon={<Replace />} onClick={onOverwrite}>
        {t('links.views.overwrite')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 />} onClick={onRemove}>
        {t('links.views.delete')}
      </MenuItem>
    </MoreMenu>
  )
}
