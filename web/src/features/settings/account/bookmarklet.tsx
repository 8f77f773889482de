import { BookmarkPlus } from 'lucide-react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { showToast } from '../../../ui/toast.tsx'

/** Longer titles would only make the URL too long: links keep fewer characters. */
const TITLE_MAX = 255

/** Opens the form of a new link with the URL and title of the page that it is clicked on. */
function bookmarkletOf(baseUrl: string): string {
  const form = JSON.stringify(new URL('/app/links/new', baseUrl).href)
  return `javascript:void open(${form}+'?'+new URLSearchParams({url:location.href,title:document.title.slice(0,${TITLE_MAX})}))`
}

/** The ways to create a link from other pages and apps. */
export function BookmarkletSection() {
  const { t } = useI18n()
  const { instance } = usePlace()
  const code = bookmarkletOf(instance.base_url)
  return (
    <CardSection
      id="bookmarklet"
      title={t('settings.bookmarklet')}
      description={t('settings.bookmarklet.drag')}
    >
      <div className="flex flex-wrap items-center gap-2">
        <a
          href={code}
          className={buttonClass('secondary', 'md', 'cursor-grab gap-1.5')}
          onClick={(event) => {
            // Here it does nothing: the page's policy forbids its script.
            event.preventDefault()
            showToast({ title: t('settings.bookmarklet.drag') })
          }}
        >
          <BookmarkPlus size={16} />
          {t('settings.bookmarklet.name')}
        </a>
        <CopyButton words size="md" text={code} label={t('settings.bookmarklet.copy')} />
      </div>
      <p className="text-muted text-sm">{t('settings.bookmarklet.share')}</p>
    </CardSection>
  )
}
