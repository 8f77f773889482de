import { direction, type Locale } from '../lib/i18n/index.ts'

/** The link preview in messages. */
export interface Social {
  title: string | null
  description: string | null
  image_url: string | null
}

/** A page of Open Graph (https://ogp.me) and Twitter tags, without the destination to follow. */
export function socialPage(
  locale: Locale,
  { title, description, image_url: image }: Social,
): string {
  const tags: [attribute: 'property' | 'name', name: string, content: string | null][] = [
    ['property', 'og:type', 'website'],
    ['property', 'og:title', title],
    ['property', 'og:description', description],
    ['property', 'og:image', image],
    ['name', 'twitter:card', image === null ? 'summary' : 'summary_large_image'],
    ['name', 'twitter:title', title],
    ['name', 'twitter:description', description],
    ['name', 'twitter:image', image],
    ['name', 'description', description],
  ]
  const metas = tags.flatMap(([attribute, name, content]) =>
    content === null ? [] : [`<meta ${attribute}="${name}" content="${Bun.escapeHTML(content)}">`],
  )
  return `<!doctype html>
<html lang="${locale}" dir="${direction(locale)}">
<head>
<meta charset="utf-8">
<title>${Bun.escapeHTML(title ?? '')}</title>
${metas.join('\n')}
</head>
<body></body>
</html>
`
}
