import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { errorText } from '../../ui/errors.ts'
import { Card } from '../../ui/page.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { isProtected, unlock } from './calls.ts'

/** Asks for the password of shared statistics. */
export function Unlock({ onOpen }: { onOpen: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const [password, setPassword] = useState('')
  const attempt = useMutation({ mutationFn: () => unlock(password), onSuccess: onOpen })
  const { error } = attempt
  const said = isProtected(error) ? t('shared.password.wrong') : errorText(error, i18n)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    attempt.mutate()
  }
  return (
    <Card className="mx-auto mt-[10dvh] flex max-w-md flex-col gap-5 p-6 sm:p-8">
      <div className="flex flex-col gap-1">
        <h1 className="font-semibold text-xl">{t('shared.password.title')}</h1>
        <p className="text-muted">{t('shared.password.text')}</p>
      </div>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t('shared.password.label')}
          error={error === null ? undefined : said}
          type="password"
          required
          autoComplete="off"
          value={password}
          onChange={setPassword}
        />
        <Button variant="primary" type="submit" loading={attempt.isPending}>
          {t('shared.password.submit')}
        </Button>
      </form>
    </Card>
  )
}
