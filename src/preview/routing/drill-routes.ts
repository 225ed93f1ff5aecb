import Type, { type Static, type TSchema } from 'typebox'
import { type Callers, type HttpApp, nullable, recordId } from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'
import { chooseMautic, type MauticFinder } from '../../mautic/index.ts'
import { mayUse } from '../../resource/index.ts'
import type { TransportRow, Transports } from '../../transports/index.ts'
import { type DrillOptions, drillTransports } from './drill.ts'

/** Dependencies of the route of the fire drill. */
export interface DrillRouteParts extends DrillOptions {
  transports: Pick<Transports, 'findRow'>
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
}) => Promise<(Omit<Static<typeof sender>, 'to'> & { transportId: number })[]>

const named = Type.Object({ id: Type.Integer(), name: Type.String() })
const to = Type.Object(
  { kind: Type.Enum(['transport', 'default', 'none']), transport: nullable(named) },
  { description: '`default`: MAILYARD_MAILER_DSN. `none`: the messages would not be sent.' },
)
const deliveries = Type.Integer({ description: 'Those of the last day.' })
const from = nullable(named, { description: 'Null: those of several owners.' })
const target = Type.Object({ to, emails: Type.Integer(), users: Type.Integer(), deliveries })
const sender = Type.Object({
  domain: Type.String(),
  to,
  member: nullable(Type.String(), {
    description: 'Of a list that is down in part: this member may be the one that remains.',
  }),
  verdict: nullable(Type.Enum(['notAligned', 'cannotTell']), {
    description: 'As in `GET /api/senders`. Null: not checked yet.',
  }),
  sentence: nullable(Type.String()),
})
const email = Type.Object({ email: named, from, to, deliveries })
const user = Type.Object({
  user: Type.Object({ id: Type.Integer(), username: Type.String() }),
  from,
  to,
})
export type DrillTarget = Static<typeof to>
export type TargetSum = Static<typeof target>
export type DrillEmail = Static<typeof email>
export type DrillUser = Static<typeof user>

const listedMax = 200
const partOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ total: Type.Integer(), items: Type.Array(item, { maxItems: listedMax }) })

function firstOf<Item>(items: readonly Item[]) {
  return { total: items.length, items: items.slice(0, listedMax) }
}

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
  response: {
    200: Type.Object(
      {
        targets: Type.Array(target),
        senders: partOf(sender),
        emails: nullable(partOf(email)),
        users: nullable(partOf(user)),
      },
      {
        examples: [
          {
            targets: [],
            senders: { total: 0, items: [] },
            emails: { total: 0, items: [] },
            users: { total: 0, items: [] },
          },
        ],
      },
    ),
  },
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
    const owner = callerKey(caller)
    const { targets, emails, users } = await drillTransports(parts, { down, mautic, owner })
    const targetOf = new Map(
      targets.flatMap(({ to }) =>
        to.kind === 'none' ? [] : [[to.transport?.id ?? 0, to] as const],
      ),
    )
    const moved = await findMoved({
      down: down.map(({ id }) => id),
      targets: [...targetOf.keys()],
      mauticId: mautic?.id ?? 0,
    })
    // Of a list that is down in part, what remains is a member of it.
    for (const { id, name } of down)
      targetOf.set(id, { kind: 'transport', transport: { id, name } })
    const senders = moved.flatMap(({ transportId, ...each }) => {
      const to = targetOf.get(transportId)
      return to === undefined ? [] : [{ to, ...each }]
    })
    return {
      targets: targets.slice(0, listedMax),
      senders: firstOf(senders),
      emails: caller.can('email:view') ? firstOf(emails) : null,
      users: caller.can('user:view') ? firstOf(users) : null,
    }
  })
}

/** Callers of a Mautic do not see the transports of others. */
function isHidden(row: TransportRow, { mautic }: Caller): boolean {
  return mautic !== undefined && !mayUse(row, mautic.id)
}
