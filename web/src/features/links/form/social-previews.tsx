import { Image } from 'lucide-react'
import type { ReactNode } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { cx } from '../../../ui/cx.ts'
import type { Draft } from './draft.ts'

interface Shown {
  social: Draft['social']
  /** The host of the short URL. */
  host: string
}

/** The link as three services show it in a message, with placeholders for images. */
export function SocialPreviews({
  social,
  host,
  hasPlace = false,
}: Shown & {
  /** Says what services show if nothing is set. */
  hasPlace?: boolean
}) {
  const { t } = useI18n()
  const { title, description, image_url: image } = social
  if ([title, description, image].every((text) => text.trim() === '')) {
    return hasPlace ? <OwnPreview /> : null
  }
  const shown = { social: { ...social, title: title.trim() || host }, host }
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="sr-only">{t('links.social.previews')}</legend>
      <Service name="Slack">
        <Slack {...shown} />
      </Service>
      <Service name="X">
        <X {...shown} />
      </Service>
      <Service name="WhatsApp">
        <WhatsApp {...shown} />
      </Service>
    </fieldset>
  )
}

/** Nothing is set, so services show what the destination says about itself. */
function OwnPreview() {
  const { t } = useI18n()
  return (
    <figure className="flex flex-col gap-1.5">
      <figcaption className="text-faint text-xs">{t('links.social.previews')}</figcaption>
      <div className="flex items-center gap-3 rounded-md border border-line border-dashed p-3 text-muted text-sm">
        <Image size={20} className="shrink-0 text-faint" />
        {t('links.social.own')}
      </div>
    </figure>
  )
}

function Service({ name, children }: { name: string; children: ReactNode }) {
  return (
    <figure className="flex max-w-sm flex-col gap-1.5">
      <figcaption className="text-faint text-xs">{name}</figcaption>
      {children}
    </figure>
  )
}

function Slack({ social, host }: Shown) {
  return (
    <div className="flex flex-col gap-1 border-line-strong border-s-4 ps-3 text-sm">
      <bdi dir="ltr" className="font-semibold text-xs">
        {host}
      </bdi>
      <Text className="font-semibold text-accent">{social.title}</Text>
      <Text lines>{social.description}</Text>
      <Picture address={social.image_url} className="mt-1 h-32 rounded-md" />
    </div>
  )
}

function X({ social, host }: Shown) {
  if (social.image_url.trim() === '') {
    return (
      <div className="flex overflow-hidden rounded-md border border-line text-sm">
        <div className="flex w-24 shrink-0 items-center justify-center bg-sunken text-faint">
          <Image size={20} />
        </div>
        <div className="flex min-w-0 flex-col gap-0.5 p-3">
          <bdi dir="ltr" className="text-faint text-xs">
            {host}
          </bdi>
          <Text>{social.title}</Text>
          <Text className="text-muted">{social.description}</Text>
        </div>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-1 text-sm">
      <div className="relative overflow-hidden rounded-md border border-line">
        <Picture address={social.image_url} className="h-40" />
        <span
          dir="auto"
          className="absolute start-2 bottom-2 max-w-[90%] truncate rounded-xs bg-fg px-1.5 py-0.5 text-canvas text-xs"
        >
          {social.title}
        </span>
      </div>
      <bdi dir="ltr" className="text-faint text-xs">
        {host}
      </bdi>
    </div>
  )
}

function WhatsApp({ social, host }: Shown) {
  return (
    <div className="flex flex-col overflow-hidden rounded-md border border-line text-sm">
      <Picture address={social.image_url} className="h-36" />
      <div className="flex flex-col gap-0.5 p-2.5">
        <Text className="font-semibold">{social.title}</Text>
        <Text lines className="text-muted text-xs">
          {social.description}
        </Text>
        <bdi dir="ltr" className="text-faint text-xs">
          {host}
        </bdi>
      </div>
    </div>
  )
}

/** One line of text, or two. */
function Text({
  children,
  lines = false,
  className,
}: {
  children: string
  lines?: boolean
  className?: string
}) {
  if (children.trim() === '') return null
  return (
    <span dir="auto" className={cx(lines ? 'line-clamp-2' : 'truncate', className)}>
      {children}
    </span>
  )
}

function Picture({ address, className }: { address: string; className: string }) {
  if (address.trim() === '') return null
  return (
    <div
      className={cx(
        'flex flex-col items-center justify-center gap-1 bg-sunken px-3 text-faint text-xs',
        className,
      )}
    >
      <Image size={20} />
      <bdi dir="ltr" className="max-w-full truncate">
        {address.split(/[/?#]/).findLast((part) => part !== '') ?? address}
      </bdi>
    </div>
  )
}
