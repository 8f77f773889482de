// Builds Slugline for this platform: `npm run package` makes one executable, `dist/slugline`, or the
// file that is named; with `--root DIR` the program is installed below a directory. With `--npm` it
// makes the npm package, with `--deb` the Debian package, in `dist` or the directory that is named.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packDeb } from './packaged/deb.ts'
import { buildExecutable, installProgram } from './packaged/executable.ts'
import { packNpm } from './packaged/npm.ts'
import { writeSbom } from './packaged/sbom.ts'
import { ROOT } from './steps.ts'

const DIST = join(ROOT, 'dist')
const { values, positionals } = parseArgs({
  options: { root: { type: 'string' }, npm: { type: 'boolean' }, deb: { type: 'boolean' } },
  allowPositionals: true,
})

if (values.root !== undefined) {
  await installProgram(values.root)
} else if (values.npm) {
  report(await packNpm(positionals[0] ?? DIST))
} else if (values.deb) {
  report(await packDeb(positionals[0] ?? DIST))
} else {
  const outfile = positionals[0] ?? join(DIST, 'slugline')
  await buildExecutable(outfile)
  report(outfile)
  await writeSbom(`${outfile}.cdx.json`)
  console.log(`${outfile}.cdx.json`)
}

function report(file: string): void {
  console.log(`${file}, ${(statSync(file).size / 1_000_000).toFixed(0)} MB`)
}
