import Type from 'typebox'
import { noBrand } from '../../kit/caller.ts'
import type { ParseDsnOptions, StageEvent } from '../../libraries/mailer/index.ts'
import {
  acceptsLines,
  type Callers,
  disconnected,
  emailAddress,
  type HttpApp,
  type HttpReply,
  type HttpRequest,
  idParameter,
  isAsked,
  linesDescription,
  optionalEmailAddress,
  type Query,
  readId,
  recordId,
  sendLines,
  text,
} from '../../platform/http/index.ts'
import { defaultBrand } from '../../platform/resource/index.ts'
import type { LastTests } from './last-tests.ts'
import { dsnText, testAnswer } from './schema.ts'
import { dsnOptionsFor, readDsn, type Transports } from './service.ts'
import type { TransportRow } from './table.ts'
import type { TestAnswer, TestRequest, TestTransport } from './test-message.ts'

export interface TestRouteParts {
  transports: Pick<Transports, 'getChangeable' | 'findDsn'>
  sendTest: TestTransport
  lastTests: Pick<LastTests, 'save'>
  callers: Callers
  dsnOptions: ParseDsnOptions
}

const tags = ['multipleTransports']

/** Adds the test messages: through a stored transport, and through unsaved values. */
export function addTestRoutes(app: HttpApp, parts: TestRouteParts): void {
  addTestRoute(app, parts)
  addUnsavedTestRoute(app, parts)
}

const testQuery = Type.Unsafe<{ transcript?: unknown }>(
  Type.Object({
    transcript: text('`1`: the whole SMTP dialogue, without secrets.'),
  }),
)

const streamDescription = `${linesDescription} A client that disconnects stops the test.`

function addTestRoute(app: HttpApp, parts: TestRouteParts): void {
  const { transports, callers } = parts
  const schema = {
    operationId: 'testTransport',
    summary: 'Send a test message through a transport',
    description: streamDescription,
    tags,
    params: Type.Object({ id: idParameter('Id of the transport.', 2) }),
    querystring: testQuery,
    body: Type.Object(
      { to: Type.Optional(emailAddress('The recipient; default: the calling user.')) },
      { examples: [{ to: 'ann@example.com' }] },
    ),
    response: { 200: testAnswer },
  }
  const config = { permission: 'multipleTransports:edit' as const }
  app.post('/api/multipleTransports/send/test/:id', { schema, config }, async (request, reply) => {
    const row = await transports.getChangeable(readId(request.params.id), callers.of(request))
    const test = {
      dsn: await transports.findDsn(row),
      isPublicOnly: row.is_public_only,
      brand: row.brand_id,
      through: { id: row.id, name: row.name },
      testedEmailFrom: row.tested_email_from,
      to: request.body.to,
    }
    return answerTest(parts, test, { row, request, reply })
  })
}

function addUnsavedTestRoute(app: HttpApp, parts: TestRouteParts): void {
  const { transports, callers, dsnOptions } = parts
  const schema = {
    operationId: 'testUnsavedTransport',
    summary: 'Send a test message through unsaved values',
    description: `${streamDescription} With \`id\` and its stored DSN, the test is the last one of the transport.`,
    tags,
    querystring: testQuery,
    body: Type.Object(
      {
        mailerDsn: dsnText,
        testedEmailFrom: optionalEmailAddress('The sender.'),
        to: Type.Optional(emailAddress('The recipient; default: the calling user.')),
        id: Type.Optional(recordId('The transport whose secrets fill the mask.')),
      },
      { examples: [{ mailerDsn: 'inbox://local', to: 'ann@example.com' }] },
    ),
    response: { 200: testAnswer },
  }
  const config = { permission: 'multipleTransports:edit' as const }
  app.post('/api/multipleTransports/send/test', { schema, config }, async (request, reply) => {
    const { mailerDsn, testedEmailFrom, to, id } = request.body
    const caller = callers.of(request)
    const stored = id === undefined ? undefined : await transports.getChangeable(id, caller)
    const storedDsn = stored === undefined ? undefined : await transports.findDsn(stored)
    const dsn = readDsn(mailerDsn, storedDsn, dsnOptionsFor(caller, dsnOptions))
    const test = {
      dsn,
      isPublicOnly: dsn === storedDsn ? stored?.is_public_only : caller.mautic !== undefined,
      brand: stored?.brand_id ?? defaultBrand(caller) ?? noBrand,
      through: { id: id ?? null, name: stored?.name ?? 'not saved' },
      testedEmailFrom: testedEmailFrom || null,
      to,
    }
    const row = dsn === storedDsn ? stored : undefined
    return answerTest(parts, test, { row, request, reply })
  })
}

interface Asked {
  /** The transport whose stored DSN is tested; undefined for another DSN. */
  row: TransportRow | undefined
  request: HttpRequest
  reply: HttpReply
}

/** Runs a test until it ends or the client disconnects. */
async function answerTest(
  parts: TestRouteParts,
  test: Omit<TestRequest, 'hasTranscript' | 'hasAlignment' | 'caller'>,
  { request, reply, row }: Asked,
) {
  const hasTranscript = isAsked(request.query as Query, 'transcript')
  const caller = parts.callers.of(request)
  const signal = disconnected(reply)
  const run = async (onStage?: (event: StageEvent) => void): Promise<TestAnswer> => {
    const watching = onStage === undefined ? {} : { onStage }
    const options = { hasTranscript, hasAlignment: true, caller, ...watching, signal }
    const result = await parts.sendTest({ ...test, ...options })
    if (!signal.aborted && row !== undefined) await parts.lastTests.save(row, result, caller)
    const { durationMs: _, ...answer } = result
    return answer
  }
  return acceptsLines(request) ? sendLines(reply, run) : run()
}
