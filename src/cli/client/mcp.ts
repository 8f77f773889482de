import type { Command } from 'commander'
import { type Call, CallFailure, pairsOf } from '../../features/mcp/call.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { bodyOf, type Remote, remoteOf } from './remote.ts'

/** `mcp`: the Model Context Protocol on stdin and stdout, for programs that start it. */
export function registerMcpCommand(program: Command, context: CommandContext): void {
  program
    .command('mcp')
    .description('serve AI assistants over the Model Context Protocol on stdin and stdout')
    .action(() => serve(context))
}

async function serve(context: CommandContext): Promise<void> {
  const ask = remoteOf(context)
  // Also checks the key before a client connects.
  const { scopes } = await bodyOf<{ scopes: string[] }>(ask('/me'))
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const { createServer } = await import('../../features/mcp/server.ts')
  const transport = new StdioServerTransport()
  const held = new Set(scopes)
  serveStdio(() => createServer(held, callOf(ask)), { transport })
  const { promise, resolve } = Promise.withResolvers<void>()
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    resolve()
  }
  await promise
}

/** Requests to the remote instance. */
function callOf(ask: Remote): Call {
  return async (method, path, { query, json, headers } = {}) => {
    const parameters = Object.fromEntries(Map.groupBy(pairsOf(query), ([name]) => name))
    const lists = Object.entries(parameters).map(([name, pairs]) => [
      name,
      (pairs as [string, string][]).map(([, value]) => value),
    ])
    try {
      return await ask(path, Object.fromEntries(lists), {
        ...(method !== 'GET' && { method }),
        ...(json !== undefined && { json }),
        ...(headers !== undefined && { headers }),
      })
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      const { code, message, details } = error
      throw new CallFailure({ code, message, details })
    }
  }
}
