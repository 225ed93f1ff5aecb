import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DsnError } from '../grammar/dsn.ts'
import { buildDsn } from './build-dsn.ts'
import { describeDsn, maskDsn, unmaskDsn } from './mask-dsn.ts'

test('maskDsn replaces the secrets and keeps everything else byte for byte', () => {
  const masks: [string, string][] = [
    ['smtp://u:p%40ss@h.example.com:587', 'smtp://u:********@h.example.com:587'],
    ['smtp://u@h:25?verify_peer=0#x', 'smtp://u@h:25?verify_peer=0#********'],
    ['smtp://h:25/path?verify_peer=0', 'smtp://h:25/********?verify_peer=0'],
    ['smtp://h:25/?verify_peer=0#', 'smtp://h:25/?verify_peer=0#'],
    ['smtp://h.example.com', 'smtp://h.example.com'],
    ['smtp://u:@h.example.com', 'smtp://u:@h.example.com'],
    ['smtp://TOKEN:TOKEN@h:587', 'smtp://********:********@h:587'],
    ['smtp://u@h:587?accessToken=ya29&x=1', 'smtp://u@h:587?accessToken=********&x=********'],
    ['postmark://TOKEN@default?message_stream=a', 'postmark://********@default?message_stream=a'],
    ['sendgrid+smtp://SG.x@default', 'sendgrid+smtp://********@default'],
    ['unknown+api://KEY:SECRET@default', 'unknown+api://********:********@default'],
    [
      'ses+smtp://AKID:S%2Fx@default?region=us-east-1&session_token=tok',
      'ses+smtp://AKID:********@default?region=us-east-1&session_token=********',
    ],
    [
      'failover(smtp://u:one@a:25 roundrobin(postmark://TWO@default null://null))?retry_period=9',
      'failover(smtp://u:********@a:25 roundrobin(postmark://********@default null://null))?retry_period=9',
    ],
    [
      'smtp://u@h?accessToken=A&accessToken=B&local_domain=a.example',
      'smtp://u@h?accessToken=********&accessToken=********&local_domain=a.example',
    ],
    [
      'smtp://u@h?access%54oken=A&access.Token=B',
      'smtp://u@h?access%54oken=********&access.Token=********',
    ],
    [
      'smtp://u@h?accesstoken=A&ACCESSTOKEN=B',
      'smtp://u@h?accesstoken=********&ACCESSTOKEN=********',
    ],
    [
      'smtp://u@h?accessToken[]=A&accessToken[x]=B',
      'smtp://u@h?accessToken[]=********&accessToken[x]=********',
    ],
    ['smtp://u@h?=A&B&C&verify_peer', 'smtp://u@h?=********&********&********&verify_peer'],
    ['smtp://u@h?peer_fingerprint[sha256]=ab', 'smtp://u@h?peer_fingerprint[sha256]=ab'],
    ['postmark://T@default?stream=A', 'postmark://********@default?stream=********'],
    ['null://null?note=A', 'null://null?note=********'],
    ['unknown://h?region=A', 'unknown://h?region=********'],
    ['smtp://u:p@h:25\n', 'smtp://u:********@h:25\n'],
  ]
  for (const [dsn, masked] of masks) assert.equal(maskDsn(dsn), masked)
})

test('of a text that is not a DSN only the scheme is shown', () => {
  assert.equal(maskDsn('smtp://user:se cret@h'), 'smtp://********')
  assert.equal(maskDsn('se/cret'), '********')
  assert.equal(describeDsn('smtp://user:se/cret@h'), 'smtp://…')
})

test('a description has scheme, host and port, and no user', () => {
  assert.equal(describeDsn('smtp://u:p@h.example.com:587?x=1'), 'smtp://h.example.com:587')
  assert.equal(
    describeDsn('failover(postmark://KEY@default smtp://u:p@[::1]:25)'),
    'failover(postmark://default smtp://[::1]:25)',
  )
})

test('unmasking an unchanged masked DSN gives the stored one', () => {
  for (const stored of [
    'smtp://u:p%40ss@h.example.com:587',
    'postmark://TOKEN@default',
    'ses+smtp://AKID:S%2Fx@default?session_token=a+b',
    'failover(smtp://u:one@a:25 smtp://u:two@a:25 postmark://THREE@default)',
    'smtp://TOKEN:TOKEN@h:587',
    'smtp://u@h/path?accessToken=A&x=1&accessToken=B&=C&D&E#F',
    // Empty and public options before it do not move a secret.
    'smtp://u@h?accessToken=&accessToken=B',
    'smtp://u@h?verify_peer&B',
    // An option and a part of the same name keep their own secrets.
    'smtp://u:one@a:25?password=two',
    'smtp://a:25?password=two',
    'mailgun+api://one:d.test@default?user_token=two',
  ])
    assert.equal(unmaskDsn(maskDsn(stored), stored), stored)
})

const list = 'failover(smtp://u:one@a:25 smtp://u:two@b:25)'
const options = 'smtp://u@h:25?accessToken=A&accessToken=B&x=C'

for (const [what, stored, edited, unmasked] of [
  [
    'changes of other parts are kept',
    'smtp://u:secret@a.example.com:587',
    'smtps://u:********@b.example.com?local_domain=x',
    'smtps://u:secret@b.example.com?local_domain=x',
  ],
  [
    'members keep their secrets when their order changes',
    list,
    'failover(smtp://u:********@b:25 smtp://u:********@a:25)',
    'failover(smtp://u:two@b:25 smtp://u:one@a:25)',
  ],
  [
    'a member keeps its secret beside a new one',
    list,
    'failover(smtp://new:pw@n:25 smtp://u:********@a:25)',
    'failover(smtp://new:pw@n:25 smtp://u:one@a:25)',
  ],
  [
    'a member with a changed host gets the secret of its position',
    list,
    'failover(smtp://u:********@a:25 smtp://u:********@c:25)',
    'failover(smtp://u:one@a:25 smtp://u:two@c:25)',
  ],
  [
    'each of several options of one name keeps its own secret',
    options,
    'smtp://u@h:25?accessToken=new&accessToken=********&x=********',
    'smtp://u@h:25?accessToken=new&accessToken=B&x=C',
  ],
] as const)
  test(`when a DSN is unmasked, ${what}`, () => {
    assert.equal(unmaskDsn(edited, stored), unmasked)
  })

test('a mask without a stored secret is refused', () => {
  const refused: [string, string][] = [
    ['smtp://u:********@a:25', 'smtp://a:25'],
    ['failover(smtp://u:********@a:25 smtp://u:********@b:25)', 'smtp://u:one@a:25'],
    ['postmark://********@default', 'smtp://u:one@a:25'],
    ['smtp://u:pw@a:25?accessToken=********', 'smtp://u:one@a:25'],
    ['smtp://u@h:25?x=********&x=********', options],
  ]
  for (const [masked, stored] of refused)
    assert.throws(
      () => unmaskDsn(masked, stored),
      (error) => {
        assert.ok(error instanceof DsnError)
        assert.match(error.message, /no stored secret fits/)
        assert.doesNotMatch(error.message, /one/)
        return true
      },
    )
})

test('every secret is masked', () => {
  const secret = fc
    .string({ minLength: 3, maxLength: 12 })
    .map((text) => `#s${text.replace(/[\p{Cc}]/gu, '')}`)
  fc.assert(
    fc.property(secret, (password) => {
      const dsn = buildDsn({ scheme: 'smtp', host: 'h.example.com', user: 'u', password })
      const masked = maskDsn(dsn)
      assert.ok(!masked.includes(encodeURIComponent(password)))
      assert.equal(masked, 'smtp://u:********@h.example.com')
      assert.equal(unmaskDsn(masked, dsn), dsn)
    }),
  )
})
