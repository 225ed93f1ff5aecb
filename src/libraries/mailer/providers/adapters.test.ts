import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ApiResult } from '../api/api-adapter.ts'
import { kindsBy } from '../api/api-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import type { Message } from '../message/message.ts'
import { adapterOf, requestOf } from '../testing/api-provider.case.test.ts'
import { providers } from './registry.ts'

/** A DSN for each API scheme by its first name. */
const schemes: Record<string, string> = {
  'ahasend+api': 'ahasend+api://K:A@default',
  'azure+api': 'azure+api://R:a2V5@default',
  'brevo+api': 'brevo+api://K@default',
  'infobip+api': 'infobip+api://K@x.api.infobip.com',
  'mailersend+api': 'mailersend+api://K@default',
  mailgun: 'mailgun://K:example.com@default',
  'mailjet+api': 'mailjet+api://K:S@default',
  'mailomat+api': 'mailomat+api://K@default',
  'mailpace+api': 'mailpace+api://K@default',
  'mailtrap+api': 'mailtrap+api://K@default',
  'mailtrap+sandbox': 'mailtrap+sandbox://K@default?inboxId=1',
  mandrill: 'mandrill://K@default',
  'microsoftgraph+api': 'microsoftgraph+api://A:S@default?tenantId=t',
  'omnivery+api': 'omnivery+api://:K@default?domain=example.com',
  'postal+api': 'postal+api://K@postal.example.com',
  'postmark+api': 'postmark+api://K@default',
  'resend+api': 'resend+api://K@default',
  'scaleway+api': 'scaleway+api://P:K@default',
  'sendgrid+api': 'sendgrid+api://K@default',
  ses: 'ses://A:S@default',
  'sparkpost+api': 'sparkpost+api://K@default',
  'sweego+api': 'sweego+api://K@default',
}

test('the table has every API scheme', () => {
  const names = providers
    .flatMap((provider) => provider.schemes)
    .filter(({ kind }) => kind === 'api')
    .map((scheme) => scheme.names[0])
  assert.deepEqual(names.sort(), Object.keys(schemes).sort())
})

const accessToken = 't'
const to = ['jane@example.net', 'hidden@example.net']
const from = 'From: a@example.com\r\n'
const message = (raw: string | Buffer, recipients = to): Message => ({
  envelope: { from: 'bounce@example.com', to: recipients },
  raw: Buffer.from(raw as string),
})

/** Odd messages. */
const oddMessages: Record<string, Message> = {
  'without a header': message('\r\nHello\r\n'),
  'without a body': message(`${from}To: jane@example.net\r\nSubject: x\r\n\r\n`),
  'of no bytes': message(''),
  'with an HTML part only': message(
    `${from}To: jane@example.net\r\nContent-Type: text/html\r\n\r\n<p>x\r\n`,
  ),
  'with undisclosed recipients': message(`${from}To: undisclosed-recipients:;\r\n\r\nx\r\n`),
  'with a group, comments and a quoted pair': message(
    'From: "A \\"B\\" (x)" <a@example.com> (office)\r\nTo: Team: jane@example.net, b@example.net;\r\n\r\nx\r\n',
  ),
  'with line ends in its names': message(
    'From: =?utf-8?Q?A=0D=0ABcc=3A_evil=40example.org?= <a@example.com>\r\nTo: jane@example.net\r\nSubject: =?utf-8?Q?x=0D=0ABcc:_evil@example.org?=\r\nX-Tag: =?utf-8?Q?t=0D=0At?=\r\n\r\nx\r\n',
  ),
  'in Latin-1': message(
    Buffer.from('From: a@example.com\r\nTo: jane@example.net\r\n\r\nGr\xfc\xdfe\r\n', 'latin1'),
  ),
  'with templates of all kinds': message(
    'From: a@example.com\r\nTo: jane@example.net\r\nSubject: {{x}} *|X|* %x% [[x]]\r\n\r\n{{{x}}} {% if x %} *|X|* <% x %>\r\n',
  ),
  'with a prototype for metadata': message(
    'From: a@example.com\r\nTo: jane@example.net\r\nX-Metadata-__proto__: x\r\nX-Metadata-constructor: y\r\n\r\nx\r\n',
  ),
  'to internationalized addresses': message(
    'From: a@example.com\r\nTo: J <jürgen@bücher.example>\r\n\r\nx\r\n',
    ['jürgen@bücher.example'],
  ),
}

for (const [name, dsn] of Object.entries(schemes)) {
  for (const [what, odd] of Object.entries(oddMessages))
    test(`${name}: a message ${what} becomes a request or is refused with a fault of the message`, async () => {
      try {
        const { url, headers } = await requestOf(dsn, odd, accessToken)
        assert.ok(url.startsWith(`${adapterOf(dsn).endpoint}/`), url)
        for (const value of Object.values(headers)) assert.match(value, /^[\u0020-\u007e]*$/)
      } catch (error) {
        if (!(error instanceof FaultError)) throw error
        assert.equal(error.fault.scope, 'message')
        assert.equal(error.fault.isPermanent, true)
      }
    })

  test(`${name}: an undocumented success is not read as a refusal`, () => {
    const body = JSON.stringify({ id: '1', MessageId: '1', message: 'Queued.', status: 'queued' })
    for (const status of [200, 201, 202, 203, 207]) {
      const read = () => adapterOf(dsn).readResponse({ status, headers: {}, body })
      assert.notEqual(safely(read)?.isAccepted, false, String(status))
    }
  })

  test(`${name}: any response can be read, and no error is read as acceptance`, () => {
    const adapter = adapterOf(dsn)
    fc.assert(
      fc.property(anyStatus, anyBody, (status, body) => {
        const result = safely(() => adapter.readResponse({ status, headers: {}, body }))
        if (status >= 300) assert.notEqual(result?.isAccepted, true, `${status} ${body}`)
        if (result?.isAccepted === false) assert.equal(typeof result.text, 'string')
      }),
      { numRuns: 300, seed: 1 },
    )
  })
}

test('only the start of a long refusal is read, since a pattern may take the square of its length', () => {
  const kindOf = kindsBy(['quota', 401, /credits/])
  const kindAfter = (length: number) =>
    kindOf({ status: 401, text: `${'a'.repeat(length)}credits` })
  assert.deepEqual([kindAfter(1_000), kindAfter(10_000)], ['quota', undefined])
})

const memberNames =
  'id status message messages Messages error errors Errors data code name results result success detail to email MessageID'
const anyStatus = fc.constantFrom(200, 201, 202, 204, 400, 401, 403, 404, 422, 429, 500, 503)
const { tree } = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('queued', 'sent', 'success', 'error', 'rejected'),
  ),
  list: fc.array(tie('tree'), { maxLength: 2 }),
  object: fc.dictionary(fc.constantFrom(...memberNames.split(' ')), tie('tree'), { maxKeys: 4 }),
  tree: fc.oneof({ maxDepth: 4, depthSize: 'small' }, tie('leaf'), tie('list'), tie('object')),
}))
const anyBody = fc.oneof(
  fc.constantFrom('', 'null', '[]', '{}', '"x"', '<html>', '{"id":'),
  tree.map((value) => JSON.stringify(value)),
)

/** Reads a response. An adapter that throws counts as one that cannot read the response. */
function safely(read: () => ApiResult | undefined): ApiResult | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
