import { dlopen } from 'bun:ffi'

/** glibc's, or else musl's. */
const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

/** A system call by its number, with up to three numbers; null: it can't be made here. */
export type SystemCall = ((number: number, ...args: [bigint, bigint, bigint]) => void) | null

/** Linux's, on x86-64 and ARM of 64 bits. Made once; what a call answers is not looked at. */
export const systemCall: SystemCall = open()

function open(): SystemCall {
  if (process.platform !== 'linux') return null
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        syscall: { args: ['i64', 'i64', 'i64', 'i64'], returns: 'i64' },
      })
      return (number, ...args) => void symbols.syscall(BigInt(number), ...args)
    } catch {
      // Another one, then.
    }
  }
  return null
}
