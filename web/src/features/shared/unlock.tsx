import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { Card } from '../../ui/page.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { isProtected, unlock } from './queries.ts'

/** Asks for the password of shared statistics. */
export function Unlock({ onOpen }: { onOpen: () => void }) {
  const { t } = useI18n()
  const [password, setPassword] = useState('')
  const attempt = useMutation({ mutationFn: () => unlock(password), onSuccess: onOpen })
  const isWrong = isProtected(attempt.error)
  return (
    <Card className="mx-auto mt-[10dvh] flex max-w-md flex-col gap-5 p-6 sm:p-8">
      <div className="flex flex-col gap-1">
        <h1 className="font-semibold text-xl">{t('shared.password.title')}</h1>
        <p className="text-muted">{t('shared.password.text')}</p>
      </div>
      <Form task={isWrong ? { ...attempt, error: null } : attempt}>
        <TextField
          label={t('shared.password.label')}
          error={isWrong ? t('shared.password.wrong') : undefined}
          type="password"
          required
          autoFocus
          autoComplete="off"
          value={password}
          onChange={setPassword}
        />
        <Submit of={attempt}>{t('shared.password.submit')}</Submit>
      </Form>
    </Card>
  )
}
