import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DsnError } from '../grammar/dsn.ts'
import { describeDsn } from './mask-dsn.ts'
import { listSendingLeaves } from './sending-leaves.ts'

const only = (dsn: string) => {
  const leaves = listSendingLeaves(dsn)
  assert.equal(leaves.length, 1, dsn)
  return leaves[0] ?? assert.fail()
}

test('the members of nested lists are listed from left to right, each with its label', () => {
  const members = [
    'smtp://u:p%40x@mail.example.com:587?require_tls=1',
    'sendgrid+api://KEY@default?region=eu',
    'null://null',
    'ses+smtp://USER:PASSWORD@default?region=eu-west-3',
  ]
  const leaves = listSendingLeaves(
    `failover(${members[0]} roundrobin(${members[1]} ${members[2]}) ${members[3]})?retry_period=15`,
  )
  const labels = leaves.map(({ label }) => label)
  assert.deepEqual(labels, members.map(describeDsn))
  assert.deepEqual(
    leaves.map(({ kind, title, host }) => ({ kind, title, host })),
    [
      { kind: 'smtp', title: null, host: 'mail.example.com' },
      { kind: 'api', title: 'SendGrid', host: 'api.eu.sendgrid.com' },
      { kind: 'null', title: null, host: null },
      { kind: 'smtp', title: 'Amazon SES', host: 'email-smtp.eu-west-3.amazonaws.com' },
    ],
  )
})

/** Is it a server of no known provider, and is its mail signed? Over SMTP only, unless the DSN says no. */
for (const [dsn, kind, isPlain, signsDkim] of [
  ['smtp://mail.example.com', 'smtp', true, true],
  ['smtp://mail.example.com?dkim=on', 'smtp', true, true],
  ['smtp://mail.example.com?dkim=off', 'smtp', true, false],
  ['smtp://mail.example.com?dkim=0', 'smtp', true, false],
  ['smtps://[::1]:465', 'smtp', true, true],
  ['sendmail://default', 'command', true, false],
  ['gmail://a:b@default', 'smtp', false, true],
  // A plain scheme may name the server of a provider.
  ['smtp://apikey:KEY@SMTP.sendgrid.net:587', 'smtp', false, true],
  ['smtp://u:p@smtp.office365.com:587', 'smtp', false, true],
  ['sendgrid://KEY@default', 'smtp', false, true],
  ['sendgrid+api://KEY@default', 'api', false, false],
  ['postal+api://KEY@postal.example.com', 'api', false, false],
  ['null://null', 'null', false, false],
  ['inbox://local', 'inbox', false, false],
  // The sandbox of a provider delivers nothing; Mailjet has none over SMTP.
  ['mailtrap+sandbox://TOKEN@default?inboxId=7', 'null', false, false],
  ['smtp://u:p@sandbox.smtp.mailtrap.io:2525', 'null', false, false],
  ['mailjet+api://KEY:SECRET@default?sandbox=1', 'null', false, false],
  ['mailjet+api://KEY:SECRET@default?sandbox=0', 'api', false, false],
  ['mailjet+smtp://KEY:SECRET@default?sandbox=1', 'smtp', false, true],
] as const)
  test(`${dsn} is ${isPlain ? 'plain' : 'not plain'}, and ${signsDkim ? 'signed' : 'not signed'}`, () => {
    const leaf = only(dsn)
    assert.deepEqual([leaf.kind, leaf.isPlain, leaf.signsDkim], [kind, isPlain, signsDkim])
  })

test('a Mailgun DSN is of one domain: the password part, the option of the plug-in, or that of the SMTP user', () => {
  for (const [dsn, domain] of [
    ['mailgun+api://KEY:MG.example.com@default', 'mg.example.com'],
    ['mailgun+smtp://me%40b%C3%BCcher.example:p@default', 'xn--bcher-kva.example'],
    ['mautic+mailgun+api://:KEY@default?domain=mg.example.com', 'mg.example.com'],
    ['mailgun+smtp://postmaster%40mg.example.com:p@default', 'mg.example.com'],
    ['smtp://postmaster%40mg.example.com:p@smtp.eu.mailgun.org:587', 'mg.example.com'],
    ['mailgun+smtp://mg.example.com:p@default', null],
    ['mailgun+smtp://postmaster%40localhost:p@default', null],
    ['omnivery+api://KEY@default?domain=mg.example.com', 'mg.example.com'],
    ['sendgrid+api://KEY@default', null],
    ['smtp://u%40example.com:p@mail.example.com', null],
  ] as const)
    assert.equal(only(dsn).accountDomain, domain, dsn)
})

test('a text that is not a DSN is refused', () => {
  for (const dsn of ['', 'nonsense', 'failover(', 'unknown://x', 'sendgrid+api://default'])
    assert.throws(() => listSendingLeaves(dsn), DsnError, dsn)
})
