import type { Command } from 'commander'
import { type Slugline, SluglineError, SlugTakenError } from '../../../sdk/typescript/src/index.ts'
import { type Call, CallFailure } from '../../features/mcp/call.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { clientOf } from './remote.ts'
import { commandErrorOf } from './request-error.ts'

/** `mcp`: the Model Context Protocol on stdin and stdout, for programs that start it. */
export function registerMcpCommand(program: Command, context: CommandContext): void {
  program
    .command('mcp')
    .description('serve AI assistants over the Model Context Protocol on stdin and stdout')
    .action(() => serve(context))
}

async function serve(context: CommandContext): Promise<void> {
  const slugline = clientOf(context)
  // Also checks the key before a client connects.
  const { scopes } = await slugline.me()
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const { createServer } = await import('../../features/mcp/server.ts')
  const transport = new StdioServerTransport()
  const held = new Set(scopes)
  serveStdio(() => createServer(held, callOf(slugline)), { transport })
  const { promise, resolve } = Promise.withResolvers<void>()
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    resolve()
  }
  await promise
}

/** Requests to the remote instance. */
function callOf(slugline: Slugline): Call {
  return async (method, path, { query, json, headers } = {}) => {
    try {
      return await slugline.request({
        method,
        path,
        body: json,
        ...(query && { query }),
        ...(headers && { headers }),
      })
    } catch (error) {
      const failed = commandErrorOf(error)
      if (!(failed instanceof CommandError)) throw error
      const { code, message, details } = failed
      const retryAfter = error instanceof SluglineError ? error.retryAfterSeconds : undefined
      const suggestions = error instanceof SlugTakenError ? error.suggestions : undefined
      throw new CallFailure({ code, message, details, retryAfter, suggestions })
    }
  }
}
