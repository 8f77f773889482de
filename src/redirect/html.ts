import { createHash } from 'node:crypto'
import { domainToUnicode } from 'node:url'
import { brandVariables } from '../lib/base/brand.ts'
import { PERMISSIONS_POLICY } from '../lib/base/headers.ts'
import { direction, formatDateTime, type Locale, translate } from '../lib/i18n/index.ts'
import { type Brand, brandSources, brandStyle, headerOf } from './brand.ts'

const STYLE = `${brandVariables('sans', 'mono', 'sunken', 'raised', 'canvas', 'line', 'line-strong', 'fg', 'muted', 'accent', 'on-accent', 'bad')}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;grid-template-rows:auto 1fr auto;background:var(--sunken);color:var(--fg);font:16px/1.5 var(--sans)}
header,footer{padding:20px 24px;color:var(--muted);font-size:14px}
header{display:flex;align-items:center;gap:8px;color:var(--fg);font-weight:600}
header>:first-child{flex:none;inline-size:24px;block-size:24px}
header img:first-child{inline-size:auto;max-inline-size:160px;margin-inline-end:4px;object-fit:contain;border-radius:4px;background:light-dark(transparent,#fff);box-shadow:0 0 0 4px light-dark(transparent,#fff)}
.mark{border-radius:6px;background:var(--accent);color:var(--on-accent);line-height:24px;text-align:center}
main{align-self:center;justify-self:center;inline-size:min(100% - 32px,480px);padding:32px;background:var(--raised);border:1px solid var(--line);border-radius:10px}
h1{margin:0 0 8px;font-size:20px;line-height:1.3;text-wrap:balance}
p{margin:0 0 16px;color:var(--muted);text-wrap:pretty}
:lang(ja) :is(h1,p){word-break:auto-phrase}
:lang(ko) p{word-break:keep-all}
p:last-child{margin:0}
.address{padding:12px;border:1px solid var(--line);border-radius:6px;color:var(--fg);overflow-wrap:anywhere;font:14px/1.5 var(--mono)}
.bad{color:var(--bad)}
label{display:block;margin-block-end:4px;font-size:14px}
input,textarea{inline-size:100%;min-block-size:40px;margin-block-end:16px;padding:8px 12px;border:1px solid var(--line-strong);border-radius:6px;background:var(--canvas);color:inherit;font:inherit}
.button{display:inline-block;min-block-size:40px;padding:8px 16px;border:0;border-radius:6px;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
details{margin-block-start:24px;padding-block-start:16px;border-block-start:1px solid var(--line);font-size:14px}
summary{padding-block:4px;color:var(--muted);cursor:pointer}
summary+form{margin-block-start:12px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Nothing may run, load or be framed; the only style sheet is allowed by its hash. */
function policy(formAction: string, brand: Brand | undefined): string {
  const { style, image } = brand === undefined ? { style: '', image: '' } : brandSources(brand)
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'${style}${image}; base-uri 'none'; frame-ancestors 'none'; form-action ${formAction}`
}

/** Headers of a page. `formAction`: where its form may lead, also by redirects. */
export function pageHeaders(
  locale: Locale,
  formAction = "'self'",
  brand?: Brand,
): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': locale,
    Vary: 'Accept, Accept-Language',
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': policy(formAction, brand),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': PERMISSIONS_POLICY,
    'X-Robots-Tag': 'noindex',
  }
}

/** What a page shows: `title` is text, `body` HTML. */
export interface Page {
  title: string
  body: string
}

/** A whole page, of Slugline or in a brand. */
export function renderPage(locale: Locale, { title, body }: Page, brand?: Brand): string {
  return `<!doctype html>
<html lang="${locale}" dir="${direction(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${Bun.escapeHTML(title)}</title>
<style>${STYLE}</style>${brandStyle(brand)}
</head>
<body>
${headerOf(brand)}
<main>
<h1>${Bun.escapeHTML(title)}</h1>
${body}
</main>
<footer>${Bun.escapeHTML(translate(locale, 'page.powered'))}</footer>
</body>
</html>
`
}

/** A paragraph of text. */
export function paragraph(text: string, attributes = ''): string {
  return `<p${attributes}>${Bun.escapeHTML(text)}</p>`
}

/** The state of the password form. */
export type PasswordAttempt =
  | { kind: 'none' }
  | { kind: 'wrong' }
  | { kind: 'too_many'; retryAfterSeconds: number }

/** A link that isn't active yet; `startsAt` in milliseconds since the epoch. */
export function scheduledPage(locale: Locale, startsAt: number): Page {
  const date = formatDateTime(locale, new Date(startsAt))
  return {
    title: translate(locale, 'page.scheduled.title'),
    body: paragraph(translate(locale, 'page.scheduled.text_date', { date })),
  }
}

/** A link with a password, without the form; `path` is the link itself. */
export function protectedPage(locale: Locale, path: string): Page {
  const text = (key: 'text' | 'button' | 'title') => translate(locale, `page.password.${key}`)
  const body = paragraph(text('text')) + button(path, text('button'))
  return { title: text('title'), body: body + reportForm(locale) }
}

/** The form that asks for a link's password. */
export function passwordPage(locale: Locale, attempt: PasswordAttempt): Page {
  const text = (key: 'label' | 'button' | 'text' | 'wrong') =>
    translate(locale, `page.password.${key}`)
  let notice = paragraph(text('text'))
  if (attempt.kind === 'wrong') notice = alert(text('wrong'))
  if (attempt.kind === 'too_many') notice = tooMany(locale, attempt)
  const form = `<form method="post">
<label for="password">${Bun.escapeHTML(text('label'))}</label>
<input id="password" name="password" type="password" required autofocus autocomplete="off" maxlength="1024">
<button class="button">${Bun.escapeHTML(text('button'))}</button>
</form>`
  return { title: translate(locale, 'page.password.title'), body: notice + form }
}

/** The preview of a link; `path` is the link itself. `target` null: it isn't shown. */
export function previewPage(locale: Locale, target: string | null, path: string): Page {
  const text = (key: 'text' | 'button') => translate(locale, `page.preview.${key}`)
  if (target === null) {
    const said = paragraph(translate(locale, 'page.preview.limited'))
    const body = said + button(path, text('button')) + reportForm(locale)
    return { title: translate(locale, 'page.preview.limited_title'), body }
  }
  const readable = inUnicode(target)
  const address = (url: string) => `<p class="address" dir="ltr">${Bun.escapeHTML(url)}</p>`
  const body = `${address(target)}${readable === target ? '' : address(readable)}
${paragraph(text('text'))}
${button(path, text('button'))}
${reportForm(locale)}`
  return { title: translate(locale, 'page.preview.title'), body }
}

/** The result of a report. */
export type ReportResult =
  | { kind: 'sent' }
  | { kind: 'empty' }
  | { kind: 'too_many'; retryAfterSeconds: number }

/** The page with the result of a report. */
export function reportPage(locale: Locale, result: ReportResult): Page {
  const title = translate(locale, 'page.report.title')
  if (result.kind === 'sent') {
    const sent = translate(locale, 'page.report.sent_title')
    return { title: sent, body: paragraph(translate(locale, 'page.report.sent')) }
  }
  if (result.kind === 'too_many') return { title, body: tooMany(locale, result) }
  return { title, body: alert(translate(locale, 'detail.REQUIRED')) }
}

function tooMany(locale: Locale, { retryAfterSeconds }: { retryAfterSeconds: number }): string {
  const minutes = Math.max(1, Math.ceil(retryAfterSeconds / 60))
  return alert(translate(locale, 'page.password.too_many', { minutes }))
}

function alert(text: string): string {
  return paragraph(text, ' class="bad" role="alert"')
}

/** The form for reporting the link to the owner of the instance; posts to the page's own URL. */
function reportForm(locale: Locale): string {
  const text = (key: 'title' | 'label' | 'button') =>
    Bun.escapeHTML(translate(locale, `page.report.${key}`))
  return `<details><summary>${text('title')}</summary>
<form method="post">
<label for="report">${text('label')}</label>
<textarea id="report" name="report" dir="auto" rows="3" required maxlength="1000"></textarea>
<button class="button">${text('button')}</button>
</form></details>`
}

function button(path: string, label: string): string {
  return `<p><a class="button" rel="nofollow" href="${Bun.escapeHTML(path)}">${Bun.escapeHTML(label)}</a></p>`
}

/** The URL with its internationalized host in Unicode; the same if it has none. */
function inUnicode(target: string): string {
  if (!target.includes('xn--')) return target
  try {
    const { hostname } = new URL(target)
    const readable = domainToUnicode(hostname)
    return readable === '' ? target : target.replace(hostname, () => readable)
  } catch {
    return target
  }
}
