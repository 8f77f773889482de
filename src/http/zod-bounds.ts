import type { z } from '@hono/zod-openapi'

/** What a definition of Zod may lead on to. */
interface Definition {
  innerType?: z.core.$ZodType
  out?: z.core.$ZodType
  element?: z.core.$ZodType
  shape?: Readonly<Record<string, z.core.$ZodType>>
}

/** The least and the greatest number that a schema takes at a path. */
export function boundsAt(
  schema: z.core.$ZodType | undefined,
  path: readonly PropertyKey[],
): { min: number; max: number } {
  let at = unwrapped(schema)
  for (const key of path) {
    const { element, shape } = definitionOf(at)
    at = unwrapped(element ?? shape?.[String(key)])
  }
  const { minValue, maxValue } = (at ?? {}) as { minValue?: number; maxValue?: number }
  return { min: minValue ?? 0, max: maxValue ?? Number.MAX_SAFE_INTEGER }
}

/** Past `optional`, `nullable`, `default`, and to what a pipe ends in. */
function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let at = schema
  for (;;) {
    const { innerType, out } = definitionOf(at)
    if (innerType === undefined && out === undefined) return at
    at = innerType ?? out
  }
}

function definitionOf(schema: z.core.$ZodType | undefined): Definition {
  return (schema?._zod.def ?? {}) as Definition
}
