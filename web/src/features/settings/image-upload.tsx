import { useMutation } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { FormError } from '../../ui/field.tsx'
import { CardSection } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'

/** A section with one image that is uploaded, replaced and removed. */
export function ImageUpload({
  kind,
  image,
  round = false,
  writable = true,
  upload,
  remove,
}: {
  kind: 'logo' | 'picture'
  /** Its URL; null: there is none. */
  image: string | null
  round?: boolean
  writable?: boolean
  upload: (file: Blob) => Promise<unknown>
  remove: () => Promise<unknown>
}) {
  const { t } = useI18n()
  const input = useRef<HTMLInputElement>(null)
  const saved = () => showToast({ title: t('common.saved') })
  const uploading = useMutation({
    mutationFn: upload,
    onSuccess: saved,
    onMutate() {
      removing.reset()
    },
  })
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: saved,
    // Its error is no longer the last one.
    onMutate() {
      uploading.reset()
    },
  })
  const error = uploading.error ?? removing.error
  if (image === null && !writable) return null
  return (
    <CardSection title={t(`settings.${kind}`)} description={t(`settings.${kind}.hint`)}>
      <div className="flex empty:hidden max-w-md flex-col gap-3">
        <FormError error={error} />
        {image === null ? null : (
          <img
            src={image}
            alt={t(`settings.${kind}`)}
            className={cx(
              'size-20 border border-line bg-white',
              round ? 'rounded-full object-cover' : 'rounded-md object-contain p-2',
            )}
          />
        )}
        {writable ? (
          <div className="flex gap-2">
            <input
              ref={input}
              type="file"
              accept="image/png,image/jpeg,image/webp"
              aria-label={t(`settings.${kind}.file`)}
              className="hidden"
              onChange={({ target }) => {
                const [file] = target.files ?? []
                if (file) uploading.mutate(file)
                target.value = ''
              }}
            />
            <Button
              icon={<Upload />}
              loading={uploading.isPending}
              onClick={() => input.current?.click()}
            >
              {t(image === null ? `settings.${kind}.upload` : 'settings.logo.replace')}
            </Button>
            {image === null ? null : (
              <Button loading={removing.isPending} onClick={() => removing.mutate()}>
                {t('settings.logo.remove')}
              </Button>
            )}
          </div>
        ) : null}
      </div>
    </CardSection>
  )
}
