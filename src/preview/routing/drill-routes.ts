import Type from 'typebox'
import { type Callers, type HttpApp, nullable, recordId } from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { type InspectedTransport, inspectDsn } from '../../mailer/index.ts'
import { chooseMautic, type MauticFinder } from '../../mautic/index.ts'
import { mayUse } from '../../resource/index.ts'
import type { TransportRow, Transports } from '../../transports/index.ts'
import { createDrill, type DrillOptions, type DrillTarget } from './drill.ts'

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

const named = Type.Object(
  { id: Type.Integer(), name: Type.String() },
  { examples: [{ id: 2, name: 'Try-out' }] },
)
const namedOrNull = Type.Union([named, Type.Null()])

const target = Type.Object(
  {
    kind: Type.Enum(['transport', 'default', 'none']),
    transport: Type.Union([Type.Object(named.properties), Type.Null()]),
  },
  {
    description: '`default`: MAILYARD_MAILER_DSN. `none`: the messages would not be sent.',
    examples: [{ kind: 'none', transport: null }],
  },
)

const source = Type.Enum(['named', 'email', 'owner'], {
  description:
    'Why the transport is used: the message names it, or it is that of the email or of the owner.',
  examples: ['email'],
})

const schema = {
  operationId: 'drillTransports',
  summary: 'Show what would be sent elsewhere if transports were down',
  description:
    'A fire drill: the transports count as unpublished, nothing is changed. It lists the emails and users whose messages ' +
    'would be sent through another transport, the default, or not at all, and counts the deliveries of the last day. ' +
    'Emails of a Mautic that name a transport in their headers are not listed: only Mautic knows these. `emails` needs `email:view` and `users` needs `user:view`; without it, the member is null.',
  tags: ['multipleTransports'],
  body: Type.Object(
    {
      down: Type.Array(recordId('Id of a transport.'), {
        minItems: 1,
        maxItems: 1_000,
        description: 'The transports that are down.',
      }),
      mautic: Type.Optional(
        recordId(
          'Id of a connected Mautic, for its emails and users. Callers of a Mautic always ask about theirs. Default: those of Mailyard itself.',
        ),
      ),
      start: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Default 0.' }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 1_000,
          description: 'How many emails and how many users are listed at most. Default 200.',
        }),
      ),
    },
    { examples: [{ down: [2] }] },
  ),
  response: {
    200: Type.Object({
      down: Type.Array(
        Type.Object({
          ...named.properties,
          isPublished: Type.Boolean({ description: 'An unpublished one changes nothing.' }),
          members: Type.Array(Type.String(), {
            description:
              'The members of a list. While one of them can be reached, nothing is sent elsewhere.',
          }),
        }),
        { examples: [[{ id: 2, name: 'Try-out', isPublished: true, members: [] }]] },
      ),
      since: Type.String({ format: 'date-time', examples: ['2026-01-31T15:54:35+00:00'] }),
      deliveries: Type.Integer({ description: 'Through them since then.', examples: [0] }),
      targets: Type.Array(
        Type.Object({
          to: target,
          emails: Type.Integer(),
          users: Type.Integer(),
          deliveries: Type.Integer(),
        }),
        {
          description: 'Where it would be sent: the 200 targets with the most deliveries.',
          examples: [[]],
        },
      ),
      reachedLimits: nullable(
        Type.Array(
          Type.Object({
            id: Type.Integer(),
            name: Type.String(),
            allowed: Type.Integer({ description: 'Recipients that it allows today.' }),
            needed: Type.Integer({
              description:
                'Recipients of the last day through its transports, together with those that would be moved to them.',
            }),
          }),
        ),
        {
          description:
            'Limits of the remaining transports that allow less on a day than they would need. Null for callers of a Mautic: limits are not shown to them.',
          examples: [[]],
        },
      ),
      senders: Type.Object(
        {
          total: Type.Integer(),
          items: Type.Array(
            Type.Object({
              domain: Type.String(),
              to: Type.Object(target.properties),
              member: nullable(Type.String(), {
                description:
                  'The member of a list that is down in part: it may be the one that remains. Null: the transport takes over.',
              }),
              verdict: nullable(Type.Enum(['notAligned', 'cannotTell']), {
                description: 'As in `GET /api/senders`. Null: not checked yet.',
              }),
              sentence: nullable(Type.String()),
            }),
          ),
        },
        {
          description:
            'From domains of the transports that are down, of which it is not certain that receivers would believe them through what ' +
            'takes over; the worst 200. Of several transports, each is listed with what takes over for any of them. The first 20 domains are checked ' +
            'if they were not, in 15 seconds at most.',
          examples: [{ total: 0, items: [] }],
        },
      ),
      emails: Type.Union([
        Type.Object(
          {
            total: Type.Integer(),
            undecided: Type.Integer({
              description:
                'Emails whose header X-Mailyard-Transport depends on the contact; they are not listed.',
            }),
            items: Type.Array(
              Type.Object({
                email: Type.Object(named.properties),
                source,
                from: namedOrNull,
                to: target,
                deliveries: Type.Integer({
                  description: 'How many deliveries there were in the last day.',
                }),
              }),
            ),
          },
          { examples: [{ total: 0, undecided: 0, items: [] }] },
        ),
        Type.Null(),
      ]),
      users: Type.Union([
        Type.Object(
          {
            total: Type.Integer(),
            items: Type.Array(
              Type.Object({
                user: Type.Object({ id: Type.Integer(), username: Type.String() }),
                from: Type.Object(named.properties),
                to: target,
              }),
            ),
          },
          { examples: [{ total: 0, items: [] }] },
        ),
        Type.Null(),
      ]),
    }),
  },
}

/** Adds `POST /api/multipleTransport/drill`. */
export function addDrillRoute(app: HttpApp, parts: DrillRouteParts): void {
  const { storage, clock, hasDefault, transports, mautics, callers, findMoved } = parts
  const drill = createDrill({ storage, clock, hasDefault })
  const config = { permission: 'multipleTransports:view' as const }
  app.post('/api/multipleTransport/drill', { schema, config }, async (request) => {
    const { down: ids, start = 0, limit = 200 } = request.body
    const caller = callers.of(request)
    const mautic = await chooseMautic(request.body.mautic, { caller, mautics })
    const down: TransportRow[] = []
    for (const id of new Set(ids)) {
      const row = await transports.findRow(id)
      if (row === undefined || isHidden(row, caller))
        throw new AppError('not_found', 'transport_not_found', `Transport not found: ${id}`)
      down.push(row)
    }
    const { since, ...report } = await drill({
      down,
      mautic,
      owner: callerKey(caller),
      start,
      limit,
      hasEmails: caller.can('email:view'),
      hasUsers: caller.can('user:view'),
      hasLimits: caller.mautic === undefined,
    })
    return {
      down: await Promise.all(down.map((row) => describeDown(row, transports))),
      since: formatDate(since),
      ...report,
      senders: await findSenders(report.targets, { down, mauticId: mautic?.id ?? 0, findMoved }),
    }
  })
}

const sendersMax = 200

async function findSenders(
  targets: readonly { to: DrillTarget }[],
  {
    down,
    mauticId,
    findMoved,
  }: { down: readonly TransportRow[]; mauticId: number; findMoved: FindMoved },
) {
  const targetOf = new Map(
    targets.flatMap(({ to }) => (to.kind === 'none' ? [] : [[to.transport?.id ?? 0, to] as const])),
  )
  const moved = await findMoved({
    down: down.map(({ id }) => id),
    targets: [...targetOf.keys()],
    mauticId,
  })
  const lists = new Map(
    down.map(({ id, name }): [number, DrillTarget] => [
      id,
      { kind: 'transport', transport: { id, name } },
    ]),
  )
  const items = moved.slice(0, sendersMax).flatMap(({ transportId, ...sender }) => {
    const to = (sender.member === null ? targetOf : lists).get(transportId)
    return to === undefined ? [] : [{ to, ...sender }]
  })
  return { total: moved.length, items }
}

/** Callers of a Mautic do not see the transports of others. */
function isHidden(row: TransportRow, { mautic }: Caller): boolean {
  return mautic !== undefined && !mayUse(row, mautic.id)
}

async function describeDown(row: TransportRow, { findDsn }: DrillRouteParts['transports']) {
  const { id, name } = row
  const inspection = inspectDsn((await findDsn(row)) ?? '', { hasInbox: true, hasCommand: true })
  const members = inspection.valid ? leavesOf(inspection.transport.members) : []
  return { id, name, isPublished: Boolean(row.is_published), members }
}

function leavesOf(members: readonly InspectedTransport[]): string[] {
  return members.flatMap((member) =>
    member.members.length > 0
      ? leavesOf(member.members)
      : [
          `${member.scheme}://${member.host ?? 'local'}${member.port === null ? '' : `:${member.port}`}`,
        ],
  )
}
