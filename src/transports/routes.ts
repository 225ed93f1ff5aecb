import Type from 'typebox'
import {
  addResourceRoutes,
  type Callers,
  emailAddress,
  type HttpApp,
  idParameter,
  isAsked,
  optionalEmailAddress,
  readId,
  recordId,
} from '../http/index.ts'
import { inspectDsn, type ParseDsnOptions, stages } from '../mailer/index.ts'
import { dsnLengthMax, dsnText, transportShape } from './schema.ts'
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

const testExample = {
  success: false,
  message: 'The server refused the log-in (535 5.7.8 Authentication failed).',
  stages: [
    {
      stage: 'auth',
      outcome: 'failed',
      durationMs: 41.3,
      detail: '535 5.7.8 Authentication failed',
      hint: 'Check user name and password of the DSN.',
    },
  ],
}

const testAnswer = Type.Object(
  {
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
  },
  { examples: [testExample] },
)

const testQuery = Type.Unsafe<{ transcript?: unknown }>(
  Type.Object({
    transcript: Type.Optional(
      Type.String({ description: '`1`: the whole dialogue, secrets blanked.' }),
    ),
  }),
)

function addTestRoute(app: HttpApp, { transports, sendTest, callers }: TransportRouteParts): void {
  const schema = {
    operationId: 'testTransport',
    summary: 'Send a test message through a transport',
    tags,
    params: Type.Object({ id: idParameter('Id of the transport.', 2) }),
    querystring: testQuery,
    body: Type.Object(
      { to: Type.Optional(emailAddress('To whom; default: the calling user.')) },
      { examples: [{ to: 'ann@example.com' }] },
    ),
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
    operationId: 'testUnsavedTransport',
    summary: 'Send a test message through values that are not saved yet',
    tags,
    querystring: testQuery,
    body: Type.Object(
      {
        mailerDsn: dsnText,
        testedEmailFrom: optionalEmailAddress('The sender.'),
        to: Type.Optional(emailAddress('To whom; default: the calling user.')),
        id: Type.Optional(recordId('The transport that fills in masked secrets.')),
      },
      { examples: [{ mailerDsn: 'inbox://local', to: 'ann@example.com' }] },
    ),
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

const inspection = {
  valid: true,
  transport: {
    kind: 'smtp',
    scheme: 'smtp',
    provider: null,
    host: 'localhost',
    port: 2525,
    tls: 'opportunistic',
    username: null,
    options: {},
    members: [],
  },
  warnings: [],
}

function addInspectRoute(app: HttpApp, { dsnOptions }: TransportRouteParts): void {
  const schema = {
    operationId: 'inspectDsn',
    summary: 'Say what a DSN means, or what is wrong with it',
    description: 'It connects to nothing and stores nothing.',
    tags,
    body: Type.Object({
      mailerDsn: Type.String({ maxLength: dsnLengthMax, examples: ['smtp://localhost:2525'] }),
    }),
    response: {
      200: Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        examples: [inspection],
      }),
    },
  }
  const config = { permission: 'multipleTransports:create' as const }
  app.post('/api/multipleTransports/dsn/inspect', { schema, config }, async (request) =>
    inspectDsn(request.body.mailerDsn, dsnOptions),
  )
}
