import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DsnError } from '../grammar/dsn-error.ts'
import { inspectDsn } from './inspect-dsn.ts'
import { describeDsn, maskDsn } from './mask-dsn.ts'
import { unmaskDsn } from './unmask-dsn.ts'

/** Four times what the API takes, so that quadratic work stands out. */
const length = 64_000

function repeat(unit: string, before = 'smtp://u:p@h.example.com?', after = ''): string {
  const count = Math.floor((length - before.length - after.length) / unit.length)
  return before + unit.repeat(count) + after
}

function numbered(unit: (index: number) => string): string {
  let text = 'smtp://u:p@h.example.com?'
  for (let index = 0; text.length < length; index += 1) text += unit(index)
  return text
}

const longDsns: Record<string, string> = {
  'options of one name': repeat('&a=b'),
  'options without a value': repeat('&a'),
  'options of many names': numbered((index) => `&a${index}=b`),
  'empty options of many names': numbered((index) => `&a${index}=`),
  'array elements': numbered((index) => `&peer_fingerprint[${index}]=a`),
  'public options': repeat('&max_per_second=1'),
  'masked options': numbered((index) => `&a${index}=********`),
  'signs of equality': repeat('&='),
  'stray percent signs': repeat('%', 'smtp://u:', '@h'),
  'encoded letters': repeat('%41', 'smtp://u:', '@h'),
  'at signs': repeat('@', 'smtp://'),
  brackets: repeat('('),
  'brackets in a password': repeat('(', 'smtp://u:', '@h'),
  'array brackets': repeat('[', 'smtp://h?'),
  colons: repeat(':', 'smtp://'),
  slashes: repeat('/', 'smtp://u:p@h'),
  members: repeat('a://b ', 'failover(', ')'),
  'members with options': repeat('smtp://a?a=b ', 'failover(', ')'),
  'lists that are left open': repeat('failover(', ''),
  'lists with one member each': repeat('failover(null://a ', ''),
  'commas in a list': repeat(',a', 'failover('),
  'retry periods': repeat('?retry_period=1', 'failover(null://a)'),
}

test('a long DSN is parsed, masked and unmasked in time that grows with its length only', () => {
  for (const [name, dsn] of Object.entries(longDsns)) {
    const start = process.cpuUsage()
    inspectDsn(dsn)
    describeDsn(dsn)
    const masked = maskDsn(dsn)
    refusedOrDone(() => unmaskDsn(masked, dsn))
    refusedOrDone(() => unmaskDsn(dsn, masked))
    const { user } = process.cpuUsage(start)
    assert.ok(user < 2_000_000, `${name}: ${Math.round(user / 1000)} ms of CPU time`)
  }
})

test('lists are nested 20 deep at most', () => {
  const nested = (depth: number) => `${'failover('.repeat(depth)}null://null${')'.repeat(depth)}`
  assert.equal(inspectDsn(nested(20)).valid, true)
  for (const depth of [21, 1_600, 100_000])
    assert.deepEqual(inspectDsn(nested(depth)), {
      valid: false,
      error: 'The lists of the DSN are nested more than 20 deep; nest 20 at most.',
    })
})

function refusedOrDone(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof DsnError)) throw error
  }
}
