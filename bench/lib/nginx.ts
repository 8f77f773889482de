import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/harness/free-port.ts'
import { family } from './machine.ts'
import { temporaryDirectory } from './temporary.ts'
import { slugAt } from './wrk.ts'

/** An nginx that answers the seeded slugs from a map. */
export interface Nginx {
  url: string
  /** The one worker process, which does all the work. */
  workerPid: number
  stop(): Promise<void>
}

export async function startNginx(links: number, wrapper: string[]): Promise<Nginx> {
  const dir = temporaryDirectory()
  const port = await freePort()
  let map = ''
  for (let n = 0; n < links; n++) {
    map += `/${slugAt(n)} https://example.com/articles/${n}?ref=${(n * 2_654_435_761) % 1_000_003};\n`
  }
  writeFileSync(join(dir, 'map.conf'), map)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${dir}/${name};`)
    .join(' ')
  writeFileSync(
    join(dir, 'nginx.conf'),
    `worker_processes 1; daemon off; pid ${dir}/pid; error_log ${dir}/error.log crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 100000000; ${temporary}
  map_hash_max_size 2097152; map_hash_bucket_size 256;
  map $uri $destination { default ""; include ${dir}/map.conf; }
  server {
    listen 127.0.0.1:${port};
    location / {
      if ($destination = "") { return 404; }
      add_header Cache-Control "private, no-store";
      return 302 $destination;
    }
  }
}`,
  )
  const child = Bun.spawn([
    ...wrapper,
    'nginx',
    '-e',
    `${dir}/error.log`,
    '-c',
    `${dir}/nginx.conf`,
  ])
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    try {
      await fetch(`${url}/${slugAt(0)}`, { redirect: 'manual' })
      break
    } catch (error) {
      if (tries > 200) throw error
      await Bun.sleep(50)
    }
  }
  const workerPid = family(child.pid).find((pid) => pid !== child.pid)
  if (workerPid === undefined) throw new Error('nginx has no worker process')
  return {
    url,
    workerPid,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}
