import Type from 'typebox'
import { type Callers, type HttpApp, recordId } from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { describeDsn } from '../../mailer/index.ts'
import { chooseMautic, type MauticFinder } from '../../mautic/index.ts'
import { mayUse } from '../../resource/index.ts'
import type { TransportRow, Transports } from '../../transports/index.ts'
import { type DrillOptions, drillTransports } from './drill.ts'
import { type DrillTarget, drillReport } from './drill-schema.ts'

/** Dependencies of the route of the fire drill. */
export interface DrillRouteParts extends DrillOptions {
  transports: Pick<Transports, 'findRow' | 'findDsn'>
  mautics: MauticFinder
  callers: Callers
  findMoved: FindMoved
}

/** Finds the From domains that would not be believed through what takes over; see `Senders.findMoved`. */
export type FindMoved = (question: {
  down: readonly number[]
  /** 0: the default. */
  targets: readonly number[]
  /** 0: Mailyard itself. */
  mauticId: number
}) => Promise<
  {
    domain: string
    transportId: number
    member: string | null
    verdict: 'notAligned' | 'cannotTell' | null
    sentence: string | null
  }[]
>

const schema = {
  operationId: 'drillTransports',
  summary: 'Show what would be sent elsewhere if transports were down',
  description:
    'A fire drill: the transports count as unpublished, nothing is changed. Lists have the first 200 entries. ' +
    '`emails` needs `email:view` and `users` needs `user:view`; without it, the member is null.',
  tags: ['multipleTransports'],
  body: Type.Object(
    {
      down: Type.Array(recordId('Id of a transport.'), { minItems: 1, maxItems: 1_000 }),
      mautic: Type.Optional(
        recordId('A connected Mautic, for its emails and users. Default: Mailyard itself.'),
      ),
    },
    { examples: [{ down: [2] }] },
  ),
  response: { 200: drillReport },
}

/** Adds `POST /api/multipleTransport/drill`. */
export function addDrillRoute(app: HttpApp, parts: DrillRouteParts): void {
  const { transports, mautics, callers, findMoved } = parts
  const config = { permission: 'multipleTransports:view' as const }
  app.post('/api/multipleTransport/drill', { schema, config }, async (request) => {
    const caller = callers.of(request)
    const mautic = await chooseMautic(request.body.mautic, { caller, mautics })
    const down: TransportRow[] = []
    for (const id of new Set(request.body.down)) {
      const row = await transports.findRow(id)
      if (row === undefined || isHidden(row, caller))
        throw new AppError('not_found', 'transport_not_found', `Transport not found: ${id}`)
      down.push(row)
    }
    const { since, ...report } = await drillTransports(parts, {
      down,
      mautic,
      owner: callerKey(caller),
      hasEmails: caller.can('email:view'),
      hasUsers: caller.can('user:view'),
      hasLimits: caller.mautic === undefined,
    })
    const targets = new Map(
      report.targets.flatMap(({ to }) =>
        to.kind === 'none' ? [] : [[to.transport?.id ?? 0, to] as const],
      ),
    )
    const senders = await findMoved({
      down: down.map(({ id }) => id),
      targets: [...targets.keys()],
      mauticId: mautic?.id ?? 0,
    })
    return {
      down: await Promise.all(down.map((row) => describeDown(row, transports))),
      since: formatDate(since),
      ...report,
      senders: { total: senders.length, items: describeSenders(senders, targets, down) },
    }
  })
}

/** Names what takes over: another transport, or a member of a list that is down in part. */
function describeSenders(
  senders: Awaited<ReturnType<FindMoved>>,
  targets: ReadonlyMap<number, DrillTarget>,
  down: readonly TransportRow[],
) {
  return senders.slice(0, sendersMax).flatMap(({ transportId, ...sender }) => {
    const list = down.find(({ id }) => id === transportId)
    const to: DrillTarget | undefined =
      sender.member === null || list === undefined
        ? targets.get(transportId)
        : { kind: 'transport', transport: { id: list.id, name: list.name } }
    return to === undefined ? [] : [{ to, ...sender }]
  })
}

const sendersMax = 200

/** Callers of a Mautic do not see the transports of others. */
function isHidden(row: TransportRow, { mautic }: Caller): boolean {
  return mautic !== undefined && !mayUse(row, mautic.id)
}

async function describeDown(row: TransportRow, { findDsn }: DrillRouteParts['transports']) {
  const { id, name } = row
  const servers = describeDsn((await findDsn(row)) ?? '').match(/[^\s()]+:\/\/[^\s()]+/g) ?? []
  const members = servers.length > 1 ? servers : []
  return { id, name, isPublished: Boolean(row.is_published), members }
}
