import { useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { TwoFactorDialog, type TwoFactorTask } from './two-factor-dialog.tsx'

/** The second factor: on or off, and the recovery codes. */
export function TwoFactorSection() {
  const { t } = useI18n()
  const { user } = usePlace()
  const [task, setTask] = useState<TwoFactorTask | null>(null)
  const on = user.two_factor_enabled
  return (
    <CardSection
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {t('settings.twoFactor')}
          <Chip tone={on ? 'ok' : 'neutral'}>
            {t(on ? 'settings.twoFactor.on' : 'settings.twoFactor.off')}
          </Chip>
        </span>
      }
      description={t('settings.twoFactor.text')}
    >
      <div className="flex flex-wrap gap-2">
        {on ? (
          <>
            <Button onClick={() => setTask('codes')}>{t('settings.recovery.new')}</Button>
            <Button onClick={() => setTask('disable')}>{t('settings.twoFactor.disable')}</Button>
          </>
        ) : (
          <Button onClick={() => setTask('enable')}>{t('settings.twoFactor.enable')}</Button>
        )}
      </div>
      {task === null ? null : <TwoFactorDialog task={task} onClose={() => setTask(null)} />}
    </CardSection>
  )
}
