import Type from 'typebox'
import {
  addResourceRoutes,
  type Callers,
  emailAddress,
  type HttpApp,
  idParameters,
  isAsked,
  optionalEmailAddress,
  readId,
  recordId,
} from '../http/index.ts'
import { inspectDsn, type ParseDsnOptions, stages } from '../mailer/index.ts'
import { dsnText, transportShape } from './schema.ts'
import { readDsn, type Transports } from './service.ts'
import type { SendTest } from './test-message.ts'

/** What the routes of transports are made of. */
export interface TransportRouteParts {
  transports: Transports
  sendTest: SendTest
  callers: Callers
  dsnOptions: ParseDsnOptions
}

/** Adds `/api/multipleTransports`, its tests, and the inspection of DSNs. */
export function addTransportRoutes(app: HttpApp, parts: TransportRouteParts): void {
  const { transports, callers } = parts
  addInspectRoute(app, parts)
  addTestRoute(app, parts)
  addUnsavedTestRoute(app, parts)
  addResourceRoutes(app, transportShape, { service: transports, callers })
}

const tags = ['multipleTransports']

const testAnswer = Type.Object({
  success: Type.Boolean(),
  message: Type.String({ description: 'For the person who can mend it.' }),
  stages: Type.Array(
    Type.Object({
      stage: Type.Enum([...stages]),
      outcome: Type.Enum(['ok', 'failed', 'skipped']),
      durationMs: Type.Number(),
      detail: Type.String(),
      hint: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      member: Type.Optional(Type.String({ description: 'Which member of a list.' })),
    }),
  ),
  transcript: Type.Optional(Type.Array(Type.String(), { description: 'With `?transcript=1`.' })),
})

const testQuery = Type.Unsafe<{ transcript?: unknown }>(
  Type.Object({
    transcript: Type.Optional(
      Type.String({ description: '`1`: the whole dialogue, secrets blanked.' }),
    ),
  }),
)

function addTestRoute(app: HttpApp, { transports, sendTest, callers }: TransportRouteParts): void {
  const schema = {
    summary: 'Send a test message through a transport',
    tags,
    params: idParameters,
    querystring: testQuery,
    body: Type.Object({
      to: Type.Optional(emailAddress('To whom; default: the calling user.')),
    }),
    response: { 200: testAnswer },
  }
  const config = { permission: 'multipleTransports:edit' as const }
  app.post('/api/multipleTransports/send/test/:id', { schema, config }, async (request) => {
    const row = await transports.getRow(readId(request.params.id))
    return sendTest({
      dsn: await transports.findDsn(row),
      through: { id: row.id, name: row.name },
      testedEmailFrom: row.tested_email_from,
      to: request.body.to,
      hasTranscript: isAsked(request.query, 'transcript'),
      caller: callers.of(request),
    })
  })
}

function addUnsavedTestRoute(app: HttpApp, parts: TransportRouteParts): void {
  const { transports, sendTest, callers, dsnOptions } = parts
  const schema = {
    summary: 'Send a test message through values that are not saved yet',
    tags,
    querystring: testQuery,
    body: Type.Object({
      mailerDsn: dsnText,
      testedEmailFrom: optionalEmailAddress('The sender.'),
      to: Type.Optional(emailAddress('To whom; default: the calling user.')),
      id: Type.Optional(recordId('The transport that fills in masked secrets.')),
    }),
    response: { 200: testAnswer },
  }
  const config = { permission: 'multipleTransports:edit' as const }
  app.post('/api/multipleTransports/send/test', { schema, config }, async (request) => {
    const { mailerDsn, testedEmailFrom, to, id } = request.body
    const stored = id === undefined ? undefined : await transports.getRow(id)
    const storedDsn = stored === undefined ? undefined : await transports.findDsn(stored)
    return sendTest({
      dsn: readDsn(mailerDsn, storedDsn, dsnOptions),
      through: { id: id ?? null, name: stored?.name ?? 'not saved' },
      testedEmailFrom: testedEmailFrom || null,
      to,
      hasTranscript: isAsked(request.query, 'transcript'),
      caller: callers.of(request),
    })
  })
}

function addInspectRoute(app: HttpApp, { dsnOptions }: TransportRouteParts): void {
  const schema = {
    summary: 'Say what a DSN means, or what is wrong with it',
    description: 'It connects to nothing and stores nothing.',
    tags,
    body: Type.Object({ mailerDsn: Type.String({ maxLength: 16_000 }) }),
    response: { 200: Type.Unsafe<object>({ type: 'object', additionalProperties: true }) },
  }
  const config = { permission: 'multipleTransports:create' as const }
  app.post('/api/multipleTransports/dsn/inspect', { schema, config }, async (request) =>
    inspectDsn(request.body.mailerDsn, dsnOptions),
  )
}
