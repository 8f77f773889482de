import type { z } from '@hono/zod-openapi'

/** Describes answers with one thing of a kind: its version is the ETag, and a new one has a path. */
export function describeOne<S extends z.ZodType>(what: string, schema: S, example: unknown) {
  const ETag = `The version of the ${what}, for \`If-Match\` and \`If-None-Match\`.`
  const Location = `The path of the ${what} in the API.`
  return (status: 200 | 201, description: string) => ({
    status,
    description,
    schema,
    headers: { ETag, ...(status === 201 && { Location }) },
    example,
  })
}

/** The answer with one thing. */
export function answerOne<T extends { version: number }>(body: T) {
  return { status: 200 as const, body, version: body.version }
}

/** The answer with a thing that was made, below the path of its kind. */
export function answerMade<T extends { id: string; version: number }>(path: string, body: T) {
  return { ...answerOne(body), status: 201 as const, headers: { Location: `${path}/${body.id}` } }
}
