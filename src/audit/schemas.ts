import { z } from '@hono/zod-openapi'

/** Who made a change. */
export const ActorSchema = z
  .object({
    type: z.enum(['user', 'api_key', 'command']).openapi({
      description: 'A person in the dashboard, a program with an API key, or the command line.',
    }),
    id: z.string().nullable().openapi({ description: "The user's or key's id." }),
    label: z.string().openapi({
      description:
        'Name of the key at that time, or name of the person; the e-mail address where people ask ' +
        'who may read the audit log.',
    }),
  })
  .openapi('Actor')
