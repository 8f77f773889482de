/**
 * `decide` (memory.ts) in Lua, on the clock of the server that holds the state: the same arithmetic
 * in the same doubles, hence the same decisions; limits.test.ts and
 * test/cluster/limits.test.ts compare the two.
 *
 * KEYS[1]: the caller. ARGV: rate per minute, burst, cost, how many requests a node allowed on its
 * own and reports now, and in tests the time.
 * Returns allowed, remaining, retryAfterMs, fullAfterMs, the time, and `used`.
 *
 * The key expires a second after the full burst is available again, when it equals no key.
 */
export const GCRA = `
local rate, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[5])
if now == nil then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local capacity = burst * 60000
local given = 0
local used = 0
local state = redis.call('GET', KEYS[1])
if state then
  local at, before = string.match(state, '^(%S+) (%S+)$')
  given = math.max(0, now - tonumber(at)) * rate
  used = tonumber(before)
end
used = math.min(capacity, math.max(0, used - given))
used = math.min(capacity, math.max(0, used + tonumber(ARGV[4]) * 60000))
local wanted = math.min(cost, burst) * 60000
local after = math.max(0, used + wanted)
local allowed = 0
if after <= capacity then
  allowed = 1
  used = after
end
local full = math.ceil(used / rate)
local text = string.format('%.17g', used)
if used > 0 then
  redis.call('SET', KEYS[1], string.format('%.17g', now) .. ' ' .. text, 'PX', full + 1000)
elseif state then
  redis.call('DEL', KEYS[1])
end
return {
  allowed,
  math.floor((capacity - used) / 60000),
  math.ceil(math.max(0, used + math.max(wanted, 60000) - capacity) / rate),
  full,
  now,
  text,
}
`
