import type { ReactNode } from 'react'
import { useSetLanguage } from '../../app/language.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { LANGUAGE_NAMES, LOCALES, type Locale } from '../../i18n/locales.ts'
import { Breakable } from '../../ui/breakable.tsx'
import { cx } from '../../ui/cx.ts'
import { CONTROL } from '../../ui/input.tsx'
import { useTitle } from '../../ui/title.ts'

/** The page layout before the sign-in: one task, in the middle. */
export function Frame({
  title,
  text,
  children,
  foot,
}: {
  title: string
  text?: ReactNode
  children?: ReactNode
  /** Alternatives below the form. */
  foot?: ReactNode
}) {
  const { t, locale } = useI18n()
  const setLanguage = useSetLanguage()
  useTitle(title)
  return (
    <div data-ground="sunken" className="flex min-h-dvh flex-col bg-sunken">
      <main className="mx-auto flex w-full max-w-md flex-1 flex-col justify-center px-4 py-10">
        <div className="mb-6 flex items-center justify-center gap-2 font-semibold">
          <img src="/app/icon.svg" alt="" width={24} height={24} />
          {t('common.product')}
        </div>
        <div className="flex flex-col gap-5 rounded-md border border-line bg-raised p-6 sm:p-8">
          <div className="flex flex-col gap-1">
            <h1 className="font-semibold text-xl [overflow-wrap:anywhere]">{title}</h1>
            {text ? (
              <p className="text-muted [overflow-wrap:anywhere]">
                {typeof text === 'string' ? <Breakable>{text}</Breakable> : text}
              </p>
            ) : null}
          </div>
          {children}
        </div>
        {foot ? <p className="mt-4 text-center text-muted text-sm">{foot}</p> : null}
      </main>
      <footer className="flex justify-center pb-6">
        <select
          aria-label={t('shell.language')}
          value={locale}
          onChange={({ target }) => void setLanguage(target.value as Locale)}
          className={cx(CONTROL, 'h-7.5 w-auto! bg-raised! px-2 text-sm pointer-coarse:h-10')}
        >
          {LOCALES.map((each) => (
            <option key={each} value={each} lang={each}>
              {LANGUAGE_NAMES[each]}
            </option>
          ))}
        </select>
      </footer>
    </div>
  )
}
