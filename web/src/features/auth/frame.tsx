import { type ReactNode, useEffect } from 'react'
import { useSetLanguage } from '../../app/language.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { LANGUAGE_NAMES, LOCALES } from '../../i18n/locales.ts'
import { Select } from '../../ui/select.tsx'

/** The page of somebody who isn't signed in: one thing to do, in the middle. */
export function Frame({
  title,
  text,
  children,
  foot,
}: {
  title: string
  text?: ReactNode
  children?: ReactNode
  /** Below the form: other ways on. */
  foot?: ReactNode
}) {
  const { t, locale } = useI18n()
  const setLanguage = useSetLanguage()
  useEffect(() => {
    document.title = `${title} · ${t('common.product')}`
  }, [title, t])
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
            {text ? <p className="text-muted [overflow-wrap:anywhere]">{text}</p> : null}
          </div>
          {children}
        </div>
        {foot ? <div className="mt-4 text-center text-muted text-sm">{foot}</div> : null}
      </main>
      <footer className="flex justify-center pb-6">
        <Select
          compact
          label={t('shell.language')}
          value={locale}
          onChange={(next) => void setLanguage(next)}
          options={LOCALES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        />
      </footer>
    </div>
  )
}
