import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useI18n } from '../i18n/index.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { destinationsOf } from './navigation.tsx'
import { usePlace } from './workspace.tsx'

const SHOWN = 4
const ITEM =
  'flex min-w-0 flex-auto flex-col items-center justify-center gap-0.5 px-1 text-muted text-xs data-[status=active]:text-accent-text data-[status=active]:font-medium'

/** The sidebar of a phone: the first pages, and the others behind "More". */
export function FootBar() {
  const { t } = useI18n()
  const all = destinationsOf(usePlace())
  return (
    <nav
      aria-label={t('shell.navigation')}
      className="fixed inset-x-0 bottom-0 z-20 flex h-[calc(3.5rem+env(safe-area-inset-bottom))] items-stretch border-line border-t bg-sunken pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {all.slice(0, SHOWN).map(({ to, label, Icon }) => (
        <Link key={to} to={to} className={ITEM}>
          <Icon size={18} aria-hidden="true" />
          <span className="max-w-full truncate">{t(label)}</span>
        </Link>
      ))}
      <Menu
        side="top"
        trigger={
          <button type="button" className={ITEM}>
            <Ellipsis size={18} aria-hidden="true" />
            <span className="max-w-full truncate">{t('common.more')}</span>
          </button>
        }
      >
        {all.slice(SHOWN).map(({ to, label, Icon }) => (
          <MenuItem key={to} icon={<Icon size={16} aria-hidden="true" />} render={<Link to={to} />}>
            {t(label)}
          </MenuItem>
        ))}
      </Menu>
    </nav>
  )
}
