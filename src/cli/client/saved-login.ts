import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from '../../lib/base/replace-file.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../context.ts'

/** An instance, and a key for it. */
export interface Login {
  url: string
  key: string
}

/** The saved login; null: none. @throws CommandError when it can't be read */
export function savedLogin(context: CommandContext): Login | null {
  const file = context.environment.remote.loginFile
  if (file === null || !existsSync(file)) return null
  try {
    const { url, key } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Login>
    if (typeof url === 'string' && typeof key === 'string') return { url, key }
  } catch {
    // Whatever is wrong with it, a new login replaces it.
  }
  throw new CommandError(`${file} can't be read; run slugline login again`, 1, 'LOGIN_UNREADABLE')
}

/** Saves a login with mode 0600. @returns the file @throws CommandError */
export function saveLogin(context: CommandContext, login: Login): string {
  const file = context.environment.remote.loginFile
  if (file === null) throw new CommandError('Set HOME or XDG_CONFIG_HOME to save the login', 2)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replaceFile(file, `${JSON.stringify(login, null, 2)}\n`)
  return file
}

/** Deletes the saved login. @returns whether there was one */
export function removeLogin(context: CommandContext): boolean {
  const file = context.environment.remote.loginFile
  if (file === null || !existsSync(file)) return false
  rmSync(file)
  return true
}
