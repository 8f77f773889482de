import { setDefaultTimeout } from 'bun:test'

/** For every test and hook without its own timeout: a hanging one must end. */
setDefaultTimeout(120_000)
