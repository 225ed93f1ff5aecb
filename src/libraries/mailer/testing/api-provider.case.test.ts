import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clockAt } from '../../../../test/movable-clock.ts'
import type { ApiAdapter } from '../api/api-adapter.ts'
import type { HttpRequest } from '../connect/http-message.ts'
import type { DeliveryResult, SendOutcome } from '../delivery/delivery-result.ts'
import type { FaultCode } from '../delivery/fault.ts'
import { inspectDsn } from '../dsn/inspect-dsn.ts'
import { parseDsn } from '../dsn/parse-dsn.ts'
import { createMailer } from '../mailer.ts'
import type { Message } from '../message/message.ts'
import { parseMessage } from '../message/parse-message.ts'
import { Secret } from '../secret.ts'
import {
  type ApiServer,
  type json,
  type RecordedRequest,
  type ScriptedResponse,
  startApiServer,
} from './api-server.case.test.ts'
import { createAuthority } from './certificates.case.test.ts'
import { sampleMessage, shortMessage } from './sample-message.case.test.ts'

/** A documented response that is no refusal of a common kind, and the expected result. */
type ResponseCase = [name: string, response: ScriptedResponse, expected: ExpectedResult]

interface ExpectedResult {
  outcome: SendOutcome
  messageId?: string
  code?: FaultCode
  retryAfterMs?: number
}

/** Whose each fault is, and whether it is for good. */
const meanings = {
  credentials_refused: { scope: 'member', isPermanent: false },
  quota_exceeded: { scope: 'member', isPermanent: false },
  throttled: { scope: 'member', isPermanent: false },
  server_fault: { scope: 'member', isPermanent: false },
  sender_refused: { scope: 'message', isPermanent: true },
  message_refused: { scope: 'message', isPermanent: true },
  too_large: { scope: 'message', isPermanent: true },
  recipient_refused: { scope: 'recipient', isPermanent: true },
} as const
type RefusalCode = keyof typeof meanings

interface RefusalCase {
  status: number
  headers?: Record<string, string>
  body: string
  /** The hint that is the provider's own. */
  hint?: RegExp
}

/** The responses that have each fault. */
type Refusals = Partial<Record<RefusalCode, RefusalCase[]>>

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
  /** Checks method, path, authentication and body of the request for `sampleMessage`. */
  checkRequest(request: RecordedRequest): void
  success: ScriptedResponse
  messageId: string | null
  /** As the provider's page shows them. */
  refusals: Refusals
  responses?: ResponseCase[]
  /** A refusal in the provider's form whose text is `text`. */
  refusal: (text: string) => ScriptedResponse
  /** What the first requests of a delivery get where they are not for the message, such as one for a token. */
  preliminary?(request: RecordedRequest): ScriptedResponse | undefined
}

/** Checks a request by its `method path`, the `name: value` of the header that authenticates it, and its JSON body. */
export function jsonRequest(
  line: string,
  header: string,
  json: object,
): ApiProviderCase['checkRequest'] {
  return ({ method, path, headers, body }) => {
    assert.equal(`${method} ${path}`, line)
    const [name = '', value] = header.split(': ')
    assert.equal(headers[name], value)
    assert.deepEqual(JSON.parse(body), json)
  }
}

/** Runs what every provider's API must pass. */
export function testApiProvider(provider: ApiProviderCase): void {
  const authority = createAuthority()
  const mailer = createMailer({
    certificates: [authority.cert],
    clock: clockAt(Date.parse('2026-01-31T15:54:35Z')),
  })
  let server: ApiServer
  before(async () => {
    server = await startApiServer(authority.issue({ names: ['localhost'] }))
  })
  after(() => server.close())

  /** Sends a message to a server with this response. Requests before the message get `preliminary`. */
  async function send(
    response: ScriptedResponse,
    message: Message = shortMessage,
  ): Promise<DeliveryResult> {
    server.requests.length = 0
    server.respondWith((request) => provider.preliminary?.(request) ?? response)
    const transport = mailer.open(provider.dsn.replaceAll('HOST', server.host))
    try {
      return await transport.send(message)
    } finally {
      await transport.close()
    }
  }
  const name = provider.provider

  testDsns(provider)

  test(`${name}: the request has the documented method, path, authentication and body`, async () => {
    const result = await send(provider.success, sampleMessage)
    assert.equal(result.outcome, 'accepted', result.fault?.message)
    const request = server.requests.at(-1)
    assert.ok(request)
    provider.checkRequest(request)
    assert.equal(request.headers['user-agent'], 'mailyard')
  })

  test(`${name}: the result of a success has the provider's message id`, async () => {
    const result = await send(provider.success)
    assert.equal(result.outcome, 'accepted')
    assert.equal(result.messageId, provider.messageId)
    assert.equal(result.isRetrySafe, false)
    const outcomes = result.recipients.map(({ address, outcome }) => ({ address, outcome }))
    assert.deepEqual(outcomes, [{ address: 'jane@example.net', outcome: 'accepted' }])
  })

  for (const [what, response, expected] of [
    ...(provider.responses ?? []),
    ...commonAnswers(provider),
  ])
    test(`${name}: ${what}`, async () => checkResult(await send(response), expected))

  for (const refusals of [provider.refusals, commonRefusals])
    for (const [code, responses] of Object.entries(refusals))
      for (const response of responses)
        test(`${name}: ${response.status} ${response.body.slice(0, 200)} has the fault ${code}`, async () =>
          checkRefusal(await send(response), code as RefusalCode, response.hint))

  test(`${name}: no secret is in a result, even if the provider repeats it`, async () => {
    for (const secret of provider.secrets) {
      const result = await send(provider.refusal(`key ${secret} is wrong`))
      assert.equal(result.outcome, 'refused')
      assert.ok(!JSON.stringify(result).includes(secret), secret)
    }
  })
}

function testDsns({ provider, endpoints, incomplete, dsn, secrets }: ApiProviderCase): void {
  test(`${provider}: each DSN has the provider's endpoint`, () => {
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

  test(`${provider}: the error for an incomplete DSN names what is missing`, () => {
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

function checkResult(result: DeliveryResult, expected: ExpectedResult): void {
  const { outcome, messageId, code, retryAfterMs } = expected
  assert.equal(result.outcome, outcome, result.fault?.message)
  assert.equal(result.isRetrySafe, outcome === 'refused')
  if (messageId !== undefined) assert.equal(result.messageId, messageId)
  if (code !== undefined) assert.equal(result.fault?.code, code)
  if (retryAfterMs !== undefined)
    assert.deepEqual(
      [result.retryAfterMs, result.fault?.scope, result.isPermanent],
      [retryAfterMs, 'member', false],
    )
  if (outcome !== 'accepted') assert.match(result.fault?.message ?? '', /\S/)
}

function checkRefusal(result: DeliveryResult, code: RefusalCode, hint = /\S/): void {
  checkResult(result, { outcome: 'refused', code })
  const { isPermanent, fault } = result
  assert.deepEqual({ scope: fault?.scope, isPermanent }, meanings[code])
  assert.match(fault?.hint ?? '', hint)
}

const page = '<html><body><h1>It works!</h1></body></html>'
const html = { 'content-type': 'text/html' }

/** Refusals of any provider's server, or of a proxy in front of it. */
const commonRefusals: Refusals = {
  server_fault: [{ status: 500, headers: html, body: page }],
  credentials_refused: [{ status: 401, body: '' }],
}

/** Other responses of them. */
function commonAnswers({ refusal }: ApiProviderCase): ResponseCase[] {
  const throttled = { ...refusal('slow down'), status: 429, headers: { 'retry-after': '7' } }
  return [
    [
      'a success that is none of the provider leaves the delivery uncertain',
      { status: 200, headers: html, body: page },
      { outcome: 'uncertain', code: 'answer_unreadable' },
    ],
    ['after half a response the delivery is uncertain', { fault: 'cut' }, { outcome: 'uncertain' }],
    [
      'a gateway that lost sight of the message leaves the delivery uncertain',
      { status: 504, headers: html, body: page },
      { outcome: 'uncertain', code: 'server_fault' },
    ],
    [
      'a refusal with the status 429 is tried again when the provider says',
      throttled,
      { outcome: 'refused', retryAfterMs: 7000 },
    ],
  ]
}

/** The adapter that a DSN leads to. */
export function adapterOf(dsn: string): ApiAdapter {
  const parsed = parseDsn(dsn)
  assert.ok(parsed.kind === 'api')
  return parsed.adapter
}

/** Reads the response to a message with several recipients: the message's id, and each result that is not the message's. */
export function readRecipients(dsn: string, response: ReturnType<typeof json>): unknown[] {
  const result = adapterOf(dsn).readResponse({ headers: {}, ...response })
  assert.ok(result?.isAccepted)
  const { messageId, recipients = [] } = result
  return [
    messageId,
    ...recipients.map((each) => [each.address, each.outcome, each.isPermanent, each.text]),
  ]
}

/** The request that a DSN makes of a message at a fixed time, without sending it, with this access token. */
export async function requestOf(
  dsn: string,
  message: Message,
  accessToken?: string,
): Promise<HttpRequest> {
  return adapterOf(dsn).request(
    { ...message, parse: () => parseMessage(message) },
    {
      now: () => new Date('2026-01-31T15:54:35Z'),
      uuid: () => '00000000-0000-4000-8000-000000000000',
      accessToken: async () => {
        assert.ok(accessToken, 'no access token is expected')
        return new Secret(accessToken)
      },
    },
  )
}

/** The body of a request as JSON. */
export function jsonBody({ body }: HttpRequest): Record<string, unknown> {
  assert.equal(typeof body, 'string')
  return JSON.parse(String(body)) as Record<string, unknown>
}

/** A plain message with more header lines, each without its line end. */
export function messageWith(...headers: string[]): Message {
  const lines = ['From: sender@example.com', 'To: jane@example.net', 'Subject: short', ...headers]
  return {
    envelope: { from: 'sender@example.com', to: ['jane@example.net'] },
    raw: Buffer.from([...lines, '', 'Hello', ''].join('\r\n')),
  }
}
