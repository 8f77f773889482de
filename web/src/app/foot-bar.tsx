import { Link } from '@tanstack/react-router'
import { Ellipsis, Plus } from 'lucide-react'
import { useI18n } from '../i18n/index.tsx'
import { cx } from '../ui/cx.ts'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { type Destination, destinationsOf } from './navigation.tsx'
import { usePlace } from './workspace.tsx'

/** Pages on each side of the middle button, including "More". */
const SIDE = 2
const ITEM =
  'flex min-w-0 flex-auto flex-col items-center justify-center gap-0.5 px-0.5 text-muted text-xs data-[status=active]:text-accent-text data-[status=active]:font-medium'

/** Both sides are equally wide if their labels allow it. */
const GROUP = 'flex min-w-fit flex-1 basis-0'

/** The sidebar of a phone: the first pages, a new link in the middle, and the others behind "More". */
export function FootBar({ onCreate }: { onCreate: (() => void) | undefined }) {
  const { t } = useI18n()
  const all = destinationsOf(usePlace())
  const shown = onCreate === undefined ? 2 * SIDE : 2 * SIDE - 1
  return (
    <nav
      aria-label={t('shell.navigation')}
      className="fixed inset-x-0 bottom-0 z-20 flex h-[calc(3.5rem+env(safe-area-inset-bottom))] items-stretch border-line border-t bg-sunken pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <div className={GROUP}>
        {all.slice(0, SIDE).map((page) => (
          <PageLink key={page.to} {...page} />
        ))}
      </div>
      {onCreate === undefined ? null : (
        <button
          type="button"
          aria-label={t('links.create')}
          onClick={onCreate}
          className={cx(ITEM, 'flex-none!')}
        >
          <span className="flex size-10 items-center justify-center rounded-full bg-accent text-on-accent">
            <Plus size={20} />
          </span>
        </button>
      )}
      <div className={GROUP}>
        {all.slice(SIDE, shown).map((page) => (
          <PageLink key={page.to} {...page} />
        ))}
        <Menu
          side="top"
          trigger={
            <button type="button" className={ITEM}>
              <Ellipsis size={18} />
              <span className="max-w-full truncate">{t('common.more')}</span>
            </button>
          }
        >
          {all.slice(shown).map(({ to, label, Icon }) => (
            <MenuItem key={to} icon={<Icon size={16} />} render={<Link to={to} />}>
              {t(label)}
            </MenuItem>
          ))}
        </Menu>
      </div>
    </nav>
  )
}

function PageLink({ to, label, Icon }: Destination) {
  const { t } = useI18n()
  return (
    <Link to={to} className={ITEM}>
      <Icon size={18} />
      <span className="max-w-full truncate">{t(label)}</span>
    </Link>
  )
}
