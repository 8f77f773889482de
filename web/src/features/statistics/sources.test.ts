import { expect, test } from 'bun:test'
import { sourceName } from './sources.ts'

test.each([
  ['t.co', 'X (t.co)'],
  ['x.com', 'X (x.com)'],
  ['com.reddit.frontpage', 'Reddit (Android)'],
  ['l.facebook.com', 'Facebook (l.facebook.com)'],
  ['old.reddit.com', 'Reddit (old.reddit.com)'],
  ['news.ycombinator.com', 'Hacker News (news.ycombinator.com)'],
  ['google.co.uk', 'Google (google.co.uk)'],
  ['de.wikipedia.org', 'Wikipedia (de.wikipedia.org)'],
  // Others stay as they are.
  ['docs.google.com', 'docs.google.com'],
  ['notreddit.com', 'notreddit.com'],
  ['ycombinator.com', 'ycombinator.com'],
  ['t.co.example', 't.co.example'],
  ['constructor', 'constructor'],
  ['localhost', 'localhost'],
])('%s is shown as %s', (host, name) => {
  expect(sourceName(host)).toBe(name)
})
