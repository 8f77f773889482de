import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Dialog } from '../../../ui/dialog.tsx'

/** The recovery codes, shown only once. */
export function CodesStep({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useI18n()
  const [kept, setKept] = useState(false)
  // As with a new key, they aren't left by accident.
  useBlocker({ shouldBlockFn: () => !kept, enableBeforeUnload: () => !kept })
  return (
    <Dialog
      title={t('settings.recovery')}
      description={t('settings.recovery.text')}
      footer={
        <Button variant="primary" disabled={!kept} onClick={onDone}>
          {t('settings.recovery.done')}
        </Button>
      }
    >
      <ul
        dir="ltr"
        className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-sm border border-line bg-sunken p-3 font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <CopyButton
        words
        size="md"
        className="self-start"
        text={codes.join('\n')}
        label={t('settings.recovery.copy')}
      />
      <Checkbox label={t('settings.recovery.kept')} checked={kept} onChange={setKept} />
    </Dialog>
  )
}
