import { z } from '@hono/zod-openapi'
import type { Scope } from '../../model/keys/scopes.ts'
import type { Call } from './call.ts'

/** What a tool does to the workspace, for the four hints. */
type Effect = 'reads' | 'adds' | 'changes' | 'deletes'

/** What a tool returns. */
export interface Outcome {
  /** A sentence before the data in the text. */
  text: string
  data: Readonly<Record<string, unknown>>
  /** A picture before the text. */
  image?: { mimeType: string; data: string }
}

/** The data of a tool with this output. */
export type OutputOf<O extends z.ZodRawShape> = z.output<z.ZodObject<O>>

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object' } & Record<string, unknown>
  outputSchema: { type: 'object' } & Record<string, unknown>
  annotations: {
    title: string
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

/** A tool: what is listed, and what it does. */
export interface Tool {
  definition: ToolDefinition
  /** The scopes that a key needs, all of them. */
  scopes: readonly Scope[]
  input: z.ZodType
  run(call: Call, input: never): Promise<Outcome>
}

/** Declares a tool. Its schemas are converted once, when the module is loaded. */
export function tool<I extends z.ZodRawShape, O extends z.ZodRawShape>(declared: {
  name: string
  title: string
  description: string
  scopes: readonly Scope[]
  effect: Effect
  /** Whether a repeated call changes nothing more. Default: of tools that don't add. */
  isIdempotent?: boolean
  input: I
  output: O
  run(call: Call, input: z.output<z.ZodObject<I>>): Promise<Outcome>
}): Tool {
  const { name, title, description, scopes, effect, isIdempotent = effect !== 'adds' } = declared
  const input = z.strictObject(declared.input)
  return {
    scopes,
    input,
    run: declared.run as Tool['run'],
    definition: {
      name,
      title,
      description,
      inputSchema: schemaOf(input, 'input'),
      outputSchema: schemaOf(z.looseObject(declared.output), 'output'),
      annotations: {
        title,
        readOnlyHint: effect === 'reads',
        destructiveHint: effect === 'changes' || effect === 'deletes',
        idempotentHint: isIdempotent,
        // Tools work on the instance only.
        openWorldHint: false,
      },
    },
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io })
  return json as ToolDefinition['inputSchema']
}

/** An optional text of an argument. */
export const text = (description: string, max = 8_192) =>
  z.string().min(1).max(max).optional().describe(description)

/** An optional text that null clears. */
export const clearable = (description: string, max = 8_192) =>
  z.string().max(max).nullable().optional().describe(`${description} null: none.`)

/** An optional choice between words. */
export const choice = (words: string, description: string) =>
  z.enum(words.split(' ')).optional().describe(description)

/** An optional switch. */
export const flag = (description: string) => z.boolean().optional().describe(description)

/** An optional list of short texts. */
export const texts = (description: string, max: number, min = 0) =>
  z.array(z.string().max(1_024)).min(min).max(max).optional().describe(description)

/** An optional whole number from 1. */
export const whole = (description: string, max: number) =>
  z.int().min(1).max(max).optional().describe(description)
