import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { lazyComponent } from '../lib/lazy-component.ts'
import { cx } from '../ui/cx.ts'
import { Menu, MenuItem, MenuRadio, MenuSeparator } from '../ui/menu.tsx'
import { enterWorkspace, usePlace } from './workspace.tsx'

const NewWorkspace = lazyComponent(() => import('./new-workspace.tsx'), 'NewWorkspace')

/** Opens the links of a workspace. */
export function useOpenWorkspace(): (id: string) => void {
  const navigate = useNavigate()
  return (id) => {
    // The URL must name it before the next request does.
    enterWorkspace(id)
    void navigate({ to: '/links', search: { w: id } })
  }
}

/** Shows the current workspace, and switches to others. */
export function WorkspaceSwitch() {
  const { t } = useI18n()
  const { workspace, workspaces, user } = usePlace()
  const [creating, setCreating] = useState(false)
  const enter = useOpenWorkspace()
  return (
    <>
      <Menu
        align="start"
        className="min-w-56 max-w-80"
        trigger={
          <button
            type="button"
            className="flex h-9 w-full pointer-coarse:h-10 min-w-0 items-center gap-2.5 rounded-sm px-2 text-start hover:bg-hover data-popup-open:bg-hover"
          >
            <Monogram name={workspace.name} />
            <span className="sr-only">{t('shell.workspace')}</span>
            <span className="flex min-w-0 flex-1 font-semibold">
              <bdi className="truncate">{workspace.name}</bdi>
            </span>
            <ChevronsUpDown className="shrink-0 text-faint" />
          </button>
        }
      >
        <MenuRadio
          label={t('shell.workspaces')}
          value={workspace.id}
          onChange={enter}
          options={workspaces.map(({ id, name, role }) => ({
            value: id,
            label: (
              <span className="flex min-w-0 items-center gap-2.5">
                <Monogram name={name} />
                <span className="flex min-w-0 flex-col">
                  <bdi className="max-w-full self-start truncate">{name}</bdi>
                  <span className="text-faint text-xs">{t(`role.${role}`)}</span>
                </span>
              </span>
            ),
          }))}
        />
        {user.may_create_workspaces ? (
          <>
            <MenuSeparator />
            <MenuItem icon={<Plus size={16} />} onClick={() => setCreating(true)}>
              {t('shell.newWorkspace')}
            </MenuItem>
          </>
        ) : null}
      </Menu>
      <Suspense>
        {creating ? <NewWorkspace onClose={() => setCreating(false)} onCreated={enter} /> : null}
      </Suspense>
    </>
  )
}

const segmenter = new Intl.Segmenter()

/** The first letter of a name, as an icon; for a person, their picture if there is one. */
export function Monogram({
  name,
  person = false,
  picture = null,
}: {
  name: string
  person?: boolean
  picture?: string | null
}) {
  const [first] = segmenter.segment(name.trim())
  if (picture !== null) {
    return <img src={picture} alt="" className="size-6.5 shrink-0 rounded-full object-cover" />
  }
  return (
    <span
      aria-hidden="true"
      className={cx(
        'flex shrink-0 items-center justify-center font-semibold text-xs',
        // People are round, workspaces square.
        person
          ? 'size-6.5 rounded-full bg-accent-soft text-accent-text'
          : 'size-5.5 rounded-xs bg-accent text-on-accent',
      )}
    >
      {first?.segment.toLocaleUpperCase() ?? '·'}
    </span>
  )
}
