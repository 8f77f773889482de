import { setDefaultTimeout } from 'bun:test'

/** For every test and hook that sets no time of its own: a hanging one must still end. */
setDefaultTimeout(120_000)
