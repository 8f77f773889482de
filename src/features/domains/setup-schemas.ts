import { z } from '@hono/zod-openapi'
import { DOMAIN_EXAMPLE } from './schemas.ts'

const STATUSES = ['done', 'failed', 'waiting', 'not_needed'] as const

const step = (errors: string) => ({
  status: z.enum(STATUSES).openapi({
    description:
      '`waiting`: an earlier step comes first. `not_needed`: this instance is served without TLS.',
  }),
  error: z
    .string()
    .nullable()
    .openapi({ description: `Why it failed: ${errors} Null: it has not.` }),
})

const records = z.array(
  z.object({
    type: z.enum(['CNAME', 'A', 'AAAA']),
    value: z.string(),
  }),
)

/** The reference's example. */
export const SETUP_EXAMPLE = {
  host: DOMAIN_EXAMPLE.host,
  ready: false,
  verification: { status: 'done' as const, error: null },
  dns: {
    status: 'failed' as const,
    error: 'ANOTHER_ADDRESS',
    expected: [
      { type: 'CNAME' as const, value: 'sho.rt' },
      { type: 'A' as const, value: '203.0.113.7' },
    ],
    found: [{ type: 'A' as const, value: '198.51.100.4' }],
  },
  certificate: { status: 'waiting' as const, error: null },
  connection: { status: 'failed' as const, error: 'UNREACHABLE' },
  checked_at: '2026-05-01T08:05:00.000Z',
}

/** What a domain still needs to serve links. */
export const DomainSetupSchema = z
  .object({
    host: z.string(),
    ready: z.boolean().openapi({ description: 'Whether short links on it work.' }),
    verification: z
      .object(step('`RECORD_MISSING`.'))
      .openapi({ description: 'The TXT record, as it was last looked up.' }),
    dns: z
      .object({
        ...step('`NO_RECORD`, `ANOTHER_ADDRESS`, or the resolver’s code, such as `ESERVFAIL`.'),
        expected: records.openapi({
          description:
            'Records that lead to this instance: a CNAME, or A and AAAA where none is possible. ' +
            'Empty: it doesn’t know its own address.',
        }),
        found: records.openapi({ description: 'The records that were found.' }),
      })
      .openapi({ description: 'Where the host leads.' }),
    certificate: z
      .object(step('`CERTIFICATE_INVALID`: none, expired, for another host, or not trusted.'))
      .openapi({ description: 'Its TLS certificate.' }),
    connection: z
      .object(step('`UNREACHABLE`, or `ANOTHER_SERVER`: another server answers there.'))
      .openapi({ description: 'Whether this instance answers there.' }),
    checked_at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('DomainSetup', { example: SETUP_EXAMPLE })

export type DomainSetup = z.output<typeof DomainSetupSchema>
