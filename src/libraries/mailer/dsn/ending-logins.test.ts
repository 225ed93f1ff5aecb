import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type EndingLogin, listEndingLogins } from './ending-logins.ts'
import { inspectDsn } from './inspect-dsn.ts'
import { maskDsn } from './mask-dsn.ts'
import { parseDsn } from './parse-dsn.ts'

const ends = (dsn: string): Pick<EndingLogin, 'provider' | 'secret' | 'date'>[] =>
  listEndingLogins(parseDsn(dsn)).map(({ provider, secret, date }) => ({ provider, secret, date }))

const microsoft = { provider: 'Microsoft 365', secret: 'password' as const, date: '2026-12-31' }
const google = { provider: 'Google', secret: 'password' as const, date: '2025-05-01' }

describe('a log-in that stops working', () => {
  test('is one with a password at Microsoft 365, however its host is written', () => {
    for (const dsn of [
      'smtp://me%40example.com:PASSWORD@smtp.office365.com:587',
      'smtp://me:PASSWORD@SMTP.Office365.COM',
      'smtps://me:PASSWORD@smtp-mail.outlook.com:587?verify_peer=1',
    ])
      assert.deepEqual(ends(dsn), [microsoft], dsn)
  })

  test('is one with the password of an account at Google, but not with an app password', () => {
    for (const [scheme, host] of [
      ['gmail', 'default'],
      ['smtp', 'smtp.gmail.com:587'],
      ['smtps', 'SMTP-Relay.Gmail.com'],
    ]) {
      const dsn = (password: string) => `${scheme}://me%40gmail.com:${password}@${host}`
      assert.deepEqual(ends(dsn('correct-horse')), [google], dsn(''))
      assert.deepEqual(ends(dsn('fifteenletters1')), [google], dsn(''))
      for (const kept of ['abcdefghijklmnop', 'abcd%20efgh%20ijkl%20mnop', 'ABCDEFGHIJKLMNOP'])
        assert.deepEqual(ends(dsn(kept)), [], dsn(kept))
    }
    assert.deepEqual(ends('gmail://me:abcd+efgh+ijkl+mnop@default'), [], 'as Mautic writes it')
  })

  test('is one with an access token at any server, even if the DSN has a password, too', () => {
    const token = (provider: string | null) => ({ provider, secret: 'accessToken', date: null })
    assert.deepEqual(ends('smtp://me@mail.example.com:587?accessToken=T'), [token(null)])
    assert.deepEqual(ends('smtp://me:P@smtp.office365.com:587?accessToken=T'), [
      token('Microsoft 365'),
    ])
    assert.deepEqual(ends('smtp://me:abcdefghijklmnop@smtp.gmail.com?accessToken=T'), [
      token('Google'),
    ])
  })

  test('is none without a password, at other servers, or with a key of an API', () => {
    for (const dsn of [
      'smtp://smtp.office365.com:587',
      'smtp://me@smtp.office365.com:587',
      'smtp://smtp-relay.gmail.com:587',
      'smtp://me:PASSWORD@mail.example.com:587',
      'smtp://me:PASSWORD@smtp.office365.com.example.com:587',
      'microsoftgraph+api://CLIENT:SECRET@default?tenantId=TENANT',
      'null://null',
    ])
      assert.deepEqual(ends(dsn), [], dsn)
  })

  test('is found in lists and nested lists, with the place and the label of each member', () => {
    const dsn =
      'failover(smtp://localhost:25 smtp://a:P@smtp.office365.com:587 roundrobin(gmail://b:P@default smtp://c@mail.example.com?accessToken=T))'
    const logins = listEndingLogins(parseDsn(dsn))
    assert.deepEqual(
      logins.map(({ member, label, oauthScheme }) => [member, label, oauthScheme]),
      [
        [[1], 'smtp://smtp.office365.com:587', 'office365+oauth'],
        [[2, 0], 'gmail://default', 'gmail+oauth'],
        [[2, 1], 'smtp://mail.example.com', 'smtp+oauth'],
      ],
    )
  })

  test('is among the warnings of the DSN, each once, with what to use instead and no secret', () => {
    const inspection = inspectDsn(
      'failover(smtp://a:S3cret@smtp.office365.com:587 smtp://b:S3cret@smtp-mail.outlook.com:587 gmail://c:S3cret@default)',
    )
    assert.ok(inspection.valid)
    assert.equal(inspection.endingLogins.length, 3)
    assert.deepEqual(inspection.warnings, [
      'From 31 December 2026 on, Microsoft 365 accepts a password only where an administrator turns it on again. Use office365+oauth://.',
      'From 1 May 2025 on, Google accepts OAuth and app passwords of 16 letters, not the password of an account. Use gmail+oauth://.',
    ])
    const warnings: string[] = []
    parseDsn('smtp://me@mail.example.com:465?accessToken=S3cret', { warnings })
    assert.deepEqual(warnings, [
      'The access token expires within the hour and is not renewed. Use smtp+oauth://.',
    ])
  })

  test('is known behind a mask where the password does not matter', () => {
    assert.deepEqual(ends(maskDsn('smtp://me:PASSWORD@smtp.office365.com:587')), [microsoft])
    assert.deepEqual(ends(maskDsn('smtp://me:PASSWORD@smtp.gmail.com:587')), [])
  })
})
