import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMailer } from '../create-mailer.ts'
import type { DeliveryResult, Outcome } from '../delivery/delivery-result.ts'
import type { FaultCode, FaultScope } from '../delivery/fault.ts'
import { inspectDsn } from '../dsn/inspect-dsn.ts'
import type { Message } from '../message/message.ts'
import {
  type Answer,
  type ApiServer,
  type RecordedRequest,
  startApiServer,
} from './api-server.case.test.ts'
import { createAuthority } from './certificates.case.test.ts'
import { sampleMessage, shortMessage } from './sample-message.case.test.ts'

/** One answer that the provider documents, and what it must become. */
export interface AnswerCase {
  name: string
  answer: Answer
  outcome: Outcome
  messageId?: string | null
  code?: FaultCode
  scope?: FaultScope
  isPermanent?: boolean
  retryAfterMs?: number
  /** What the person who can mend it is advised. */
  hint?: RegExp
}

/** All that a provider's API has to show. */
export interface ApiProviderCase {
  /** The folder's name. */
  provider: string
  /** A complete DSN with `HOST` where the local server goes, and the secrets in it. */
  dsn: string
  secrets: string[]
  /** DSNs without a host of their own, and the endpoint that each leads to. */
  endpoints: Record<string, string>
  /** DSNs that lack something, and the sentence that says what. */
  incomplete: Record<string, RegExp>
  /** Whether the message goes out as raw MIME, so that the header's recipients are in the body. */
  isRaw: boolean
  /** Checks method, path, authentication and body of the request for `sampleMessage`. */
  checkRequest(request: RecordedRequest): void
  success: Answer
  messageId: string | null
  /** Refusals, rate limits and the like, as the provider's page shows them. */
  answers: AnswerCase[]
  /** A refusal in the provider's form whose text is `text`. */
  refusal: (text: string) => Answer
  /** What the first requests of a delivery get where they are not for the message, such as one for a token. */
  preliminary?(request: RecordedRequest): Answer | undefined
}

// No answer is waited for so long; one that comes has all the time that a busy machine may need.
const silentMs = 1500
const patientMs = 30_000

/** Runs what every provider's API must pass. */
export function testApiProvider(provider: ApiProviderCase): void {
  const authority = createAuthority()
  const mailerWith = (requestMs: number) =>
    createMailer({
      certificates: [authority.cert],
      timeouts: { requestMs },
      clock: { now: () => Date.parse('2026-01-31T15:54:35Z') },
    })
  const patient = mailerWith(patientMs)
  const impatient = mailerWith(silentMs)
  let server: ApiServer
  before(async () => {
    server = await startApiServer(authority.issue({ names: ['localhost'] }))
  })
  after(() => server.close())

  /** Sends a message to a server that answers so; requests before the message's are answered apart. */
  async function send(answer: Answer, message: Message = shortMessage): Promise<DeliveryResult> {
    server.requests.length = 0
    server.answerWith((request) => provider.preliminary?.(request) ?? answer)
    const isSilent = 'fault' in answer && answer.fault === 'hang'
    const mailer = isSilent ? impatient : patient
    const transport = mailer.open(provider.dsn.replaceAll('HOST', server.host))
    try {
      return await transport.send(message)
    } finally {
      await transport.close()
    }
  }
  const name = provider.provider

  testDsns(provider)

  test(`${name}: the request has the method, path, authentication and body of the provider's page`, async () => {
    const result = await send(provider.success, sampleMessage)
    assert.equal(result.outcome, 'accepted', result.fault?.message)
    const request = server.requests.at(-1)
    assert.ok(request)
    provider.checkRequest(request)
    assert.equal(request.headers['user-agent'], 'mailyard')
    if (!provider.isRaw) assert.ok(!request.body.includes('other@example.net'), 'header only')
  })

  test(`${name}: a success carries the provider's message id`, async () => {
    const result = await send(provider.success)
    assert.equal(result.outcome, 'accepted')
    assert.equal(result.messageId, provider.messageId)
    assert.equal(result.isRetrySafe, false)
    assert.deepEqual(
      result.recipients.map(({ address, outcome }) => ({ address, outcome })),
      [{ address: 'jane@example.net', outcome: 'accepted' }],
    )
  })

  for (const one of [...provider.answers, ...commonAnswers(provider)])
    test(`${name}: ${one.name}`, async () => checkResult(await send(one.answer), one))

  test(`${name}: a redirect is not followed`, async () => {
    const result = await send({ status: 302, headers: { location: `https://${server.host}/x` } })
    assert.equal(result.fault?.code, 'redirected')
    assert.ok(server.requests.every(({ path }) => path !== '/x'))
  })

  test(`${name}: no secret is in a result, though the provider repeats it`, async () => {
    for (const secret of provider.secrets) {
      const result = await send(provider.refusal(`key ${secret} is wrong`))
      assert.equal(result.outcome, 'refused')
      assert.ok(!JSON.stringify(result).includes(secret), secret)
    }
  })

  test(`${name}: messages follow each other on one connection`, async () => {
    server.answerWith((request) => provider.preliminary?.(request) ?? provider.success)
    const transport = patient.open(provider.dsn.replaceAll('HOST', server.host))
    const before = server.connections()
    for (let index = 0; index < 3; index += 1)
      assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
    await transport.close()
    assert.equal(server.connections() - before, 1)
  })
}

function testDsns({ provider, endpoints, incomplete, dsn, secrets }: ApiProviderCase): void {
  test(`${provider}: each DSN leads to the provider's endpoint`, () => {
    for (const [text, endpoint] of Object.entries(endpoints)) {
      const inspection = inspectDsn(text)
      assert.ok(inspection.valid, `${text}: ${inspection.valid ? '' : inspection.error}`)
      if (!inspection.valid) continue
      const { host, port, kind } = inspection.transport
      assert.equal(kind, 'api')
      assert.equal(inspection.transport.provider, provider)
      assert.equal(`https://${host}${port === 443 ? '' : `:${port}`}`, endpoint)
      assert.deepEqual(inspection.warnings, [], text)
    }
  })

  test(`${provider}: an incomplete DSN is refused with what it lacks`, () => {
    for (const [text, sentence] of Object.entries(incomplete)) {
      const inspection = inspectDsn(text)
      assert.equal(inspection.valid, false, text)
      if (!inspection.valid) assert.match(inspection.error, sentence)
    }
  })

  test(`${provider}: inspecting a DSN shows no secret`, () => {
    const shown = JSON.stringify(inspectDsn(dsn.replaceAll('HOST', 'localhost:1')))
    for (const secret of secrets) assert.ok(!shown.includes(secret), secret)
  })
}

function checkResult(result: DeliveryResult, expected: AnswerCase): void {
  const { outcome, messageId, code, scope, isPermanent, retryAfterMs, hint } = expected
  assert.equal(result.outcome, outcome, result.fault?.message)
  assert.equal(result.isRetrySafe, outcome === 'refused')
  if (messageId !== undefined) assert.equal(result.messageId, messageId)
  if (code !== undefined) assert.equal(result.fault?.code, code)
  if (scope !== undefined) assert.equal(result.fault?.scope, scope)
  if (isPermanent !== undefined) assert.equal(result.isPermanent, isPermanent)
  if (retryAfterMs !== undefined) assert.equal(result.retryAfterMs, retryAfterMs)
  if (hint !== undefined) assert.match(result.fault?.hint ?? '', hint)
  if (outcome !== 'accepted') assert.match(result.fault?.message ?? '', /\S/)
}

/** What any provider's server, or a proxy before it, may answer. */
function commonAnswers({ refusal }: ApiProviderCase): AnswerCase[] {
  const page = '<html><body><h1>It works!</h1></body></html>'
  const html = { 'content-type': 'text/html' }
  const throttled = refusal('slow down')
  return [
    {
      name: 'a success that is none of the provider leaves the delivery uncertain',
      answer: { status: 200, headers: html, body: page },
      outcome: 'uncertain',
      code: 'answer_unreadable',
    },
    {
      name: 'half an answer leaves the delivery uncertain',
      answer: { fault: 'cut' },
      outcome: 'uncertain',
    },
    {
      name: 'a connection that closes without an answer leaves the delivery uncertain',
      answer: { fault: 'close' },
      outcome: 'uncertain',
      code: 'connection_closed',
    },
    {
      name: 'no answer in time leaves the delivery uncertain',
      answer: { fault: 'hang' },
      outcome: 'uncertain',
      code: 'stalled',
    },
    {
      name: 'a fault of the server is its own, and the message may be tried again',
      answer: { status: 500, headers: html, body: page },
      outcome: 'refused',
      code: 'server_fault',
      scope: 'member',
      isPermanent: false,
    },
    {
      name: 'a gateway that lost sight of the message leaves the delivery uncertain',
      answer: { status: 504, headers: html, body: page },
      outcome: 'uncertain',
      code: 'server_fault',
    },
    {
      name: 'a rate limit is a fault of the member, to be tried again when the provider says',
      answer: { ...throttled, status: 429, headers: { 'retry-after': '7' } },
      outcome: 'refused',
      scope: 'member',
      isPermanent: false,
      retryAfterMs: 7000,
    },
    {
      name: 'a wrong key is a fault of the member',
      answer: { status: 401, body: '' },
      outcome: 'refused',
      code: 'credentials_refused',
      scope: 'member',
      isPermanent: false,
    },
  ]
}
