import { getRouteApi, Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Fragment, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { ConfirmIdentity } from '../features/auth/confirm-identity.tsx'
import { SignInAgain } from '../features/auth/sign-in-again.tsx'
import { useI18n } from '../i18n/index.tsx'
import { isLocale } from '../i18n/locales.ts'
import { lazyComponent } from '../lib/lazy-component.ts'
import { useMedia } from '../lib/media.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { FootBar } from './foot-bar.tsx'
import { JobList } from './job-list.tsx'
import { useSetLanguage } from './language.tsx'
import { destinationsOf } from './navigation.tsx'
import { PersonMenu } from './person-menu.tsx'
import { useShortcuts } from './shortcuts.ts'
import { useSignOut } from './sign-out.ts'
import { PlaceProvider, usePlace, useSession } from './workspace.tsx'
import { Monogram, useOpenWorkspace, WorkspaceSwitch } from './workspace-switch.tsx'

const ShortcutList = lazyComponent(() => import('./shortcut-list.tsx'), 'ShortcutList')
const Palette = lazyComponent(() => import('./palette.tsx'), 'Palette')
const CreatePanel = lazyComponent(() => import('../features/links/form/panels.tsx'), 'CreatePanel')
const SidebarPlaces = lazyComponent(
  () => import('../features/links/sidebar-places.tsx'),
  'SidebarPlaces',
)
const NewWorkspace = lazyComponent(() => import('./new-workspace.tsx'), 'NewWorkspace')

const route = getRouteApi('/shell')

/** The frame around every page of a signed-in person. */
export function Shell() {
  const { workspace: entered } = route.useRouteContext()
  const session = useSession()
  // The session may have been reloaded since the page was entered.
  const workspace = session.workspaces.find(({ id }) => id === entered?.id)
  const { locale } = useI18n()
  const setLanguage = useSetLanguage()
  // The account's language wins over that of an earlier visit with this browser.
  const enter = useEffectEvent(() => {
    const language = session.user?.language
    if (isLocale(language) && language !== locale) void setLanguage(language)
  })
  useEffect(() => enter(), [])
  if (session.user === null) return null
  if (workspace === undefined) return <NoWorkspace mayCreate={session.user.may_create_workspaces} />
  return (
    <PlaceProvider session={session} workspace={workspace}>
      <Frame />
      <ConfirmIdentity />
      <SignInAgain />
    </PlaceProvider>
  )
}

function Frame() {
  const { t } = useI18n()
  const place = usePlace()
  const navigate = useNavigate()
  const onAccount = useLocation({ select: ({ pathname }) => pathname.endsWith('/account') })
  const onLinks = useLocation({ select: ({ pathname }) => pathname.endsWith('/links') })
  const [shortcutsOpen, setShortcutsOpen] = useState(false)
  const [creating, setCreating] = useState(false)
  const [paletteOpen, setPaletteOpen] = useState(false)
  const [newWorkspaceOpen, setNewWorkspaceOpen] = useState(false)
  const showShortcuts = () => setShortcutsOpen(true)
  const openWorkspace = useOpenWorkspace()
  useShortcuts({
    '?': showShortcuts,
    'mod k': () => setPaletteOpen(true),
    ...Object.fromEntries(
      destinationsOf(place).map(({ to, letter }) => [`g ${letter}`, () => void navigate({ to })]),
    ),
    // The list of links handles both keys itself, keeping its filters.
    ...(onLinks ? {} : { '/': () => void navigate({ to: '/links', state: { search: true } }) }),
    ...(onLinks || !place.may('links:write') ? {} : { c: () => setCreating(true) }),
  })
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className={buttonClass('primary', 'md', 'fixed start-2 top-2 z-50 not-focus:sr-only')}
      >
        {t('shell.skip')}
      </a>
      <aside className="sticky top-0 hidden h-dvh w-56 shrink-0 flex-col gap-3 border-line border-e bg-sunken p-2.5 md:flex">
        <WorkspaceSwitch />
        <FindButton onClick={() => setPaletteOpen(true)} />
        <SideNavigation />
        <PersonMenu
          side="top"
          onShortcuts={showShortcuts}
          trigger={
            <button
              type="button"
              className="flex h-11 w-full min-w-0 items-center gap-2.5 rounded-sm px-2 text-start hover:bg-hover data-popup-open:bg-hover"
            >
              <Monogram
                person
                name={place.user.name || place.user.email}
                picture={place.user.picture}
              />
              <span className="sr-only">{t('shell.account')}</span>
              <span className="flex min-w-0 flex-1 flex-col">
                <bdi className="max-w-full self-start truncate text-sm">
                  {place.user.name || place.user.email}
                </bdi>
                <bdi className="max-w-full self-start truncate text-faint text-xs">
                  {place.user.email}
                </bdi>
              </span>
            </button>
          }
        />
      </aside>
      <header className="flex items-center gap-2 border-line border-b px-2 py-1.5 md:hidden print:hidden">
        <div className="min-w-0 flex-1">
          <WorkspaceSwitch />
        </div>
        <PersonMenu
          side="bottom"
          onShortcuts={showShortcuts}
          trigger={
            <button
              type="button"
              aria-label={t('shell.account')}
              className="flex size-10 items-center justify-center rounded-sm hover:bg-hover"
            >
              <Monogram
                person
                name={place.user.name || place.user.email}
                picture={place.user.picture}
              />
            </button>
          }
        />
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="min-w-0 flex-1 pb-20 outline-none md:pb-0 print:pb-0"
        // Another workspace gets a new page, without the state of the previous one.
        key={place.workspace.id}
      >
        {place.workspace.needs_two_factor && !onAccount ? <NeedsTwoFactor /> : <Outlet />}
      </main>
      <FootBar onCreate={place.may('links:write') ? () => setCreating(true) : undefined} />
      <JobList />
      <Suspense>
        {paletteOpen ? (
          <Palette
            onClose={() => setPaletteOpen(false)}
            onCreate={() => setCreating(true)}
            onShortcuts={showShortcuts}
            onNewWorkspace={() => setNewWorkspaceOpen(true)}
          />
        ) : null}
      </Suspense>
      <Suspense>
        {newWorkspaceOpen ? (
          <NewWorkspace onClose={() => setNewWorkspaceOpen(false)} onCreated={openWorkspace} />
        ) : null}
      </Suspense>
      <Suspense>
        {shortcutsOpen ? <ShortcutList onClose={() => setShortcutsOpen(false)} /> : null}
      </Suspense>
      <Suspense>
        {creating ? (
          <CreatePanel onClose={() => setCreating(false)} onCreated={() => setCreating(false)} />
        ) : null}
      </Suspense>
    </div>
  )
}

/** Opens the palette, and shows its keys. */
function FindButton({ onClick }: { onClick: () => void }) {
  const { t } = useI18n()
  const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex h-8 items-center gap-2.5 rounded-sm border border-line bg-canvas px-2 text-faint text-sm hover:border-line-strong hover:text-muted"
    >
      <Search />
      <span className="flex-1 text-start">{t('common.search')}</span>
      <span dir="ltr" aria-hidden="true">
        <Kbd>{isMac ? '⌘K' : 'Ctrl K'}</Kbd>
      </span>
    </button>
  )
}

/** The pages, in two groups. */
function SideNavigation() {
  const { t } = useI18n()
  const all = destinationsOf(usePlace())
  // Phones have no sidebar.
  const wide = useMedia('(min-width: 48rem)')
  return (
    <nav
      aria-label={t('shell.navigation')}
      // Focus rings have room within what scrolls.
      className="-m-1 flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-1"
    >
      {(['work', 'workspace'] as const).map((group) => (
        <div key={group} className="flex flex-col gap-0.5">
          {all
            .filter((one) => one.group === group)
            .map(({ to, label, Icon }) => (
              <Fragment key={to}>
                <Link
                  to={to}
                  className="flex h-8 shrink-0 items-center gap-2.5 rounded-sm px-2 text-muted hover:bg-hover hover:text-fg data-[status=active]:bg-pressed data-[status=active]:font-medium data-[status=active]:text-fg"
                >
                  <Icon size={16} />
                  {t(label)}
                </Link>
                {to === '/links' && wide ? (
                  <Suspense>
                    <SidebarPlaces />
                  </Suspense>
                ) : null}
              </Fragment>
            ))}
        </div>
      ))}
    </nav>
  )
}

/** The workspace requires a second factor, which the person doesn't have yet. */
function NeedsTwoFactor() {
  const { t } = useI18n()
  return (
    <Empty
      heading="h1"
      title={t('common.needsTwoFactor')}
      action={
        <Link to="/account" className={buttonClass('primary')}>
          {t('common.needsTwoFactor.action')}
        </Link>
      }
    >
      <p>{t('common.needsTwoFactor.text')}</p>
    </Empty>
  )
}

/** A person without a workspace. */
function NoWorkspace({ mayCreate }: { mayCreate: boolean }) {
  const { t } = useI18n()
  const entered = useOpenWorkspace()
  const [creating, setCreating] = useState(false)
  const signOut = useSignOut()
  return (
    <main className="flex min-h-dvh flex-col justify-center">
      <Empty
        heading="h1"
        title={t('common.noWorkspace')}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {mayCreate ? (
              <Button variant="primary" onClick={() => setCreating(true)}>
                {t('shell.createWorkspace')}
              </Button>
            ) : null}
            <Button onClick={signOut}>{t('shell.signOut')}</Button>
          </div>
        }
      >
        <p>{t(mayCreate ? 'common.noWorkspaceHint' : 'common.noWorkspaceInvited')}</p>
      </Empty>
      <Suspense>
        {creating ? <NewWorkspace onClose={() => setCreating(false)} onCreated={entered} /> : null}
      </Suspense>
    </main>
  )
}
