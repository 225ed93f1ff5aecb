import Type, { type Static } from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import {
  buildDsnForm,
  DsnError,
  type DsnForm,
  describeDsn,
  describeProviders,
  inspectDsn,
  maskDsn,
  type ParseDsnOptions,
  readDsnForm,
  unmaskDsn,
} from '../../libraries/mailer/index.ts'
import {
  type Callers,
  type HttpApp,
  nullable,
  recordId,
  validationError,
} from '../../platform/http/index.ts'
import { dsnFormInput, dsnLengthMax, inspectionAnswer, providerList } from './dsn-schema.ts'
import { presentEndingLogins } from './login-end.ts'
import { dsnOptionsFor, mayEdit, type Transports } from './service.ts'

export interface DsnRouteParts {
  transports: Pick<Transports, 'getRow' | 'findDsn'>
  callers: Callers
  clock: Clock
  dsnOptions: ParseDsnOptions
  /** The DSN of the configured default transport; undefined for none. */
  defaultDsn: string | undefined
}

const tags = ['multipleTransports']
const config = { permission: 'multipleTransports:view' as const }

/** Adds the providers, and the two directions between a DSN and the fields of a form. */
export function addDsnRoutes(app: HttpApp, parts: DsnRouteParts): void {
  addProvidersRoute(app, parts)
  addInspectRoute(app, parts)
  addBuildRoute(app, parts)
}

function addProvidersRoute(app: HttpApp, { callers, dsnOptions, defaultDsn }: DsnRouteParts): void {
  const schema = {
    operationId: 'listProviders',
    summary: 'List the providers and the fields of their DSNs',
    description: 'Only those that this installation allows.',
    tags,
    response: {
      200: Type.Object({
        providers: providerList,
        defaultServer: nullable(Type.String(), {
          description:
            'Scheme and host of the configured default transport; null for none, and for callers of a Mautic.',
          examples: ['smtp://mail.example.com:587'],
        }),
      }),
    },
  }
  app.get('/api/multipleTransports/providers', { schema, config }, async (request) => {
    const caller = callers.of(request)
    const providers = describeProviders(dsnOptionsFor(caller, dsnOptions))
    const isHidden = defaultDsn === undefined || caller.mautic !== undefined
    return {
      providers: providers as Static<typeof providerList>,
      defaultServer: isHidden ? null : describeDsn(defaultDsn),
    }
  })
}

function addInspectRoute(app: HttpApp, parts: DsnRouteParts): void {
  const schema = {
    operationId: 'inspectDsn',
    summary: 'Explain a DSN, or its fault',
    description:
      'It opens no connection and stores nothing. The fields hold the secrets of the DSN that you send, masked if you may only view transports. With `id`, masks ' +
      'stand for the secrets of that transport, and without `mailerDsn` its own DSN is explained: in clear if you may ' +
      'edit transports, else masked.',
    tags,
    body: Type.Object(
      {
        mailerDsn: Type.Optional(Type.String({ maxLength: dsnLengthMax })),
        id: Type.Optional(recordId('The transport whose secrets stand behind the masks.')),
      },
      { examples: [{ mailerDsn: 'smtp://localhost:2525' }] },
    ),
    response: { 200: inspectionAnswer },
  }
  app.post('/api/multipleTransports/dsn/inspect', { schema, config }, async (request) => {
    const { mailerDsn, id } = request.body
    const caller = parts.callers.of(request)
    const { dsn: stored, isEditable } = await findStored(parts, id, caller)
    const shown = stored === undefined || isEditable ? stored : maskDsn(stored)
    const text = mailerDsn ?? shown
    if (text === undefined) throw validationError({ mailerDsn: ['is required'] })
    // The secrets of others are used for a DSN that is theirs as it is shown, and for nothing else.
    const source = isEditable || text === shown ? stored : undefined
    const isMasked = !canWrite(caller)
    const dsnOptions = dsnOptionsFor(caller, parts.dsnOptions)
    return explain(text, { source, isMasked, dsnOptions, now: parts.clock.now() })
  })
}

function addBuildRoute(app: HttpApp, parts: DsnRouteParts): void {
  const schema = {
    operationId: 'buildDsn',
    summary: 'Build a DSN from the fields of a provider',
    description:
      'It opens no connection and stores nothing. The faults are in `details` by the name of the field, as ' +
      '`members.0.password` for a member of a list. With `id`, `********` stands for the secret of that transport; it ' +
      'remains in the DSN, and an edit keeps the secret.',
    tags,
    body: dsnFormInput,
    response: { 200: inspectionAnswer },
  }
  app.post('/api/multipleTransports/dsn/build', { schema, config }, async (request) => {
    const { id, ...form } = request.body
    const caller = parts.callers.of(request)
    const dsnOptions = dsnOptionsFor(caller, parts.dsnOptions)
    const { dsn, isEditable } = await findStored(parts, id, caller)
    const stored = isEditable ? dsn : undefined
    const built = buildDsnForm(form, { ...dsnOptions, stored })
    if ('details' in built) return notBuilt(built.details)
    if (built.mailerDsn.length > dsnLengthMax)
      return notBuilt({ provider: [`The DSN has more than ${dsnLengthMax} characters.`] })
    const isMasked = !canWrite(caller)
    const now = parts.clock.now()
    return explain(built.mailerDsn, { source: stored, isMasked, dsnOptions, now })
  })
}

/** Finds the DSN of a transport, and whether the caller may edit it and so use its secrets in another DSN. */
async function findStored(
  { transports }: DsnRouteParts,
  id: number | undefined,
  caller: Caller,
): Promise<{ dsn: string | undefined; isEditable: boolean }> {
  if (id === undefined) return { dsn: undefined, isEditable: false }
  const row = await transports.getRow(id, caller)
  return { dsn: await transports.findDsn(row), isEditable: mayEdit(row, caller) }
}

type Inspection = Static<typeof inspectionAnswer>

const noForm = { provider: null, variant: null, fields: {}, members: [] as DsnForm[] }

function notBuilt(faults: Readonly<Record<string, readonly string[]>>): Inspection {
  const details = Object.fromEntries(
    Object.entries(faults).map(([field, reasons]) => [field, [...reasons]]),
  )
  const error = validationError(details).message
  return { valid: false, mailerDsn: null, maskedDsn: null, error, details, ...noForm }
}

interface Explaining {
  /** The DSN whose secrets stand behind the masks. */
  source: string | undefined
  /** Whether the caller sees masks instead of secrets, also of those that they sent. */
  isMasked: boolean
  dsnOptions: ParseDsnOptions
  now: number
}

/** Whether a caller fills in DSNs. Others see no secret. */
function canWrite(caller: Caller): boolean {
  return caller.can('multipleTransports:edit') || caller.can('multipleTransports:create')
}

function explain(text: string, { source, isMasked, dsnOptions, now }: Explaining): Inspection {
  const dsn = source === undefined ? text : tryUnmask(text, source)
  const inspection = inspectDsn(dsn, dsnOptions)
  const shownDsn = isMasked ? maskDsn(text) : text
  const { members, ...form } = readDsnForm(shownDsn) ?? noForm
  const shown = { mailerDsn: shownDsn, maskedDsn: maskDsn(text), ...form, members: [...members] }
  if (!inspection.valid) return { ...shown, ...inspection }
  return {
    ...shown,
    ...inspection,
    warnings: [...inspection.warnings],
    endingLogins: presentEndingLogins(inspection.endingLogins, now),
  }
}

/** A mask that no secret fits stays a mask. */
function tryUnmask(text: string, source: string): string {
  try {
    return unmaskDsn(text, source)
  } catch (error) {
    if (error instanceof DsnError) return text
    throw error
  }
}
