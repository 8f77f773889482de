import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { FormDialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { confirmTwoFactor } from '../queries.ts'

/** Shows the secret for the app, and verifies a first code. */
export function AppStep({
  totpURI,
  onClose,
  onDone,
}: {
  totpURI: string
  onClose: () => void
  onDone: () => void
}) {
  const { t } = useI18n()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => confirmTwoFactor(code.trim()),
    onSuccess: onDone,
  })
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  return (
    <FormDialog
      title={t('settings.twoFactor')}
      description={t('settings.twoFactor.scan')}
      action={t('settings.twoFactor.confirm')}
      task={confirm}
      onClose={onClose}
    >
      <SecretCode text={totpURI} />
      <section className="flex flex-col gap-1.5" aria-label={t('settings.twoFactor.secret')}>
        <h3 className="font-medium text-sm">{t('settings.twoFactor.secret')}</h3>
        <div
          dir="ltr"
          className="flex items-start gap-2 rounded-sm border border-line bg-sunken py-1 ps-3 pe-1"
        >
          <code className="flex-1 py-1.5 text-sm">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyButton text={secret} label={t('links.copy')} />
        </div>
      </section>
      <TextField
        label={t('settings.twoFactor.code')}
        required
        dir="ltr"
        inputMode="numeric"
        autoComplete="one-time-code"
        controlClass="tabular tracking-widest"
        value={code}
        onChange={setCode}
      />
    </FormDialog>
  )
}

/** A QR code rendered here, not on a server. Dark on light in both themes, for cameras. */
function SecretCode({ text }: { text: string }) {
  const { t } = useI18n()
  const code = useQuery({
    queryKey: ['qr', text],
    queryFn: async () => (await import('qrcode')).create(text).modules,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (code.data === undefined) return <div className="size-48 self-center" />
  const { size, data } = code.data
  let path = ''
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (data[row * size + column]) path += `M${column} ${row}h1v1h-1z`
    }
  }
  return (
    <svg
      role="img"
      aria-label={t('settings.twoFactor.qr')}
      viewBox={`-2 -2 ${size + 4} ${size + 4}`}
      className="size-48 self-center rounded-sm bg-white"
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  )
}
