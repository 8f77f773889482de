import { ROOT } from '../steps.ts'

interface Component {
  'bom-ref': string
  properties?: { name: string }[]
}

/** Writes the components of the program, in CycloneDX (https://cyclonedx.org). */
export async function writeSbom(file: string): Promise<void> {
  const sbom = Bun.spawnSync(['npm', 'sbom', '--sbom-format', 'cyclonedx'], {
    cwd: ROOT,
    stderr: 'ignore',
  })
  if (sbom.exitCode !== 0) throw new Error('npm sbom failed')
  const bom = JSON.parse(sbom.stdout.toString())
  // `--omit dev` would also leave out what packages for development and others both need.
  const isDevelopment = ({ properties = [] }: Component) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development')
  const omitted = new Set(
    bom.components.filter(isDevelopment).map((it: Component) => it['bom-ref']),
  )
  bom.components = bom.components.filter((it: Component) => !omitted.has(it['bom-ref']))
  bom.dependencies = bom.dependencies.filter(({ ref }: { ref: string }) => !omitted.has(ref))
  // npm names it after the folder, as a library.
  Object.assign(bom.metadata.component, { type: 'application', name: 'slugline' })
  await Bun.write(file, JSON.stringify(bom, null, 2))
}
