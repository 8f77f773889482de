import { z } from '@hono/zod-openapi'
import { checked } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { checkText } from '../validation/text.ts'
import { type Destination, URL_LENGTH_MAX, type UrlCheck } from './values.ts'

const TITLE_MAX = 255
const DESCRIPTION_MAX = 500

/** What previews in messages show of a link; null: nothing of that. */
export interface Social {
  title: string | null
  description: string | null
  image_url: string | null
}

/** What a request says of the preview: what is absent stays, null clears. */
type SocialPatch = Partial<Record<'title' | 'description', string | null | undefined>> & {
  image_url?: Destination | null | undefined
}

/** The schema of `social` in a body. */
export function socialField(checkUrl: UrlCheck) {
  const text = (max: number, description: string, example: string) =>
    checked(z.string(), checkText({ max, min: 1 }))
      .nullable()
      .optional()
      .openapi({ type: ['string', 'null'], minLength: 1, maxLength: max, description, example })
  const image = checked(z.string(), (given): Destination | Fault => {
    const found = checkUrl(given)
    if (found instanceof Fault || /^https?:/.test(found.target)) return found
    return new Fault('URL_SCHEME_NOT_ALLOWED', { allowed: ['http', 'https'] })
  })
  return z
    .strictObject({
      title: text(TITLE_MAX, 'The title of the preview.', 'Summer sale'),
      description: text(DESCRIPTION_MAX, 'The text below it.', 'Up to half off until July.'),
      image_url: image
        .nullable()
        .optional()
        .openapi({
          type: ['string', 'null'],
          maxLength: URL_LENGTH_MAX,
          description: 'The address of its picture, http or https.',
          example: 'https://example.com/summer.png',
        }),
    })
    .nullable()
    .openapi({
      type: ['object', 'null'],
      description:
        'What services show that unfurl the link in a message: they get a page with Open Graph and ' +
        'Twitter tags, people are redirected. Null: services see the redirect too. An update changes ' +
        'the members it names.',
    })
}

/** The stored preview after a change. */
export function withSocial(
  stored: string | null,
  patch: SocialPatch | null | undefined,
): string | null | undefined {
  if (patch === undefined || patch === null) return patch
  const before = socialOf(stored) ?? { title: null, description: null, image_url: null }
  const { title = before.title, description = before.description, image_url: image } = patch
  const image_url = image === undefined ? before.image_url : (image?.given ?? null)
  if (title === null && description === null && image_url === null) return null
  return JSON.stringify({ title, description, image_url } satisfies Social)
}

/** The preview as it is stored. */
export function socialOf(stored: string | null): Social | null {
  return stored === null ? null : (JSON.parse(stored) as Social)
}
