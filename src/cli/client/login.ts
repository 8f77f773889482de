import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { origin } from '../../platform/config/index.ts'
import { type CommandContext, CommandError, checked } from '../context.ts'
import { facts, toStderr } from '../output.ts'
import { clientAt } from './remote.ts'
import { removeLogin, saveLogin } from './saved-login.ts'

/** `login`: saves the instance and the key for other commands. */
export function registerLoginCommand(program: Command, context: CommandContext): void {
  program
    .command('login')
    .description('sign in to an instance')
    .requiredOption('--url <address>', 'URL of the instance, such as https://sho.rt')
    .option('--key <key>', 'API key (default: prompt, or read stdin)')
    .action((options: { url: string; key?: string }) => login(context, options))
}

/** `logout`: deletes the saved login. */
export function registerLogoutCommand(program: Command, context: CommandContext): void {
  program
    .command('logout')
    .description('sign out; the API key stays valid')
    .action(() => {
      const removed = removeLogin(context)
      context.print(removed ? 'Signed out.' : 'You were not signed in.', { removed })
    })
}

async function login(context: CommandContext, given: { url: string; key?: string }): Promise<void> {
  const url = checked('--url', given.url, origin)
  const key = (given.key ?? (await readKey())).trim()
  if (key === '') throw new CommandError('No API key was entered', 2)
  const { key: of, workspace, scopes } = await clientAt({ url, key }).me()
  const file = saveLogin(context, { url, key })
  const told = { url, workspace: workspace.id, key: of.name ?? of.id, scopes: scopes.join(', ') }
  context.print(facts({ ...told, 'saved in': file }), {
    url,
    workspace: workspace.id,
    key_id: of.id,
    scopes,
    file,
  })
}

/** Reads the key without echoing it, and without it being visible in process lists. */
async function readKey(): Promise<string> {
  if (!process.stdin.isTTY) return Bun.stdin.text()
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  // From here on the terminal doesn't echo input.
  toStderr('API key: ')
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const key = await Promise.race([lines.question(''), closed])
  lines.close()
  toStderr('\n')
  return key
}
