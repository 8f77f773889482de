import { z } from 'zod'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'

const BYTES_MAX = 64 * 1024

type Json = Readonly<Record<string, unknown>>

/** `ABCDE12345.com.example.app`: a team's prefix and a bundle's id. */
const APP_ID = /^[A-Za-z0-9]+\.[A-Za-z0-9.-]+$/
const appId = z.string().regex(APP_ID)
const appIds = z.array(appId)

/**
 * Apple's file: https://developer.apple.com/documentation/xcode/supporting-associated-domains.
 * Unknown members are kept, because Apple may add some.
 */
const Apple = z.looseObject({
  applinks: z
    .looseObject({
      details: z
        .array(
          z.looseObject({
            appID: appId.optional(),
            appIDs: appIds.optional(),
            components: z.array(z.looseObject({})).optional(),
            paths: z.array(z.string()).optional(),
          }),
        )
        .optional(),
    })
    .optional(),
  webcredentials: z.looseObject({ apps: appIds }).optional(),
  appclips: z.looseObject({ apps: appIds }).optional(),
})

/** Google's file: https://developers.google.com/digital-asset-links/v1/statements. */
const Statement = z.looseObject({
  relation: z.array(z.string().regex(/^[\w.-]+\/[\w.-]+$/)).min(1),
  target: z.discriminatedUnion('namespace', [
    z.looseObject({
      namespace: z.literal('android_app'),
      package_name: z.string().regex(/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/),
      sha256_cert_fingerprints: z.array(z.string().regex(/^[0-9A-F]{2}(?::[0-9A-F]{2})*$/i)).min(1),
    }),
    z.looseObject({ namespace: z.literal('web'), site: z.url() }),
  ]),
})

/** Checks the content of `/.well-known/apple-app-site-association`. */
export function checkAppleAssociation(value: Json): Json | ValidationIssue[] {
  return faultsOf(Apple, value) ?? value
}

/** Checks the content of `/.well-known/assetlinks.json`. */
export function checkAssetLinks(value: readonly Json[]): readonly Json[] | ValidationIssue[] {
  return faultsOf(z.array(Statement), value) ?? value
}

function faultsOf(schema: z.ZodType, value: unknown): ValidationIssue[] | null {
  if (Buffer.byteLength(JSON.stringify(value)) > BYTES_MAX) {
    return [new ValidationIssue('TOO_LONG', { max: BYTES_MAX })]
  }
  const { error } = schema.safeParse(value)
  if (error === undefined) return null
  return error.issues.map(({ path }) => new ValidationIssue('INVALID_VALUE', undefined, path))
}
