import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSessionChanged } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { FormDialog } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { PasswordField } from '../../auth/password-field.tsx'
import { beginTwoFactor, endTwoFactor, newRecoveryCodes } from '../queries.ts'
import { AppStep } from './app-step.tsx'
import { CodesStep } from './codes-step.tsx'

/** The task of the dialog. */
export type TwoFactorTask = 'enable' | 'disable' | 'codes'

type Step =
  | { kind: 'password' }
  | { kind: 'app'; totpURI: string; codes: string[] }
  | { kind: 'codes'; codes: string[] }

/** The password first; then the app's secret, a first code, or the recovery codes. */
export function TwoFactorDialog({ task, onClose }: { task: TwoFactorTask; onClose: () => void }) {
  const { t } = useI18n()
  const sessionChanged = useSessionChanged()
  const [step, setStep] = useState<Step>({ kind: 'password' })
  const finish = async (message?: string) => {
    onClose()
    if (message !== undefined) showToast({ title: message })
    await sessionChanged()
  }
  if (step.kind === 'app') {
    return (
      <AppStep
        totpURI={step.totpURI}
        onClose={onClose}
        onDone={() => setStep({ kind: 'codes', codes: step.codes })}
      />
    )
  }
  if (step.kind === 'codes') {
    return (
      <CodesStep
        codes={step.codes}
        onDone={() => finish(task === 'enable' ? t('settings.twoFactor.enabled') : undefined)}
      />
    )
  }
  const go = async (password: string) => {
    if (task === 'enable') {
      const { totpURI, backupCodes } = await beginTwoFactor(password)
      setStep({ kind: 'app', totpURI, codes: backupCodes })
    } else if (task === 'codes') {
      setStep({ kind: 'codes', codes: await newRecoveryCodes(password) })
    } else {
      await endTwoFactor(password)
      await finish(t('settings.twoFactor.disabled'))
    }
  }
  return <PasswordStep task={task} onClose={onClose} go={go} />
}

function PasswordStep({
  task,
  onClose,
  go,
}: {
  task: TwoFactorTask
  onClose: () => void
  go: (password: string) => Promise<void>
}) {
  const { t } = useI18n()
  const [password, setPassword] = useState('')
  const proceed = useMutation({ mutationFn: () => go(password) })
  return (
    <FormDialog
      title={task === 'codes' ? t('settings.recovery.new') : t('settings.twoFactor')}
      description={t('settings.twoFactor.password.text')}
      action={t(task === 'disable' ? 'settings.twoFactor.disable' : 'settings.twoFactor.continue')}
      danger={task === 'disable'}
      task={proceed}
      onClose={onClose}
    >
      <PasswordField
        label={t('settings.twoFactor.password')}
        required
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
    </FormDialog>
  )
}
