import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { onward, PageLink, searchOfPage } from './address.tsx'
import { useArrive } from './arrive.ts'
import { CODE_TEXTS, CodeForm, type CodeKind } from './code-form.tsx'
import { Frame } from './frame.tsx'

/** After the password: a code of the app, or a recovery code. */
export function TwoFactorPage() {
  const { t } = useI18n()
  const { next } = searchOfPage()
  const arrive = useArrive()
  const [kind, setKind] = useState<CodeKind>('totp')
  return (
    <Frame
      title={t('auth.twoFactor.title')}
      text={t(CODE_TEXTS[kind])}
      foot={
        <PageLink
          to="/sign-in"
          search={onward()}
          className="underline underline-offset-2 hover:text-fg"
        >
          {t('auth.back')}
        </PageLink>
      }
    >
      <CodeForm kind={kind} onKind={setKind} onDone={() => arrive(next)} />
    </Frame>
  )
}
