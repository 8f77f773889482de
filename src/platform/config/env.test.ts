import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Secret } from '../../lib/base/secret.ts'
import { readEnvironment, unknownVariables } from './env.ts'
import { ConfigError } from './fault.ts'
import { VARIABLES, type Variables } from './variables.ts'

const read = (variables: Variables, terminal = false) => readEnvironment(variables, terminal)

function faults(variables: Variables) {
  try {
    read(variables)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('the environment', () => {
  test('needs nothing: everything has a default', () => {
    expect(read({})).toEqual({
      config: {
        host: '127.0.0.1',
        port: 3000,
        baseUrl: null,
        dataDir: resolve('data'),
        shortDomains: [],
        dnsServers: [],
        trustedProxies: [],
        outgoingNetworks: [],
        plansFile: null,
        geoipDatabase: null,
        urlSchemes: ['http', 'https'],
        blockedHosts: [],
        anonymousPerMinute: 600,
        visitsPerAddress: null,
        signUp: 'invitation',
        workspaceCreation: 'owner',
        securityContact: null,
        mail: null,
        oidc: null,
        scaled: null,
        backup: { to: null, schedule: null, keep: 7, keepDays: null, s3: null },
        backgroundNiceness: 7,
        tracing: null,
        metrics: 'local',
        logLevel: 'info',
        logFormat: 'json',
      },
      secret: null,
      remote: { url: null, key: null, loginFile: null },
      colors: false,
      idle: [],
      systemd: null,
    })
  })

  test('an empty variable is one that is not set', () => {
    expect(read({ PORT: '', HOST: '  ', SLUGLINE_SECRET: '', DATABASE_URL: '' })).toEqual(read({}))
  })

  test('is read completely', () => {
    const secret = 's'.repeat(32)
    const { config, secret: given } = read({
      HOST: '[::1]',
      PORT: '8080',
      BASE_URL: 'HTTPS://Sho.RT:443/',
      SLUGLINE_DATA_DIR: '/var/lib/slugline',
      SLUGLINE_DOMAINS: 'GO.example.com, bücher.example:8443 sho.rt',
      DNS_SERVERS: '192.0.2.53:5353, [2001:db8::53]:53',
      TRUSTED_PROXIES: '10.0.0.0/8,::ffff:192.0.2.1, 2001:DB8::/32',
      OUTGOING_ALLOWED_NETWORKS: '10.1.0.0/16',
      SLUGLINE_SECRET: secret,
      SLUGLINE_PLANS: '/etc/plans.json',
      GEOIP_DATABASE: '/var/lib/GeoIP/GeoLite2-City.mmdb',
      SLUGLINE_URL_SCHEMES: 'https,mailto:',
      SLUGLINE_BLOCKED_HOSTS: '*.Evil.example .bad.example',
      ANONYMOUS_REQUESTS_PER_MINUTE: '30',
      VISITS_PER_ADDRESS_PER_MINUTE: '20',
      SIGN_UP: 'open',
      SECURITY_CONTACT: 'security@example.com',
      SMTP_URL: 'smtps://user:pass%40word@mail.example.com',
      MAIL_FROM: 'Slugline <links@example.com>',
      OIDC_ISSUER: 'https://login.example.com/realms/main/',
      OIDC_CLIENT_ID: 'slugline',
      OIDC_CLIENT_SECRET: 'very secret',
      OIDC_NAME: 'Example',
      BACKGROUND_NICENESS: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token',
      OTEL_SERVICE_NAME: 'links',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      METRICS: 'off',
      LOG_LEVEL: 'WARN',
      LOG_FORMAT: 'text',
    })
    expect(given).toBe(secret)
    expect(config).toEqual({
      host: '::1',
      port: 8080,
      baseUrl: 'https://sho.rt',
      dataDir: '/var/lib/slugline',
      shortDomains: ['go.example.com', 'xn--bcher-kva.example:8443'],
      dnsServers: ['192.0.2.53:5353', '[2001:db8::53]:53'],
      trustedProxies: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'],
      outgoingNetworks: ['10.1.0.0/16'],
      plansFile: '/etc/plans.json',
      geoipDatabase: '/var/lib/GeoIP/GeoLite2-City.mmdb',
      urlSchemes: ['https', 'mailto'],
      blockedHosts: ['evil.example', 'bad.example'],
      anonymousPerMinute: 30,
      visitsPerAddress: 20,
      signUp: 'open',
      workspaceCreation: 'everyone',
      securityContact: 'mailto:security@example.com',
      mail: { url: expect.any(Secret), from: 'Slugline <links@example.com>' },
      oidc: {
        issuer: 'https://login.example.com/realms/main',
        clientId: 'slugline',
        clientSecret: expect.any(Secret),
        name: 'Example',
      },
      scaled: null,
      backup: { to: null, schedule: null, keep: 7, keepDays: null, s3: null },
      backgroundNiceness: 0,
      tracing: {
        endpoint: 'http://localhost:4318',
        headers: expect.any(Secret),
        serviceName: 'links',
        ratio: 0.25,
      },
      metrics: 'off',
      logLevel: 'warn',
      logFormat: 'text',
    })
  })

  test('logs text on a terminal, in color unless NO_COLOR is set', () => {
    expect(read({}, true).config.logFormat).toBe('text')
    expect(read({}, true).colors).toBe(true)
    expect(read({ NO_COLOR: '1' }, true).colors).toBe(false)
    expect(read({ LOG_FORMAT: 'json' }, true).config.logFormat).toBe('json')
  })

  test.each([
    ['HOST', 'http://0.0.0.0'],
    ['HOST', '256.1.1.1'],
    ['HOST', '127.0.0.1:3000'],
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['BASE_URL', 'sho.rt'],
    ['BASE_URL', 'ftp://sho.rt'],
    ['BASE_URL', 'https://sho.rt/s'],
    ['BASE_URL', 'https://sho.rt/?x=1'],
    ['SLUGLINE_DATA_DIR', 'da\0ta'],
    ['SLUGLINE_DATA_DIR', '/var/lib/what?/data'],
    ['SLUGLINE_PLANS', 'pla\0ns'],
    ['GEOIP_DATABASE', 'a\0b'],
    ['SLUGLINE_DOMAINS', 'https://go.example.com'],
    ['SLUGLINE_DOMAINS', 'go.example.com,a b%'],
    ['SLUGLINE_DOMAINS', 'go.example.com:99999'],
    ['SIGN_UP', 'yes'],
    ['SMTP_URL', 'mail.example.com'],
    ['SMTP_URL', 'smtp://mail.example.com?requireTLS=maybe'],
    ['MAIL_FROM', 'Slugline'],
    ['OIDC_ISSUER', 'http://login.example.com'],
    ['OIDC_ISSUER', 'login.example.com'],
    ['TRUSTED_PROXIES', 'nginx.internal'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10'],
    ['OUTGOING_ALLOWED_NETWORKS', 'intranet'],
    ['SLUGLINE_SECRET', 'too-short'],
    ['SLUGLINE_URL_SCHEMES', 'http,java_script'],
    ['SLUGLINE_URL_SCHEMES', 'javascript'],
    ['SLUGLINE_URL_SCHEMES', 'http,1a'],
    ['SLUGLINE_BLOCKED_HOSTS', 'evil.example/path'],
    ['SLUGLINE_BLOCKED_HOSTS', 'evil.example:80'],
    ['ANONYMOUS_REQUESTS_PER_MINUTE', '0'],
    ['VISITS_PER_ADDRESS_PER_MINUTE', '0'],
    ['ANONYMOUS_REQUESTS_PER_MINUTE', 'many'],
    ['BACKGROUND_NICENESS', '20'],
    ['BACKGROUND_NICENESS', '-1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:password@localhost:4318'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_TRACES_SAMPLER_ARG', 'often'],
    ['METRICS', 'yes'],
    ['LOG_LEVEL', 'verbose'],
    ['LOG_FORMAT', 'xml'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['DATABASE_URL', 'postgres://local host/x'],
    ['DATABASE_REPLICA_URL', 'db.example.com'],
    ['DATABASE_POOL_SIZE', '1'],
    ['DATABASE_REPLICA_POOL_SIZE', 'x'],
    ['DATABASE_TIMEOUT_SECONDS', '0'],
    ['REDIS_URL', 'localhost:6379'],
    ['CLICKHOUSE_URL', 'clickhouse://localhost'],
  ])('%s=%j is a fault that names it and shows a right value', (variable, value) => {
    const found = faults({ [variable]: value })
    expect(found.map((fault) => fault.variable)).toEqual([variable])
    expect(found[0]?.problem.length).toBeGreaterThan(10)
    expect(found[0]?.example.length).toBeGreaterThan(0)
    expect(found[0]?.example).not.toBe(value)
  })

  test.each(['trace', 'fatal', 'silent'] as const)('LOG_LEVEL may be %s', (level) => {
    expect(readEnvironment({ LOG_LEVEL: level }, false).config.logLevel).toBe(level)
  })

  test('all faults are reported together', () => {
    const wrong = { PORT: 'x', LOG_LEVEL: 'y', BASE_URL: 'z', SLUGLINE_SECRET: 'short' }
    expect(
      faults(wrong)
        .map((fault) => fault.variable)
        .sort(),
    ).toEqual(Object.keys(wrong).sort())
  })

  test('faults never contain secrets or passwords', () => {
    const output = JSON.stringify(
      faults({
        SLUGLINE_SECRET: 'hunter2',
        DATABASE_URL: 'postgres://u:hunter2@d b/x',
        DATABASE_REPLICA_URL: 'mysql://u:hunter2@db/x',
        REDIS_URL: 'memcached://:hunter2@cache',
        CLICKHOUSE_URL: 'tcp://u:hunter2@clicks',
        BASE_URL: 'https://u:hunter2@sho.rt',
        SLUGLINE_DOMAINS: 'u:hunter2@sho.rt',
        SMTP_URL: 'mail://u:hunter2@mail.example.com',
        HOST: 'u:hunter2@sho.rt',
      }),
    )
    expect(output).not.toContain('hunter2')
  })

  test('several machines share two required URLs and some optional ones', () => {
    const all = {
      DATABASE_URL: 'postgresql://u:hunter2@db/x?sslmode=verify-full',
      DATABASE_REPLICA_URL: 'postgres:///x?host=/run/postgresql',
      DATABASE_POOL_SIZE: '20',
      DATABASE_TIMEOUT_SECONDS: '5',
      REDIS_URL: 'rediss://:hunter2@cache:6380/1',
      CLICKHOUSE_URL: 'https://u:hunter2@clicks/db',
      BASE_URL: 'https://sho.rt',
      SLUGLINE_SECRET: 's'.repeat(32),
    }
    const { scaled } = read(all).config
    expect(scaled).toEqual({
      database: new Secret(all.DATABASE_URL),
      replica: new Secret(all.DATABASE_REPLICA_URL),
      poolSize: 20,
      replicaPoolSize: 5,
      statementTimeoutMs: 5_000,
      redis: new Secret(all.REDIS_URL),
      clickhouse: new Secret(all.CLICKHOUSE_URL),
    })
    expect(scaled?.database.reveal()).toBe(all.DATABASE_URL)
    expect(JSON.stringify(read(all).config)).not.toContain('hunter2')
    expect(faults({ ...all, REDIS_URL: '' }).map(({ variable }) => variable)).toEqual(['REDIS_URL'])
    const { DATABASE_URL, REDIS_URL } = all
    expect(read({ DATABASE_URL, REDIS_URL }).config).toMatchObject({
      baseUrl: null,
      scaled: { replica: null, clickhouse: null },
    })
    for (const name of ['REDIS_URL', 'CLICKHOUSE_URL', 'DATABASE_REPLICA_URL'] as const) {
      const found = faults({ [name]: all[name] })
      expect(found.map(({ variable }) => variable)).toEqual(['DATABASE_URL'])
    }
  })

  test('settings that belong together are reported as missing together, without their secrets', () => {
    const names = (variables: Variables) => faults(variables).map(({ variable }) => variable)
    expect(names({ SMTP_URL: 'smtp://mail.example.com' })).toEqual(['MAIL_FROM'])
    expect(names({ OIDC_ISSUER: 'https://login.example.com' })).toEqual([
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
    ])
    const { mail, oidc } = read({
      SMTP_URL: 'smtp://u:hunter2@mail.example.com',
      MAIL_FROM: 'links@example.com',
      OIDC_ISSUER: 'http://localhost:8080',
      OIDC_CLIENT_ID: 'slugline',
      OIDC_CLIENT_SECRET: 'hunter2',
    }).config
    expect(mail?.url.reveal()).toBe('smtp://u:hunter2@mail.example.com')
    expect(oidc?.clientSecret.reveal()).toBe('hunter2')
    const shown = `${JSON.stringify({ mail, oidc })} ${mail?.url} ${Bun.inspect({ mail, oidc })}`
    expect(shown).not.toContain('hunter2')
  })

  test('a secret may be in a file', () => {
    const dir = mkdtempSync(join(tmpdir(), 'slugline-config-'))
    const file = join(dir, 'secret')
    const secret = 's'.repeat(32)
    writeFileSync(file, `${secret}\n`)
    expect(read({ SLUGLINE_SECRET_FILE: file }).secret).toBe(secret)
    expect(read({ SLUGLINE_SECRET_FILE: file, SLUGLINE_SECRET: '' }).secret).toBe(secret)
    writeFileSync(file, 'hunter2')
    for (const variables of [
      { SLUGLINE_SECRET_FILE: file },
      { SLUGLINE_SECRET_FILE: file, SLUGLINE_SECRET: secret },
      { SLUGLINE_SECRET_FILE: join(dir, 'none') },
      { SLUGLINE_SECRET_FILE: dir },
    ]) {
      const found = faults(variables)
      expect(found.map(({ variable }) => variable)).toEqual(['SLUGLINE_SECRET'])
      expect(JSON.stringify(found)).not.toContain('hunter2')
    }
    writeFileSync(file, ' \n')
    for (const name of ['SLUGLINE_SECRET', 'DATABASE_URL', 'SMTP_URL']) {
      const found = faults({ [`${name}_FILE`]: file })
      expect(found.map(({ variable }) => variable)).toContain(name)
    }
    rmSync(dir, { recursive: true })
    expect(unknownVariables({ SLUGLINE_SECRET_FILE: 'x', SLUGLINE_PLANS_FILE: 'x' })).toEqual([
      'SLUGLINE_PLANS_FILE',
    ])
  })

  test('port 443 is kept for http, and port 80 for https', () => {
    expect(read({ SLUGLINE_DOMAINS: 'a.example:443 b.example:80' }).config.shortDomains).toEqual([
      'a.example:443',
      'b.example:80',
    ])
  })

  test('misspelt variables are reported, those of Kubernetes are ignored', () => {
    expect(
      unknownVariables({
        SLUGLINE_DATADIR: 'x',
        SLUGLINE_DATA_DIR: 'x',
        SLUGLINE_PORT: 'tcp://10.0.0.1:80',
        SLUGLINE_PORT_80_TCP_ADDR: '10.0.0.1',
        SLUGLINE_SERVICE_HOST: '10.0.0.1',
        PATH: '/bin',
      }),
    ).toEqual(['SLUGLINE_DATADIR'])
  })
})

test('docs/configuration.md lists every variable with its default', () => {
  const docs = readFileSync(join(import.meta.dir, '../../../docs/configuration.md'), 'utf8')
  const { config } = readEnvironment({}, false)
  for (const variable of VARIABLES) expect(docs).toContain(`\`${variable}\``)
  for (const value of [config.host, config.port, config.anonymousPerMinute, config.metrics]) {
    expect(docs).toContain(`| \`${value}\` |`)
  }
})

describe('backups', () => {
  const keys = { BACKUP_S3_ACCESS_KEY_ID: 'id', BACKUP_S3_SECRET_ACCESS_KEY: 'secret' }

  test('go to a directory, or to a prefix of a bucket', () => {
    const of = (variables: Variables) => read(variables).config.backup
    expect(of({ BACKUP_TO: '/backups/' })).toMatchObject({ to: { directory: '/backups' } })
    const bucket = {
      BACKUP_TO: 's3://bucket/a/b/',
      BACKUP_SCHEDULE: '0 3 * * *',
      BACKUP_KEEP_DAYS: '9',
    }
    const { s3, ...rest } = of({ ...bucket, ...keys, BACKUP_S3_ENDPOINT: 'https://s3.example' })
    expect(rest).toEqual({
      to: { bucket: 'bucket', prefix: 'a/b' },
      schedule: '0 3 * * *',
      keep: 7,
      keepDays: 9,
    })
    expect(s3).toMatchObject({ endpoint: 'https://s3.example', region: 'us-east-1' })
    expect(s3?.secretAccessKey.reveal()).toBe('secret')
    expect(JSON.stringify(s3)).not.toContain('"secret"')
  })

  test.each([
    [{ BACKUP_TO: 's3://b/x' }, ['BACKUP_TO']],
    [{ BACKUP_TO: 'ftp://host/x' }, ['BACKUP_TO']],
    [{ BACKUP_TO: 's3://bucket/../x', ...keys }, ['BACKUP_TO']],
    [{ BACKUP_TO: 's3://bucket/x' }, ['BACKUP_S3_ACCESS_KEY_ID']],
    [{ BACKUP_S3_ACCESS_KEY_ID: 'id' }, ['BACKUP_S3_SECRET_ACCESS_KEY']],
    [{ BACKUP_SCHEDULE: '0 3 * * *' }, ['BACKUP_TO']],
    [{ BACKUP_TO: '/b', BACKUP_SCHEDULE: 'daily' }, ['BACKUP_SCHEDULE']],
    [{ BACKUP_TO: '/b', BACKUP_SCHEDULE: '0 0 30 2 *' }, ['BACKUP_SCHEDULE']],
    [{ BACKUP_TO: '/b', BACKUP_KEEP: '0' }, ['BACKUP_KEEP']],
    [{ BACKUP_TO: '/b', DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h' }, ['BACKUP_TO']],
  ] as [Variables, string[]][])('%j is refused', (variables, wrong) => {
    expect(faults(variables).map(({ variable }) => variable)).toEqual(wrong)
  })
})
