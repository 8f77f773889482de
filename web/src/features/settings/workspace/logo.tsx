import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { usePlace, useSessionChanged } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { fieldError, formError } from '../../auth/errors.ts'
import { deleteLogo, logoQuery, setLogo, shownLogo } from '../../links/qr/calls.ts'

/** The picture in the middle of the workspace's QR codes. */
export function LogoSection({ writable }: { writable: boolean }) {
  const i18n = useI18n()
  const { t } = i18n
  const { workspace } = usePlace()
  const client = useQueryClient()
  const sessionChanged = useSessionChanged()
  const { queryKey } = logoQuery(workspace)
  const { data: logo } = useQuery(logoQuery(workspace))
  const input = useRef<HTMLInputElement>(null)
  const upload = useMutation({
    mutationFn: setLogo,
    async onSuccess(made) {
      client.setQueryData(queryKey, made)
      await sessionChanged()
      showToast({ title: t('common.saved') })
    },
  })
  const remove = useMutation({
    mutationFn: deleteLogo,
    async onSuccess() {
      client.setQueryData(queryKey, null)
      await sessionChanged()
    },
  })
  const error = upload.error ?? remove.error
  return (
    <CardSection title={t('settings.logo')}>
      <div className="flex max-w-md flex-col gap-3">
        <p className="text-muted">{t('settings.logo.hint')}</p>
        <FormError message={fieldError(error, 'image') ?? formError(error, i18n, ['image'])} />
        {logo ? (
          <img
            src={shownLogo(logo).href}
            alt={t('settings.logo')}
            className="size-20 rounded-md border border-line bg-white object-contain p-2"
          />
        ) : null}
        {writable ? (
          <div className="flex gap-2">
            <input
              ref={input}
              type="file"
              accept="image/png,image/jpeg,image/webp"
              aria-label={t('settings.logo.file')}
              className="hidden"
              onChange={({ target }) => {
                const [file] = target.files ?? []
                if (file) upload.mutate(file)
                target.value = ''
              }}
            />
            <Button
              icon={<Upload size={14} aria-hidden="true" />}
              loading={upload.isPending}
              onClick={() => input.current?.click()}
            >
              {t(logo ? 'settings.logo.replace' : 'settings.logo.upload')}
            </Button>
            {logo ? (
              <Button loading={remove.isPending} onClick={() => remove.mutate()}>
                {t('settings.logo.remove')}
              </Button>
            ) : null}
          </div>
        ) : null}
      </div>
    </CardSection>
  )
}
