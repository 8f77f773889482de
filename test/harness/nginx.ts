import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dir, '../../docs/operating.md')

/** nginx; null: not installed. */
export const NGINX = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })

/** A complete configuration around the settings of docs/operating.md. */
export function settingsOfDocs(dir: string, listen: string, upstream: string): string {
  const block = /```nginx\n(.*?)```/s.exec(readFileSync(DOCS, 'utf8'))?.[1] as string
  const [outer = '', locations] = block.split(/(?=^location )/m, 2)
  if (locations === undefined) throw new Error('docs/operating.md has no settings of nginx')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${dir}/${name};`)
    .join('\n')
  return `daemon off;
pid ${dir}/pid;
error_log stderr;
worker_processes 1;
events { worker_connections 8192; }
http {
access_log off;
${temporary}
${outer.replaceAll('127.0.0.1:3000', upstream)}
server {
listen ${listen};
${block.slice(outer.length)}
}
}`
}
