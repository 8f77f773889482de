import { expect, test } from 'bun:test'
import { isNoise } from './noise.ts'

test('paths of scanners are noise, those that people type are not', () => {
  const probes = [
    ...['/wp-login.php', '/.env', '/xmlrpc.php', '/.git/config', '/wp-admin', '/wp-content/x.js'],
    ...['/api/.env', '/phpMyAdmin/index.php', '/cgi-bin/luci', '/backup.zip', '/actuator/health'],
    ...['/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php', '/blog/wp-includes/wlwmanifest.xml'],
  ]
  expect(probes.filter((path) => !isNoise(path))).toEqual([])
  const own = [
    ...['/summer-sale', '/Größe', '/v1.2', '/report.pdf', '/docs/setup', '/environment', '/wpa'],
    ...['/php', '/git', '/shells', '/vpn-guide', '/backup-plan', '/keys', '/wp', '/sdk'],
  ]
  expect(own.filter(isNoise)).toEqual([])
})
