import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Keyboard, Languages, LogOut, SunMoon, UserRound } from 'lucide-react'
import type { ReactElement } from 'react'
import { api, ok } from '../api/client.ts'
import { sessionQuery } from '../api/session.ts'
import { useI18n } from '../i18n/index.tsx'
import { LANGUAGE_NAMES, LOCALES, type Locale } from '../i18n/locales.ts'
import { useMedia } from '../lib/media.ts'
import { Menu, MenuItem, MenuRadio, MenuSeparator, Submenu } from '../ui/menu.tsx'
import { useAction } from '../ui/toast.tsx'
import { useSetLanguage } from './language.tsx'
import { setTheme, useTheme } from './preferences.ts'
import { useSignOut } from './sign-out.ts'

/** The person's menu: language, appearance, account, signing out. */
export function PersonMenu({
  trigger,
  side,
  onShortcuts,
}: {
  trigger: ReactElement
  side: 'top' | 'bottom'
  onShortcuts: () => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const setLanguage = useSetLanguage()
  const client = useQueryClient()
  const theme = useTheme()
  const touched = useMedia('(pointer: coarse)')

  const changeLanguage = useAction(async (locale: Locale) => {
    await setLanguage(locale)
    // Also for emails, and other devices.
    await ok(api.PATCH('/api/v1/account', { body: { language: locale } }))
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey })
  })
  const signOut = useSignOut()

  return (
    <Menu trigger={trigger} side={side} align="start" className="min-w-56">
      <MenuItem icon={<UserRound size={16} />} render={<Link to="/account" />}>
        {t('shell.account')}
      </MenuItem>
      <Submenu icon={<Languages size={16} />} label={t('shell.language')}>
        <MenuRadio
          label={t('shell.language')}
          value={i18n.locale}
          onChange={(locale) => changeLanguage.mutate(locale)}
          options={LOCALES.map((locale) => ({
            value: locale,
            label: <span lang={locale}>{LANGUAGE_NAMES[locale]}</span>,
          }))}
        />
      </Submenu>
      <Submenu icon={<SunMoon size={16} />} label={t('shell.theme')}>
        <MenuRadio
          label={t('shell.theme')}
          value={theme}
          onChange={setTheme}
          options={[
            { value: 'system', label: t('shell.themeSystem') },
            { value: 'light', label: t('shell.themeLight') },
            { value: 'dark', label: t('shell.themeDark') },
          ]}
        />
      </Submenu>
      <MenuSeparator />
      {touched ? null : (
        <MenuItem icon={<Keyboard size={16} />} shortcut="?" onClick={onShortcuts}>
          {t('shell.shortcuts')}
        </MenuItem>
      )}
      <MenuItem
        icon={<BookOpen size={16} />}
        render={<a href="/docs" target="_blank" rel="noreferrer" />}
      >
        {t('shell.docs')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LogOut size={16} />} onClick={signOut}>
        {t('shell.signOut')}
      </MenuItem>
    </Menu>
  )
}
