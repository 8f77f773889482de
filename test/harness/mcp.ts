import {
  Client,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { SLUGLINE } from './process.ts'

/** The newest revision of the protocol, which has no sessions, and one that begins with a handshake. */
export const REVISIONS = ['2026-07-28', '2025-06-18'] as const
export type Revision = (typeof REVISIONS)[number]

/** An object of JSON; tests check what is in it. */
// biome-ignore lint/suspicious/noExplicitAny: as `JSON.parse` returns it.
export type Data = Record<string, any>

/** What a tool answered. */
export interface Answer {
  isError: boolean
  /** The text before the data, or the whole error. */
  text: string
  /** The structured content, which the client has checked against the tool's output schema. */
  data: Data
  content: readonly { type: string; mimeType?: string; data?: string }[]
}

/** A connected client. */
export type Mcp = Awaited<ReturnType<typeof connect>>

const ajv = new AjvJsonSchemaValidator()
const compiled = new Map<string, JsonSchemaValidator<unknown>>()

/** Compiles each schema once per process: every client receives equal ones, and Ajv is slow at it. */
const validator: jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType) {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.getValidator<unknown>(schema)
    compiled.set(text, validate)
    return validate as JsonSchemaValidator<T>
  },
}

/** A client of the official package, for one revision. */
export function clientOf(revision: Revision): Client {
  const isNew = revision === '2026-07-28'
  return new Client(
    { name: 'tests', version: '1' },
    {
      jsonSchemaValidator: validator,
      ...(isNew
        ? { versionNegotiation: { mode: { pin: revision } } }
        : { supportedProtocolVersions: [revision] }),
    },
  )
}

async function connect(client: Client, transport: Parameters<Client['connect']>[0]) {
  await client.connect(transport)
  // The client checks results against the schemas of the tools that it has listed.
  const { tools } = await client.listTools()
  return {
    client,
    tools,
    async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
      const result = await client.callTool({ name, arguments: args })
      const content = result.content as Answer['content']
      const text = content.map((block) => (block as { text?: string }).text ?? '').join('')
      return {
        isError: result.isError === true,
        text,
        data: (result.structuredContent ?? {}) as Answer['data'],
        content,
      }
    },
    close: () => client.close(),
  }
}

/** Connects over HTTP. */
export function connectHttp(url: string, key: string, revision: Revision = '2026-07-28') {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  })
  return connect(clientOf(revision), transport)
}

/** Starts `slugline mcp`, and connects to it. */
export function connectStdio(env: Record<string, string>, revision: Revision = '2026-07-28') {
  const transport = new StdioClientTransport({ command: SLUGLINE, args: ['mcp'], env })
  return connect(clientOf(revision), transport)
}
